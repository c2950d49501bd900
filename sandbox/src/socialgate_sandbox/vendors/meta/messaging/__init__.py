"""Messenger and Instagram messages: one Send API and one list of conversations for both."""
