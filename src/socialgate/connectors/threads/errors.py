"""What the failures of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

from socialgate.connectors.dialects.graph import FLAT
from socialgate.connectors.graph import errors
from socialgate.connectors.graph.errors import blocked, dead, forbidden, full, passing, rules
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform

_NOT_YET = "4279009"

_RULES = {
    **dead("Threads no longer accepts this login. Connect the account again.", 190),
    **forbidden(
        "Threads misses a permission for this. Connect the account again and leave every box ticked; if it stays so, "
        "the app lacks Meta's approval for it.",
        *(10, *range(200, 300)),
    ),
    # Full is the profile's quota, whatever the code beside it says of the app: nobody else has to wait.
    **full("This profile has used up its posts for the last 24 hours.", 2207042, category="quota_exhausted"),
    **full("Threads has had too many calls from this app.", f"{FLAT}/429", pauses="app"),
    **passing("Threads does not see the media yet. Try again in a few seconds.", _NOT_YET, wait=5),
    **blocked("Threads restricts this profile at the moment. Open the Threads app to see why.", 4279013, 2207051),
    **rules(Rejected, "Threads refuses the login: it was used before, or is too old. Start connecting again.", FLAT),
}
_INVALID = "Threads refuses a value of this request; its own words are in `platformError`."
# A token endpoint that refuses has given no token, and a container that is not seen yet was not published.
_HARMLESS = frozenset({FLAT, _NOT_YET})

TABLE = errors.table(Platform.THREADS, "Threads", "profile", _INVALID, _RULES, _HARMLESS)
