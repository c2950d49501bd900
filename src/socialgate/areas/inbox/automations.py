"""What conversations add to automations: messages trigger them, and they reply."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.inbox.schemas import Message, NewMessageBody, Recipient, WhatsappMessage
from socialgate.areas.inbox.sending import Origin, Sending
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.automations import (
    OF_CONTACT,
    About,
    ActionType,
    Occasion,
    Options,
    Person,
    Reply,
    Step,
    Subject,
    Text,
    TriggerOptions,
    TriggerType,
    contact_fields,
    with_capability,
)
from socialgate.contracts.messages import MESSAGES, Contact, MessageArrived
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import TEMPLATES
from socialgate.core.errors import Fault, NotFound
from socialgate.core.work import Work

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_FROM = "The account that sends it. Unset: the account on which the trigger fired."
_TO = "A phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. Unset: the contact."
_CAN_WRITE = with_capability(MESSAGES)
_FIELDS = {
    **OF_CONTACT,
    "message.text": "The text of the message.",
    "message.type": "`text`, `image` and so on.",
    "message.id": "Our id of the message.",
    "conversation.id": "Our id of the conversation.",
    "account.id": "The account that received it.",
}


class MessageTrigger(TriggerOptions, frozen=True, kw_only=True, tag="message.received"):
    """Somebody sends a message to an account. The account's own messages do not trigger it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "message.received", "accountIds": [_ACCOUNT]}


class ConversationTrigger(TriggerOptions, frozen=True, kw_only=True, tag="conversation.started"):
    """Somebody writes to an account for the first time."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "conversation.started", "accountIds": [_ACCOUNT]}


class SendMessage(Options, frozen=True, kw_only=True, tag="sendMessage"):
    """Send a message: to the contact, or to somebody else with `to`.

    The author of a comment on Facebook or Instagram gets it as a private reply, once for each comment.
    """

    text: Text
    account_id: Annotated[str, Meta(max_length=40, description=_FROM)] | None = None
    to: Annotated[str, Meta(min_length=1, max_length=300, description=_TO)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "sendMessage", "text": "Our price list: https://bakery.example/prices"}


class SendTemplate(Options, frozen=True, kw_only=True, tag="sendTemplate"):
    """Send an approved WhatsApp template: to the contact, or to somebody else with `to`. It needs no open window."""

    template: Template
    """The template to send, and the values of its placeholders."""
    account_id: Annotated[str, Meta(max_length=40, description=_FROM)] | None = None
    to: Recipient | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "sendTemplate", "template": Template.example()}


def _arrived(fact: MessageArrived, account: AccountRow) -> Sequence[Occasion]:
    contact = Person(id=fact.contact_id, name=fact.name, username=fact.username, phone=fact.phone)
    subject = Subject(
        key=f"message {fact.message_id}",
        account_id=account.id,
        platform=account.platform,
        at=fact.at,
        text=fact.text,
        contact=contact,
        conversation_id=fact.conversation_id,
        message_id=fact.message_id,
        fields={
            **contact_fields(contact),
            "message.text": fact.text,
            "message.type": str(fact.type),
            "message.id": fact.message_id,
            "conversation.id": fact.conversation_id,
            "account.id": account.id,
        },
    )
    return [Occasion(account.owner_id, account.profile_id, subject)]


def _started(fact: MessageArrived, account: AccountRow) -> Sequence[Occasion]:
    return _arrived(fact, account) if fact.is_first else []


def _recipient_faults(options: SendMessage | SendTemplate, about: About) -> Sequence[Fault]:
    faults = []
    if options.to is None and about not in {"message", "comment"}:
        detail = "to is required: this trigger has no conversation to write to. Name the recipient."
        faults.append(Fault("/to", "required", detail))
    if isinstance(options, SendMessage) and options.account_id is None and about == "lead":
        detail = "accountId is required: the account that has the form cannot write first. Use a WhatsApp number."
        faults.append(Fault("/accountId", "required", detail))
    if faults:
        return faults
    if options.to is None and options.account_id is not None:
        return [Fault("/to", "required", "to is required if another account sends the message.")]
    return []


def _template_faults(options: SendTemplate, about: About) -> Sequence[Fault]:
    if options.to is None and about == "comment":
        return [Fault("/to", "required", "to is required: the author of a comment is not on WhatsApp.")]
    return _recipient_faults(options, about)


def _origin(step: Step[Any]) -> Origin:
    """What is sent because of a lead is erased with it."""
    return Origin(source="automation", subject_key=None if step.subject.lead_id is None else step.subject.key)


class MessageReplies:
    def __init__(self, sending: Sending) -> None:
        self._sending = sending

    async def perform(self, work: Work, step: Step[Reply]) -> Message:
        subject = step.subject
        body = NewMessageBody(conversation_id=subject.conversation_id, text=step.options.text)
        return await self._sending.send(work, subject.account_id, body, _origin(step))


class MessageSends:
    def __init__(self, sending: Sending) -> None:
        self._sending = sending

    async def perform(self, work: Work, step: Step[SendMessage]) -> Message:
        subject, options = step.subject, step.options
        account_id = options.account_id or subject.account_id
        if options.to is None and subject.comment_id is not None:
            author = subject.contact
            if author is None:
                raise NotFound("The platform does not report who wrote the comment, so no message can be sent.")
            contact = Contact(id=author.id, name=author.name, username=author.username)
            return await self._sending.answer_comment(
                work, account_id, subject.comment_id, contact, options.text, _origin(step)
            )
        conversation_id = subject.conversation_id if options.to is None else None
        body = NewMessageBody(conversation_id=conversation_id, to=options.to, text=options.text)
        return await self._sending.send(work, account_id, body, _origin(step))


class TemplateSends:
    def __init__(self, sending: Sending) -> None:
        self._sending = sending

    async def perform(self, work: Work, step: Step[SendTemplate]) -> Message:
        options, contact = step.options, step.subject.contact
        to = options.to or (contact.phone or contact.id if contact is not None else "")
        body = WhatsappMessage(to=to, type="template", template=options.template)
        return await self._sending.send_whatsapp(
            work, options.account_id or step.subject.account_id, body, _origin(step)
        )


def _sent(message: Message) -> dict[str, Any]:
    return {"messageId": message.id, "msgId": message.msg_id, "conversationId": message.conversation_id}


AUTOMATES = (
    TriggerType(
        options=MessageTrigger,
        about="message",
        has_contact=True,
        fact=MessageArrived,
        occasions=_arrived,
        fields=_FIELDS,
        able=_CAN_WRITE,
    ),
    TriggerType(
        options=ConversationTrigger,
        about="message",
        has_contact=True,
        fact=MessageArrived,
        occasions=_started,
        fields=_FIELDS,
        able=_CAN_WRITE,
    ),
    ActionType(options=Reply, on=frozenset({"message"}), performer=MessageReplies, shown=_sent, able=_CAN_WRITE),
    ActionType(
        options=SendMessage,
        performer=MessageSends,
        faults=_recipient_faults,
        shown=_sent,
        able=_CAN_WRITE,
    ),
    ActionType(
        options=SendTemplate,
        performer=TemplateSends,
        faults=_template_faults,
        shown=_sent,
        able=with_capability(TEMPLATES),
        kind_faults=lambda options, kind: tuple(kind.template_faults(options.template)),
    ),
)
