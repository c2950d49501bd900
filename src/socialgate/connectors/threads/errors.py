"""What errors of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

from socialgate.connectors.graph import errors
from socialgate.connectors.graph.dialect import FLAT
from socialgate.connectors.graph.errors import blocked, content, dead, forbidden, full, passing, rules
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform

_NOT_YET = "4279009"
# Our own code, for media that Threads cannot use for an unknown reason.
UNUSABLE = "unusable"

_RULES = {
    **dead("Threads no longer accepts this login. Reconnect the account.", 190),
    **forbidden(
        "A permission is missing on Threads. Reconnect the account and keep every checkbox selected; if that does not "
        "help, the app lacks Meta's approval for it.",
        *(10, *range(200, 300)),
    ),
    # The profile's quota is used up, whatever the code says about the app: nobody else has to wait.
    **full("This profile has used up its posts for the last 24 hours.", 2207042, category="quota_exhausted"),
    **full("Threads has received too many calls from this app.", f"{FLAT}/429", pauses="app"),
    **passing("Threads does not see the media yet. Try again in a few seconds.", _NOT_YET, wait=5),
    **blocked("Threads is restricting this profile. Open the Threads app to see why.", 4279013, 2207051),
    **content("Threads cannot use the audio. Use AAC with up to 48 kHz.", "media", "FAILED_PROCESSING_AUDIO"),
    **content("Threads cannot use the video. Use MP4 or MOV with H.264 and AAC.", "media", "FAILED_PROCESSING_VIDEO"),
    **content(
        "Threads rejected the aspect ratio of the media: it must be between 0.01:1 and 10:1.",
        "media",
        "INVALID_ASPEC_RATIO",
    ),
    **content("The bit rate of the video is too high: at most 25 Mbit/s.", "media", "INVALID_BIT_RATE"),
    **content("The video is too long: at most five minutes.", "media", "INVALID_DURATION"),
    **content("The video must have 23 to 60 frames per second.", "media", "INVALID_FRAME_RATE"),
    **content("The audio must be mono or stereo.", "media", "INVALID_AUDIO_CHANNELS", "INVALID_AUDIO_CHANNEL_LAYOUT"),
    **content("Threads cannot use the media; its own message is in `platformError`.", "media", UNUSABLE),
    **passing(
        "Threads could not fetch or store the media. Check that this service is reachable from outside.",
        *("FAILED_DOWNLOADING_VIDEO", "UNKNOWN"),
    ),
    **rules(Rejected, "Threads rejected the login: it was already used, or is too old. Start connecting again.", FLAT),
}
_INVALID = "Threads rejected a value of this request"
# A token endpoint that returns an error issued no token, and a container that is not visible yet was not published.
_HARMLESS = frozenset({FLAT, _NOT_YET})

TABLE = errors.table(Platform.THREADS, "Threads", "profile", _INVALID, _RULES, _HARMLESS)
