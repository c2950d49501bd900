"""What the failures of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

from socialgate.connectors.dialects.graph import FLAT
from socialgate.connectors.graph import errors
from socialgate.connectors.graph.errors import blocked, content, dead, forbidden, full, passing, rules
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform

_NOT_YET = "4279009"
# A code of ours, for media that Threads cannot use for a reason that nobody knows.
UNUSABLE = "unusable"

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
    **content("Threads cannot use the sound. Use AAC with up to 48 kHz.", "media", "FAILED_PROCESSING_AUDIO"),
    **content("Threads cannot use the video. Use MP4 or MOV with H.264 and AAC.", "media", "FAILED_PROCESSING_VIDEO"),
    **content("Threads refuses the shape of the media: between 0.01:1 and 10:1.", "media", "INVALID_ASPEC_RATIO"),
    **content("The video has too many bits a second: 25 million at most.", "media", "INVALID_BIT_RATE"),
    **content("The video is too long: five minutes at most.", "media", "INVALID_DURATION"),
    **content("The video must have 23 to 60 pictures a second.", "media", "INVALID_FRAME_RATE"),
    **content("The sound must be mono or stereo.", "media", "INVALID_AUDIO_CHANNELS", "INVALID_AUDIO_CHANNEL_LAYOUT"),
    **content("Threads cannot use the media; its own word is in `platformError`.", "media", UNUSABLE),
    **passing(
        "Threads could not fetch or keep the media. Check that this service can be reached from outside.",
        *("FAILED_DOWNLOADING_VIDEO", "UNKNOWN"),
    ),
    **rules(Rejected, "Threads refuses the login: it was used before, or is too old. Start connecting again.", FLAT),
}
_INVALID = "Threads refuses a value of this request; its own words are in `platformError`."
# A token endpoint that refuses has given no token, and a container that is not seen yet was not published.
_HARMLESS = frozenset({FLAT, _NOT_YET})

TABLE = errors.table(Platform.THREADS, "Threads", "profile", _INVALID, _RULES, _HARMLESS)
