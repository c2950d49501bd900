"""The outbound hooks engine: where to send, what to sign, when to retry."""
