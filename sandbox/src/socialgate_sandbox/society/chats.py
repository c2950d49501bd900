"""Conversations, shared by all platforms. What differs per platform is in the `ChatService` of its package.

People write with `POST /_control/message` and the other verbs of `conversations.py`, and in the forms of a chat page;
accounts write through the API of their platform. Both go through the same `ChatService`, so each sees what the other
wrote, and the product is notified of both.

It has more than 400 lines: what people write and what becomes of it change the same conversation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.kit import (
    Action,
    ActionRequest,
    ControlError,
    MediaView,
    MessageView,
    Person,
    StoredObject,
    VendorContext,
)
from socialgate_sandbox.society.conversation_requests import (
    ACTION_TITLES,
    REPLY_WINDOW,
    ConversationRequest,
    EditMessageRequest,
    MessageId,
    MessageRequest,
    PressButtonRequest,
    ReactRequest,
    ReceiptRequest,
    WriteMessageRequest,
    build_action,
    find_person,
    require_content,
)
from socialgate_sandbox.society.message_fates import (
    DeliveryState,
    DeliveryStep,
    ReportStateRequest,
    SetFateRequest,
    build_step,
    compute_state,
    set_message_fate,
)

Json: TypeAlias = dict[str, Any]
_MAX_CHOICES = 50


class ListMessagesRequest(ActionRequest, frozen=True, kw_only=True):
    """Read the messages of an account, newest first. By default all of them."""

    account: str
    limit: Annotated[int, msgspec.Meta(ge=-1, le=2000)] = -1


class Chat(StoredObject, kw_only=True):
    """The conversation of an account (the parent) with a person, by the key that the platform has for them.

    `blocked` is the name by which the account blocked the person, "" if it did not.
    """

    person: str
    updated: datetime
    last_inbound: datetime | None = None
    unread: int = 0
    blocked: str = ""

    def is_within_window(self, context: VendorContext, within: timedelta = REPLY_WINDOW) -> bool:
        """Whether the person's last message is recent enough for a reply, on platforms where that matters."""
        return self.last_inbound is not None and context.clock.now() - self.last_inbound < within


class Button(msgspec.Struct, frozen=True):
    """Something to press. `kind` is the platform's name for it."""

    kind: str
    title: str
    payload: str = ""
    description: str = ""


class Message(StoredObject, kw_only=True):
    """One message of an account (the parent). `person` is the key of its author, "" for the account.

    `text`, `media` and `buttons` are what people see, `content` is what the platform's API makes of it. `reactions` has
    one per side, by the key of the person, "" for the account.
    """

    chat: str
    person: str
    created_at: datetime = msgspec.field(name="made")
    kind: str = "text"
    text: str = ""
    content: Json = {}
    media: list[MediaView] = []
    buttons: list[Button] = []
    reply_to: str = ""
    reactions: dict[str, str] = {}
    edits: int = 0
    deleted: bool = False
    steps: list[DeliveryStep] = []

    def state(self, context: VendorContext) -> DeliveryState | None:
        return compute_state(context, self.steps)


M = TypeVar("M", bound=Message)
A = TypeVar("A", bound=StoredObject)


class MessageEvent(NamedTuple, Generic[M]):
    """What happened to a message, or will after some seconds: it reached a state, or one of these.

    `written`: a person wrote it, or the owner did in the platform's own app. `echoed`: the account sent it through the
    API. `pressed`: a person pressed a button, which made no message.
    """

    chat: Chat
    message: M
    change: DeliveryState | Literal["written", "echoed", "reacted", "edited", "deleted", "pressed"]
    after: float = 0.0
    button: Button | None = None


def get_chat(context: VendorContext, message: Message) -> Chat:
    chat = context.store.get(Chat, message.chat)
    assert chat is not None
    return chat


def list_messages(context: VendorContext, kind: type[M], chat: Chat, *, deleted: bool = False) -> list[M]:
    """List the messages of a chat, newest first, and with `deleted` those that were deleted as well."""
    items = context.store.find(kind, parent=chat.parent, newest_first=True)
    return [item for item in items if item.chat == chat.id and (deleted or not item.deleted)]


def _build_chat_key(account: str, person: str) -> str:
    return f"{account}:{person}"


def _get_person_key(_world: VendorContext, request: ConversationRequest) -> str:
    return find_person(request.person).key


def _build_no_answer(_world: VendorContext, _message: Any, _button: Button) -> Json | None:
    """Answer with nothing: no button of the platform makes a message."""


@dataclass(frozen=True, kw_only=True)
class ChatService(Generic[M, A]):
    """How a platform handles conversations.

    `accounts` finds an account, which errors call `account_noun`, `name` is what people call it, and `person` is the
    platform's key for the person whom a control request is about. `build_message_fields` returns the fields of the
    messages that a person's message becomes, with the message that it quotes, and `answer` those of the message that a
    pressed button makes, or None if it makes none. `notify_product` notifies the product, and says whether it did. With
    `reads_all`, reading a message reads everything before it.
    """

    kind: type[M]
    account_noun: str
    accounts: Callable[[VendorContext, str], A | None]
    name: Callable[[A], str]
    new_id: Callable[[], str]
    build_message_fields: Callable[[VendorContext, Chat, Any, M | None], Sequence[Json]]
    notify_product: Callable[[VendorContext, MessageEvent[M]], bool]
    attachments: tuple[str, ...]
    get_max_length: Callable[[VendorContext, Chat, WriteMessageRequest], int]
    person: Callable[[VendorContext, Any], str] = _get_person_key
    key: Callable[[str, str], str] = _build_chat_key
    find_message: Callable[[VendorContext, Chat, MessageId], M | None] | None = None
    answer: Callable[[VendorContext, M, Button], Json | None] = _build_no_answer
    message_request_type: type[WriteMessageRequest] = WriteMessageRequest
    action_names: Sequence[str] = tuple(ACTION_TITLES)
    reads_all: bool = False

    def require_account(self, context: VendorContext, key: str) -> A:
        """Find an account for a control request."""
        item = self.accounts(context, key)
        if item is None:
            raise ControlError(f"There is no {self.account_noun} {key!r}. GET /_control/accounts lists them.")
        return item

    def find_chat(self, context: VendorContext, request: ConversationRequest) -> Chat:
        """Return the chat that a control request is about."""
        return self.get_or_build_chat(
            context, self.require_account(context, request.account).id, self.person(context, request)
        )

    def get_or_build_chat(self, context: VendorContext, account: str, person: str) -> Chat:
        """Return the chat of an account with a person. One that has not begun is not stored yet."""
        key = self.key(account, person)
        begun = context.store.get(Chat, key)
        return begun or Chat(id=key, parent=account, person=person, updated=context.clock.now())

    def has_begun(self, context: VendorContext, chat: Chat) -> bool:
        return context.store.get(Chat, chat.id) is not None

    def message(self, context: VendorContext, chat: Chat, key: MessageId) -> M | None:
        """Find a message of a chat."""
        if self.find_message is not None:
            item = self.find_message(context, chat, key)
        else:
            item = context.store.get(self.kind, str(key))
            item = item if item is not None and item.chat == chat.id else None
        return None if item is None or item.deleted else item

    # What the account does through the API of the platform, or either side.

    def send(self, context: VendorContext, chat: Chat, state_delays: Mapping[DeliveryState, float], **fields: Any) -> M:
        """Send a message to a person. `state_delays` says after how many seconds it reaches which state."""
        message = self._build_message(context, chat, person="", **fields)
        chat.unread = 0
        self._store_message(context, chat, message)
        if "failed" not in state_delays:
            self.notify_product(context, MessageEvent(chat, message, "echoed"))
        for state, seconds in state_delays.items():
            self.report_state(context, chat, message, state, delay_seconds=seconds)
        return message

    def report_state(
        self, context: VendorContext, chat: Chat, message: M, state: DeliveryState, *, delay_seconds: float = 0.0
    ) -> None:
        """Let a message reach a state, and notify the product."""
        message.steps.append(build_step(context, state, delay_seconds))
        context.store.put(message)
        self.notify_product(context, MessageEvent(chat, message, state, delay_seconds))

    def react(self, context: VendorContext, message: M, person: str, emoji: str) -> None:
        """Replace the reaction of one side; without an emoji it is removed."""
        message.reactions.pop(person, None)
        if emoji:
            message.reactions[person] = emoji
        context.store.put(message)

    def edit(self, context: VendorContext, chat: Chat, message: M, text: str) -> None:
        message.text, message.edits = text, message.edits + 1
        context.store.put(message)
        self.notify_product(context, MessageEvent(chat, message, "edited"))

    def delete(self, context: VendorContext, chat: Chat, message: M) -> None:
        message.deleted = True
        context.store.put(message)
        self.notify_product(context, MessageEvent(chat, message, "deleted"))

    def _build_message(self, context: VendorContext, chat: Chat, **fields: Any) -> M:
        about: Json = {"id": self.new_id(), "parent": chat.parent, "chat": chat.id, "created_at": context.clock.now()}
        return self.kind(**about | {"person": chat.person} | fields)

    def _store_message(self, context: VendorContext, chat: Chat, message: M) -> None:
        chat.updated = message.created_at
        context.store.put(chat)
        context.store.put(message)

    # What people do.

    def receive(self, context: VendorContext, chat: Chat, **fields: Any) -> Json:
        """Receive a message of a person, after which the account can reply freely."""
        message = self._build_message(context, chat, **fields)
        if message.person:
            _require_not_blocked(chat)
            chat.last_inbound, chat.unread = message.created_at, chat.unread + 1
        self._store_message(context, chat, message)
        return {
            "messageId": message.id,
            "notified": self.notify_product(context, MessageEvent(chat, message, "written")),
        }

    def _handle_write(self, context: VendorContext, request: WriteMessageRequest) -> Any:
        chat = self.find_chat(context, request)
        require_content(request, self.get_max_length(context, chat, request), self.attachments)
        quoted = self._require_message(context, chat, request.reply_to) if request.reply_to else None
        answer: Any = {}
        for fields in self.build_message_fields(context, chat, request, quoted):
            answer = self.receive(context, chat, **{"reply_to": "" if quoted is None else quoted.id} | fields)
        return answer

    def _require_message(self, context: VendorContext, chat: Chat, key: MessageId) -> M:
        item = self.message(context, chat, key)
        if item is None:
            raise ControlError(f"There is no message {key!r} in this conversation.")
        return item

    def _require_chat_message(self, context: VendorContext, request: MessageRequest) -> tuple[Chat, M]:
        chat = self.find_chat(context, request)
        _require_not_blocked(chat)
        return chat, self._require_message(context, chat, request.message_id)

    def _require_own_message(self, context: VendorContext, request: MessageRequest) -> tuple[Chat, M]:
        chat, message = self._require_chat_message(context, request)
        if not message.person:
            raise ControlError("People can only change their own messages.", 409)
        return chat, message

    def mark_arrived(self, context: VendorContext, request: ReceiptRequest, state: DeliveryState) -> None:
        """Let a person receive or read a message of the account, by default the newest."""
        chat = self.find_chat(context, request)
        sent = [item for item in list_messages(context, self.kind, chat) if not item.person]
        if not (sent or request.message_id):
            raise ControlError("The account has not sent them a message yet.", 409)
        message = self._require_message(context, chat, request.message_id) if request.message_id else sent[0]
        if message.person:
            raise ControlError("This message was written by the person. Choose a message of the account.", 409)
        for item in sent if self.reads_all and state == "read" else []:
            if item.created_at < message.created_at:
                item.steps.append(build_step(context, state))
                context.store.put(item)
        self.report_state(context, chat, message, state)

    def _handle_react(self, context: VendorContext, request: ReactRequest) -> None:
        chat, message = self._require_chat_message(context, request)
        self.react(context, message, chat.person, request.emoji)
        self.notify_product(context, MessageEvent(chat, message, "reacted"))

    def _handle_edit(self, context: VendorContext, request: EditMessageRequest) -> None:
        chat, message = self._require_own_message(context, request)
        if message.kind != "text" or not request.text.strip():
            raise ControlError("Only the text of a message can be edited.", 422)
        self.edit(context, chat, message, request.text)

    def _handle_delete(self, context: VendorContext, request: MessageRequest) -> None:
        self.delete(context, *self._require_own_message(context, request))

    def _handle_press(self, context: VendorContext, request: PressButtonRequest) -> Any:
        chat, message = self._require_chat_message(context, request)
        button = next((button for button in message.buttons if button.title == request.button), None)
        if button is None:
            raise ControlError(f"The message has no button {request.button!r} that calls the app.")
        answer = self.answer(context, message, button)
        if answer is not None:
            return self.receive(context, chat, **answer)
        chat.last_inbound = context.clock.now()
        context.store.put(chat)
        self.notify_product(context, MessageEvent(chat, message, "pressed", button=button))
        return None

    def build_actions(self) -> dict[str, Action[Any]]:
        """Return the verbs for people that the platform has."""
        every = {
            **build_action("message", self.message_request_type, self._handle_write),
            **build_action(
                "deliver", ReceiptRequest, lambda world, order: self.mark_arrived(world, order, "delivered")
            ),
            **build_action("read", ReceiptRequest, lambda world, order: self.mark_arrived(world, order, "read")),
            **build_action("react", ReactRequest, self._handle_react),
            **build_action("edit", EditMessageRequest, self._handle_edit),
            **build_action("delete", MessageRequest, self._handle_delete),
            **build_action("press", PressButtonRequest, self._handle_press),
        }
        return {name: action for name, action in every.items() if name in self.action_names}

    # What tests choose.

    def build_fate_actions(self, kinds: Sequence[str], failure_labels: Mapping[str, str]) -> dict[str, Action[Any]]:
        """Return the verbs that decide what becomes of messages. `failure_labels` are codes of the platform with
        labels.
        """

        def choose(context: VendorContext, request: SetFateRequest) -> None:
            set_message_fate(context, self.require_account(context, request.account).id, request)

        def report(context: VendorContext, request: ReportStateRequest) -> None:
            message = context.store.get(self.kind, request.message)
            if message is None or message.person:
                raise ControlError(f"The product sent no message {request.message!r}.")
            self.report_state(context, get_chat(context, message), message, request.status)

        def sent(context: VendorContext, _account: str) -> dict[str, str]:
            items = [item for item in context.store.find(self.kind, newest_first=True) if not item.person][
                :_MAX_CHOICES
            ]
            return {item.id: f"{item.created_at:%H:%M:%S} {item.kind} in {item.chat}" for item in items}

        chosen = {"failure": {"0": "No failure", **failure_labels}}
        return {
            "sending": Action("Fail the next messages", SetFateRequest, choose, kinds=kinds, field_choices=chosen),
            "status": Action(
                "Resend the status of a message", ReportStateRequest, report, field_choices={"message": sent}
            ),
        }

    # What people and tests read.

    def build_list_action(self, build_line: Callable[[VendorContext, M], Json]) -> Action[ListMessagesRequest]:
        """Return a verb that lists the messages of an account, each as one line."""

        def run(context: VendorContext, request: ListMessagesRequest) -> Json:
            account = self.require_account(context, request.account).id
            items = context.store.find(self.kind, parent=account, newest_first=True, limit=request.limit)
            return {"data": [build_line(context, item) for item in items if not item.deleted]}

        return Action("Read the messages", ListMessagesRequest, run, has_own_form=False)

    def iterate_message_views(self, context: VendorContext, account: str, person: Person) -> Iterator[MessageView]:
        chat = self.find_chat(context, ReceiptRequest(account=account, person=person.key))
        name = self.name(self.require_account(context, account))
        for item in list_messages(context, self.kind, chat, deleted=True):
            # A reaction that is sent like a message is shown on the message that it is about.
            if item.kind != "reaction":
                yield _build_message_view(context, item, name if not item.person else person.name, person)


def _require_not_blocked(chat: Chat) -> None:
    if chat.blocked:
        raise ControlError("The account has blocked this person.", 409)


def _build_message_view(context: VendorContext, message: Message, author: str, person: Person) -> MessageView:
    state = message.state(context)
    return MessageView(
        id=message.id,
        at=message.created_at,
        author=author,
        by_account=not message.person,
        person=person.key if message.person else "",
        text="" if message.deleted else message.text,
        media=[] if message.deleted else message.media,
        state="" if message.person or state is None else "read" if state == "played" else state,
        reply_to=message.reply_to,
        reactions=list(message.reactions.values()),
        buttons=[button.title for button in message.buttons],
        edited=message.edits > 0,
        deleted=message.deleted,
    )
