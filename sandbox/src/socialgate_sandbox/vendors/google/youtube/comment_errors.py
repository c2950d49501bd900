"""Why YouTube rejects comments, in its own words."""

from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.vendors.google.errors import ERRORS, build_api_error

_REFUSAL_MESSAGES = {
    "banWithoutReject": "An author can only be banned together with the status <code>rejected</code>.",
    "channelNotFound": "The specified channel could not be found.",
    "channelOrVideoIdMissing": "The <code>snippet.videoId</code> property must specify the video to comment on.",
    "commentNotFound": "One or more of the specified comments cannot be found.",
    "commentsDisabled": "The video identified by the <code>videoId</code> parameter has disabled comments.",
    "commentTextRequired": "The comment has no text.",
    "commentTextTooLong": "The comment has too many characters.",
    "commentThreadNotFound": "One or more of the specified comment threads cannot be found.",
    "invalidCommentMetadata": "The request metadata is invalid.",
    "operationNotSupported": "The API user is not able to reply to the specified comment.",
    "parentCommentIsPrivate": "The specified parent comment is private.",
    "parentCommentNotFound": "The specified parent comment could not be found.",
    "parentIdMissing": "The <code>snippet.parentId</code> property must specify the comment to reply to.",
    "videoNotFound": "The video identified by the <code>videoId</code> parameter could not be found.",
}


def build_comment_refusal(call: Call, reason: str, parameter_name: str) -> CallRefusedError:
    if reason == "forbidden":
        return CallRefusedError(ERRORS["forbidden"](call))
    status = 404 if reason.endswith("NotFound") else 403 if reason == "commentsDisabled" else 400
    domain = "youtube.commentThread" if call.path.endswith("commentThreads") else "youtube.comment"
    place = ("other" if "." in parameter_name else "parameter", parameter_name)
    return CallRefusedError(build_api_error(status, reason, _REFUSAL_MESSAGES[reason], domain, place=place))
