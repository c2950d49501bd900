"""The chats of a number, as people see them."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from socialgate.sandbox.kit import ControlError, Person, ShownMedia, ShownMessage, World
from socialgate.sandbox.kit.media import shown
from socialgate.sandbox.vendors.whatsapp_cloud.chat import Contact, Message, StoredMedia, number_named
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from socialgate.sandbox.vendors.whatsapp_cloud.templates import Template

_RANKS: tuple[Literal["sent", "delivered", "read", "failed"], ...] = ("sent", "delivered", "read", "failed")


class Button(NamedTuple):
    """Something to press. `kind` is the type of the response: button_reply, list_reply, or button for a template's."""

    kind: str
    key: str
    title: str
    description: str = ""


def chat(world: World, account: str, person: Person) -> Iterator[ShownMessage]:
    number = number_named(world, account)
    contact = next((one for one in world.store.find(Contact) if one.name == person.name), None)
    if contact is None:
        raise ControlError(f"{person.name} is not on WhatsApp.")
    found = world.store.find(Message, parent=f"{number.id}:{contact.id}", newest_first=True)
    reactions = _reactions(found)
    for one in found:
        if one.kind == "reaction":
            continue
        yield ShownMessage(
            id=one.id,
            at=one.made,
            author=number.verified_name if one.outbound else person.name,
            by_account=one.outbound,
            person="" if one.outbound else person.key,
            text="" if one.deleted else text_of(world, one),
            media=[] if one.deleted else _media(world, one),
            state=_state(world, one) if one.outbound else "",
            reply_to=_quoted(one),
            reactions=list(reactions.get(one.id, {}).values()),
            buttons=[button.title for button in buttons_of(world, one)],
            edited=one.edited,
            deleted=one.deleted,
        )


def _state(world: World, message: Message) -> Literal["", "sent", "delivered", "read", "failed"]:
    """Return the current delivery state. A status that is reported later has not happened yet."""
    now = world.clock.time()
    told = {status for status, at in zip(message.statuses, message.times, strict=False) if at <= now}
    return next((rank for rank in reversed(_RANKS) if rank in told or (rank == "read" and "played" in told)), "")


def _quoted(message: Message) -> str:
    context = message.content.get("context") or {}
    return str(context.get("message_id") or context.get("id") or "")


def _reactions(found: list[Message]) -> dict[str, dict[bool, str]]:
    """Return the last reaction of each side to each message."""
    every: dict[str, dict[bool, str]] = {}
    for one in reversed(found):
        if one.kind == "reaction":
            body = one.content["reaction"]
            sides = every.setdefault(str(body["message_id"]), {})
            sides.pop(one.outbound, None)
            if body.get("emoji"):
                sides[one.outbound] = str(body["emoji"])
    return every


def _body(message: Message) -> dict[str, Any]:
    body = message.content.get(message.kind)
    return body if isinstance(body, dict) else {}


def text_of(world: World, message: Message) -> str:
    body = _body(message)
    match message.kind:
        case "text":
            return str(body.get("body", ""))
        case "template":
            return _filled(world, message, body)
        case "interactive":
            answer = body.get(str(body.get("type"))) or {}
            return str(answer.get("title") or (body.get("body") or {}).get("text", ""))
        case "location":
            return f"{body.get('name', '')} ({body.get('latitude')}, {body.get('longitude')})".strip()
        case "contacts":
            return ", ".join(str(one.get("name", {}).get("formatted_name", "")) for one in message.content["contacts"])
    # The text of a pressed template button, or a caption.
    return str(body.get("text") or body.get("caption") or "")


def _template(world: World, message: Message, body: dict[str, Any]) -> Template | None:
    number = world.store.get(Number, message.number)
    wanted = body.get("name"), (body.get("language") or {}).get("code")
    owned = world.store.find(Template, parent=number.parent if number is not None else "")
    return next((one for one in owned if (one.name, one.language) == wanted), None)


def _filled(world: World, message: Message, body: dict[str, Any]) -> str:
    """Insert the parameters into the text of a template."""
    template = _template(world, message, body)
    parts = template.components if template is not None else []
    words = next((str(part.get("text", "")) for part in parts if part.get("type") == "BODY"), str(body.get("name")))
    given = [
        one
        for part in body.get("components") or []
        if str(part.get("type")).lower() == "body"
        for one in part["parameters"]
    ]
    for place, one in enumerate(given, start=1):
        for name in (str(place), str(one.get("parameter_name", ""))):
            words = words.replace(f"{{{{{name}}}}}", str(one.get("text", "")))
    return words


def _media(world: World, message: Message) -> list[ShownMedia]:
    stored = world.store.get(StoredMedia, str(_body(message).get("id", "")))
    media = stored.media if stored is not None else message.media
    return [shown(media)] if media is not None else []


def buttons_of(world: World, message: Message) -> list[Button]:
    """Return what can be pressed in a message that the product sent."""
    if not message.outbound:
        return []
    body = _body(message)
    if message.kind == "template":
        template = _template(world, message, body)
        parts = template.components if template is not None else []
        rows = [row for part in parts if part.get("type") == "BUTTONS" for row in part.get("buttons", [])]
        return [
            Button("button", str(row["text"]), str(row["text"])) for row in rows if row.get("type") == "QUICK_REPLY"
        ]
    action = body.get("action") or {} if message.kind == "interactive" else {}
    replies = [one.get("reply") or {} for one in action.get("buttons", [])]
    rows = [row for section in action.get("sections", []) for row in section.get("rows", [])]
    return [
        *(Button("button_reply", str(one.get("id", "")), str(one.get("title", ""))) for one in replies),
        *(
            Button("list_reply", str(row.get("id", "")), str(row.get("title", "")), str(row.get("description", "")))
            for row in rows
        ),
    ]
