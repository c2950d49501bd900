"""Two kinds of tokens: a customer's for the sessions, and a session's for everything inside it."""

from collections.abc import Sequence

from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.vendors.wasender.errors import refusal
from socialgate_sandbox.vendors.wasender.state import Customer, Session


def customer_of(call: Call) -> Customer:
    customer = _by_token(call.world, call.bearer)
    if customer is None:
        raise refusal("unauthenticated")
    return customer


def session_of(call: Call) -> Session:
    """Find the session of the token."""
    if call.bearer is None:
        raise refusal("token_missing")
    session = key_session(call.world, call.bearer)
    if session is None:
        raise refusal("token_revoked")
    return session


def named_session(call: Call) -> Session:
    """Find the session in the path, which must be the customer's own."""
    customer = customer_of(call)
    session = call.world.store.get(Session, call.args["session"])
    if session is None or session.parent != customer.id:
        raise refusal("not_found")
    return session


def subscribed(call: Call) -> Customer:
    customer = customer_of(call)
    if not customer.active:
        raise refusal("subscription_inactive")
    return customer


def accounts_of(call: Call) -> Sequence[str]:
    customer = _by_token(call.world, call.bearer)
    if customer is not None:
        return tuple(name for name in (customer.id, call.args.get("session", "")) if name)
    session = key_session(call.world, call.bearer or "")
    return () if session is None else (session.id, session.parent)


def _by_token(world: World, token: str | None) -> Customer | None:
    return next((customer for customer in world.store.find(Customer) if customer.token == token), None)


def key_session(world: World, key: str) -> Session | None:
    return next((session for session in world.store.find(Session) if session.api_key == key), None)
