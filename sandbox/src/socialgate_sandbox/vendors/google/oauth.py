"""Signing in with Google: the consent page, codes, access and refresh tokens, and revocation."""

from base64 import b64decode
from datetime import timedelta
from html import escape

from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    LoginCandidate,
    Route,
    VendorContext,
    build_json_response,
    build_page_routes,
    generate_alphanumeric,
    oauth,
)
from socialgate_sandbox.kit.tokens import delete_issued, find_valid_token, store_token
from socialgate_sandbox.kit.urls import is_product_or_local_url
from socialgate_sandbox.vendors.google.errors import build_html_error, build_oauth_error
from socialgate_sandbox.vendors.google.identity import build_id_token
from socialgate_sandbox.vendors.google.state import AUTH, EMAIL, PROFILE, AccessToken, GoogleUser, Grant, RefreshToken

_ACCESS_TOKEN_LIFETIME = timedelta(seconds=3599)
_REFRESH_TOKEN_LIFETIME = timedelta(days=183)
# An app whose consent screen is in status "Testing" has to ask again every week.
_TESTING_REFRESH_TOKEN_LIFETIME = timedelta(days=7)
_MAX_REFRESH_TOKENS = 100
_SCOPES_BY_SHORT_NAME = {"email": EMAIL, "profile": PROFILE}
_IDENTITY_SCOPES = {"openid": "your identity", EMAIL: "your e-mail address", PROFILE: "your name and picture"}
_YOUTUBE_SCOPE_PREFIXES = ("youtube", "yt-analytics")
_SCOPE_DESCRIPTIONS = _IDENTITY_SCOPES | {
    f"{AUTH}youtube": "manage your YouTube account",
    f"{AUTH}youtube.force-ssl": "see, edit and delete your YouTube videos, ratings, comments and captions",
    f"{AUTH}youtube.readonly": "see your YouTube account",
    f"{AUTH}youtube.upload": "manage your YouTube videos",
    f"{AUTH}yt-analytics.readonly": "see YouTube Analytics reports",
    f"{AUTH}yt-analytics-monetary.readonly": "see monetary YouTube Analytics reports",
    f"{AUTH}calendar": "see, edit, share and delete all your calendars",
    f"{AUTH}calendar.readonly": "see and download your calendars",
    f"{AUTH}calendar.events": "see and edit events on all your calendars",
    f"{AUTH}calendar.events.readonly": "see events on all your calendars",
    f"{AUTH}calendar.calendarlist": "see, add and remove calendars that you subscribe to",
    f"{AUTH}calendar.calendarlist.readonly": "see the list of your calendars",
    f"{AUTH}calendar.freebusy": "see when you are free",
    f"{AUTH}business.manage": "see, edit, create and delete your Google business listings",
}
_read_scope_words = oauth.build_scope_reader(r"\s")


def _parse_scopes(query: oauth.RequestParams) -> list[str]:
    return list(dict.fromkeys(_SCOPES_BY_SHORT_NAME.get(name, name) for name in _read_scope_words(query)))


def _list_candidates(call: Call) -> list[LoginCandidate]:
    """List who may sign in. Brand accounts are offered if YouTube is requested, and the hinted person comes first."""
    hint = call.query.get("login_hint")
    youtube = any(name.removeprefix(AUTH).startswith(_YOUTUBE_SCOPE_PREFIXES) for name in _parse_scopes(call.query))
    users = [user for user in call.context.store.find(GoogleUser) if not user.disabled and (youtube or not user.brand)]
    users.sort(key=lambda user: hint not in {user.id, user.email})
    return [LoginCandidate(user.id, f"{user.name} ({user.email})", user.about) for user in users]


def _store_grant(call: Call, code: oauth.Code) -> None:
    """Add to what the user granted before. Google issues a refresh token only if it really asked the user."""
    if not code.scopes:
        raise CallRefusedError(LOGIN.redirect_denied(call))
    before = call.context.store.get(Grant, code.parent)
    known = before.scopes if before else []
    prompted = "consent" in call.query.get("prompt", "").split() or not set(code.scopes) <= set(known)
    code.params["prompt"] = "consent" if prompted else "none"
    call.context.store.put(Grant(id=code.parent, scopes=list(dict.fromkeys([*known, *code.scopes]))))
    if call.query.get("include_granted_scopes") == "true":
        code.scopes = list(dict.fromkeys([*code.scopes, *known]))


def _build_redirect_params(code: oauth.Code) -> oauth.RedirectParams:
    params = [short for short, long in _SCOPES_BY_SHORT_NAME.items() if long in code.scopes] + code.scopes
    scope, prompt = " ".join(params), code.params["prompt"]
    return {"state": code.params.get("state"), "code": code.id, "scope": scope, "authuser": "0", "prompt": prompt}


def _build_page_refusal(_call: Call, error: str, detail: str) -> Response:
    return build_html_error(_get_error_status(error), f"Error {_get_error_status(error)}: {error}", escape(detail))


def _build_refusal(_call: Call, error: str, description: str) -> Response:
    return build_oauth_error(_get_error_status(error), error, description)


def _get_error_status(error: str) -> int:
    return 401 if error == "invalid_client" else 400


_INVALID_TOKEN_MESSAGE = "Token has been expired or revoked."
LOGIN = oauth.OAuthLogin(
    platform="Google",
    scopes=_SCOPE_DESCRIPTIONS,
    required=_IDENTITY_SCOPES,
    read_scopes=_parse_scopes,
    list_candidates=_list_candidates,
    extra_checks={
        "redirect_uri": lambda it: (
            not is_product_or_local_url(it.context, it.get("redirect_uri")) or "#" in it.get("redirect_uri")
        ),
        "challenge method": lambda it: it.get("code_challenge_method") not in {"", "plain", "S256"},
        "malformed code": lambda it: not it.get("code").startswith("4/"),
    },
    build_page_refusal=_build_page_refusal,
    page_refusals={
        "client": ("invalid_client", "The OAuth client was not found."),
        "redirect_uri": ("redirect_uri_mismatch", "Request details: redirect_uri={redirect_uri}"),
        "response_type": ("invalid_request", "Missing required parameter: response_type"),
        "no scope": ("invalid_request", "Missing required parameter: scope"),
        "scope": ("invalid_scope", "Some requested scopes were invalid. {{invalid={unknown}}}"),
        "challenge method": ("invalid_request", "Invalid code_challenge_method"),
    },
    on_allowed=_store_grant,
    new_code=lambda: f"4/0A{generate_alphanumeric(69)}",
    build_redirect_params=_build_redirect_params,
    build_refusal=_build_refusal,
    client_refusals={
        "no client": ("invalid_request", "Could not determine client ID from request."),
        "client": ("invalid_client", "The OAuth client was not found."),
        "no secret": ("invalid_request", "client_secret is missing."),
        "secret": ("invalid_client", "The provided client secret is invalid."),
    },
    code_refusals={
        "malformed code": ("invalid_grant", "Malformed auth code."),
        **dict.fromkeys(("code", "used", "expired"), ("invalid_grant", "Bad Request")),
        "other redirect_uri": ("redirect_uri_mismatch", "Bad Request"),
        "no verifier": ("invalid_grant", "Missing code verifier."),
        "verifier": ("invalid_grant", "Invalid code verifier."),
    },
)


def issue_tokens(call: Call) -> object:
    LOGIN.check_client(call, call.params | _parse_basic_credentials(call))
    kind = _require_parameter(call, "grant_type")
    if kind == "authorization_code":
        return _exchange_code(call)
    if kind == "refresh_token":
        return _refresh_access_token(call)
    return build_oauth_error(400, "unsupported_grant_type", f"Invalid grant_type: {kind}")


def revoke_token(call: Call) -> object:
    value = str(call.params.get("token", ""))
    result = find_valid_token(call.context, AccessToken, value) or find_valid_token(call.context, RefreshToken, value)
    if result is None:
        return build_oauth_error(400, "invalid_token", "Token expired or revoked")
    delete_grant(call.context, result.parent)
    return build_json_response({})


def delete_grant(context: VendorContext, user_id: str) -> None:
    """Delete everything that a user has granted: all of the app's tokens for that user become invalid."""
    context.store.delete(Grant, user_id)
    delete_issued(context, user_id, AccessToken, RefreshToken, oauth.Code)


def _parse_basic_credentials(call: Call) -> dict[str, str]:
    """Read the client's name and secret from the header, if they are there."""
    kind, _, value = call.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return {}
    try:
        client, _, secret = b64decode(value).decode("utf-8", "replace").partition(":")
    except ValueError:
        client = secret = ""
    return {"client_id": client, "client_secret": secret}


def _require_parameter(call: Call, name: str) -> str:
    value = call.params.get(name)
    if not isinstance(value, str) or not value:
        raise CallRefusedError(build_oauth_error(400, "invalid_request", f"Missing required parameter: {name}"))
    return value


def _exchange_code(call: Call) -> object:
    world, code = call.context, LOGIN.redeem_code(call, _require_parameter(call, "code"), call.params)
    offline = code.params.get("access_type") == "offline" and code.params["prompt"] == "consent"
    answer = _build_token_response(world, code.parent, code.scopes, offline=offline)
    if offline:
        answer["refresh_token"] = _create_refresh_token(world, code)
        if _is_testing(world):
            answer["refresh_token_expires_in"] = int(_TESTING_REFRESH_TOKEN_LIFETIME.total_seconds()) - 1
    return answer


def _refresh_access_token(call: Call) -> object:
    world, value = call.context, _require_parameter(call, "refresh_token")
    refresh_token = find_valid_token(world, RefreshToken, value)
    if refresh_token is None:
        return build_oauth_error(
            400, "invalid_grant", _INVALID_TOKEN_MESSAGE if value.startswith("1//") else "Bad Request"
        )
    scopes = str(call.params.get("scope", "")).split() or refresh_token.scopes
    if not set(scopes) <= set(refresh_token.scopes):
        return build_oauth_error(400, "invalid_scope", "Bad Request")
    if not _is_testing(world):
        store_token(world, refresh_token, _REFRESH_TOKEN_LIFETIME)
    return _build_token_response(world, refresh_token.parent, scopes, offline=True)


def _is_testing(context: VendorContext) -> bool:
    return context.app.more.get("publishing_status") == "testing"


def _create_refresh_token(context: VendorContext, code: oauth.Code) -> str:
    others = context.store.find(RefreshToken, parent=code.parent)
    for oldest in others[: max(0, len(others) + 1 - _MAX_REFRESH_TOKENS)]:
        context.store.delete(RefreshToken, oldest.id)
    refresh_token = RefreshToken(id=f"1//0{generate_alphanumeric(99)}", parent=code.parent, scopes=code.scopes)
    return store_token(
        context, refresh_token, _TESTING_REFRESH_TOKEN_LIFETIME if _is_testing(context) else _REFRESH_TOKEN_LIFETIME
    ).id


def _build_token_response(
    context: VendorContext, user_id: str, scopes: list[str], *, offline: bool
) -> dict[str, object]:
    access_token = AccessToken(id=f"ya29.{generate_alphanumeric(195)}", parent=user_id, scopes=scopes, offline=offline)
    answer: dict[str, object] = {
        "access_token": store_token(context, access_token, _ACCESS_TOKEN_LIFETIME).id,
        "expires_in": int(_ACCESS_TOKEN_LIFETIME.total_seconds()),
        "scope": " ".join(scopes),
        "token_type": "Bearer",
    }
    if set(scopes) & set(_IDENTITY_SCOPES):
        answer["id_token"] = build_id_token(context, access_token)
    return answer


ROUTES = [
    *build_page_routes(LOGIN.serve_page, *(f"/accounts.google.com/o/oauth2/{path}" for path in ("v2/auth", "auth"))),
    Route("POST", "/oauth2.googleapis.com/token", issue_tokens),
    Route("POST", "/www.googleapis.com/oauth2/v4/token", issue_tokens),
    *build_page_routes(revoke_token, "/oauth2.googleapis.com/revoke", "/accounts.google.com/o/oauth2/revoke"),
]
