"""Who a token belongs to: user info, token info, ID tokens and the keys that they are signed with."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

from socialgate_sandbox.kit import Call, Refused, Route, World, reply
from socialgate_sandbox.kit.oauth import base64url
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.vendors.google.access import signed_in, user_of
from socialgate_sandbox.vendors.google.errors import oauth_error
from socialgate_sandbox.vendors.google.jwt import certificate, key
from socialgate_sandbox.vendors.google.state import EMAIL, PROFILE, AccessToken, GoogleUser

ISSUER = "https://accounts.google.com"
_LIFE = timedelta(seconds=3599)
# The host of the pictures of people.
PICTURES = "lh3.googleusercontent.com"


def id_token(world: World, token: AccessToken) -> str:
    user, now = user_of(world, token), int(world.clock.time())
    # The left half of the hash ties the access token to this one.
    at_hash = base64url(sha256(token.id.encode()).digest()[:16])
    claims: dict[str, Any] = {"iss": ISSUER, "azp": world.app.id, "aud": world.app.id, "sub": user.id}
    if EMAIL in token.scopes:
        claims |= {"email": user.email, "email_verified": True}
    claims["at_hash"] = at_hash
    if PROFILE in token.scopes:
        claims |= _profile(world, user)
    return key(world).sign(claims | {"iat": now, "exp": now + int(_LIFE.total_seconds())})


def user_info(call: Call) -> object:
    return _user_info(call, "id", "verified_email")


def openid_user_info(call: Call) -> object:
    return _user_info(call, "sub", "email_verified")


def _user_info(call: Call, name: str, verified: str) -> dict[str, Any]:
    token = signed_in(call, "openid", EMAIL, PROFILE)
    user = user_of(call.world, token)
    answer: dict[str, Any] = {name: user.id}
    if EMAIL in token.scopes:
        answer |= {"email": user.email, verified: True}
    return answer | (_profile(call.world, user) if PROFILE in token.scopes else {})


def token_info(call: Call) -> object:
    """Respond with strings instead of numbers, as the newer version of this endpoint does."""
    token, app = _inspected(call), call.world.app.id
    exp, left = str(int(token.end.timestamp())), str(_left(call.world, token))
    answer = {"azp": app, "aud": app, "sub": token.parent, "exp": exp, "expires_in": left}
    return answer | _granted(call, token, {"email_verified": "true"})


def old_token_info(call: Call) -> object:
    token, app = _inspected(call), call.world.app.id
    answer = {"issued_to": app, "audience": app, "user_id": token.parent, "expires_in": _left(call.world, token)}
    return answer | _granted(call, token, {"verified_email": True})


def _inspected(call: Call) -> AccessToken:
    token = live(call.world, AccessToken, str(call.params.get("access_token", "")) or call.bearer)
    if token is None:
        raise Refused(oauth_error(400, "invalid_token", "Invalid Value"))
    return token


def _granted(call: Call, token: AccessToken, verified: dict[str, Any]) -> dict[str, Any]:
    email = {"email": user_of(call.world, token).email, **verified} if EMAIL in token.scopes else {}
    return {"scope": " ".join(token.scopes), **email, "access_type": "offline" if token.offline else "online"}


def keys(call: Call) -> object:
    return reply({"keys": [key(call.world).jwk()]}, headers={"Cache-Control": "public, max-age=19845"})


def certificates(call: Call) -> object:
    one = key(call.world)
    return reply(
        {one.kid: certificate(one, call.world.clock.now())}, headers={"Cache-Control": "public, max-age=19845"}
    )


def openid_configuration(call: Call) -> object:
    here = call.world.url
    return {
        "issuer": ISSUER,
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


def _profile(world: World, user: GoogleUser) -> dict[str, str]:
    names = {"name": user.name, "given_name": user.given_name, "family_name": user.family_name}
    shown = {name: value for name, value in names.items() if value}
    return shown | {"picture": picture_url(world, PICTURES, user.id, 96)}


def _left(world: World, token: AccessToken) -> int:
    return int((token.end - world.clock.now()).total_seconds())


ROUTES = [
    Route("GET", "/www.googleapis.com/oauth2/v2/userinfo", user_info),
    Route("GET", "/www.googleapis.com/oauth2/v1/userinfo", user_info),
    Route("GET", "/www.googleapis.com/userinfo/v2/me", user_info),
    Route("GET", "/www.googleapis.com/oauth2/v3/userinfo", openid_user_info),
    Route("GET", "/openidconnect.googleapis.com/v1/userinfo", openid_user_info),
    *(
        Route(method, path, handler)
        for method in ("GET", "POST")
        for path, handler in (
            ("/oauth2.googleapis.com/tokeninfo", token_info),
            ("/www.googleapis.com/oauth2/v3/tokeninfo", token_info),
            ("/www.googleapis.com/oauth2/v2/tokeninfo", old_token_info),
            ("/www.googleapis.com/oauth2/v1/tokeninfo", old_token_info),
        )
    ),
    Route("GET", "/www.googleapis.com/oauth2/v3/certs", keys),
    Route("GET", "/www.googleapis.com/oauth2/v1/certs", certificates),
    Route("GET", "/accounts.google.com/.well-known/openid-configuration", openid_configuration),
]
