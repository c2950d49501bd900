"""Outbound webhooks: managing hooks, what was delivered to them, sending again, and events to be fetched."""
