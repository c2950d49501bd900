"""The conversation of one account with one person: JSON for programs, and a page on which people chat."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import Subject, SubjectQuery, address_of, reader_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.people import FOLLOWERS, Person
from socialgate_sandbox.kernel.showing import ShownMessage
from socialgate_sandbox.kernel.vendor import ControlError

CHAT = "/_control/chat"
_ATTACHMENTS = ("image", "video", "audio", "file")
_EMOJI = ("👍", "❤️", "😂")
_QUOTED = 80
_MAX_READ = 100
_NEVER = datetime.min.replace(tzinfo=UTC)


class ChatQuery(SubjectQuery, frozen=True, kw_only=True):
    person: str = ""
    limit: orders.Limit = 100


def chat_data(kernel: Kernel, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _chat(kernel, {"person": FOLLOWERS[0].key, **fields})[2]}


def show_chat(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    subject, person, messages = _chat(kernel, orders.known_fields(ChatQuery, fields))
    known = {message.id: message for message in messages}
    return shell(
        kernel,
        "chat.html",
        note,
        path=CHAT,
        query={"platform": subject.vendor.name, "account": subject.account.id, "person": person.key},
        subject=subject,
        person=person,
        people=[
            {"person": one, "url": address_of(CHAT, subject, person=one.key), "waiting": _waiting(subject, one)}
            for one in FOLLOWERS
        ],
        # The newest message is at the end, next to the input field.
        rows=[{"message": one, "quoted": _quoted(known.get(one.reply_to))} for one in reversed(messages)],
        verbs=set(subject.vendor.actions),
        attachments=_ATTACHMENTS,
        emoji=_EMOJI,
        script="refresh.js",
    )


def _waiting(subject: Subject, person: Person) -> int:
    """Count the messages of a person that the account has not answered."""
    newest = _read(subject, person)
    return len(list(takewhile(lambda message: message.person == person.key, newest)))


def _last_writer(subject: Subject) -> Person:
    """Return the person who wrote last, or the first one if nobody has written."""

    def wrote(person: Person) -> datetime:
        own = (message.at for message in _read(subject, person) if message.person == person.key)
        return next(own, _NEVER)

    return max(FOLLOWERS, key=wrote)


def _read(subject: Subject, person: Person) -> Iterator[ShownMessage]:
    read = subject.vendor.chats[subject.account.kind]
    return islice(read(subject.world, subject.account.id, person), _MAX_READ)


def _quoted(message: ShownMessage | None) -> str:
    if message is None:
        return ""
    words = message.text or ("a file" if message.media else "a message")
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}…"


def _chat(kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, Person, list[ShownMessage]]:
    query = orders.to_order(ChatQuery, fields, strict=False)
    subject, read = reader_of(kernel, query, "chat", lambda vendor: vendor.chats)
    named = next((one for one in FOLLOWERS if one.key == query.person), None)
    person = named if query.person else _last_writer(subject)
    if person is None:
        raise ControlError(
            f"There is no person {query.person!r}. Choose one of: {', '.join(one.key for one in FOLLOWERS)}."
        )
    return subject, person, list(islice(read(subject.world, subject.account.id, person), query.limit))
