"""People who write to a number, their messages, and how the product is notified."""

from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from secrets import token_bytes
from typing import Any

from socialgate.sandbox.kit import FOLLOWERS, ControlError, Thing, World
from socialgate.sandbox.kit.media import Media
from socialgate.sandbox.society.conversations import WINDOW
from socialgate.sandbox.society.conversations import is_open as is_within
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from socialgate.sandbox.vendors.whatsapp_cloud.webhooks import notify

_NUMBERS = ("4915550100101", "905550100202", "353550100303")


class Contact(Thing):
    """A person on WhatsApp; the id is the number. `user` is the id that remains when the number is hidden."""

    name: str
    user: str


class Chat(Thing):
    """A number and a contact; the id is both. Outside the window after `last_inbound`, only templates can be sent."""

    last_inbound: datetime | None = None


class Message(Thing):
    """One message of a chat (the parent), with the statuses that are reported and when."""

    number: str
    contact: str
    outbound: bool
    kind: str
    content: dict[str, Any]
    made: datetime
    statuses: list[str] = []
    times: list[float] = []
    opaque: str = ""
    # The content of a link.
    media: Media | None = None
    edited: bool = False
    deleted: bool = False


class StoredMedia(Thing):
    """Media of a number (the parent), uploaded by the product or sent by a contact."""

    media: Media
    mime_type: str
    made: datetime
    days: int = 30


class Behaviour(Thing):
    """What happens to the next messages of a number (the id); `times` is how many."""

    failure: int = 0
    title: str = ""
    at_once: bool = False
    times: int = 0
    silent: bool = False


def seed_contacts(world: World) -> None:
    for wa_id, person in zip(_NUMBERS, FOLLOWERS, strict=True):
        if world.store.get(Contact, wa_id) is None:
            world.store.put(Contact(id=wa_id, name=person.name, user=f"DE.{wa_id[::-1]}0001"))


def number_named(world: World, account: str) -> Number:
    number = world.store.get(Number, account)
    if number is None:
        raise ControlError(f"There is no phone number {account!r}. GET /_control/accounts lists them.")
    return number


def new_wamid() -> str:
    return f"wamid.{b64encode(token_bytes(42)).decode()}"


def chat_of(world: World, number: str, contact: str) -> Chat:
    key = f"{number}:{contact}"
    return world.store.get(Chat, key) or Chat(id=key)


def is_open(world: World, chat: Chat) -> bool:
    return is_within(world, chat.last_inbound)


def contact_of(world: World, wa_id: str) -> Contact:
    """Return a contact; every number is assumed to be on WhatsApp."""
    found = world.store.get(Contact, wa_id) or world.store.get(Contact, _number_of(world, wa_id))
    return found or world.store.put(Contact(id=wa_id, name=f"+{wa_id}", user=f"US.{wa_id[::-1]}0001"))


def _number_of(world: World, user: str) -> str:
    return next((one.id for one in world.store.find(Contact) if one.user == user), "")


def metadata(number: Number) -> dict[str, Any]:
    return {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": number.digits, "phone_number_id": number.id},
    }


def card(contact: Contact) -> dict[str, Any]:
    return {"profile": {"name": contact.name}, "wa_id": contact.id, "user_id": contact.user}


def tell_status(
    world: World,
    number: Number,
    message: Message,
    status: str,
    *,
    after: float = 0.0,
    errors: list[Mapping[str, Any]] | None = None,
) -> None:
    """Notify of the status of a message that the product sent."""
    contact = contact_of(world, message.contact)
    at = int(world.clock.time() + after)
    category = "utility" if message.kind == "template" else "service"
    row: dict[str, Any] = {
        "id": message.id,
        "status": status,
        "timestamp": str(at),
        "recipient_id": contact.id,
        "recipient_user_id": contact.user,
    }
    if message.opaque:
        row["biz_opaque_callback_data"] = message.opaque
    if errors:
        row["errors"] = errors
    else:
        conversation: dict[str, Any] = {"id": message.id[-32:], "origin": {"type": category}}
        if status == "sent":
            conversation["expiration_timestamp"] = str(at + int(WINDOW.total_seconds()))
        row["conversation"] = conversation
        row["pricing"] = {
            "billable": category != "service",
            "pricing_model": "PMP",
            "type": "free_customer_service" if category == "service" else "regular",
            "category": category,
        }
    value = {**metadata(number), "contacts": [card(contact)], "statuses": [row]}
    notify(world, number.parent, "messages", value, number=number, after=after)
    message.statuses.append(status)
    message.times.append(world.clock.time() + after)
    world.store.put(message)
