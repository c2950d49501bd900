"""People whom a number has blocked."""

from typing import Any

from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.paging import listing
from socialgate.sandbox.kit import Call, Refused, Thing, World
from socialgate.sandbox.vendors.whatsapp_cloud.bodies import read
from socialgate.sandbox.vendors.whatsapp_cloud.chat import Contact, chat_of, contact_of, is_open
from socialgate.sandbox.vendors.whatsapp_cloud.errors import bad_parameter
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from socialgate.sandbox.vendors.whatsapp_cloud.viewer import SEND, require

_NOT_RECENT = 139100


class Blocked(Thing):
    """Somebody whom a number (the parent) blocks. The id combines both."""

    wa_id: str
    input: str
    messaging_product: str = "whatsapp"


_SHOWN = ("messaging_product", "wa_id", "input")
_BLOCKED = NodeType("WhatsAppBlockedUser", own(*_SHOWN), _SHOWN)


def is_blocked(world: World, number: str, wa_id: str) -> bool:
    return world.store.get(Blocked, f"{number} {wa_id}") is not None


def _named(call: Call) -> list[tuple[str, Contact]]:
    require(call, SEND)
    rows = read(call.params.get("block_users"), list[dict[str, str]], "block_users")
    given = [row.get("user") or row.get("user_id") or "" for row in rows]
    if not given or not all(given):
        raise Refused(bad_parameter("The parameter block_users is required."))
    # A number comes in any spelling; the id of somebody who hides it has a dot.
    keys = [one if "." in one else "".join(filter(str.isdigit, one)) for one in given]
    return [(one, contact_of(call.world, key)) for one, key in zip(given, keys, strict=True)]


def block(call: Call, number: Number) -> Any:
    """Block people who wrote within a day: others cannot be blocked."""
    added: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    for given, contact in _named(call):
        row: dict[str, Any] = {"input": given, "wa_id": contact.id}
        if is_open(call.world, chat_of(call.world, number.id, contact.id)):
            call.world.store.put(Blocked(id=f"{number.id} {contact.id}", parent=number.id, **row))
            added.append(row)
        else:
            details = {"details": "The user has not messaged this business in the last 24 hours."}
            error = {"message": "Re-engagement required", "code": _NOT_RECENT, "error_data": details}
            failed.append(row | {"errors": [error]})
    shown = {"added_users": added} | ({"failed_users": failed} if failed else {})
    return {"messaging_product": "whatsapp", "block_users": shown}


def unblock(call: Call, number: Number) -> Any:
    removed = []
    for given, contact in _named(call):
        call.world.store.delete(Blocked, f"{number.id} {contact.id}")
        removed.append({"input": given, "wa_id": contact.id})
    return {"messaging_product": "whatsapp", "block_users": {"removed_users": removed}}


def blocked(call: Call, number: Number) -> Any:
    require(call, SEND)
    return listing(call, [Node(_BLOCKED, one) for one in call.world.store.find(Blocked, parent=number.id)])
