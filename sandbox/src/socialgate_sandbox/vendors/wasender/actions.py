"""What people do with their phones and on WaSender's dashboard."""

from typing import Any

from socialgate_sandbox.kit import (
    Action,
    ActionRequest,
    ControlError,
    VendorContext,
    generate_alphanumeric,
    generate_hex,
)
from socialgate_sandbox.kit.tokens import build_revoke_action
from socialgate_sandbox.vendors.wasender import chats, pairing
from socialgate_sandbox.vendors.wasender.state import Customer, Json, Session
from socialgate_sandbox.vendors.wasender.webhooks import set_session_status


class ScanRequest(ActionRequest, frozen=True, kw_only=True):
    """A phone scans the code. The default is the phone that the session was created for."""

    account: str
    phone: str = ""


class SessionRequest(ActionRequest, frozen=True, kw_only=True):
    account: str


def scan_code(context: VendorContext, request: ScanRequest) -> Json:
    session = chats.CHAT_SERVICE.require_account(context, request.account)
    pairing.end_expired_attempt(context, session)
    if session.qr_requested_at is None:
        raise ControlError("There is no code to scan: the product must connect the session first.", 409)
    if request.phone:
        session.phone_number = request.phone
    set_session_status(context, session, "connecting")
    set_session_status(context, session, "connected")
    return {"status": session.status, "phone": session.phone_number}


def log_out(context: VendorContext, request: SessionRequest) -> Json:
    session = chats.CHAT_SERVICE.require_account(context, request.account)
    set_session_status(context, session, "logged_out")
    return {"status": session.status}


def show_credentials(context: VendorContext, request: SessionRequest) -> Json:
    customer = context.store.get(Customer, request.account)
    if customer is not None:
        return {"token": customer.token}
    session = chats.CHAT_SERVICE.require_account(context, request.account)
    return {"apiKey": session.api_key, "webhookSecret": session.webhook_secret}


def revoke_access(context: VendorContext, account: str, revocation: str) -> None:
    """WaSender notifies nobody of a customer's loss: the next call is rejected."""
    customer = context.store.get(Customer, account)
    if customer is None:
        _revoke_session(context, chats.CHAT_SERVICE.require_account(context, account), revocation)
        return
    if revocation == "subscription":
        customer.active = False
    else:
        customer.token = f"{generate_alphanumeric(2)}|{generate_alphanumeric(40)}"
    context.store.put(customer)


def _revoke_session(context: VendorContext, session: Session, revocation: str) -> None:
    match revocation:
        case "need_scan":
            pairing.begin_pairing(context, session)
        case "key":
            session.api_key = generate_hex(64)
            context.store.put(session)
        case "deleted":
            context.store.delete(Session, session.id)
        case "expired" | "disconnected":
            set_session_status(context, session, revocation)
        case _:
            set_session_status(context, session, "logged_out")


def _get_default_choice(context: VendorContext, account: str) -> str:
    """Name the usual way, for an account that must exist."""
    if context.store.get(Customer, account) is not None:
        return "token"
    chats.CHAT_SERVICE.require_account(context, account)
    return "logged_out"


def _list_revocation_choices(context: VendorContext, account: str) -> dict[str, str]:
    if context.store.get(Customer, account) is not None:
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
    "scan": Action("Scan the QR code with a phone", ScanRequest, scan_code, kinds=("session",)),
    "logout": Action("Unlink the device on the phone", SessionRequest, log_out, kinds=("session",)),
    "credentials": Action("Show the tokens", SessionRequest, show_credentials),
    "revoke": build_revoke_action(
        revoke_access, _list_revocation_choices, default_choice=_get_default_choice, title="Revoke access"
    ),
    **chats.ACTIONS,
}
