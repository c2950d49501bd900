"""Two kinds of tokens: a customer's for the sessions, and a session's for everything inside it."""

from collections.abc import Sequence

from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.vendors.wasender.errors import build_refusal
from socialgate_sandbox.vendors.wasender.state import Customer, Session


def authenticate_customer(call: Call) -> Customer:
    customer = _find_customer_by_token(call.context, call.bearer_token)
    if customer is None:
        raise build_refusal("unauthenticated")
    return customer


def authenticate_session(call: Call) -> Session:
    """Find the session of the token."""
    if call.bearer_token is None:
        raise build_refusal("token_missing")
    session = find_session_by_key(call.context, call.bearer_token)
    if session is None:
        raise build_refusal("token_revoked")
    return session


def require_session(call: Call) -> Session:
    """Find the session in the path, which must be the customer's own."""
    customer = authenticate_customer(call)
    session = call.context.store.get(Session, call.path_params["session"])
    if session is None or session.parent != customer.id:
        raise build_refusal("not_found")
    return session


def require_subscription(call: Call) -> Customer:
    customer = authenticate_customer(call)
    if not customer.active:
        raise build_refusal("subscription_inactive")
    return customer


def get_account_ids(call: Call) -> Sequence[str]:
    customer = _find_customer_by_token(call.context, call.bearer_token)
    if customer is not None:
        return tuple(name for name in (customer.id, call.path_params.get("session", "")) if name)
    session = find_session_by_key(call.context, call.bearer_token or "")
    return () if session is None else (session.id, session.parent)


def _find_customer_by_token(context: VendorContext, token: str | None) -> Customer | None:
    return next((customer for customer in context.store.find(Customer) if customer.token == token), None)


def find_session_by_key(context: VendorContext, key: str) -> Session | None:
    return next((session for session in context.store.find(Session) if session.api_key == key), None)
