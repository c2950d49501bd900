"""Profiles group the accounts that an owner connects. Every event belongs to one."""
