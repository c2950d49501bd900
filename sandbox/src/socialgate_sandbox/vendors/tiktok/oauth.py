"""Login Kit: the consent page, codes, rotating tokens, and revocation."""

from datetime import timedelta
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse, Response

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
from socialgate_sandbox.vendors.tiktok.errors import build_oauth_error
from socialgate_sandbox.vendors.tiktok.state import AccessToken, ClientToken, Creator, RefreshToken
from socialgate_sandbox.vendors.tiktok.webhooks import DEVELOPER_REVOKED_REASON, send_authorization_removed

BASIC_SCOPE = "user.info.basic"
_ACCESS_TOKEN_LIFETIME = timedelta(days=1)
_REFRESH_TOKEN_LIFETIME = timedelta(days=365)
_CLIENT_TOKEN_LIFETIME = timedelta(hours=2)
_MAX_ADDRESS_LENGTH = 512
_LOGIN_FAILED_MESSAGE = "Something went wrong. We couldn't log in with TikTok"
_FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
_SCOPE_DESCRIPTIONS = {
    BASIC_SCOPE: "read your profile info (avatar, display name)",
    "user.info.profile": "read your additional profile information (bio, link, username)",
    "user.info.stats": "read your profile engagement statistics (followers, likes)",
    "video.list": "read your public videos on TikTok",
    "video.publish": "post content to TikTok",
    "video.upload": "upload draft content to TikTok",
}


def _list_candidates(call: Call) -> list[LoginCandidate]:
    creators = [creator for creator in call.context.store.find(Creator) if not creator.gone]
    return [LoginCandidate(creator.id, f"{creator.name} (@{creator.username})", creator.about) for creator in creators]


def _is_invalid_redirect(login_check: oauth.LoginCheck) -> bool:
    """Find an address that cannot be registered in the portal: it must be plain and not too long."""
    url = login_check.get("redirect_uri")
    return (
        not is_product_or_local_url(login_check.context, url)
        or len(url) >= _MAX_ADDRESS_LENGTH
        or not {"?", "#"}.isdisjoint(url)
    )


def _is_invalid_challenge(login_check: oauth.LoginCheck) -> bool:
    """Login Kit for Web does not need one; Login Kit for Desktop, whose addresses are on loopback, requires it."""
    desktop = urlsplit(login_check.get("redirect_uri")).hostname in {"localhost", "127.0.0.1"}
    proven = login_check.get("code_challenge") and login_check.get("code_challenge_method") == "S256"
    return (desktop or "code_challenge" in login_check.params) and not proven


def _build_redirect_params(code: oauth.Code) -> oauth.RedirectParams:
    return {"code": code.id, "scopes": ",".join(code.scopes), "state": code.params.get("state")}


def _build_refusal(_call: Call, error: str, description: str) -> Response:
    return build_oauth_error(401 if error == "invalid_client" else 400, error, description)


LOGIN = oauth.OAuthLogin(
    platform="TikTok",
    scopes=_SCOPE_DESCRIPTIONS,
    required=(BASIC_SCOPE,),
    read_scopes=oauth.build_scope_reader(","),
    list_candidates=_list_candidates,
    client_param="client_key",
    extra_checks={"redirect_uri": _is_invalid_redirect, "code_challenge": _is_invalid_challenge},
    build_page_refusal=lambda _call, problem: PlainTextResponse(f"{_LOGIN_FAILED_MESSAGE}: {problem}", 400),
    page_refusals={
        "client": ("client_key",),
        "redirect_uri": ("redirect_uri",),
        "response_type": ("response_type",),
        "no scope": ("scope",),
        "scope": ("scope",),
        "code_challenge": ("code_challenge",),
    },
    denied_params={"error_description": "User has denied the authorization request."},
    new_code=lambda: f"{generate_alphanumeric(64)}*0!{generate_alphanumeric(6)}",
    build_redirect_params=_build_redirect_params,
    # Unlike everybody else, TikTok encodes the challenge in hexadecimal.
    encode_challenge=bytes.hex,
    build_refusal=_build_refusal,
    client_refusals={
        "no client": ("invalid_request", "The request parameters are malformed."),
        "no secret": ("invalid_request", "The request parameters are malformed."),
        "client": ("invalid_client", "Client key or secret is incorrect."),
        "secret": ("invalid_client", "Client key or secret is incorrect."),
    },
    code_refusals={
        **dict.fromkeys(("code", "used", "expired"), ("invalid_grant", "Authorization code is expired.")),
        "other redirect_uri": (
            "invalid_grant",
            "Redirect_uri is not matched with the uri when requesting code.",
        ),
        "verifier": ("invalid_request", "Code verifier or code challenge is invalid."),
    },
)


def issue_tokens(call: Call) -> Response:
    _validate_client(call)
    match call.form.get("grant_type"):
        case "authorization_code":
            code = LOGIN.redeem_code(call, call.form.get("code", ""), call.form)
            return _build_token_response(call.context, code.parent, code.scopes)
        case "refresh_token":
            return _refresh_tokens(call)
        case "client_credentials":
            return _build_client_token_response(call.context)
    return build_oauth_error(400, "unsupported_grant_type", "The grant type is not supported.")


def revoke_token(call: Call) -> Response:
    _validate_client(call)
    access_token = call.context.store.get(AccessToken, call.form.get("token", ""))
    if access_token is None:
        return build_oauth_error(400, "invalid_request", "The token is invalid.")
    delete_grant(call.context, access_token.parent)
    send_authorization_removed(call.context, access_token.parent, DEVELOPER_REVOKED_REASON)
    return Response(status_code=200)


def delete_grant(context: VendorContext, creator_id: str) -> None:
    delete_issued(context, creator_id, AccessToken, RefreshToken, oauth.Code)


def _validate_client(call: Call) -> None:
    if call.content_type != _FORM_CONTENT_TYPE:
        raise CallRefusedError(
            build_oauth_error(400, "invalid_request", f"Only `{_FORM_CONTENT_TYPE}` is accepted as Content-Type.")
        )
    LOGIN.check_client(call, call.form)


def _refresh_tokens(call: Call) -> Response:
    refresh_token = find_valid_token(call.context, RefreshToken, call.form.get("refresh_token"))
    if refresh_token is None:
        return build_oauth_error(400, "invalid_grant", "Refresh token is invalid or expired.")
    # A refresh token works once: its successor is in the response.
    call.context.store.delete(RefreshToken, refresh_token.id)
    return _build_token_response(call.context, refresh_token.parent, refresh_token.scopes)


def _build_token_response(context: VendorContext, creator_id: str, scopes: list[str]) -> Response:
    access = AccessToken(
        id=f"act.{generate_alphanumeric(64)}!{generate_alphanumeric(4)}", parent=creator_id, scopes=scopes
    )
    refresh = RefreshToken(
        id=f"rft.{generate_alphanumeric(64)}!{generate_alphanumeric(4)}", parent=creator_id, scopes=scopes
    )
    answer = {
        "access_token": store_token(context, access, _ACCESS_TOKEN_LIFETIME).id,
        "expires_in": int(_ACCESS_TOKEN_LIFETIME.total_seconds()),
        "open_id": creator_id,
        "refresh_expires_in": int(_REFRESH_TOKEN_LIFETIME.total_seconds()),
        "refresh_token": store_token(context, refresh, _REFRESH_TOKEN_LIFETIME).id,
        "scope": ",".join(scopes),
        "token_type": "Bearer",
    }
    return build_json_response(answer, headers={"Cache-Control": "no-store"})


def _build_client_token_response(context: VendorContext) -> Response:
    client_token = store_token(context, ClientToken(id=f"clt.{generate_alphanumeric(60)}"), _CLIENT_TOKEN_LIFETIME)
    life = int(_CLIENT_TOKEN_LIFETIME.total_seconds())
    return build_json_response({"access_token": client_token.id, "expires_in": life, "token_type": "Bearer"})


ROUTES = [
    *build_page_routes(LOGIN.serve_page, "/www.tiktok.com/v2/auth/authorize/"),
    Route("POST", "/open.tiktokapis.com/v2/oauth/token/", issue_tokens),
    Route("POST", "/open.tiktokapis.com/v2/oauth/revoke/", revoke_token),
]
