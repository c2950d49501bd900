"""Contacts and groups of a linked number."""

from starlette.responses import Response

from socialgate_sandbox.kit import FOLLOWERS, Call, CallRefusedError, Person, Route
from socialgate_sandbox.vendors.wasender.chats import CHAT_SERVICE
from socialgate_sandbox.vendors.wasender.errors import build_error_response, build_success_response
from socialgate_sandbox.vendors.wasender.messages import require_connected_session
from socialgate_sandbox.vendors.wasender.people import (
    GROUP_CREATED_AT,
    GROUP_JID,
    GROUP_NAME,
    build_contact_json,
    build_jid,
    build_participants_json,
    find_person,
)
from socialgate_sandbox.vendors.wasender.state import Session


def list_contacts(call: Call) -> Response:
    require_connected_session(call)
    rows = [build_contact_json(person) for person in FOLLOWERS]
    if call.query.get("paginated") not in {"true", "1"}:
        return build_success_response(rows)
    page, limit = _parse_number(call, "page", 1), _parse_number(call, "limit", 20)
    shown = rows[(page - 1) * limit : page * limit]
    pages = -(-len(rows) // limit)
    return build_success_response(
        {"items": shown, "pagination": {"page": page, "limit": limit, "total": len(rows), "totalPages": pages}}
    )


def _parse_number(call: Call, name: str, default: int) -> int:
    value = call.query.get(name, "")
    return max(int(value), 1) if value.isdigit() else default


def _require_contact(call: Call) -> tuple[Session, Person]:
    session = require_connected_session(call)
    person = find_person(call.path_params["contact"])
    if person is None:
        raise CallRefusedError(build_error_response(404, "Contact not found"))
    return session, person


def get_contact(call: Call) -> Response:
    return build_success_response(build_contact_json(_require_contact(call)[1]))


def get_picture(call: Call) -> Response:
    _require_contact(call)
    return build_success_response({"imgUrl": None})


def block_contact(call: Call) -> Response:
    _set_blocked(call, call.path_params["contact"])
    return build_success_response({"message": "Contact blocked successfully"})


def unblock_contact(call: Call) -> Response:
    _set_blocked(call, "")
    return build_success_response({"message": "Contact unblocked successfully"})


def _set_blocked(call: Call, blocked: str) -> None:
    session, person = _require_contact(call)
    chat = CHAT_SERVICE.get_or_build_chat(call.context, session.id, build_jid(person))
    chat.blocked = blocked
    call.context.store.put(chat)


def check_on_whatsapp(call: Call) -> Response:
    require_connected_session(call)
    return build_success_response({"exists": find_person(call.path_params["contact"]) is not None})


def list_groups(call: Call) -> Response:
    require_connected_session(call)
    return build_success_response([{"id": GROUP_JID, "name": GROUP_NAME, "imgUrl": None}])


def _require_group(call: Call) -> None:
    require_connected_session(call)
    if call.path_params["group"] != GROUP_JID:
        raise CallRefusedError(build_error_response(404, "Group not found"))


def get_group_metadata(call: Call) -> Response:
    _require_group(call)
    return build_success_response(
        {
            "id": GROUP_JID,
            "addressingMode": "pn",
            "owner": build_jid(FOLLOWERS[0]),
            "subject": GROUP_NAME,
            "creation": GROUP_CREATED_AT,
            "desc": "What is in the oven",
            "restrict": False,
            "announce": False,
            "size": len(FOLLOWERS),
            "participants": build_participants_json(),
        }
    )


def list_group_participants(call: Call) -> Response:
    _require_group(call)
    return build_success_response(build_participants_json())


ROUTES = [
    Route("GET", "/api/contacts", list_contacts),
    Route("GET", "/api/contacts/{contact}", get_contact),
    Route("GET", "/api/contacts/{contact}/picture", get_picture),
    Route("POST", "/api/contacts/{contact}/block", block_contact),
    Route("POST", "/api/contacts/{contact}/unblock", unblock_contact),
    Route("GET", "/api/on-whatsapp/{contact}", check_on_whatsapp),
    Route("GET", "/api/groups", list_groups),
    Route("GET", "/api/groups/{group}/metadata", get_group_metadata),
    Route("GET", "/api/groups/{group}/participants", list_group_participants),
]
