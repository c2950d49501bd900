"""Signing in at Meta's products: dialogs, codes, the inspection of tokens, and how people take access away."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any, TypeVar

import msgspec
from starlette.responses import HTMLResponse, Response

from socialgate_sandbox.dialects.graph.callbacks import send_signed_request
from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.tokens import (
    INVALIDATION_REASONS,
    GraphToken,
    GraphTokens,
    invalidate_tokens,
    read_token,
)
from socialgate_sandbox.kit import Action, Call, ControlError, StoredObject, VendorContext, oauth
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.tokens import PERMISSION_PREFIX, expire_tokens

_INSPECTOR_ERROR = (
    "(#100) You must provide an app access token, or a user access token that is an owner or developer of the app"
)
# Ways that end the app's access permanently, and after which of them Meta asks for the deletion of everything.
_REMOVAL_CHOICES = {"": False, "data_deletion": True, "account_deleted": True}
REVOCATION_CHOICES = {
    "": "Remove the app",
    "data_deletion": "Remove the app and request data deletion",
    "account_deleted": "Delete the account",
    "password_changed": "Change the password",
    "logged_out": "Log out everywhere",
    "checkpoint": "Hold the account at a checkpoint",
}


class Grant(StoredObject):
    """What somebody granted, and when they last confirmed it. The id is theirs: there is one app."""

    scopes: list[str]
    created_at: datetime = msgspec.field(name="made")
    declined: list[str] = []


def build_page_refusal(_call: Call, title: str, detail: str) -> Response:
    """Show what is wrong with the app's request, without redirecting anybody."""
    body = f"<!doctype html><html lang=en><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(detail)}</p>"
    return HTMLResponse(body, 400)


def build_refusal(_call: Call, message: str, code: int, subcode: int | None = None) -> Response:
    return build_error_response(message, code, subcode=subcode)


REDIRECT_MISMATCH_MESSAGE = (
    "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the "
    "OAuth dialog request"
)
# How the dialog and the token endpoint of graph.facebook.com refuse.
PAGE_REFUSALS: oauth.RefusalTable = {
    "client": ("Invalid App ID", "The provided app ID does not look like a valid app ID."),
    "redirect_uri": (
        "URL blocked",
        "This redirect failed because the redirect URI is not white-listed in the app's client OAuth settings.",
    ),
}
CLIENT_REFUSALS: oauth.RefusalTable = {
    "client": ("Error validating application. Cannot get application info due to a system error.", 101),
    "secret": ("Error validating client secret.", 1),
}
CODE_REFUSALS: oauth.RefusalTable = {
    "code": ("Invalid verification code format.", 100),
    "used": ("This authorization code has been used.", 100, 36009),
    "expired": ("This authorization code has expired.", 100, 36007),
    "other redirect_uri": (REDIRECT_MISMATCH_MESSAGE, 100, 36008),
}
DENIED_PARAMS = {"error_code": "200", "error_description": "Permissions error", "fragment": "_=_"}


def build_code_and_fragment(code: oauth.Code) -> oauth.RedirectParams:
    """Return to the app with the stray fragment that the dialog appends."""
    return {**oauth.build_code_and_state(code), "fragment": "_=_"}


def build_token_response(call: Call, token: GraphToken) -> dict[str, Any]:
    left = -call.context.clock.get_seconds_since(token.end)
    return {"access_token": token.id, "token_type": "bearer", "expires_in": round(left)}


T = TypeVar("T", bound=GraphToken)
TokenDescriber = Callable[[Call, T, list[str]], Mapping[str, Any]]
"""Returns what the inspection of a token with these scopes says, besides what all products say."""


def debug_token(call: Call, tokens: GraphTokens[T], describe: TokenDescriber[T], missing: str = "") -> Any:
    value, asking = str(call.params.get("input_token", "")), read_token(call)
    if not tokens.is_app_token(call, asking) and asking != value:
        return build_error_response(_INSPECTOR_ERROR, 100)
    if missing and not value:
        return build_error_response(missing, 100)
    if tokens.is_app_token(call, value):
        app = call.context.app
        return {"data": {"app_id": app.id, "type": "APP", "application": app.name, "is_valid": True, "scopes": []}}
    return describe_token(call, tokens, value, describe)


def describe_token(call: Call, tokens: GraphTokens[T], input_value: str, describe: TokenDescriber[T]) -> Any:
    """Describe any token, including invalid ones: the status is 200 whatever is wrong with it."""
    token = call.context.store.get(tokens.kind, input_value)
    refusal = tokens.build_refusal(call, token)
    fault = None if refusal is None else _parse_error(refusal)
    if token is None:
        return {"data": {"error": fault, "is_valid": False, "scopes": []}}
    scopes = [] if fault else tokens.list_scopes(call.context, token)
    members = {
        "application": call.context.app.name,
        "error": fault,
        "expires_at": int(token.expires.timestamp()) if token.expires is not None else 0,
        "is_valid": fault is None,
        "issued_at": int(token.issued.timestamp()),
        "scopes": scopes,
        **describe(call, token, scopes),
    }
    return {"data": {name: value for name, value in members.items() if value is not None}}


def _parse_error(refusal: Response) -> dict[str, Any]:
    error = msgspec.json.decode(refusal.body)["error"]
    members = {"code": error["code"], "message": error["message"], "subcode": error.get("error_subcode")}
    return {name: value for name, value in members.items() if value is not None}


def revoke_access(context: VendorContext, kind: type[GraphToken], person: str, value: str) -> None:
    """Let somebody remove the app, a permission, or end all sessions."""
    if value.startswith(PERMISSION_PREFIX):
        _remove_permission(context, person, value.removeprefix(PERMISSION_PREFIX))
        return
    invalidate_tokens(
        context, context.store.find(kind, parent=person), value if value in INVALIDATION_REASONS else "app_removed"
    )
    if value in _REMOVAL_CHOICES:
        context.store.delete(Grant, person)
        send_signed_request(context, person, purpose="deauthorize")
        if _REMOVAL_CHOICES[value]:
            send_signed_request(context, person, purpose="deletion")


def _remove_permission(context: VendorContext, person: str, scope: str) -> None:
    grant = context.store.get(Grant, person)
    if grant is None or scope not in grant.scopes:
        raise ControlError(f"{scope} was not granted.", 409)
    grant.scopes.remove(scope)
    grant.declined.append(scope)
    context.store.put(grant)


def build_expire_action(tokens: Callable[[VendorContext, str], Sequence[GraphToken]]) -> Action[AccountRequest]:
    """Create the verb `expire` for the tokens of an account."""

    def run(context: VendorContext, order: AccountRequest) -> dict[str, int]:
        return {"expired": expire_tokens(context, tokens(context, order.account))}

    return Action("Expire tokens now", AccountRequest, run)
