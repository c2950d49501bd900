"""When tokens are renewed: early, spread over time, and again after a temporary failure. Pure functions."""

from datetime import datetime, timedelta

from socialgate.contracts.account_connection import Grant
from socialgate.core.jitter import get_random_jitter
from socialgate.core.jobs.backoff import Backoff

# At two thirds of a token's lifetime, a third is still left in case the platform is down.
_RENEWAL_LIFETIME_FRACTION = 2 / 3
_JITTER_RATIO = 0.1
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(minutes=1), max_delay=timedelta(hours=1), jitter=0.1)
# A token that expires this soon is renewed before it is used.
MIN_TOKEN_VALIDITY = timedelta(seconds=90)


def compute_renewal_time(grant: Grant, spread: float | None = None) -> datetime | None:
    """Return when a grant is due. `spread` is between -1 and 1; random by default."""
    if grant.expires_at is None:
        return None
    life = grant.expires_at - grant.refreshed_at
    share = _RENEWAL_LIFETIME_FRACTION * (1 + _JITTER_RATIO * (get_random_jitter() if spread is None else spread))
    return grant.refreshed_at + life * share


def compute_retry_time(now: datetime, tries: int, wait: int | None, spread: float | None = None) -> datetime:
    """Return when to retry after this many failures; never before the platform allows it."""
    until: datetime = now + _RETRY_BACKOFF.get_delay(
        tries, min_delay=timedelta(seconds=wait or 0), jitter_factor=spread
    )
    return until


def is_token_usable(expires_at: datetime | None, now: datetime) -> bool:
    return expires_at is None or expires_at > now + MIN_TOKEN_VALIDITY
