"""What errors of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

from socialgate.connectors.graph import errors
from socialgate.connectors.graph.dialect import FLAT_ERROR_CODE
from socialgate.connectors.graph.errors import (
    build_account_issue_rules,
    build_content_rules,
    build_permission_rules,
    build_rate_limit_rules,
    build_reconnection_rules,
    build_rules,
    build_temporary_rules,
)
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform

_MEDIA_NOT_VISIBLE_CODE = "4279009"
# Our own code, for media that Threads cannot use for an unknown reason.
UNUSABLE_MEDIA_CODE = "unusable"

_ERROR_RULES = {
    **build_reconnection_rules("Threads no longer accepts this login. Reconnect the account.", 190),
    **build_permission_rules(
        "A permission is missing on Threads. Reconnect the account and keep every checkbox selected; if that does not "
        "help, the app lacks Meta's approval for it.",
        *(10, *range(200, 300)),
    ),
    # The profile's quota is used up, whatever the code says about the app: nobody else has to wait.
    **build_rate_limit_rules(
        "This profile has used up its posts for the last 24 hours.", 2207042, category="quota_exhausted"
    ),
    **build_rate_limit_rules(
        "Threads has received too many calls from this app.", f"{FLAT_ERROR_CODE}/429", pause_scope="app"
    ),
    **build_temporary_rules(
        "Threads does not see the media yet. Try again in a few seconds.", _MEDIA_NOT_VISIBLE_CODE, wait=5
    ),
    **build_account_issue_rules(
        "Threads is restricting this profile. Open the Threads app to see why.", 4279013, 2207051
    ),
    **build_content_rules(
        "Threads cannot use the audio. Use AAC with up to 48 kHz.", "media", "FAILED_PROCESSING_AUDIO"
    ),
    **build_content_rules(
        "Threads cannot use the video. Use MP4 or MOV with H.264 and AAC.", "media", "FAILED_PROCESSING_VIDEO"
    ),
    **build_content_rules(
        "Threads rejected the aspect ratio of the media: it must be between 0.01:1 and 10:1.",
        "media",
        "INVALID_ASPEC_RATIO",
    ),
    **build_content_rules("The bit rate of the video is too high: at most 25 Mbit/s.", "media", "INVALID_BIT_RATE"),
    **build_content_rules("The video is too long: at most five minutes.", "media", "INVALID_DURATION"),
    **build_content_rules("The video must have 23 to 60 frames per second.", "media", "INVALID_FRAME_RATE"),
    **build_content_rules(
        "The audio must be mono or stereo.", "media", "INVALID_AUDIO_CHANNELS", "INVALID_AUDIO_CHANNEL_LAYOUT"
    ),
    **build_content_rules(
        "Threads cannot use the media; its own message is in `platformError`.", "media", UNUSABLE_MEDIA_CODE
    ),
    **build_temporary_rules(
        "Threads could not fetch or store the media. Check that this service is reachable from outside.",
        *("FAILED_DOWNLOADING_VIDEO", "UNKNOWN"),
    ),
    **build_rules(
        PlatformRejectedError,
        "Threads rejected the login: it was already used, or is too old. Start connecting again.",
        FLAT_ERROR_CODE,
    ),
}
_INVALID_VALUE_DETAIL = "Threads rejected a value of this request"
# A token endpoint that returns an error issued no token, and a container that is not visible yet was not published.
_NOT_EXECUTED_CODES = frozenset({FLAT_ERROR_CODE, _MEDIA_NOT_VISIBLE_CODE})

ERROR_TABLE = errors.build_error_table(
    Platform.THREADS, "Threads", "profile", _INVALID_VALUE_DETAIL, _ERROR_RULES, _NOT_EXECUTED_CODES
)
