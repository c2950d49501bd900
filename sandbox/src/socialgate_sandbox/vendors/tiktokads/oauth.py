"""How an advertiser grants the app access: a portal page, codes for an hour, and tokens valid until revoked."""

from datetime import timedelta

import msgspec
from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import (
    Call,
    LoginCandidate,
    VendorContext,
    build_json_response,
    build_page_routes,
    generate_hex,
    oauth,
)
from socialgate_sandbox.kit.tokens import store_token
from socialgate_sandbox.vendors.tiktokads.access import (
    ACCOUNT_SCOPE,
    SCOPE_NAMES,
    enforce_call_limits,
    list_accessible_accounts,
    require_app,
)
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_AUTH_CODE_CODE,
    INVALID_GRANT_CODE,
    INVALID_TOKEN_CODE,
    OK_CODE,
    build_error_response,
    build_success_response,
    generate_request_id,
)
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, AdsUser, Subscription


class ExchangeBody(msgspec.Struct):
    app_id: str
    secret: str
    auth_code: str
    return_advertiser_ids: bool = True


class RevokeBody(msgspec.Struct):
    app_id: str
    secret: str
    access_token: str


def _list_candidates(call: Call) -> list[LoginCandidate]:
    return [
        LoginCandidate(user.id, f"{user.name} ({user.email})", user.about) for user in call.context.store.find(AdsUser)
    ]


LOGIN = oauth.OAuthLogin(
    platform="TikTok for Business",
    scopes=SCOPE_NAMES,
    required=(ACCOUNT_SCOPE,),
    list_candidates=_list_candidates,
    client_param="app_id",
    build_page_refusal=lambda _call, detail: PlainTextResponse(detail, 400),
    page_refusals=dict.fromkeys(
        ("client", "redirect_uri"), ("The app does not exist, or its redirect URL is another one.",)
    ),
    new_code=lambda: generate_hex(40),
    code_lifetime=timedelta(hours=1),
    build_redirect_params=lambda code: {"auth_code": code.id, **oauth.build_code_and_state(code)},
    build_refusal=build_error_response,
    code_refusals=dict.fromkeys(
        ("code", "used", "expired"), (BAD_AUTH_CODE_CODE, "Auth_code is used, expired or invalid.")
    ),
)


def exchange_code(call: Call) -> Response:
    enforce_call_limits(call)
    body = call.parse_json_body(ExchangeBody)
    data = _issue_token(call, body.app_id, body.secret, body.auth_code)
    if not body.return_advertiser_ids:
        del data["advertiser_ids"]
    return build_success_response(call, data)


def exchange_code_oauth(call: Call) -> Response:
    """Serve the variant with the names of plain OAuth, whose response has no envelope."""
    enforce_call_limits(call)
    params = {name: str(value) for name, value in call.params.items()}
    if params.get("grant_type") != "authorization_code":
        return build_error_response(call, INVALID_GRANT_CODE, "The refresh token or the grant type is invalid.")
    data = _issue_token(call, params.get("client_id", ""), params.get("client_secret", ""), params.get("code", ""))
    return build_json_response(
        {"code": OK_CODE, "message": "OK", "request_id": generate_request_id(call.context)} | data
    )


def revoke_token(call: Call) -> Response:
    enforce_call_limits(call)
    body = call.parse_json_body(RevokeBody)
    require_app(call, body.app_id, body.secret)
    token = call.context.store.get(AccessToken, body.access_token)
    if token is None:
        return build_error_response(call, INVALID_TOKEN_CODE, "Access token is incorrect or has been revoked.")
    lost = [member.advertiser for member in list_accessible_accounts(call.context, token)]
    delete_token(call.context, token.id)
    return build_success_response(call, {"app_id": body.app_id, "advertiser_ids": lost})


def delete_token(context: VendorContext, token: str) -> None:
    """Delete a token. The webhooks that were created with it end silently."""
    context.store.delete(AccessToken, token)
    context.store.delete_all(Subscription, parent=token)


def _issue_token(call: Call, app_id: str, secret: str, auth_code: str) -> dict[str, object]:
    require_app(call, app_id, secret)
    code = LOGIN.redeem_code(call, auth_code, {})
    token = store_token(call.context, AccessToken(id=generate_hex(40), parent=code.parent, scopes=code.scopes))
    advertisers = [member.advertiser for member in list_accessible_accounts(call.context, token)]
    scopes = [int(scope) for scope in token.scopes]
    return {"access_token": token.id, "advertiser_ids": advertisers, "scope": scopes}


ROUTES = [
    *build_page_routes(LOGIN.serve_page, *(f"/business-api.tiktok.com/portal/auth{slash}" for slash in ("", "/"))),
    *build_api_routes("POST", "oauth2/access_token", exchange_code),
    *build_api_routes("POST", "oauth/token", exchange_code_oauth),
    *build_api_routes("POST", "oauth2/token", exchange_code_oauth),
    *build_api_routes("POST", "oauth2/revoke_token", revoke_token),
]
