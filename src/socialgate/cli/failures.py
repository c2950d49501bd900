"""Why a request failed, with the names that deliveries of hooks have for it."""

import httpx

from socialgate.cli.output import clean
from socialgate_client import ApiError


def describe_response(error: ApiError) -> str:
    """Say what the service returned, and why if it said so."""
    return f"The service returned {error.status}. {'' if error.code == 'unknown' else clean(error.detail)}".strip()


def describe_failure(failure: BaseException | None) -> str:
    """Name a failure without a response, and say what the network said."""
    return f"{_name(failure)}: {failure or 'nothing arrived'}"


def is_unreachable(failure: BaseException | None) -> bool:
    """Return whether certainly nothing was sent."""
    return isinstance(failure, (httpx.ConnectError, httpx.ConnectTimeout))


def _name(failure: BaseException | None) -> str:
    match failure:
        case httpx.ConnectTimeout():
            return "connect_timeout"
        case httpx.ConnectError():
            return "connect_refused" if "refused" in str(failure).lower() else "connect_failed"
        case httpx.TimeoutException():
            return "timeout"
        case _:
            return "connection_lost"
