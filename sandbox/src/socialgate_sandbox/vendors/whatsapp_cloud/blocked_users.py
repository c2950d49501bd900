"""People whom a number has blocked."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_constants
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.chats import Chat, Json
from socialgate_sandbox.vendors.whatsapp_cloud.chats import CHAT_SERVICE, build_contact
from socialgate_sandbox.vendors.whatsapp_cloud.errors import build_parameter_response
from socialgate_sandbox.vendors.whatsapp_cloud.message_bodies import convert_body
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import MESSAGING_SCOPE, require_scope

_NOT_RECENT_CODE = 139100


_BLOCKED_USER_NODE_TYPE = NodeType(
    "WhatsAppBlockedUser",
    {
        **resolve_constants(messaging_product="whatsapp"),
        "wa_id": lambda _call, chat, _field: chat.person,
        "input": lambda _call, chat, _field: chat.blocked,
    },
    ("messaging_product", "wa_id", "input"),
)


def _find_requested_chats(call: Call, number: Number) -> list[tuple[Json, Chat]]:
    """Return the people of a call, as responses name them, with their chats."""
    require_scope(call, MESSAGING_SCOPE)
    rows = convert_body(call.params.get("block_users"), list[dict[str, str]], "block_users")
    params = [row.get("user") or row.get("user_id") or "" for row in rows]
    if not params or not all(params):
        raise CallRefusedError(build_parameter_response("The parameter block_users is required."))
    # A number comes in any spelling; the id of somebody who hides it has a dot.
    keys = [value if "." in value else "".join(filter(str.isdigit, value)) for value in params]
    chats = [CHAT_SERVICE.get_or_build_chat(call.context, number.id, build_contact(key).id) for key in keys]
    return [({"input": value, "wa_id": chat.person}, chat) for value, chat in zip(params, chats, strict=True)]


def block_users(call: Call, number: Number) -> Any:
    """Block people who wrote within a day: others cannot be blocked."""
    added: list[Json] = []
    failed: list[Json] = []
    for row, chat in _find_requested_chats(call, number):
        if chat.is_within_window(call.context):
            chat.blocked = row["input"]
            call.context.store.put(chat)
            added.append(row)
        else:
            details = {"details": "The user has not messaged this business in the last 24 hours."}
            error = {"message": "Re-engagement required", "code": _NOT_RECENT_CODE, "error_data": details}
            failed.append(row | {"errors": [error]})
    shown = {"added_users": added} | ({"failed_users": failed} if failed else {})
    return {"messaging_product": "whatsapp", "block_users": shown}


def unblock_users(call: Call, number: Number) -> Any:
    named = _find_requested_chats(call, number)
    for _, chat in named:
        if chat.blocked:
            chat.blocked = ""
            call.context.store.put(chat)
    return {"messaging_product": "whatsapp", "block_users": {"removed_users": [row for row, _ in named]}}


def list_blocked_users(call: Call, number: Number) -> Any:
    require_scope(call, MESSAGING_SCOPE)
    chats = call.context.store.find(Chat, parent=number.id)
    return build_page(call, [Node(_BLOCKED_USER_NODE_TYPE, chat) for chat in chats if chat.blocked])
