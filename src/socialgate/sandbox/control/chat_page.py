"""The conversation of one account with one person: JSON for programs, and a page on which people chat."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.control import orders
from socialgate.sandbox.control.shell import Note, shell
from socialgate.sandbox.control.subjects import Subject, SubjectQuery, address_of, reader_of
from socialgate.sandbox.kernel.kernel import Kernel
from socialgate.sandbox.kernel.people import FOLLOWERS, Person
from socialgate.sandbox.kernel.showing import ShownMessage
from socialgate.sandbox.kernel.vendor import ControlError

CHAT = "/_control/chat"
_ATTACHMENTS = ("image", "video", "audio", "file")
_EMOJI = ("👍", "❤️", "😂")
_QUOTED = 80


class ChatQuery(SubjectQuery, frozen=True, kw_only=True):
    person: str = FOLLOWERS[0].key
    limit: orders.Limit = 100


def chat_data(kernel: Kernel, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _chat(kernel, fields)[2]}


def show_chat(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    subject, person, messages = _chat(kernel, fields)
    known = {message.id: message for message in messages}
    return shell(
        kernel,
        "chat.html",
        note,
        path=CHAT,
        query={"platform": subject.vendor.name, "account": subject.account.id, "person": person.key},
        subject=subject,
        person=person,
        people=[{"person": one, "url": address_of(CHAT, subject, person=one.key)} for one in FOLLOWERS],
        # The newest message is at the end, next to the input field.
        rows=[{"message": one, "quoted": _quoted(known.get(one.reply_to))} for one in reversed(messages)],
        verbs=set(subject.vendor.actions),
        attachments=_ATTACHMENTS,
        emoji=_EMOJI,
    )


def _quoted(message: ShownMessage | None) -> str:
    if message is None:
        return ""
    words = message.text or ("a file" if message.media else "a message")
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}…"


def _chat(kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, Person, list[ShownMessage]]:
    query = orders.to_order(ChatQuery, fields, strict=False)
    subject, read = reader_of(kernel, query, "chat", lambda vendor: vendor.chats)
    person = next((one for one in FOLLOWERS if one.key == query.person), None)
    if person is None:
        raise ControlError(
            f"There is no person {query.person!r}. Choose one of: {', '.join(one.key for one in FOLLOWERS)}."
        )
    return subject, person, list(islice(read(subject.world, subject.account.id, person), query.limit))
