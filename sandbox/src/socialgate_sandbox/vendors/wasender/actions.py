"""What people do with their phones and on WaSender's dashboard."""

from typing import Any

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, World, hexadecimal, text
from socialgate_sandbox.kit.tokens import revoke_action
from socialgate_sandbox.vendors.wasender import chats, pairing
from socialgate_sandbox.vendors.wasender.state import Customer, Json, Session
from socialgate_sandbox.vendors.wasender.webhooks import move


class Scan(ActionRequest, frozen=True, kw_only=True):
    """A phone scans the code. The default is the phone that the session was created for."""

    account: str
    phone: str = ""


class One(ActionRequest, frozen=True, kw_only=True):
    account: str


def scan(world: World, order: Scan) -> Json:
    session = chats.CHATS.account(world, order.account)
    pairing.settle(world, session)
    if session.asked is None:
        raise ControlError("There is no code to scan: the product must connect the session first.", 409)
    if order.phone:
        session.phone_number = order.phone
    move(world, session, "connecting")
    move(world, session, "connected")
    return {"status": session.status, "phone": session.phone_number}


def logout(world: World, order: One) -> Json:
    session = chats.CHATS.account(world, order.account)
    move(world, session, "logged_out")
    return {"status": session.status}


def credentials(world: World, order: One) -> Json:
    customer = world.store.get(Customer, order.account)
    if customer is not None:
        return {"token": customer.token}
    session = chats.CHATS.account(world, order.account)
    return {"apiKey": session.api_key, "webhookSecret": session.webhook_secret}


def revoke(world: World, account: str, how: str) -> None:
    """WaSender notifies nobody of a customer's loss: the next call is rejected."""
    customer = world.store.get(Customer, account)
    if customer is None:
        _revoke_session(world, chats.CHATS.account(world, account), how)
        return
    if how == "subscription":
        customer.active = False
    else:
        customer.token = f"{text(2)}|{text(40)}"
    world.store.put(customer)


def _revoke_session(world: World, session: Session, how: str) -> None:
    match how:
        case "need_scan":
            pairing.begin(world, session)
        case "key":
            session.api_key = hexadecimal(64)
            world.store.put(session)
        case "deleted":
            world.store.delete(Session, session.id)
        case "expired" | "disconnected":
            move(world, session, how)
        case _:
            move(world, session, "logged_out")


def _usual(world: World, account: str) -> str:
    """Name the usual way, for an account that must exist."""
    if world.store.get(Customer, account) is not None:
        return "token"
    chats.CHATS.account(world, account)
    return "logged_out"


def _ways(world: World, account: str) -> dict[str, str]:
    if world.store.get(Customer, account) is not None:
        return {"": "Replace the token", "subscription": "End the subscription"}
    return {
        "": "Log out",
        "expired": "Session expires",
        "need_scan": "Require another scan",
        "disconnected": "Disconnect",
        "key": "Replace the API key",
        "deleted": "Delete the session",
    }


ACTIONS: dict[str, Action[Any]] = {
    "scan": Action("Scan the QR code with a phone", Scan, scan, kinds=("session",)),
    "logout": Action("Unlink the device on the phone", One, logout, kinds=("session",)),
    "credentials": Action("Show the tokens", One, credentials),
    "revoke": revoke_action(revoke, _ways, usual=_usual, title="Revoke access"),
    **chats.ACTIONS,
}
