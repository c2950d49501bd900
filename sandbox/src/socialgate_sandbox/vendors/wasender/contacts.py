"""Contacts and groups of a linked number."""

from starlette.responses import Response

from socialgate_sandbox.kit import FOLLOWERS, Call, Person, Refused, Route
from socialgate_sandbox.vendors.wasender.chats import CHATS
from socialgate_sandbox.vendors.wasender.errors import answered, failed
from socialgate_sandbox.vendors.wasender.messages import connected
from socialgate_sandbox.vendors.wasender.people import (
    GROUP,
    GROUP_MADE,
    GROUP_NAME,
    contact_json,
    jid_of,
    participants_json,
    person_at,
)
from socialgate_sandbox.vendors.wasender.state import Session


def list_contacts(call: Call) -> Response:
    connected(call)
    rows = [contact_json(person) for person in FOLLOWERS]
    if call.query.get("paginated") not in {"true", "1"}:
        return answered(rows)
    page, limit = _number(call, "page", 1), _number(call, "limit", 20)
    shown = rows[(page - 1) * limit : page * limit]
    pages = -(-len(rows) // limit)
    return answered(
        {"items": shown, "pagination": {"page": page, "limit": limit, "total": len(rows), "totalPages": pages}}
    )


def _number(call: Call, name: str, default: int) -> int:
    given = call.query.get(name, "")
    return max(int(given), 1) if given.isdigit() else default


def _person(call: Call) -> tuple[Session, Person]:
    session = connected(call)
    person = person_at(call.args["contact"])
    if person is None:
        raise Refused(failed(404, "Contact not found"))
    return session, person


def get_contact(call: Call) -> Response:
    return answered(contact_json(_person(call)[1]))


def get_picture(call: Call) -> Response:
    _person(call)
    return answered({"imgUrl": None})


def block(call: Call) -> Response:
    _set_blocked(call, call.args["contact"])
    return answered({"message": "Contact blocked successfully"})


def unblock(call: Call) -> Response:
    _set_blocked(call, "")
    return answered({"message": "Contact unblocked successfully"})


def _set_blocked(call: Call, blocked: str) -> None:
    session, person = _person(call)
    chat = CHATS.of(call.world, session.id, jid_of(person))
    chat.blocked = blocked
    call.world.store.put(chat)


def on_whatsapp(call: Call) -> Response:
    connected(call)
    return answered({"exists": person_at(call.args["contact"]) is not None})


def list_groups(call: Call) -> Response:
    connected(call)
    return answered([{"id": GROUP, "name": GROUP_NAME, "imgUrl": None}])


def _check_group(call: Call) -> None:
    connected(call)
    if call.args["group"] != GROUP:
        raise Refused(failed(404, "Group not found"))


def group_metadata(call: Call) -> Response:
    _check_group(call)
    return answered(
        {
            "id": GROUP,
            "addressingMode": "pn",
            "owner": jid_of(FOLLOWERS[0]),
            "subject": GROUP_NAME,
            "creation": GROUP_MADE,
            "desc": "What is in the oven",
            "restrict": False,
            "announce": False,
            "size": len(FOLLOWERS),
            "participants": participants_json(),
        }
    )


def group_participants(call: Call) -> Response:
    _check_group(call)
    return answered(participants_json())


ROUTES = [
    Route("GET", "/api/contacts", list_contacts),
    Route("GET", "/api/contacts/{contact}", get_contact),
    Route("GET", "/api/contacts/{contact}/picture", get_picture),
    Route("POST", "/api/contacts/{contact}/block", block),
    Route("POST", "/api/contacts/{contact}/unblock", unblock),
    Route("GET", "/api/on-whatsapp/{contact}", on_whatsapp),
    Route("GET", "/api/groups", list_groups),
    Route("GET", "/api/groups/{group}/metadata", group_metadata),
    Route("GET", "/api/groups/{group}/participants", group_participants),
]
