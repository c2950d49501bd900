"""When tokens are renewed: early, spread over time, and again after a temporary failure. Pure functions."""

from datetime import datetime, timedelta

from socialgate.contracts.connecting import Grant
from socialgate.core.jitter import jitter
from socialgate.core.jobs.backoff import Backoff

# At two thirds of a token's lifetime, a third is still left in case the platform is down.
_SHARE = 2 / 3
_JITTER = 0.1
_RETRY = Backoff(first=timedelta(minutes=1), longest=timedelta(hours=1), jitter=0.1)
# A token that expires this soon is renewed before it is used.
USABLE = timedelta(seconds=90)


def renew_at(grant: Grant, spread: float | None = None) -> datetime | None:
    """Return when a grant is due. `spread` is between -1 and 1; random by default."""
    if grant.expires_at is None:
        return None
    life = grant.expires_at - grant.refreshed
    share = _SHARE * (1 + _JITTER * (jitter() if spread is None else spread))
    return grant.refreshed + life * share


def retry_at(now: datetime, tries: int, wait: int | None, spread: float | None = None) -> datetime:
    """Return when to retry after this many failures; never before the platform allows it."""
    until: datetime = now + _RETRY.after(tries, at_least=timedelta(seconds=wait or 0), spread=spread)
    return until


def is_usable(expires_at: datetime | None, now: datetime) -> bool:
    return expires_at is None or expires_at > now + USABLE
