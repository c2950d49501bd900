"""What tests share: a real PostgreSQL, a running service, and callers of it."""
