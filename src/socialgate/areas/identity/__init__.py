"""Owners, their users, user sessions and API keys."""
