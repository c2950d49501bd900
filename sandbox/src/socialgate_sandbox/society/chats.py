"""Conversations, shared by all platforms. What differs per platform is in the `Chats` of its package.

People write with `POST /_control/message` and the other verbs of `conversations.py`, and in the forms of a chat page;
accounts write through the API of their platform. Both go through the same `Chats`, so each sees what the other wrote,
and the product is notified of both.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, Person, ShownMedia, ShownMessage, Thing, World
from socialgate_sandbox.society.conversations import (
    TITLES,
    WINDOW,
    About,
    Edited,
    MessageId,
    Named,
    Pressed,
    Reacted,
    Seen,
    Written,
    person_of,
    require_content,
    verb,
)
from socialgate_sandbox.society.fates import Reported, Sending, State, Step, choose_fate, state_at, step

Json: TypeAlias = dict[str, Any]
_LISTED = 50


class Look(ActionRequest, frozen=True, kw_only=True):
    """Read the messages of an account, newest first. By default all of them."""

    account: str
    limit: Annotated[int, msgspec.Meta(ge=-1, le=2000)] = -1


class Chat(Thing, kw_only=True):
    """The conversation of an account (the parent) with a person, by the key that the platform has for them.

    `blocked` is the name by which the account blocked the person, "" if it did not.
    """

    person: str
    updated: datetime
    last_inbound: datetime | None = None
    unread: int = 0
    blocked: str = ""

    def is_open(self, world: World, within: timedelta = WINDOW) -> bool:
        """Whether the person's last message is recent enough for a reply, on platforms where that matters."""
        return self.last_inbound is not None and world.clock.now() - self.last_inbound < within


class Button(msgspec.Struct, frozen=True):
    """Something to press. `kind` is the platform's name for it."""

    kind: str
    title: str
    payload: str = ""
    description: str = ""


class Message(Thing, kw_only=True):
    """One message of an account (the parent). `person` is the key of its author, "" for the account.

    `text`, `media` and `buttons` are what people see, `content` is what the platform's API makes of it. `reactions` has
    one per side, by the key of the person, "" for the account.
    """

    chat: str
    person: str
    made: datetime
    kind: str = "text"
    text: str = ""
    content: Json = {}
    media: list[ShownMedia] = []
    buttons: list[Button] = []
    reply_to: str = ""
    reactions: dict[str, str] = {}
    edits: int = 0
    deleted: bool = False
    steps: list[Step] = []

    def state(self, world: World) -> State | None:
        return state_at(world, self.steps)


M = TypeVar("M", bound=Message)
A = TypeVar("A", bound=Thing)


class Event(NamedTuple, Generic[M]):
    """What happened to a message, or will after some seconds: it reached a state, or one of these.

    `written`: a person wrote it, or the owner did in the platform's own app. `echoed`: the account sent it through the
    API. `pressed`: a person pressed a button, which made no message.
    """

    chat: Chat
    message: M
    what: State | Literal["written", "echoed", "reacted", "edited", "deleted", "pressed"]
    after: float = 0.0
    button: Button | None = None


def chat_of(world: World, message: Message) -> Chat:
    found = world.store.get(Chat, message.chat)
    assert found is not None
    return found


def messages_in(world: World, kind: type[M], chat: Chat, *, deleted: bool = False) -> list[M]:
    """List the messages of a chat, newest first, and with `deleted` those that were deleted as well."""
    found = world.store.find(kind, parent=chat.parent, newest_first=True)
    return [one for one in found if one.chat == chat.id and (deleted or not one.deleted)]


def _key(account: str, person: str) -> str:
    return f"{account}:{person}"


def _usual_person(_world: World, order: About) -> str:
    return person_of(order.person).key


def _no_answer(_world: World, _message: Any, _button: Button) -> Json | None:
    """Answer with nothing: no button of the platform makes a message."""


@dataclass(frozen=True, kw_only=True)
class Chats(Generic[M, A]):
    """How a platform handles conversations.

    `accounts` finds an account that is `called` so, `name` is what people call it, and `person` is the platform's key
    for the person whom a control request is about. `compose` returns the fields of the messages that a person's message
    becomes, with the message that it quotes, and `answer` those of the message that a pressed button makes, or None if
    it makes none. `tell` notifies the product, and says whether it did. With `reads_all`, reading a message reads
    everything before it.
    """

    kind: type[M]
    called: str
    accounts: Callable[[World, str], A | None]
    name: Callable[[A], str]
    new_id: Callable[[], str]
    compose: Callable[[World, Chat, Any, M | None], Sequence[Json]]
    tell: Callable[[World, Event[M]], bool]
    attachments: tuple[str, ...]
    longest: Callable[[World, Chat, Written], int]
    person: Callable[[World, Any], str] = _usual_person
    key: Callable[[str, str], str] = _key
    named: Callable[[World, Chat, MessageId], M | None] | None = None
    answer: Callable[[World, M, Button], Json | None] = _no_answer
    written: type[Written] = Written
    verbs: Sequence[str] = tuple(TITLES)
    reads_all: bool = False

    def account(self, world: World, key: str) -> A:
        """Find an account for a control request."""
        found = self.accounts(world, key)
        if found is None:
            raise ControlError(f"There is no {self.called} {key!r}. GET /_control/accounts lists them.")
        return found

    def find(self, world: World, order: About) -> Chat:
        """Return the chat that a control request is about."""
        return self.of(world, self.account(world, order.account).id, self.person(world, order))

    def of(self, world: World, account: str, person: str) -> Chat:
        """Return the chat of an account with a person. One that has not begun is not stored yet."""
        key = self.key(account, person)
        begun = world.store.get(Chat, key)
        return begun or Chat(id=key, parent=account, person=person, updated=world.clock.now())

    def has_begun(self, world: World, chat: Chat) -> bool:
        return world.store.get(Chat, chat.id) is not None

    def message(self, world: World, chat: Chat, key: MessageId) -> M | None:
        """Find a message of a chat."""
        if self.named is not None:
            found = self.named(world, chat, key)
        else:
            found = world.store.get(self.kind, str(key))
            found = found if found is not None and found.chat == chat.id else None
        return None if found is None or found.deleted else found

    # What the account does through the API of the platform, or either side.

    def send(self, world: World, chat: Chat, plan: Mapping[State, float], **fields: Any) -> M:
        """Send a message to a person. `plan` says after how many seconds it reaches which state."""
        message = self._new(world, chat, person="", **fields)
        chat.unread = 0
        self._put(world, chat, message)
        if "failed" not in plan:
            self.tell(world, Event(chat, message, "echoed"))
        for state, seconds in plan.items():
            self.report(world, chat, message, state, after=seconds)
        return message

    def report(self, world: World, chat: Chat, message: M, state: State, *, after: float = 0.0) -> None:
        """Let a message reach a state, and notify the product."""
        message.steps.append(step(world, state, after))
        world.store.put(message)
        self.tell(world, Event(chat, message, state, after))

    def react(self, world: World, message: M, person: str, emoji: str) -> None:
        """Replace the reaction of one side; without an emoji it is removed."""
        message.reactions.pop(person, None)
        if emoji:
            message.reactions[person] = emoji
        world.store.put(message)

    def edit(self, world: World, chat: Chat, message: M, text: str) -> None:
        message.text, message.edits = text, message.edits + 1
        world.store.put(message)
        self.tell(world, Event(chat, message, "edited"))

    def delete(self, world: World, chat: Chat, message: M) -> None:
        message.deleted = True
        world.store.put(message)
        self.tell(world, Event(chat, message, "deleted"))

    def _new(self, world: World, chat: Chat, **fields: Any) -> M:
        about: Json = {"id": self.new_id(), "parent": chat.parent, "chat": chat.id, "made": world.clock.now()}
        return self.kind(**about | {"person": chat.person} | fields)

    def _put(self, world: World, chat: Chat, message: M) -> None:
        chat.updated = message.made
        world.store.put(chat)
        world.store.put(message)

    # What people do.

    def receive(self, world: World, chat: Chat, **fields: Any) -> Json:
        """Receive a message of a person, after which the account can reply freely."""
        message = self._new(world, chat, **fields)
        if message.person:
            _require_welcome(chat)
            chat.last_inbound, chat.unread = message.made, chat.unread + 1
        self._put(world, chat, message)
        return {"messageId": message.id, "notified": self.tell(world, Event(chat, message, "written"))}

    def _write(self, world: World, order: Written) -> Any:
        chat = self.find(world, order)
        require_content(order, self.longest(world, chat, order), self.attachments)
        quoted = self._required(world, chat, order.reply_to) if order.reply_to else None
        answer: Any = {}
        for fields in self.compose(world, chat, order, quoted):
            answer = self.receive(world, chat, **{"reply_to": "" if quoted is None else quoted.id} | fields)
        return answer

    def _required(self, world: World, chat: Chat, key: MessageId) -> M:
        found = self.message(world, chat, key)
        if found is None:
            raise ControlError(f"There is no message {key!r} in this conversation.")
        return found

    def _about(self, world: World, order: Named) -> tuple[Chat, M]:
        chat = self.find(world, order)
        _require_welcome(chat)
        return chat, self._required(world, chat, order.message_id)

    def _own(self, world: World, order: Named) -> tuple[Chat, M]:
        chat, message = self._about(world, order)
        if not message.person:
            raise ControlError("People can only change their own messages.", 409)
        return chat, message

    def arrive(self, world: World, order: Seen, state: State) -> None:
        """Let a person receive or read a message of the account, by default the newest."""
        chat = self.find(world, order)
        sent = [one for one in messages_in(world, self.kind, chat) if not one.person]
        if not (sent or order.message_id):
            raise ControlError("The account has not sent them a message yet.", 409)
        message = self._required(world, chat, order.message_id) if order.message_id else sent[0]
        if message.person:
            raise ControlError("This message was written by the person. Choose a message of the account.", 409)
        for one in sent if self.reads_all and state == "read" else []:
            if one.made < message.made:
                one.steps.append(step(world, state))
                world.store.put(one)
        self.report(world, chat, message, state)

    def _react(self, world: World, order: Reacted) -> None:
        chat, message = self._about(world, order)
        self.react(world, message, chat.person, order.emoji)
        self.tell(world, Event(chat, message, "reacted"))

    def _edit(self, world: World, order: Edited) -> None:
        chat, message = self._own(world, order)
        if message.kind != "text" or not order.text.strip():
            raise ControlError("Only the text of a message can be edited.", 422)
        self.edit(world, chat, message, order.text)

    def _delete(self, world: World, order: Named) -> None:
        self.delete(world, *self._own(world, order))

    def _press(self, world: World, order: Pressed) -> Any:
        chat, message = self._about(world, order)
        button = next((one for one in message.buttons if one.title == order.button), None)
        if button is None:
            raise ControlError(f"The message has no button {order.button!r} that calls the app.")
        answer = self.answer(world, message, button)
        if answer is not None:
            return self.receive(world, chat, **answer)
        chat.last_inbound = world.clock.now()
        world.store.put(chat)
        self.tell(world, Event(chat, message, "pressed", button=button))
        return None

    def actions(self) -> dict[str, Action[Any]]:
        """Return the verbs for people that the platform has."""
        every = {
            **verb("message", self.written, self._write),
            **verb("deliver", Seen, lambda world, order: self.arrive(world, order, "delivered")),
            **verb("read", Seen, lambda world, order: self.arrive(world, order, "read")),
            **verb("react", Reacted, self._react),
            **verb("edit", Edited, self._edit),
            **verb("delete", Named, self._delete),
            **verb("press", Pressed, self._press),
        }
        return {name: action for name, action in every.items() if name in self.verbs}

    # What tests choose.

    def fates(self, kinds: Sequence[str], failures: Mapping[str, str]) -> dict[str, Action[Any]]:
        """Return the verbs that decide what becomes of messages. `failures` are codes of the platform with labels."""

        def choose(world: World, order: Sending) -> None:
            choose_fate(world, self.account(world, order.account).id, order)

        def report(world: World, order: Reported) -> None:
            message = world.store.get(self.kind, order.message)
            if message is None or message.person:
                raise ControlError(f"The product sent no message {order.message!r}.")
            self.report(world, chat_of(world, message), message, order.status)

        def sent(world: World, _account: str) -> dict[str, str]:
            found = [one for one in world.store.find(self.kind, newest_first=True) if not one.person][:_LISTED]
            return {one.id: f"{one.made:%H:%M:%S} {one.kind} in {one.chat}" for one in found}

        chosen = {"failure": {"0": "No failure", **failures}}
        return {
            "sending": Action("Fail the next messages", Sending, choose, kinds=kinds, choices=chosen),
            "status": Action("Resend the status of a message", Reported, report, choices={"message": sent}),
        }

    # What people and tests read.

    def look(self, line: Callable[[World, M], Json]) -> Action[Look]:
        """Return a verb that lists the messages of an account, each as one line."""

        def run(world: World, order: Look) -> Json:
            account = self.account(world, order.account).id
            found = world.store.find(self.kind, parent=account, newest_first=True, limit=order.limit)
            return {"data": [line(world, one) for one in found if not one.deleted]}

        return Action("Read the messages", Look, run, listed=False)

    def shown(self, world: World, account: str, person: Person) -> Iterator[ShownMessage]:
        chat = self.find(world, Seen(account=account, person=person.key))
        name = self.name(self.account(world, account))
        for one in messages_in(world, self.kind, chat, deleted=True):
            # A reaction that is sent like a message is shown on the message that it is about.
            if one.kind != "reaction":
                yield _shown(world, one, name if not one.person else person.name, person)


def _require_welcome(chat: Chat) -> None:
    if chat.blocked:
        raise ControlError("The account has blocked this person.", 409)


def _shown(world: World, one: Message, author: str, person: Person) -> ShownMessage:
    state = one.state(world)
    return ShownMessage(
        id=one.id,
        at=one.made,
        author=author,
        by_account=not one.person,
        person=person.key if one.person else "",
        text="" if one.deleted else one.text,
        media=[] if one.deleted else one.media,
        state="" if one.person or state is None else "read" if state == "played" else state,
        reply_to=one.reply_to,
        reactions=list(one.reactions.values()),
        buttons=[button.title for button in one.buttons],
        edited=one.edits > 0,
        deleted=one.deleted,
    )
