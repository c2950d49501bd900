"""The conversation of one account with one person: JSON for programs, and a page on which people chat."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, AccountQuery, address_of, find_account_reader
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.account_views import MessageView
from socialgate_sandbox.kernel.people import FOLLOWERS, Person
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ControlError

CHAT_PATH = "/_control/chat"
_ATTACHMENTS = ("image", "video", "audio", "file")
_EMOJI = ("👍", "❤️", "😂")
_MAX_QUOTE_LENGTH = 80
_MAX_MESSAGES = 100
_NEVER = datetime.min.replace(tzinfo=UTC)


class ChatQuery(AccountQuery, frozen=True, kw_only=True):
    person: str = ""
    limit: control_requests.Limit = 100


def read_chat_json(sandbox: Sandbox, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _read_chat(sandbox, {"person": FOLLOWERS[0].key, **fields})[2]}


def render_chat_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    subject, person, messages = _read_chat(sandbox, control_requests.known_fields(ChatQuery, fields))
    known = {message.id: message for message in messages}
    return render_page(
        sandbox,
        "chat.html",
        form_result,
        path=CHAT_PATH,
        query={"platform": subject.vendor.name, "account": subject.account.id, "person": person.key},
        account_context=subject,
        person=person,
        people=[
            {
                "person": follower,
                "url": address_of(CHAT_PATH, subject, person=follower.key),
                "waiting": _count_unanswered(subject, follower),
            }
            for follower in FOLLOWERS
        ],
        # The newest message is at the end, next to the input field.
        rows=[
            {"message": message, "quoted": _build_quote(known.get(message.reply_to))} for message in reversed(messages)
        ],
        verbs=set(subject.vendor.actions),
        attachments=_ATTACHMENTS,
        emoji=_EMOJI,
        script="refresh.js",
    )


def _count_unanswered(account_context: AccountContext, person: Person) -> int:
    """Count the messages of a person that the account has not answered."""
    newest = _read_messages(account_context, person)
    return len(list(takewhile(lambda message: message.person == person.key, newest)))


def _find_last_writer(account_context: AccountContext) -> Person:
    """Return the person who wrote last, or the first one if nobody has written."""

    def wrote(person: Person) -> datetime:
        own = (message.at for message in _read_messages(account_context, person) if message.person == person.key)
        return next(own, _NEVER)

    return max(FOLLOWERS, key=wrote)


def _read_messages(account_context: AccountContext, person: Person) -> Iterator[MessageView]:
    read = account_context.vendor.chat_readers[account_context.account.kind]
    return islice(read(account_context.context, account_context.account.id, person), _MAX_MESSAGES)


def _build_quote(message: MessageView | None) -> str:
    if message is None:
        return ""
    words = message.text or ("a file" if message.media else "a message")
    return words if len(words) <= _MAX_QUOTE_LENGTH else f"{words[:_MAX_QUOTE_LENGTH]}…"


def _read_chat(sandbox: Sandbox, fields: Mapping[str, str]) -> tuple[AccountContext, Person, list[MessageView]]:
    query = control_requests.parse_request(ChatQuery, fields, strict=False)
    subject, read = find_account_reader(sandbox, query, "chat", lambda vendor: vendor.chat_readers)
    # Programs know people by their names.
    named = next((follower for follower in FOLLOWERS if query.person in {follower.key, follower.name}), None)
    person = named if query.person else _find_last_writer(subject)
    if person is None:
        raise ControlError(
            f"There is no person {query.person!r}. Choose one of: {', '.join(follower.key for follower in FOLLOWERS)}."
        )
    return subject, person, list(islice(read(subject.context, subject.account.id, person), query.limit))
