"""Stripe: how plans are paid for. Not a platform: nobody connects an account there."""

from socialgate.connectors.stripe.inbound import StripeInbound
from socialgate.connectors.stripe.payments import StripePayments

__all__ = ["StripeInbound", "StripePayments"]
