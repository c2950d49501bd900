"""People whom a number has blocked."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, always
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.chats import Chat, Json
from socialgate_sandbox.vendors.whatsapp_cloud.bodies import read
from socialgate_sandbox.vendors.whatsapp_cloud.chats import CHATS, contact_of
from socialgate_sandbox.vendors.whatsapp_cloud.errors import bad_parameter
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import SEND, require

_NOT_RECENT = 139100


_BLOCKED = NodeType(
    "WhatsAppBlockedUser",
    {
        **always(messaging_product="whatsapp"),
        "wa_id": lambda _call, chat, _field: chat.person,
        "input": lambda _call, chat, _field: chat.blocked,
    },
    ("messaging_product", "wa_id", "input"),
)


def _named(call: Call, number: Number) -> list[tuple[Json, Chat]]:
    """Return the people of a call, as responses name them, with their chats."""
    require(call, SEND)
    rows = read(call.params.get("block_users"), list[dict[str, str]], "block_users")
    given = [row.get("user") or row.get("user_id") or "" for row in rows]
    if not given or not all(given):
        raise Refused(bad_parameter("The parameter block_users is required."))
    # A number comes in any spelling; the id of somebody who hides it has a dot.
    keys = [one if "." in one else "".join(filter(str.isdigit, one)) for one in given]
    chats = [CHATS.of(call.world, number.id, contact_of(key).id) for key in keys]
    return [({"input": one, "wa_id": chat.person}, chat) for one, chat in zip(given, chats, strict=True)]


def block(call: Call, number: Number) -> Any:
    """Block people who wrote within a day: others cannot be blocked."""
    added: list[Json] = []
    failed: list[Json] = []
    for row, chat in _named(call, number):
        if chat.is_open(call.world):
            chat.blocked = row["input"]
            call.world.store.put(chat)
            added.append(row)
        else:
            details = {"details": "The user has not messaged this business in the last 24 hours."}
            error = {"message": "Re-engagement required", "code": _NOT_RECENT, "error_data": details}
            failed.append(row | {"errors": [error]})
    shown = {"added_users": added} | ({"failed_users": failed} if failed else {})
    return {"messaging_product": "whatsapp", "block_users": shown}


def unblock(call: Call, number: Number) -> Any:
    named = _named(call, number)
    for _, chat in named:
        if chat.blocked:
            chat.blocked = ""
            call.world.store.put(chat)
    return {"messaging_product": "whatsapp", "block_users": {"removed_users": [row for row, _ in named]}}


def blocked(call: Call, number: Number) -> Any:
    require(call, SEND)
    found = call.world.store.find(Chat, parent=number.id)
    return listing(call, [Node(_BLOCKED, chat) for chat in found if chat.blocked])
