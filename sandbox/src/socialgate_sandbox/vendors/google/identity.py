"""Who a token belongs to: user info, token info, ID tokens and the keys that they are signed with."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext, build_json_response
from socialgate_sandbox.kit.oauth import encode_base64url
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.google.access import get_token_user, require_token
from socialgate_sandbox.vendors.google.errors import build_oauth_error
from socialgate_sandbox.vendors.google.jwt import build_certificate, get_or_create_key
from socialgate_sandbox.vendors.google.state import EMAIL, PROFILE, AccessToken, GoogleUser

TOKEN_ISSUER = "https://accounts.google.com"
_ID_TOKEN_LIFETIME = timedelta(seconds=3599)
# The host of the pictures of people.
PICTURE_HOST = "lh3.googleusercontent.com"


def build_id_token(context: VendorContext, token: AccessToken) -> str:
    user, now = get_token_user(context, token), int(context.clock.get_unix_time())
    # The left half of the hash ties the access token to this one.
    at_hash = encode_base64url(sha256(token.id.encode()).digest()[:16])
    claims: dict[str, Any] = {"iss": TOKEN_ISSUER, "azp": context.app.id, "aud": context.app.id, "sub": user.id}
    if EMAIL in token.scopes:
        claims |= {"email": user.email, "email_verified": True}
    claims["at_hash"] = at_hash
    if PROFILE in token.scopes:
        claims |= _build_profile(context, user)
    return get_or_create_key(context).sign_claims(
        claims | {"iat": now, "exp": now + int(_ID_TOKEN_LIFETIME.total_seconds())}
    )


def get_user_info(call: Call) -> object:
    return _build_user_info(call, "id", "verified_email")


def get_openid_user_info(call: Call) -> object:
    return _build_user_info(call, "sub", "email_verified")


def _build_user_info(call: Call, id_field: str, verified: str) -> dict[str, Any]:
    token = require_token(call, "openid", EMAIL, PROFILE)
    user = get_token_user(call.context, token)
    answer: dict[str, Any] = {id_field: user.id}
    if EMAIL in token.scopes:
        answer |= {"email": user.email, verified: True}
    return answer | (_build_profile(call.context, user) if PROFILE in token.scopes else {})


def get_token_info(call: Call) -> object:
    """Respond with strings instead of numbers, as the newer version of this endpoint does."""
    token, app = _require_inspected_token(call), call.context.app.id
    exp, left = str(int(token.end.timestamp())), str(_get_seconds_left(call.context, token))
    answer = {"azp": app, "aud": app, "sub": token.parent, "exp": exp, "expires_in": left}
    return answer | _build_grant_info(call, token, {"email_verified": "true"})


def get_legacy_token_info(call: Call) -> object:
    token, app = _require_inspected_token(call), call.context.app.id
    answer = {
        "issued_to": app,
        "audience": app,
        "user_id": token.parent,
        "expires_in": _get_seconds_left(call.context, token),
    }
    return answer | _build_grant_info(call, token, {"verified_email": True})


def _require_inspected_token(call: Call) -> AccessToken:
    token = find_valid_token(call.context, AccessToken, str(call.params.get("access_token", "")) or call.bearer_token)
    if token is None:
        raise CallRefusedError(build_oauth_error(400, "invalid_token", "Invalid Value"))
    return token


def _build_grant_info(call: Call, token: AccessToken, verified: dict[str, Any]) -> dict[str, Any]:
    email = {"email": get_token_user(call.context, token).email, **verified} if EMAIL in token.scopes else {}
    return {"scope": " ".join(token.scopes), **email, "access_type": "offline" if token.offline else "online"}


def get_keys(call: Call) -> object:
    return build_json_response(
        {"keys": [get_or_create_key(call.context).build_jwk()]}, headers={"Cache-Control": "public, max-age=19845"}
    )


def get_certificates(call: Call) -> object:
    jwt_key = get_or_create_key(call.context)
    return build_json_response(
        {jwt_key.kid: build_certificate(jwt_key, call.context.clock.now())},
        headers={"Cache-Control": "public, max-age=19845"},
    )


def get_openid_configuration(call: Call) -> object:
    here = call.context.url
    return {
        "issuer": TOKEN_ISSUER,
        "authorization_endpoint": f"{here}/accounts.google.com/o/oauth2/v2/auth",
        "token_endpoint": f"{here}/oauth2.googleapis.com/token",
        "userinfo_endpoint": f"{here}/openidconnect.googleapis.com/v1/userinfo",
        "revocation_endpoint": f"{here}/oauth2.googleapis.com/revoke",
        "jwks_uri": f"{here}/www.googleapis.com/oauth2/v3/certs",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        "code_challenge_methods_supported": ["plain", "S256"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
    }


def _build_profile(context: VendorContext, user: GoogleUser) -> dict[str, str]:
    names = {"name": user.name, "given_name": user.given_name, "family_name": user.family_name}
    shown = {name: value for name, value in names.items() if value}
    return shown | {"picture": build_picture_url(context, PICTURE_HOST, user.id, 96)}


def _get_seconds_left(context: VendorContext, token: AccessToken) -> int:
    return int((token.end - context.clock.now()).total_seconds())


ROUTES = [
    Route("GET", "/www.googleapis.com/oauth2/v2/userinfo", get_user_info),
    Route("GET", "/www.googleapis.com/oauth2/v1/userinfo", get_user_info),
    Route("GET", "/www.googleapis.com/userinfo/v2/me", get_user_info),
    Route("GET", "/www.googleapis.com/oauth2/v3/userinfo", get_openid_user_info),
    Route("GET", "/openidconnect.googleapis.com/v1/userinfo", get_openid_user_info),
    *(
        Route(method, path, handler)
        for method in ("GET", "POST")
        for path, handler in (
            ("/oauth2.googleapis.com/tokeninfo", get_token_info),
            ("/www.googleapis.com/oauth2/v3/tokeninfo", get_token_info),
            ("/www.googleapis.com/oauth2/v2/tokeninfo", get_legacy_token_info),
            ("/www.googleapis.com/oauth2/v1/tokeninfo", get_legacy_token_info),
        )
    ),
    Route("GET", "/www.googleapis.com/oauth2/v3/certs", get_keys),
    Route("GET", "/www.googleapis.com/oauth2/v1/certs", get_certificates),
    Route("GET", "/accounts.google.com/.well-known/openid-configuration", get_openid_configuration),
]
