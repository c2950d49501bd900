"""Why nothing was connected, in the words of the person on the page, who is the customer's customer."""

from socialgate.areas.accounts.connect_outcome import PLAN_LIMIT_MESSAGE
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.errors import CrossSiteRequest, NotFound, RateLimited, ServiceError

_ENDED = "This link has expired or was deleted. Ask {sender} for a new one."
_BY_CODE = {
    "oauth_denied": "You did not give the permission, so nothing was connected. You can try again.",
    "no_accounts_found": (
        "You have no account there that can be connected, or did not grant the required permissions. Sign in with "
        "another account, or grant all of them."
    ),
    "connected_elsewhere": "This account is already connected somewhere else. Ask {sender} to disconnect it there.",
    "plan_limit_reached": PLAN_LIMIT_MESSAGE,
    "link_used": ("This was already connected with this link, or somebody is doing so. Ask {sender} for another link."),
    "link_ended": _ENDED,
    "connect_state_invalid": "This took longer than ten minutes, or was done already. Start again.",
    "another_browser": "This was started in another browser, or cookies are disabled. Start again in this one.",
    "pairing_ended": "No phone has scanned the code in time. Start again to get a new one.",
    "cookie_refused": "This cannot be done inside another page. Open it in a tab of its own.",
    "credential_rejected": "The platform does not accept this. Check what you entered.",
}
_UNKNOWN_FAILURE = "The platform did not let you in, so nothing was connected. Try again."
_UNEXPECTED_FAILURE = "Something went wrong, and nothing was connected. Go back and try again."
_BUSY_PLATFORM = "The platform does not respond at the moment. Nothing was connected; try again in a few minutes."

DENIED_CODE = "oauth_denied"
UNKNOWN_LINK = (
    "It is not complete, has expired or was deleted. Check that you opened all of it, or ask the company that sent it "
    "for a new one."
)


def describe_code(code: str, sender: str) -> str:
    """Explain the code of an error that is in an address. Its own text is not shown: anybody could have written it."""
    if code.startswith("missing_") and code.endswith("_permissions"):
        return "Some of the required permissions were switched off. Try again, and leave them selected."
    return _BY_CODE.get(code, _UNKNOWN_FAILURE).format(sender=sender)


def describe_failure(failure: Exception, sender: str) -> str:
    """Explain an error. The details of most are for the customer's programs."""
    if isinstance(failure, RateLimited):
        return "There were too many requests. Wait a minute, then load the page again."
    if isinstance(failure, CrossSiteRequest):
        return "The form must come from our own pages. Load the page again, and send it from there."
    if isinstance(failure, NotFound):
        return "There is no such page. Start again from the list."
    if isinstance(failure, PlatformFailure):
        return _BUSY_PLATFORM
    if isinstance(failure, ServiceError) and failure.code in _BY_CODE:
        return describe_code(failure.code, sender)
    return _UNEXPECTED_FAILURE
