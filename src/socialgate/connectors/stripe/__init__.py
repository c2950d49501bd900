"""Stripe: how plans are paid for. Not a platform: nobody connects an account there."""
