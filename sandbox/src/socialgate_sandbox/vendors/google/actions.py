"""What a person or a test can make happen at Google."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, StoredObject, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest, find_or_raise
from socialgate_sandbox.kit.post_processing import set_post_fate
from socialgate_sandbox.kit.tokens import build_expire_action, build_revoke_action
from socialgate_sandbox.society.comments import CommentRequest, find_comment
from socialgate_sandbox.society.platform_metrics import RETIRE_ACTIONS
from socialgate_sandbox.vendors.google.accounts import find_user
from socialgate_sandbox.vendors.google.calendar import events as calendar
from socialgate_sandbox.vendors.google.jwt import SERVICE_ACCOUNT_KEY_NAME, get_or_create_key
from socialgate_sandbox.vendors.google.oauth import delete_grant
from socialgate_sandbox.vendors.google.places.reviews import REVIEW_SERVICE
from socialgate_sandbox.vendors.google.security_events import build_service_account_email
from socialgate_sandbox.vendors.google.seed import VIEWER_CHANNEL_IDS
from socialgate_sandbox.vendors.google.state import (
    AccessToken,
    BusinessMember,
    CalendarEntry,
    CalendarEvent,
    Invitation,
    LocalPost,
    Location,
    RefreshToken,
    Video,
    VideoComment,
    YouTubeChannel,
)
from socialgate_sandbox.vendors.google.webhooks import (
    ACCOUNT_DISABLED,
    ACCOUNT_ENABLED,
    CREDENTIAL_CHANGE,
    SESSIONS_REVOKED,
    TOKENS_REVOKED,
    build_subject,
    notify_watchers,
    send_security_event,
    send_token_revoked_event,
    send_user_event,
)
from socialgate_sandbox.vendors.google.youtube import comments
from socialgate_sandbox.vendors.google.youtube.quota import SEARCH_QUOTA, UNIT_QUOTA, UPLOAD_QUOTA
from socialgate_sandbox.vendors.google.youtube.videos import OUTCOMES

_REVOCATION_CHOICES = {
    "": "Remove the app: every token is revoked, event tokens-revoked",
    "silent": "Remove the app, without an event",
    "token": "Revoke the refresh tokens, event token-revoked with their first 16 characters",
    "token_hash": "Revoke the refresh tokens, event token-revoked with their hash",
    "password_changed": "Change the password: tokens stay valid, event sessions-revoked",
    "credential_change": "Require new credentials: tokens stay valid, event account-credential-change-required",
    "hijacked": "Google disables the account, event account-disabled with reason hijacking",
    "bulk_account": "Google disables the account, event account-disabled with reason bulk-account",
    "account_deleted": "Delete the account, event account-disabled without a reason",
}
_DISABLED_REASONS = {
    "hijacked": {"reason": "hijacking"},
    "bulk_account": {"reason": "bulk-account"},
    "account_deleted": {},
}
_EVENTS_KEEPING_TOKENS = {"password_changed": SESSIONS_REVOKED, "credential_change": CREDENTIAL_CHANGE}


class QuotaRequest(ActionRequest, frozen=True, kw_only=True):
    bucket: Literal["units", "videos.insert", "search.list"] = "units"
    left: int = 0


class NextOutcomeRequest(ActionRequest, frozen=True, kw_only=True):
    """How the next upload of a channel (`failed:codec`, `rejected:copyright`) or local post (`REJECTED`) ends.

    `seconds` is how long it is processed.
    """

    account: str
    result: str = ""
    seconds: float | None = None


class Comment(ActionRequest, frozen=True, kw_only=True):
    """A viewer's comment on a video, or reply to a comment on it. YouTube may hold it for review.

    `objectId`, `parentId`, `commentId` and `action` are the names used on other platforms and in the feed.
    """

    post: str = ""
    text: str = ""
    person: str = "dario"
    reply_to: str = ""
    status: Literal["published", "heldForReview", "likelySpam"] = "published"
    object_id: str = ""
    parent_id: str = ""
    comment_id: str = ""
    action: Literal["comment", "delete"] = "comment"


class DeleteCommentRequest(ActionRequest, frozen=True, kw_only=True):
    comment: str


class RespondRequest(ActionRequest, frozen=True, kw_only=True):
    """A guest's response to an invitation. The account is a calendar."""

    account: str
    event: str
    email: str
    response: Literal["accepted", "declined", "tentative", "needsAction"] = "accepted"


class InvitationsRequest(ActionRequest, frozen=True, kw_only=True):
    event: str


class ServiceAccountRequest(ActionRequest, frozen=True, kw_only=True):
    pass


def revoke_access(context: VendorContext, account_id: str, revocation_choice: str) -> dict[str, Any]:
    user = find_user(context, account_id)
    if revocation_choice in _EVENTS_KEEPING_TOKENS:
        flag = send_user_event(context, _EVENTS_KEEPING_TOKENS[revocation_choice], user.id)
    elif revocation_choice in _DISABLED_REASONS:
        flag = send_user_event(context, ACCOUNT_DISABLED, user.id, **_DISABLED_REASONS[revocation_choice])
        user.disabled = True
        context.store.put(user)
    elif revocation_choice in {"token", "token_hash"}:
        tokens = context.store.find(RefreshToken, parent=user.id)
        answers = [
            send_token_revoked_event(context, token, is_hashed=revocation_choice == "token_hash") for token in tokens
        ]
        flag = any(answers)
    else:
        flag = revocation_choice != "silent" and send_user_event(context, TOKENS_REVOKED, user.id)
    if revocation_choice not in _EVENTS_KEEPING_TOKENS:
        delete_grant(context, user.id)
    return {"user": user.id, "how": _REVOCATION_CHOICES[revocation_choice], "notified": flag}


def enable_user(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    user = find_user(context, request.account)
    user.disabled = False
    context.store.put(user)
    # The grant ended with the account, so it no longer says whether the app may know. It is notified regardless.
    flag = send_security_event(context, ACCOUNT_ENABLED, {"subject": build_subject(user.id)})
    return {"user": user.id, "notified": flag}


def remove_from_user(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    user = find_user(context, request.account)
    if context.store.delete(YouTubeChannel, request.account):
        return {"channel": request.account}
    location = context.store.get(Location, request.account)
    if location:
        context.store.delete(BusinessMember, f"{user.id} {location.parent}")
        return {"businessAccount": location.parent}
    entry = context.store.get(CalendarEntry, f"{user.id} {request.account}")
    if entry is None or entry.primary:
        raise ControlError("Only a channel, a location or a calendar that is not the user's own can be removed.", 422)
    entry.removed, entry.changed = True, context.clock.get_unix_time()
    context.store.put(entry)
    notify_watchers(context, f"calendarList {user.id}")
    return {"calendar": entry.calendar}


def toggle_suspension(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    channel = find_or_raise(context, request.account, "channel", YouTubeChannel)
    channel.suspended = not channel.suspended
    context.store.put(channel)
    return {"suspended": channel.suspended}


def set_remaining_quota(context: VendorContext, request: QuotaRequest) -> dict[str, Any]:
    [quota] = [quota for quota in (UPLOAD_QUOTA, SEARCH_QUOTA, UNIT_QUOTA) if quota.name == request.bucket]
    return {"bucket": quota.name, "used": quota.set_remaining(context, request.left), "daily": quota.most}


def set_next_outcome(context: VendorContext, request: NextOutcomeRequest) -> dict[str, Any]:
    stored_object: StoredObject = find_or_raise(
        context, request.account, "channel or location", YouTubeChannel, Location
    )
    known = OUTCOMES if isinstance(stored_object, YouTubeChannel) else ["REJECTED"]
    if request.result not in {"", *known}:
        raise ControlError(f"result must be one of {known}.", 422)
    set_post_fate(context, request.account, request.result, seconds=request.seconds)
    return {"account": request.account, "next": request.result}


def _list_outcomes(context: VendorContext, account_id: str) -> dict[str, str]:
    """List how the next upload of a channel or post of a location can end."""
    known = OUTCOMES if context.store.get(YouTubeChannel, account_id) is not None else ["REJECTED"]
    return {"": "No failure"} | {ending: ending.replace(":", ": ").capitalize() for ending in known}


def read_feed(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    videos = context.store.find(Video, parent=request.account, newest_first=True)
    posts = context.store.find(LocalPost, parent=request.account, newest_first=True)
    return {"videos": videos, "posts": posts}


def write_comment(context: VendorContext, request: Comment) -> dict[str, Any]:
    if request.action == "delete":
        delete_comment(context, DeleteCommentRequest(comment=request.comment_id))
        return {"comment": request.comment_id, "status": "deleted"}
    _require_follower(request.person)
    order = CommentRequest(
        object_id=request.post or request.object_id,
        parent_id=request.reply_to or request.parent_id,
        text=request.text,
        person=request.person,
    )
    video_comment = comments.COMMENT_SERVICE.handle_request(context, order)
    # A banned author stays rejected.
    if not video_comment.hidden:
        comments.apply_moderation_status(context, video_comment, request.status)
    return {"comment": video_comment.id, "status": video_comment.status}


def delete_comment(context: VendorContext, request: DeleteCommentRequest) -> None:
    video_comment = find_comment(context, VideoComment, request.comment)
    if video_comment is None:
        raise ControlError(f"There is no comment {request.comment!r}.")
    comments.COMMENT_SERVICE.delete(context, video_comment)


def respond_to_invitation(context: VendorContext, request: RespondRequest) -> dict[str, Any]:
    if calendar.record_response(context, request.account, request.event, request.email, request.response) is None:
        raise ControlError(f"{request.email!r} is not invited to an event {request.event!r} in that calendar.")
    return {"event": request.event, "response": request.response}


def read_events(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    calendar_events = context.store.find(CalendarEvent, parent=request.account)
    return {
        "data": [
            {
                "id": calendar_event.key,
                "title": calendar_event.body.get("summary"),
                "cancelled": calendar_event.cancelled,
            }
            for calendar_event in calendar_events
        ],
    }


def read_invitations(context: VendorContext, request: InvitationsRequest) -> dict[str, Any]:
    sent = context.store.find(Invitation, parent=request.event)
    return {"data": [{"to": invitation.to, "what": invitation.method} for invitation in sent]}


def _require_follower(name: str) -> None:
    if name not in VIEWER_CHANNEL_IDS:
        raise ControlError(f"person must be one of {sorted(VIEWER_CHANNEL_IDS)}.", 422)


def build_service_account_key(context: VendorContext, _request: ServiceAccountRequest) -> dict[str, Any]:
    jwt_key = get_or_create_key(context, SERVICE_ACCOUNT_KEY_NAME)
    return {
        "type": "service_account",
        "project_id": context.app.id,
        "private_key_id": jwt_key.kid,
        "private_key": jwt_key.pem,
        "client_email": build_service_account_email(context),
        "client_id": "100000000000000000001",
        "token_uri": f"{context.url}/oauth2.googleapis.com/token",
    }


ACTIONS: dict[str, Action[Any]] = {
    **RETIRE_ACTIONS,
    "revoke": build_revoke_action(revoke_access, _REVOCATION_CHOICES),
    "enable": Action("Re-enable a disabled account", AccountRequest, enable_user),
    "expire": build_expire_action(find_user, AccessToken, RefreshToken),
    "unlink": Action(
        "Remove from the user", AccountRequest, remove_from_user, kinds=("channel", "calendar", "location")
    ),
    "suspend": Action("Suspend or reinstate the channel", AccountRequest, toggle_suspension, kinds=("channel",)),
    "quota": Action("Set the rest of YouTube's daily quota", QuotaRequest, set_remaining_quota),
    "outcome": Action(
        "Fail the next upload or post",
        NextOutcomeRequest,
        set_next_outcome,
        kinds=("channel", "location"),
        field_choices={"result": _list_outcomes},
    ),
    "feed": Action("Read the posts with the checksums of their files", AccountRequest, read_feed, has_own_form=False),
    "comment": Action("Comment on a video as a viewer", Comment, write_comment, has_own_form=False),
    "delete_comment": Action(
        "Delete a comment and its replies", DeleteCommentRequest, delete_comment, has_own_form=False
    ),
    "review": REVIEW_SERVICE.review_action,
    "respond": Action("Respond to an invitation as a guest", RespondRequest, respond_to_invitation, has_own_form=False),
    "events": Action(
        "Read the events of a calendar, including deleted ones", AccountRequest, read_events, has_own_form=False
    ),
    "invitations": Action(
        "Read what the guests of an event received", InvitationsRequest, read_invitations, has_own_form=False
    ),
    "service_account": Action(
        "Show the key of the app's service account", ServiceAccountRequest, build_service_account_key
    ),
}
