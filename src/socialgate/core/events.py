"""Every event that can be sent to a customer, typed. The envelope around `data` is the same for all of them.

A struct's tag is the name of its event; its docstring says when it is sent; its example is in the documentation. All of
them are in this file, which is why it has so many lines: what one event calls a thing, the others call the same.
"""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from socialgate.core.fields import AccountIdField, AccountKindField, PlatformField
from socialgate.core.lead_answers import LeadAnswer

MAX_EVENT_BODY_BYTES = 256 * 1024


class EventData(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=False):
    """The content of one event."""

    event: ClassVar[str]

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return the example as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class TargetRef(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An account that a post is published to."""

    account_id: AccountIdField
    platform: PlatformField
    kind: AccountKindField


class TargetError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a target failed, and whether a retry can help."""

    code: str
    """The code of the error, as in a problem."""
    category: str
    """What kind of failure it is, such as `user_content` or `auth_expired`."""
    source: Literal["user", "platform", "system"]
    """Who can fix it: you or your `user`, the `platform`, or the operator of the `system`."""
    detail: str
    """What went wrong and how to fix it, for people to read."""
    retryable: bool
    """Whether the same post can succeed if it is published again later."""


class TargetResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a post on one account."""

    account_id: AccountIdField
    platform: PlatformField
    kind: AccountKindField
    status: Literal["published", "failed"]
    """Whether the post was published there."""
    platform_post_id: str | None
    """The platform's own id of the post. Null if it failed."""
    url: str | None
    """The public URL of the post. Null if it failed, and on platforms that report none."""
    error: TargetError | None
    """Why it failed. Null if it was published."""


class PostScheduled(EventData, frozen=True, kw_only=True):
    """A post was scheduled or rescheduled. `metadata` is the post's metadata, as you sent it."""

    event = "post.scheduled"
    post_id: str
    """The post, `post_…`."""
    scheduled_for: datetime
    """When it is due, in UTC."""
    timezone: str
    """The IANA time zone in which it was scheduled."""
    targets: list[TargetRef]
    """The accounts that it will be published to."""
    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "postId": _EXAMPLE_POST_ID,
            "scheduledFor": "2026-11-20T14:00:00Z",
            "timezone": "America/Lima",
            "targets": [{"accountId": _EXAMPLE_ACCOUNT_ID, "platform": "meta", "kind": "instagram"}],
            "metadata": {"orderId": "4711"},
        }


class _PostOutcome(EventData, frozen=True, kw_only=True):
    post_id: str
    """The post, `post_…`."""
    status: Literal["published", "partial", "failed"]
    """The new status of the post."""
    round: int
    """1, and one more each time the post was published again after a failure."""
    targets: list[TargetResult]
    """The result on each account."""
    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "postId": _EXAMPLE_POST_ID,
            "status": cls.event.removeprefix("post."),
            "round": 1,
            "targets": _build_example_targets(cls.event),
            "metadata": {"orderId": "4711"},
        }


class PostPublished(_PostOutcome, frozen=True, kw_only=True):
    """Every target of a post was published."""

    event = "post.published"


class PostPartiallyPublished(_PostOutcome, frozen=True, kw_only=True):
    """Some targets of a post were published and some failed."""

    event = "post.partial"


class PostFailed(_PostOutcome, frozen=True, kw_only=True):
    """No target of a post was published."""

    event = "post.failed"


class PostPlatformFailed(EventData, frozen=True, kw_only=True):
    """One target of a post failed. This event is sent before the event for the whole post."""

    event = "post.platform.failed"
    post_id: str
    """The post, `post_…`."""
    account_id: AccountIdField
    platform: PlatformField
    kind: AccountKindField
    error: TargetError
    """Why it failed."""
    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        account = {"accountId": _EXAMPLE_ACCOUNT_ID, "platform": "meta", "kind": "instagram"}
        return {"postId": _EXAMPLE_POST_ID, **account, "error": _EXAMPLE_ERROR, "metadata": {}}


class PostFileFailed(EventData, frozen=True, kw_only=True):
    """A file of a scheduled post cannot be made to fit what one of its accounts accepts, so the post will fail there.

    It is sent before the post is due, once for each target: replace the file in the post.
    """

    event = "post.file.failed"
    post_id: str
    """The post, `post_…`."""
    scheduled_for: datetime
    """When it is due, in UTC."""
    account_id: AccountIdField
    platform: PlatformField
    kind: AccountKindField
    error: TargetError
    """Why the file cannot be made to fit."""
    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        error = {
            "code": "media_not_convertible",
            "category": "user_content",
            "source": "user",
            "detail": "The image is damaged, or saved in a way that cannot be read. Save it again as JPEG or PNG.",
            "retryable": False,
        }
        account = {"accountId": _EXAMPLE_ACCOUNT_ID, "platform": "meta", "kind": "instagram"}
        return {
            "postId": _EXAMPLE_POST_ID,
            "scheduledFor": "2026-11-20T14:00:00Z",
            **account,
            "error": error,
            "metadata": {},
        }


class _AccountEvent(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Identifies an account or an ad account: exactly one of the two ids is present."""

    account_id: str | None = None
    """The account, `acc_…`. Omitted for ad accounts."""
    ad_account_id: str | None = None
    """The ad account, `adacc_…`. Omitted for other accounts."""
    platform: PlatformField
    kind: AccountKindField


class AccountConnected(_AccountEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An account was connected, or connected again. `reconnected` says which."""

    event = "account.connected"
    name: str
    """The name of the account on its platform."""
    username: str | None
    """The handle. Null if the kind has none."""
    reconnected: bool = False
    """True if it had been connected before; otherwise omitted."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**_ACCOUNT_EXAMPLE, "name": "Bakery Lima", "username": "bakerylima"}


class AccountNeedsReconnection(_AccountEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The permission was revoked on the platform. The account must be reconnected."""

    event = "account.needs_reconnection"
    reason: str
    """Why, for people to read."""
    since: datetime
    """When the permission was found to be lost."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **_ACCOUNT_EXAMPLE,
            "reason": "The user removed the app on the platform.",
            "since": "2026-11-15T09:30:00Z",
        }


class AccountDisconnected(_AccountEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The account was disconnected through this service. Also sent for a number whose code was never scanned."""

    event = "account.disconnected"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return _ACCOUNT_EXAMPLE


class HealthIssue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A problem of an account, as `GET /accounts/health` shows it."""

    code: Annotated[str, Meta(description="What is wrong, as a stable name.")]
    detail: Annotated[str, Meta(description="What is wrong, in a sentence.")]
    fix: Annotated[str, Meta(description="What to do about it.")]


class AccountHealthChanged(_AccountEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A check of an account found a problem that was not there before, or a problem is gone.

    It is sent once for each change, not for each check. An account that lost its permission is reported with
    `account.needs_reconnection` instead. `GET /accounts/health` shows the whole state.
    """

    event = "account.health"
    status: Annotated[
        Literal["healthy", "warning", "error"],
        Meta(description="`warning`: the account works, but something needs attention. `error`: it does not work."),
    ]
    appeared: Annotated[list[HealthIssue], Meta(description="Problems that were not there at the check before.")]
    disappeared: Annotated[list[HealthIssue], Meta(description="Problems that are gone, as they were last reported.")]
    checked_at: Annotated[datetime, Meta(description="When the account was checked.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        issue = {
            "code": "permission_missing",
            "detail": "Not granted: instagram_manage_comments.",
            "fix": "Reconnect the account and keep these permissions selected.",
        }
        result = {"status": "warning", "appeared": [issue], "disappeared": []}
        return {**_ACCOUNT_EXAMPLE, **result, "checkedAt": "2026-11-15T09:30:00Z"}


class ReceivedAuthor(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The author of a comment or review. Platforms omit what a person has not agreed to show."""

    id: Annotated[str | None, Meta(description="The platform's id of the person.")]
    name: Annotated[str | None, Meta(description="The display name.")]
    username: Annotated[str | None, Meta(description="The user name on the platform.")]
    avatar_url: Annotated[str | None, Meta(description="The URL of the profile picture.")]


class ReceivedComment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A comment as it was when the platform reported it, with the names of `GET /accounts/{accountId}/comments`."""

    id: Annotated[str, Meta(description="The platform's id of the comment.")]
    object_id: Annotated[str | None, Meta(description="The platform's id of the post.")]
    parent_id: Annotated[str | None, Meta(description="The comment that it replies to; null if it is no reply.")]
    author: ReceivedAuthor | None
    """Who wrote it; null if the platform does not say."""
    text: Annotated[str, Meta(description="The text; empty if there is only an image.")]
    created_at: Annotated[datetime | None, Meta(description="When it was written, if the platform reports it.")]
    url: Annotated[str | None, Meta(description="The URL of the comment, if the platform reports it.")]


class CommentReceived(EventData, frozen=True, kw_only=True):
    """Somebody commented on a post of a connected account, or replied to a comment there.

    Comments of the account itself are not reported. Facebook, Instagram and Threads report comments within seconds;
    YouTube does not, so channels are checked once an hour.
    """

    event = "comment.received"
    account_id: Annotated[str, Meta(description="The account whose post it is.")]
    platform: Annotated[str, Meta(description="The platform of the account.")]
    kind: Annotated[str, Meta(description="The kind of the account.")]
    comment: ReceivedComment
    """The comment, as it was when it was received."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        comment = {
            "id": "17900000000000001",
            "objectId": "17841400000000000",
            "parentId": None,
            "author": {"id": "6512", "name": "Ana Souza", "username": "ana.souza", "avatarUrl": None},
            "text": "Do you ship to Recife?",
            "createdAt": "2026-11-15T09:30:00Z",
            "url": None,
        }
        return {**_ACCOUNT_EXAMPLE, "comment": comment}


class ReceivedReview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A review as it was when it was read, with the names of `GET /accounts/{accountId}/comments`."""

    id: Annotated[str, Meta(description="The platform's id of the review. Reply with it as `parentId`.")]
    object_id: Annotated[str | None, Meta(description="The platform's id of the location.")]
    author: ReceivedAuthor | None
    """Who wrote it; null if the person chose to stay anonymous."""
    text: Annotated[str, Meta(description="The text; empty if there is only a rating.")]
    rating: Annotated[int | None, Meta(description="The rating, from 1 to 5.")]
    created_at: Annotated[datetime | None, Meta(description="When it was written.")]


class ReviewReceived(EventData, frozen=True, kw_only=True):
    """Somebody reviewed a connected Business Profile.

    Google reports new reviews if notifications are set up for the profile; besides that, profiles are checked once an
    hour. A review that is edited later is not reported again.
    """

    event = "review.received"
    account_id: Annotated[str, Meta(description="The account that was reviewed.")]
    platform: Annotated[str, Meta(description="The platform of the account.")]
    kind: Annotated[str, Meta(description="The kind of the account.")]
    review: ReceivedReview
    """The review, as it was when it was read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        review = {
            "id": "AbFvOqlzBZyYQ1",
            "objectId": "4711000000000000000",
            "author": {"id": None, "name": "Ana Souza", "username": None, "avatarUrl": None},
            "text": "The best bread in town.",
            "rating": 5,
            "createdAt": "2026-11-15T09:30:00Z",
        }
        return {"accountId": _EXAMPLE_ACCOUNT_ID, "platform": "google", "kind": "google_business", "review": review}


class LeadReceived(EventData, frozen=True, kw_only=True):
    """Somebody submitted a lead form. `test` is true for leads of the simulator.

    `answers` are the same answers as in `fields`, with their questions.
    """

    event = "lead.received"
    lead_id: str
    """Our id, `lead_…`."""
    account_id: str
    """The account (`acc_…`) or the ad account (`adacc_…`) whose form was submitted."""
    platform: PlatformField
    form_id: str
    """The platform's id of the form."""
    form_name: str | None
    """The name of the form. Null if it is unknown."""
    ad_id: str | None
    """The platform's id of the ad that led to the form. Null if there is none."""
    campaign_id: str | None
    """The platform's id of the campaign of that ad. Null if there is none."""
    created_at: datetime
    """When the person submitted the form."""
    fields: dict[str, str]
    """The answers as the platform sent them, by the keys of the questions."""
    answers: list[LeadAnswer]
    """The same answers, with their questions and typed values."""
    test: bool
    """Whether it comes from the simulator or from the platform's testing tool."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "leadId": "lead_01h455vb4pex5vsknk084sn02q",
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "platform": "meta",
            "formId": "1201234567890",
            "formName": "Order a cake",
            "adId": "238500000001",
            "campaignId": "238500000002",
            "createdAt": "2026-11-15T09:30:00Z",
            "fields": {"how_many": "small"},
            "answers": [LeadAnswer.example()],
            "test": False,
        }


class Attachment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file attached to a message."""

    type: str
    """`image`, `video`, `audio`, `document` or another type of file."""
    url: str | None
    """A URL of this service for the file. Null if it could not be downloaded."""
    mime_type: str | None
    """The MIME type. Null if it is unknown."""


class MessageReceived(EventData, frozen=True, kw_only=True):
    """Somebody sent a message to a connected account. `name` is theirs, if it is known; `msgId` is the platform's id
    of the message, `messageId` ours.
    """

    event = "message.received"
    account_id: AccountIdField
    sender: str = msgspec.field(name="from")
    """The phone number of the person on WhatsApp, otherwise the platform's id of the person."""
    name: str | None
    """The display name of the person. Null if it is unknown."""
    text: str
    """The text, or the caption of a file. Empty if there is none."""
    msg_id: str
    """The platform's own id of the message."""
    message_id: str
    """Our id, `msg_…`."""
    platform: PlatformField
    kind: AccountKindField
    conversation_id: str
    """The conversation, `conv_…`."""
    type: str
    """What kind of message it is, such as `text`, `image` or `interactive`."""
    attachments: list[Attachment]
    """The files of the message. Empty if it has none."""
    received_at: datetime
    """When it was sent, according to the platform."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "from": "+51987654321",
            "name": "Ana Souza",
            "text": "Are you open today?",
            "msgId": "wamid.HBgLNTE5ODc2NTQzMjE",
            "messageId": "msg_01h455vb4pex5vsknk084sn02q",
            "platform": "whatsapp-cloud",
            "kind": "whatsapp_cloud",
            "conversationId": "conv_01h455vb4pex5vsknk084sn02q",
            "type": "text",
            "attachments": [],
            "receivedAt": "2026-11-15T09:30:00Z",
        }


class MessageFailure(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a message failed."""

    code: Annotated[str, Meta(description="The reason, as a stable name.")]
    detail: Annotated[
        str, Meta(description="The reason in a sentence, in the words of the platform where it gives any.")
    ]


class MessageStatusChanged(EventData, frozen=True, kw_only=True):
    """A message that was sent through this service was accepted by the platform, delivered, read, or failed.

    It is sent once for each new status of a message, and never for an earlier status than the last one: if a platform
    reports `read` before `delivered`, only `read` is sent. Not every platform reports `delivered` and `read`.
    """

    event = "message.status"
    account_id: Annotated[str, Meta(description="The account that sent the message.")]
    conversation_id: Annotated[str, Meta(description="The conversation that the message belongs to.")]
    message_id: Annotated[
        str, Meta(description="Our id of the message, as `POST /accounts/{accountId}/messages` returned it.")
    ]
    msg_id: Annotated[str | None, Meta(description="The platform's id of the message, if it is known.")]
    status: Annotated[
        Literal["sent", "delivered", "read", "failed"], Meta(description="The new status of the message.")
    ]
    error: Annotated[MessageFailure | None, Meta(description="Why it failed; null for every other status.")]
    at: Annotated[datetime, Meta(description="When the status changed, by the platform's clock where it reports that.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "conversationId": "conv_01h455vb4pex5vsknk084sn02q",
            "messageId": "msg_01h455vb4pex5vsknk084sn02q",
            "msgId": "wamid.HBgLNTE5ODc2NTQzMjE",
            "status": "delivered",
            "error": None,
            "at": "2026-11-15T09:30:00Z",
        }


class AutomationTriggered(EventData, frozen=True, kw_only=True):
    """An automation started to run. `trigger` says why."""

    event = "automation.triggered"
    automation_id: str
    """The automation, `auto_…`."""
    run_id: str
    """The run, `run_…`. `GET /automations/{automationId}/runs/{runId}` shows its steps."""
    name: str
    """The name of the automation."""
    account_id: AccountIdField
    trigger: dict[str, Any]
    """What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "automationId": "auto_01h455vb4pex5vsknk084sn02q",
            "runId": "run_01h455vb4pex5vsknk084sn02q",
            "name": "Price list on comment",
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "trigger": {
                "type": "comment.received",
                "text": "What is the price?",
                "contact": {"id": "6512", "name": "Ana Souza", "username": "ana.souza", "phone": None},
                "commentId": "17900000000000001",
                "objectId": "17841400000000000",
            },
        }


class WebhookTest(EventData, frozen=True, kw_only=True):
    """A test delivery was requested with `POST /hooks/{hookId}/test`. It is only sent to that hook."""

    event = "webhook.test"
    hook_id: str
    """The hook, `hook_…`."""
    sent_at: datetime
    """When the test was requested."""
    message: str
    """A sentence for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "hookId": "hook_01h455vb4pex5vsknk084sn02q",
            "sentAt": "2026-11-15T09:30:00Z",
            "message": "It works. Verify the signature over the raw body.",
        }


_EXAMPLE_POST_ID = "post_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_ACCOUNT_EXAMPLE = {"accountId": _EXAMPLE_ACCOUNT_ID, "platform": "meta", "kind": "instagram"}
_EXAMPLE_ERROR = {
    "code": "caption_too_long",
    "category": "user_content",
    "source": "user",
    "detail": "The caption has 2,300 characters, but Instagram accepts 2,200. Shorten it by 100.",
    "retryable": False,
}
_EXAMPLE_PUBLISHED_TARGET = {
    "accountId": _EXAMPLE_ACCOUNT_ID,
    "platform": "meta",
    "kind": "instagram",
    "status": "published",
    "platformPostId": "17900000000000001",
    "url": "https://www.instagram.com/p/Cabc123/",
    "error": None,
}
_EXAMPLE_FAILED_TARGET = {
    **_EXAMPLE_PUBLISHED_TARGET,
    "status": "failed",
    "platformPostId": None,
    "url": None,
    "error": _EXAMPLE_ERROR,
}
_EXAMPLE_OTHER_PUBLISHED_TARGET = {
    **_EXAMPLE_PUBLISHED_TARGET,
    "accountId": "acc_01h455vb4pex5vsknk084sn03r",
    "platform": "threads",
    "kind": "threads",
    "url": "https://www.threads.net/@bakery/post/Cabc123",
}


def _build_example_targets(event: str) -> list[dict[str, Any]]:
    if event == "post.partial":
        return [_EXAMPLE_OTHER_PUBLISHED_TARGET, _EXAMPLE_FAILED_TARGET]
    return [_EXAMPLE_FAILED_TARGET] if event == "post.failed" else [_EXAMPLE_PUBLISHED_TARGET]


# The frames in streams that report the progress of a task. They are not events: no hook gets them, and no cursor counts
# them.
TASK_PROGRESS_EVENT = "task.progress"

EVENT_TYPES: dict[str, type[EventData]] = {
    kind.event: kind
    for kind in (
        PostScheduled,
        PostPublished,
        PostPartiallyPublished,
        PostFailed,
        PostPlatformFailed,
        PostFileFailed,
        AccountConnected,
        AccountNeedsReconnection,
        AccountDisconnected,
        AccountHealthChanged,
        LeadReceived,
        MessageReceived,
        MessageStatusChanged,
        CommentReceived,
        ReviewReceived,
        AutomationTriggered,
        WebhookTest,
    )
}


class EventEnvelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is sent: exactly these four top-level fields."""

    event: str
    """The name of the event."""
    owner_id: str
    """The owner, `own_…`."""
    profile_id: str
    """The profile that it happened in, `prf_…`."""
    data: Any
    """The details of the event."""


def encode_event(owner_id: str, profile_id: str, data: EventData) -> bytes:
    """Create the final bytes of an event. They are stored, signed and sent unchanged on every attempt."""
    envelope = EventEnvelope(event=data.event, owner_id=owner_id, profile_id=profile_id, data=data)
    body = msgspec.json.encode(envelope)
    if len(body) <= MAX_EVENT_BODY_BYTES:
        return body
    shortened = _shorten_value(msgspec.to_builtins(data))
    return msgspec.json.encode(msgspec.structs.replace(envelope, data={**shortened, "truncated": True}))


_MAX_TEXT_LENGTH = 1000
_MAX_LIST_ITEMS = 20


def _shorten_value(value: Any) -> Any:
    """Shorten long texts and lists: the change that the event reports must never fail because of its size."""
    if isinstance(value, str):
        return value[:_MAX_TEXT_LENGTH]
    if isinstance(value, list):
        return [_shorten_value(item) for item in value[:_MAX_LIST_ITEMS]]
    if isinstance(value, dict):
        return {name: _shorten_value(part) for name, part in list(value.items())[:100]}
    return value
