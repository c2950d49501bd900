"""What happens to messages of a number, their statuses, and the messages themselves."""

from typing import Any, Literal

from socialgate.sandbox.kit import ActionRequest, ControlError, World
from socialgate.sandbox.vendors.whatsapp_cloud.chat import Behaviour, Message, StoredMedia, number_named, tell_status

_LISTED = 50
FAILURES = {
    "0": "No failure",
    "131026": "Message undeliverable (131026)",
    "131047": "Window of 24 hours closed (131047)",
    "131049": "Not delivered to keep the ecosystem healthy (131049)",
    "131056": "Too many messages to one person (131056)",
    "131000": "Something went wrong (131000)",
}


class Sending(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next messages of a number.

    `failure` is a code such as 131026, reported later or `atOnce`. `silent` suppresses all statuses. With `atOnce`
    alone, messages outside the window are rejected immediately from now on.
    """

    account: str
    failure: int = 0
    title: str = ""
    at_once: bool = False
    silent: bool = False
    times: int = 1


class Chats(ActionRequest, frozen=True, kw_only=True):
    """Read the messages from and to a number, newest first."""

    account: str


def order_sending(world: World, order: Sending) -> None:
    number = number_named(world, order.account)
    times = order.times if order.failure or order.silent else 0
    world.store.put(
        Behaviour(
            id=number.id,
            failure=order.failure,
            title=order.title,
            at_once=order.at_once,
            silent=order.silent,
            times=times,
        )
    )


class Status(ActionRequest, frozen=True, kw_only=True):
    """Send a status of a message again, or out of order."""

    message: str
    status: Literal["sent", "delivered", "read", "played", "failed"]


def sent(world: World, _account: str) -> dict[str, str]:
    """List the latest messages of the product to choose from."""
    found = [one for one in world.store.find(Message, newest_first=True) if one.outbound][:_LISTED]
    return {one.id: f"{one.made:%H:%M:%S} {one.kind} to {one.contact}" for one in found}


def send_status(world: World, order: Status) -> None:
    message = world.store.get(Message, order.message)
    if message is None or not message.outbound:
        raise ControlError(f"The product sent no message {order.message!r}.")
    tell_status(world, number_named(world, message.number), message, order.status)


def chats(world: World, order: Chats) -> Any:
    number = number_named(world, order.account)
    found = [message for message in world.store.find(Message, newest_first=True) if message.number == number.id]
    return {
        "data": [
            {
                "id": message.id,
                "direction": "outbound" if message.outbound else "inbound",
                "contact": message.contact,
                "kind": message.kind,
                "content": message.content,
                "statuses": message.statuses,
                "media": _checksum(world, message),
            }
            for message in found
        ]
    }


def _checksum(world: World, message: Message) -> str:
    """Return the checksum of stored media in a message."""
    body = message.content.get(message.kind)
    stored = world.store.get(StoredMedia, str(body.get("id"))) if isinstance(body, dict) else None
    return stored.media.sha256 if stored is not None else ""
