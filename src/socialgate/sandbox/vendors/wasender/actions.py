"""What people do with their phones and on WaSender's dashboard."""

from typing import Any

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, Revoke, World, hexadecimal, text
from socialgate.sandbox.vendors.wasender import chats, pairing
from socialgate.sandbox.vendors.wasender.state import Customer, Json, Session
from socialgate.sandbox.vendors.wasender.webhooks import move

_CUSTOMER_WAYS = "token (the default), subscription"
_SESSION_WAYS = "logged_out (the default), expired, need_scan, disconnected, key, deleted"


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


def revoke(world: World, order: Revoke) -> object:
    customer = world.store.get(Customer, order.account)
    if customer is not None:
        return _revoke_customer(world, customer, order.how)
    return _revoke_session(world, chats.CHATS.account(world, order.account), order.how)


def _revoke_customer(world: World, customer: Customer, how: str) -> object:
    """WaSender notifies nobody of this: the next call is rejected."""
    if how in {"", "token"}:
        customer.token = f"{text(2)}|{text(40)}"
    elif how == "subscription":
        customer.active = False
    else:
        raise ControlError(f"For a subscription, how must be one of: {_CUSTOMER_WAYS}.", 422)
    world.store.put(customer)
    return None


def _revoke_session(world: World, session: Session, how: str) -> object:
    if how in {"", "logged_out"}:
        move(world, session, "logged_out")
    elif how == "expired":
        move(world, session, "expired")
    elif how == "disconnected":
        move(world, session, "disconnected")
    elif how == "need_scan":
        pairing.begin(world, session)
    elif how == "key":
        session.api_key = hexadecimal(64)
        world.store.put(session)
    elif how == "deleted":
        world.store.delete(Session, session.id)
    else:
        raise ControlError(f"For a session, how must be one of: {_SESSION_WAYS}.", 422)
    return None


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
    "revoke": Action("Revoke access", Revoke, revoke, choices={"how": _ways}),
    **chats.ACTIONS,
}
