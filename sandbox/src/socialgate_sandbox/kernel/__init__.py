"""What every simulated platform runs on: requests, state, clock, failures and webhooks. It knows no vendor."""
