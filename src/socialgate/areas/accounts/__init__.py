"""Accounts on platforms: connected, read, checked, renewed, lost, and disconnected."""
