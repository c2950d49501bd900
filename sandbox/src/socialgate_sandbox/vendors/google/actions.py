"""What a person or a test can make happen at Google."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, Thing, World
from socialgate_sandbox.kit.accounts import OfAccount, named
from socialgate_sandbox.kit.lifecycle import choose_fate
from socialgate_sandbox.kit.tokens import expire_action, revoke_action
from socialgate_sandbox.society.comments import CommentOrder, find_comment
from socialgate_sandbox.society.metrics import RETIRE
from socialgate_sandbox.vendors.google.accounts import user_behind
from socialgate_sandbox.vendors.google.calendar import events as calendar
from socialgate_sandbox.vendors.google.jwt import SERVICE_ACCOUNT, key
from socialgate_sandbox.vendors.google.oauth import end_grant
from socialgate_sandbox.vendors.google.places.reviews import DESK
from socialgate_sandbox.vendors.google.risc import service_account_email
from socialgate_sandbox.vendors.google.seed import VIEWERS
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
    notice_change,
    send_security_event,
    subject_of,
    tell_of_token,
    tell_of_user,
)
from socialgate_sandbox.vendors.google.youtube import comments
from socialgate_sandbox.vendors.google.youtube.quota import SEARCHES, UNITS, UPLOADS
from socialgate_sandbox.vendors.google.youtube.videos import ENDINGS

_WAYS = {
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
_REASONS = {"hijacked": {"reason": "hijacking"}, "bulk_account": {"reason": "bulk-account"}, "account_deleted": {}}
_LIVING = {"password_changed": SESSIONS_REVOKED, "credential_change": CREDENTIAL_CHANGE}


class SpendQuota(ActionRequest, frozen=True, kw_only=True):
    bucket: Literal["units", "videos.insert", "search.list"] = "units"
    left: int = 0


class NextOutcome(ActionRequest, frozen=True, kw_only=True):
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


class DeleteComment(ActionRequest, frozen=True, kw_only=True):
    comment: str


class Respond(ActionRequest, frozen=True, kw_only=True):
    """A guest's response to an invitation. The account is a calendar."""

    account: str
    event: str
    email: str
    response: Literal["accepted", "declined", "tentative", "needsAction"] = "accepted"


class Invitations(ActionRequest, frozen=True, kw_only=True):
    event: str


class ServiceAccount(ActionRequest, frozen=True, kw_only=True):
    pass


def revoke(world: World, account: str, how: str) -> dict[str, Any]:
    user = user_behind(world, account)
    if how in _LIVING:
        told = tell_of_user(world, _LIVING[how], user.id)
    elif how in _REASONS:
        told = tell_of_user(world, ACCOUNT_DISABLED, user.id, **_REASONS[how])
        user.disabled = True
        world.store.put(user)
    elif how in {"token", "token_hash"}:
        tokens = world.store.find(RefreshToken, parent=user.id)
        answers = [tell_of_token(world, token, hashed=how == "token_hash") for token in tokens]
        told = any(answers)
    else:
        told = how != "silent" and tell_of_user(world, TOKENS_REVOKED, user.id)
    if how not in _LIVING:
        end_grant(world, user.id)
    return {"user": user.id, "how": _WAYS[how], "notified": told}


def enable(world: World, request: OfAccount) -> dict[str, Any]:
    user = user_behind(world, request.account)
    user.disabled = False
    world.store.put(user)
    # The grant ended with the account, so it no longer says whether the app may know. It is notified regardless.
    told = send_security_event(world, ACCOUNT_ENABLED, {"subject": subject_of(user.id)})
    return {"user": user.id, "notified": told}


def unlink(world: World, request: OfAccount) -> dict[str, Any]:
    user = user_behind(world, request.account)
    if world.store.delete(YouTubeChannel, request.account):
        return {"channel": request.account}
    location = world.store.get(Location, request.account)
    if location:
        world.store.delete(BusinessMember, f"{user.id} {location.parent}")
        return {"businessAccount": location.parent}
    entry = world.store.get(CalendarEntry, f"{user.id} {request.account}")
    if entry is None or entry.primary:
        raise ControlError("Only a channel, a location or a calendar that is not the user's own can be removed.", 422)
    entry.removed, entry.changed = True, world.clock.time()
    world.store.put(entry)
    notice_change(world, f"calendarList {user.id}")
    return {"calendar": entry.calendar}


def suspend(world: World, request: OfAccount) -> dict[str, Any]:
    channel = named(world, request.account, "channel", YouTubeChannel)
    channel.suspended = not channel.suspended
    world.store.put(channel)
    return {"suspended": channel.suspended}


def spend_quota(world: World, request: SpendQuota) -> dict[str, Any]:
    [quota] = [one for one in (UPLOADS, SEARCHES, UNITS) if one.name == request.bucket]
    return {"bucket": quota.name, "used": quota.leave(world, request.left), "daily": quota.most}


def outcome(world: World, request: NextOutcome) -> dict[str, Any]:
    found: Thing = named(world, request.account, "channel or location", YouTubeChannel, Location)
    known = ENDINGS if isinstance(found, YouTubeChannel) else ["REJECTED"]
    if request.result not in {"", *known}:
        raise ControlError(f"result must be one of {known}.", 422)
    choose_fate(world, request.account, request.result, seconds=request.seconds)
    return {"account": request.account, "next": request.result}


def _endings(world: World, account: str) -> dict[str, str]:
    """List how the next upload of a channel or post of a location can end."""
    known = ENDINGS if world.store.get(YouTubeChannel, account) is not None else ["REJECTED"]
    return {"": "No failure"} | {ending: ending.replace(":", ": ").capitalize() for ending in known}


def feed(world: World, request: OfAccount) -> dict[str, Any]:
    videos = world.store.find(Video, parent=request.account, newest_first=True)
    posts = world.store.find(LocalPost, parent=request.account, newest_first=True)
    return {"videos": videos, "posts": posts}


def comment(world: World, request: Comment) -> dict[str, Any]:
    if request.action == "delete":
        delete_comment(world, DeleteComment(comment=request.comment_id))
        return {"comment": request.comment_id, "status": "deleted"}
    _require_follower(request.person)
    order = CommentOrder(
        object_id=request.post or request.object_id,
        parent_id=request.reply_to or request.parent_id,
        text=request.text,
        person=request.person,
    )
    made = comments.BOARD.obey(world, order)
    # A banned author stays rejected.
    if not made.hidden:
        comments.moderate(world, made, request.status)
    return {"comment": made.id, "status": made.status}


def delete_comment(world: World, request: DeleteComment) -> None:
    found = find_comment(world, VideoComment, request.comment)
    if found is None:
        raise ControlError(f"There is no comment {request.comment!r}.")
    comments.BOARD.delete(world, found)


def respond(world: World, request: Respond) -> dict[str, Any]:
    if calendar.respond(world, request.account, request.event, request.email, request.response) is None:
        raise ControlError(f"{request.email!r} is not invited to an event {request.event!r} in that calendar.")
    return {"event": request.event, "response": request.response}


def events(world: World, request: OfAccount) -> dict[str, Any]:
    found = world.store.find(CalendarEvent, parent=request.account)
    return {
        "data": [{"id": one.key, "title": one.body.get("summary"), "cancelled": one.cancelled} for one in found],
    }


def invitations(world: World, request: Invitations) -> dict[str, Any]:
    sent = world.store.find(Invitation, parent=request.event)
    return {"data": [{"to": one.to, "what": one.what} for one in sent]}


def _require_follower(name: str) -> None:
    if name not in VIEWERS:
        raise ControlError(f"person must be one of {sorted(VIEWERS)}.", 422)


def service_account(world: World, _request: ServiceAccount) -> dict[str, Any]:
    found = key(world, SERVICE_ACCOUNT)
    return {
        "type": "service_account",
        "project_id": world.app.id,
        "private_key_id": found.kid,
        "private_key": found.pem,
        "client_email": service_account_email(world),
        "client_id": "100000000000000000001",
        "token_uri": f"{world.url}/oauth2.googleapis.com/token",
    }


ACTIONS: dict[str, Action[Any]] = {
    **RETIRE,
    "revoke": revoke_action(revoke, _WAYS),
    "enable": Action("Re-enable a disabled account", OfAccount, enable),
    "expire": expire_action(user_behind, AccessToken, RefreshToken),
    "unlink": Action("Remove from the user", OfAccount, unlink, kinds=("channel", "calendar", "location")),
    "suspend": Action("Suspend or reinstate the channel", OfAccount, suspend, kinds=("channel",)),
    "quota": Action("Set the rest of YouTube's daily quota", SpendQuota, spend_quota),
    "outcome": Action(
        "Fail the next upload or post",
        NextOutcome,
        outcome,
        kinds=("channel", "location"),
        choices={"result": _endings},
    ),
    "feed": Action("Read the posts with the checksums of their files", OfAccount, feed, listed=False),
    "comment": Action("Comment on a video as a viewer", Comment, comment, listed=False),
    "delete_comment": Action("Delete a comment and its replies", DeleteComment, delete_comment, listed=False),
    "review": DESK.action,
    "respond": Action("Respond to an invitation as a guest", Respond, respond, listed=False),
    "events": Action("Read the events of a calendar, including deleted ones", OfAccount, events, listed=False),
    "invitations": Action("Read what the guests of an event received", Invitations, invitations, listed=False),
    "service_account": Action("Show the key of the app's service account", ServiceAccount, service_account),
}
