"""The conversation of one account with one person: as JSON for programs, as a page on which people chat."""

from collections.abc import Mapping
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from socialgate.sandbox import orders, views
from socialgate.sandbox.call import reply
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.pages import page
from socialgate.sandbox.people import FOLLOWERS, Person
from socialgate.sandbox.showing import ShownMessage
from socialgate.sandbox.vendor import Account, ActionRequest, ControlError

# The field by which a form says that it stands on a chat page.
FROM_CHAT = "chat"
_ATTACHMENTS = ("image", "video", "audio", "file")
_EMOJI = ("👍", "❤️", "😂")
_QUOTED = 80


class ChatQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str
    account: str
    person: str = FOLLOWERS[0].key
    limit: orders.Limit = 100


def show_chat(kernel: Kernel, request: Request) -> Response:
    query = orders.to_order(ChatQuery, orders.query_fields(request.url.query), strict=False)
    if "text/html" not in request.headers.get("accept", ""):
        return reply({"data": _chat(kernel, query)[2]})
    return _page(kernel, query)


def chat_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Tell on which chat page a form stands."""
    return {name: str(fields.get(name, "")) for name in ("platform", "account", "person")}


def show_chat_refusal(kernel: Kernel, chat: Mapping[str, str], error: ControlError) -> Response:
    """Show the page again, with the sentence that says why what its form wanted was not done."""
    return _page(kernel, orders.to_order(ChatQuery, chat, strict=False), failed=str(error), status=error.status)


def chat_address(chat: Mapping[str, str]) -> str:
    return f"/_control/chat?{urlencode(chat)}#end"


def _page(kernel: Kernel, query: ChatQuery, *, failed: str = "", status: int = 200) -> Response:
    account, person, messages = _chat(kernel, query)
    vendor = kernel.vendors[query.platform]
    known = {message.id: message for message in messages}
    return page(
        "chat.html",
        status,
        vendor=vendor,
        account=account,
        person=person,
        people=FOLLOWERS,
        # The newest stands at the end, where one writes.
        rows=[{"message": one, "quoted": _quoted(known.get(one.reply_to))} for one in reversed(messages)],
        verbs=set(vendor.actions),
        attachments=_ATTACHMENTS,
        emoji=_EMOJI,
        failed=failed,
        has_feed=account.kind in vendor.feeds,
    )


def _quoted(message: ShownMessage | None) -> str:
    if message is None:
        return ""
    words = message.text or ("a file" if message.media else "a message")
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}…"


def _chat(kernel: Kernel, query: ChatQuery) -> tuple[Account, Person, list[ShownMessage]]:
    vendor = views.vendor_of(kernel, query.platform)
    world = kernel.worlds[vendor.name]
    account = next((one for one in vendor.accounts(world) if one.id == query.account), None)
    person = next((one for one in FOLLOWERS if one.key == query.person), None)
    if account is None or account.kind not in vendor.chats:
        known = ", ".join(sorted(vendor.chats)) or "none"
        raise ControlError(
            f"Nobody can chat with {query.account!r} on {vendor.title}. Kinds of accounts that have chats: {known}."
        )
    if person is None:
        raise ControlError(
            f"There is no person {query.person!r}. There are: {', '.join(one.key for one in FOLLOWERS)}."
        )
    return account, person, list(islice(vendor.chats[account.kind](world, account.id, person), query.limit))
