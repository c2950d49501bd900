"""Signing in at Meta's products: dialogs, codes, the inspection of tokens, and how people take access away."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any, TypeVar

import msgspec
from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.hub import send_signed_request
from socialgate_sandbox.dialects.graph.tokens import DEAD, GraphToken, Tokens, kill, token_text
from socialgate_sandbox.kit import Action, Call, ControlError, Thing, World, oauth
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.tokens import PERMISSION, expire

_INSPECTORS = (
    "(#100) You must provide an app access token, or a user access token that is an owner or developer of the app"
)
# Ways that end the app's access permanently, and after which of them Meta asks for the deletion of everything.
_REMOVALS = {"": False, "data_deletion": True, "account_deleted": True}
WAYS = {
    "": "Remove the app",
    "data_deletion": "Remove the app and request data deletion",
    "account_deleted": "Delete the account",
    "password_changed": "Change the password",
    "logged_out": "Log out everywhere",
    "checkpoint": "Hold the account at a checkpoint",
}


class Grant(Thing):
    """What somebody granted, and when they last confirmed it. The id is theirs: there is one app."""

    scopes: list[str]
    made: datetime
    declined: list[str] = []


def refuse_page(_call: Call, title: str, detail: str) -> Response:
    """Show what is wrong with the app's request, without redirecting anybody."""
    body = f"<!doctype html><html lang=en><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(detail)}</p>"
    return HTMLResponse(body, 400)


def refuse(_call: Call, message: str, code: int, subcode: int | None = None) -> Response:
    return failure(message, code, subcode=subcode)


MOVED = (
    "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the "
    "OAuth dialog request"
)
# How the dialog and the token endpoint of graph.facebook.com refuse.
PAGE_REFUSALS: oauth.Refusals = {
    "client": ("Invalid App ID", "The provided app ID does not look like a valid app ID."),
    "redirect_uri": (
        "URL blocked",
        "This redirect failed because the redirect URI is not white-listed in the app's client OAuth settings.",
    ),
}
CLIENT_REFUSALS: oauth.Refusals = {
    "client": ("Error validating application. Cannot get application info due to a system error.", 101),
    "secret": ("Error validating client secret.", 1),
}
CODE_REFUSALS: oauth.Refusals = {
    "code": ("Invalid verification code format.", 100),
    "used": ("This authorization code has been used.", 100, 36009),
    "expired": ("This authorization code has expired.", 100, 36007),
    "other redirect_uri": (MOVED, 100, 36008),
}
DENIED = {"error_code": "200", "error_description": "Permissions error", "fragment": "_=_"}


def code_and_fragment(code: oauth.Code) -> oauth.Returned:
    """Return to the app with the stray fragment that the dialog appends."""
    return {**oauth.code_and_state(code), "fragment": "_=_"}


def answer(call: Call, token: GraphToken) -> dict[str, Any]:
    left = -call.world.clock.since(token.end)
    return {"access_token": token.id, "token_type": "bearer", "expires_in": round(left)}


T = TypeVar("T", bound=GraphToken)
Describe = Callable[[Call, T, list[str]], Mapping[str, Any]]
"""Returns what the inspection of a token with these scopes says, besides what all products say."""


def debug_token(call: Call, tokens: Tokens[T], describe: Describe[T], missing: str = "") -> Any:
    given, asking = str(call.params.get("input_token", "")), token_text(call)
    if not tokens.is_app(call, asking) and asking != given:
        return failure(_INSPECTORS, 100)
    if missing and not given:
        return failure(missing, 100)
    if tokens.is_app(call, given):
        app = call.world.app
        return {"data": {"app_id": app.id, "type": "APP", "application": app.name, "is_valid": True, "scopes": []}}
    return inspected(call, tokens, given, describe)


def inspected(call: Call, tokens: Tokens[T], given: str, describe: Describe[T]) -> Any:
    """Describe any token, including invalid ones: the status is 200 whatever is wrong with it."""
    token = call.world.store.get(tokens.kind, given)
    refusal = tokens.refusal(call, token)
    fault = None if refusal is None else _fault(refusal)
    if token is None:
        return {"data": {"error": fault, "is_valid": False, "scopes": []}}
    scopes = [] if fault else tokens.scopes(call.world, token)
    members = {
        "application": call.world.app.name,
        "error": fault,
        "expires_at": int(token.expires.timestamp()) if token.expires is not None else 0,
        "is_valid": fault is None,
        "issued_at": int(token.issued.timestamp()),
        "scopes": scopes,
        **describe(call, token, scopes),
    }
    return {"data": {name: value for name, value in members.items() if value is not None}}


def _fault(refusal: Response) -> dict[str, Any]:
    error = msgspec.json.decode(refusal.body)["error"]
    members = {"code": error["code"], "message": error["message"], "subcode": error.get("error_subcode")}
    return {name: value for name, value in members.items() if value is not None}


def take_away(world: World, kind: type[GraphToken], person: str, how: str) -> None:
    """Let somebody remove the app, a permission, or end all sessions."""
    if how.startswith(PERMISSION):
        _remove_permission(world, person, how.removeprefix(PERMISSION))
        return
    kill(world, world.store.find(kind, parent=person), how if how in DEAD else "app_removed")
    if how in _REMOVALS:
        world.store.delete(Grant, person)
        send_signed_request(world, person, purpose="deauthorize")
        if _REMOVALS[how]:
            send_signed_request(world, person, purpose="deletion")


def _remove_permission(world: World, person: str, scope: str) -> None:
    grant = world.store.get(Grant, person)
    if grant is None or scope not in grant.scopes:
        raise ControlError(f"{scope} was not granted.", 409)
    grant.scopes.remove(scope)
    grant.declined.append(scope)
    world.store.put(grant)


def expire_action(tokens: Callable[[World, str], Sequence[GraphToken]]) -> Action[OfAccount]:
    """Create the verb `expire` for the tokens of an account."""

    def run(world: World, order: OfAccount) -> dict[str, int]:
        return {"expired": expire(world, tokens(world, order.account))}

    return Action("Expire tokens now", OfAccount, run)
