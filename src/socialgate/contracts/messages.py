"""Messages: conversations of an account with people, as platforms report them and as they are sent.

A person is identified by the platform's most stable id; any other identifier (a phone number, an older id) is an alias.
If a platform keeps no history, what it reported is the history.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta

from socialgate.contracts.account_connection import AccountCredentials, RedactedStruct
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import Inconclusive, MediaFile, SafeToRetry
from socialgate.contracts.webhooks import AffectedAccounts, PlatformFact
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient
from socialgate.core.errors import Conflict, Fault
from socialgate.core.facts import FactAbout
from socialgate.core.shapes import NonBlankText, RequestBody, StoredValue

# Who wrote a message of the account.
MessageSource = Literal["api", "console", "automation", "platform"]


class MessageType(StrEnum):
    TEXT = "text"
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    DOCUMENT = "document"
    STICKER = "sticker"
    LOCATION = "location"
    CONTACTS = "contacts"
    INTERACTIVE = "interactive"
    TEMPLATE = "template"
    REACTION = "reaction"
    UNSUPPORTED = "unsupported"


class MessageStatus(StrEnum):
    """The status of a message. Of two that arrive in the wrong order, the later one counts."""

    RECEIVED = "received"
    SENDING = "sending"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    UNCONFIRMED = "unconfirmed"


class Contact(msgspec.Struct, frozen=True, kw_only=True):
    """A person, or a group, on the other side. `phone` is in E.164 format, if there is one. `can_fetch_profile` says
    that the platform did not report their name here, but can be asked for it.
    """

    id: str
    name: str | None = None
    username: str | None = None
    phone: str | None = None
    avatar_url: str | None = None
    aliases: tuple[str, ...] = ()
    can_fetch_profile: bool = msgspec.field(default=False, name="has_profile")

    @property
    def all_ids(self) -> set[str]:
        """Every id that leads to this person."""
        return {name for name in (self.id, self.phone, *self.aliases) if name}


class AttachmentItem(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a message. `source` is what the connector needs to find it: a URL, an id, a key."""

    type: str
    source: Mapping[str, Any]
    mime_type: str | None = None
    size: int | None = None
    file_name: str | None = None


class MessageItem(msgspec.Struct, frozen=True, kw_only=True):
    """A message as the platform reports it. `outbound` ones are echoes: of what we sent, or of what the account's
    people wrote elsewhere. `data` contains what has no other field: a location, contacts, the reply to a button.

    `reference` is the one that we gave the platform with the message, if it returns it. `button_press_id` is for a
    pressed button, if `id` may be that of the message with the button: then the tap has this id, and replies to the
    message.
    """

    id: str
    contact: Contact
    type: MessageType
    sent_at: datetime = msgspec.field(name="at")
    text: str = ""
    outbound: bool = False
    attachments: tuple[AttachmentItem, ...] = ()
    reply_to: str | None = None
    data: Mapping[str, Any] = {}
    reference: str | None = None
    button_press_id: str | None = msgspec.field(default=None, name="tap_id")


class _AccountFact(PlatformFact, frozen=True, kw_only=True):
    """`account` is empty if the platform does not name it: then the webhook URL says whose it is."""

    kind: Kind
    account: str

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(accounts=((self.kind, self.account),) if self.account else ())


class MessageReported(_AccountFact, frozen=True, kw_only=True):
    """Somebody wrote to the account, or the account wrote to somebody."""

    message: MessageItem


class MessageProgressed(_AccountFact, frozen=True, kw_only=True):
    """A message that the account sent has a new status. `vendor_ids` are other ids that the platform turns out to have
    for it. With `applies_until` it applies to everything sent to the contact up to then.
    """

    message_id: str | None
    status: MessageStatus
    sent_at: datetime = msgspec.field(name="at")
    error: str | None = None
    reference: str | None = None
    vendor_ids: tuple[str, ...] = ()
    contact_id: str | None = None
    applies_until: datetime | None = msgspec.field(default=None, name="until")


class MessageChanged(_AccountFact, frozen=True, kw_only=True):
    """A message was edited, deleted, or somebody reacted to it: an emoji, or None if the reaction was removed."""

    message_id: str
    change: str
    sent_at: datetime = msgspec.field(name="at")
    text: str | None = None
    emoji: str | None = None
    reacted_by: str | None = msgspec.field(default=None, name="by")


class ContactChanged(_AccountFact, frozen=True, kw_only=True):
    """A person has a new identifier: a new phone number. The earlier ones are among the aliases."""

    contact: Contact


class MessageStored(msgspec.Struct, FactAbout[AccountRow], frozen=True, kw_only=True):
    """An inbound message was stored and reported. Published to listeners together with its account."""

    message_id: str
    conversation_id: str
    contact_id: str
    type: MessageType
    text: str
    sent_at: datetime = msgspec.field(name="at")
    is_first: bool
    name: str | None = None
    username: str | None = None
    phone: str | None = None


class ConversationErased(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """The personal data in a conversation must be erased. `names` are all ids of the person. Published with the owner's
    id.
    """

    account_id: str
    conversation_id: str
    message_ids: tuple[str, ...]
    names: frozenset[str]


class SubjectConversations(Protocol):
    """The conversations that automations opened with a person because of something that the person did elsewhere."""

    async def erase_ahead(self, db: Database, owner_id: str, subject_key: str, values: Sequence[str]) -> datetime:
        """Erase what is long about them, in several transactions, before the subject itself is erased. `values` is what
        the person stated. Returns since when there can be events that still contain personal data.
        """


class ConversationBusy(Conflict):
    """A message is being sent to the person right now, and nobody knows yet whether it arrives.

    Send the request again in a minute.
    """

    code = "conversation_busy"
    title = "A message is being sent"


class ReplyButton(RequestBody, StoredValue, frozen=True, kw_only=True):
    """A reply that the person can tap, or with `url` a link to open."""

    title: Annotated[NonBlankText, Meta(max_length=80)]
    """What the button says."""
    id: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    """What comes back in the `data` of the reply when the person taps it. By default the title."""
    url: Annotated[str, Meta(max_length=2048)] | None = None
    """A link to open instead of sending a reply."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Opening hours", "id": "hours"}


class NewMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What to send. `data` is what the type needs besides text and media: a template, a location, contacts, an
    interactive message, a reaction; the area has validated it. `options` match the manifest's `message_options`.

    `to` is the contact's id on the platform, `phone` their number if it is known. `reference` is ours, for platforms
    that return it. `last_inbound_at` is when the person last wrote: some platforms allow free-form messages only for a
    while. With `comment_id` it is the private reply to a comment, which needs no conversation. `excluded_message_ids`
    are the platform's ids of messages that are known to be other ones, for `look`.
    """

    to: str
    phone: str | None = None
    type: MessageType
    reference: str
    asked_at: datetime
    text: str = ""
    media: MediaFile | None = None
    reply_to: str | None = None
    quick_replies: tuple[ReplyButton, ...] = ()
    buttons: tuple[ReplyButton, ...] = ()
    data: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}
    last_inbound_at: datetime | None = None
    comment_id: str | None = None
    excluded_message_ids: frozenset[str] = msgspec.field(default=frozenset(), name="others")


class SentMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The platform accepted it. `contact` is set if it turned out to use other ids for the person, and `vendor_ids` are
    other ids that it has for the message. `echo_has_other_id` says that its echo will have one that is not known yet.
    """

    id: str
    vendor_ids: tuple[str, ...] = ()
    sent_at: datetime | None = msgspec.field(default=None, name="at")
    contact: Contact | None = None
    echo_has_other_id: bool = msgspec.field(default=False, name="echo_differs")


LookupResult: TypeAlias = SentMessage | SafeToRetry | Inconclusive


class MediaDownload(RedactedStruct, frozen=True, kw_only=True):
    """Where a file can be downloaded right now, with which client and headers. Either may contain a token."""

    door: EgressClient
    url: str
    headers: Mapping[str, str] = {}


class MessagePage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[MessageItem]
    cursor: str | None


class MessageAdapter(Protocol):
    """`types` are those that can be sent; `free_form_window` is how long after the person's last message free-form
    messages may be sent, None if always, and `tagged_reply_window` is how long with the option `tag`; `tag_remedy` says
    when that can be used, after the other one has closed. `keeps_history` says that the platform can be asked for older
    messages, `can_reply_to_comments` that a comment can be answered with a message to its author. `recipient_help` is a
    sentence that says what `to` can be.
    """

    types: frozenset[MessageType]
    free_form_window: timedelta | None
    tagged_reply_window: timedelta | None
    tag_remedy: str
    keeps_history: bool
    can_reply_to_comments: bool
    recipient_help: str

    def parse_recipient(self, to: str) -> Contact | None:
        """Read what a caller gives as the recipient (a phone number, an id); None if it cannot be one."""

    def validate_new_message(self, new: NewMessage) -> Sequence[Fault]:
        """List what the platform would reject, all at once, with pointers of the request: `/text`, `/buttons/0`."""

    async def send(self, credentials: AccountCredentials, new: NewMessage) -> SentMessage:
        """Send it, with at most one call that sends."""

    async def look_up_result(self, credentials: AccountCredentials, new: NewMessage) -> LookupResult:
        """Look up the result of a `send` whose response was lost."""

    async def mark_read(self, credentials: AccountCredentials, contact_id: str, message_id: str) -> None:
        """Mark it as read for the person. NotSupported if the platform cannot."""

    async def get_download_location(self, credentials: AccountCredentials, attachment: AttachmentItem) -> MediaDownload:
        """Find out where a file can be downloaded."""

    async def get_contact_profile(self, credentials: AccountCredentials, contact_id: str) -> Contact:
        """Read who a person is, if the platform only says so when it is asked."""

    async def list_history(
        self, credentials: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> MessagePage:
        """List the messages with a person, newest first, if the platform keeps them."""


MESSAGES_CAPABILITY: Capability[MessageAdapter] = Capability("message")
