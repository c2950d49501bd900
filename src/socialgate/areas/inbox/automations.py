"""What conversations add to automations: messages trigger them, and they reply."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.inbox.schemas import Message, NewMessageBody, Recipient, WhatsappMessage
from socialgate.areas.inbox.sending import MessageOrigin, MessageSender
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.automations import (
    CONTACT_FIELD_DESCRIPTIONS,
    ActionStep,
    ActionType,
    AutomationContact,
    AutomationOptions,
    AutomationSubject,
    PlaceholderText,
    Reply,
    SubjectType,
    TriggerOccurrence,
    TriggerOptions,
    TriggerType,
    contact_fields,
    requires_capability,
)
from socialgate.contracts.messages import MESSAGES_CAPABILITY, Contact, MessageStored
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import TEMPLATES_CAPABILITY
from socialgate.core.errors import Fault, NotFound
from socialgate.core.unit_of_work import UnitOfWork

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_ACCOUNT_ID_DESCRIPTION = "The account that sends it. Unset: the account on which the trigger fired."
_RECIPIENT_DESCRIPTION = (
    "A phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. Unset: the contact."
)
_SUPPORTS_MESSAGES = requires_capability(MESSAGES_CAPABILITY)
_FIELD_DESCRIPTIONS = {
    **CONTACT_FIELD_DESCRIPTIONS,
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
        return {"type": "message.received", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


class ConversationTrigger(TriggerOptions, frozen=True, kw_only=True, tag="conversation.started"):
    """Somebody writes to an account for the first time."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "conversation.started", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


class SendMessageAction(AutomationOptions, frozen=True, kw_only=True, tag="sendMessage"):
    """Send a message to the contact, or to another recipient.

    The author of a comment on Facebook or Instagram gets it as a private reply, once for each comment.
    """

    text: PlaceholderText
    account_id: Annotated[str, Meta(max_length=40, description=_ACCOUNT_ID_DESCRIPTION)] | None = None
    to: Annotated[str, Meta(min_length=1, max_length=300, description=_RECIPIENT_DESCRIPTION)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "sendMessage", "text": "Our price list: https://bakery.example/prices"}


class SendTemplateAction(AutomationOptions, frozen=True, kw_only=True, tag="sendTemplate"):
    """Send an approved WhatsApp template to the contact, or to another recipient. It needs no open window."""

    template: Template
    """The template to send, and the values of its placeholders."""
    account_id: Annotated[str, Meta(max_length=40, description=_ACCOUNT_ID_DESCRIPTION)] | None = None
    to: Recipient | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "sendTemplate", "template": Template.example()}


def _build_message_occurrences(fact: MessageStored, account: AccountRow) -> Sequence[TriggerOccurrence]:
    contact = AutomationContact(id=fact.contact_id, name=fact.name, username=fact.username, phone=fact.phone)
    subject = AutomationSubject(
        key=f"message {fact.message_id}",
        account_id=account.id,
        platform=account.platform,
        at=fact.sent_at,
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
    return [TriggerOccurrence(account.owner_id, account.profile_id, subject)]


def _build_first_message_occurrences(fact: MessageStored, account: AccountRow) -> Sequence[TriggerOccurrence]:
    return _build_message_occurrences(fact, account) if fact.is_first else []


def _validate_recipient(options: SendMessageAction | SendTemplateAction, about: SubjectType) -> Sequence[Fault]:
    faults = []
    if options.to is None and about not in {"message", "comment"}:
        detail = "to is required: this trigger has no conversation to write to. Name the recipient."
        faults.append(Fault("/to", "required", detail))
    if isinstance(options, SendMessageAction) and options.account_id is None and about == "lead":
        detail = "accountId is required: the account that has the form cannot write first. Use a WhatsApp number."
        faults.append(Fault("/accountId", "required", detail))
    if faults:
        return faults
    if options.to is None and options.account_id is not None:
        return [Fault("/to", "required", "to is required if another account sends the message.")]
    return []


def _validate_template(options: SendTemplateAction, about: SubjectType) -> Sequence[Fault]:
    if options.to is None and about == "comment":
        return [Fault("/to", "required", "to is required: the author of a comment is not on WhatsApp.")]
    return _validate_recipient(options, about)


def _build_origin(step: ActionStep[Any]) -> MessageOrigin:
    """What is sent because of a lead is erased with it."""
    return MessageOrigin(source="automation", subject_key=None if step.subject.lead_id is None else step.subject.key)


class ReplyPerformer:
    def __init__(self, sending: MessageSender) -> None:
        self._sending = sending

    async def execute(self, work: UnitOfWork, step: ActionStep[Reply]) -> Message:
        subject = step.subject
        body = NewMessageBody(conversation_id=subject.conversation_id, text=step.options.text)
        return await self._sending.send(work, subject.account_id, body, _build_origin(step))


class SendMessagePerformer:
    def __init__(self, sending: MessageSender) -> None:
        self._sending = sending

    async def execute(self, work: UnitOfWork, step: ActionStep[SendMessageAction]) -> Message:
        subject, options = step.subject, step.options
        account_id = options.account_id or subject.account_id
        if options.to is None and subject.comment_id is not None:
            author = subject.contact
            if author is None:
                raise NotFound("The platform does not report who wrote the comment, so no message can be sent.")
            contact = Contact(id=author.id, name=author.name, username=author.username)
            return await self._sending.answer_comment(
                work, account_id, subject.comment_id, contact, options.text, _build_origin(step)
            )
        conversation_id = subject.conversation_id if options.to is None else None
        body = NewMessageBody(conversation_id=conversation_id, to=options.to, text=options.text)
        return await self._sending.send(work, account_id, body, _build_origin(step))


class SendTemplatePerformer:
    def __init__(self, sending: MessageSender) -> None:
        self._sending = sending

    async def execute(self, work: UnitOfWork, step: ActionStep[SendTemplateAction]) -> Message:
        options, contact = step.options, step.subject.contact
        to = options.to or (contact.phone or contact.id if contact is not None else "")
        body = WhatsappMessage(to=to, type="template", template=options.template)
        return await self._sending.send_whatsapp(
            work, options.account_id or step.subject.account_id, body, _build_origin(step)
        )


def _build_send_result(message: Message) -> dict[str, Any]:
    return {"messageId": message.id, "msgId": message.msg_id, "conversationId": message.conversation_id}


AUTOMATION_TYPES = (
    TriggerType(
        options=MessageTrigger,
        subject_type="message",
        has_contact=True,
        fact=MessageStored,
        extract_occurrences=_build_message_occurrences,
        fields=_FIELD_DESCRIPTIONS,
        is_supported_by=_SUPPORTS_MESSAGES,
    ),
    TriggerType(
        options=ConversationTrigger,
        subject_type="message",
        has_contact=True,
        fact=MessageStored,
        extract_occurrences=_build_first_message_occurrences,
        fields=_FIELD_DESCRIPTIONS,
        is_supported_by=_SUPPORTS_MESSAGES,
    ),
    ActionType(
        options=Reply,
        subject_types=frozenset({"message"}),
        handler=ReplyPerformer,
        summarize_outcome=_build_send_result,
        is_supported_by=_SUPPORTS_MESSAGES,
    ),
    ActionType(
        options=SendMessageAction,
        handler=SendMessagePerformer,
        faults=_validate_recipient,
        summarize_outcome=_build_send_result,
        is_supported_by=_SUPPORTS_MESSAGES,
    ),
    ActionType(
        options=SendTemplateAction,
        handler=SendTemplatePerformer,
        faults=_validate_template,
        summarize_outcome=_build_send_result,
        is_supported_by=requires_capability(TEMPLATES_CAPABILITY),
        kind_faults=lambda options, kind: tuple(kind.template_faults(options.template)),
    ),
)
