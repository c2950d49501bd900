"""Who a token belongs to: user info, token info, ID tokens and the keys that they are signed with."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

from socialgate.sandbox.kit import Call, Route, World, reply
from socialgate.sandbox.vendors.google.access import live_token, signed_in, user_of
from socialgate.sandbox.vendors.google.errors import oauth_error
from socialgate.sandbox.vendors.google.jwt import certificate, encoded, key
from socialgate.sandbox.vendors.google.state import EMAIL, PROFILE, AccessToken, GoogleUser

ISSUER = "https://accounts.google.com"
_LIFE = timedelta(seconds=3599)
_PICTURE = "https://lh3.googleusercontent.com/a/{user}=s96-c"


def id_token(world: World, token: AccessToken) -> str:
    user, now = user_of(world, token), int(world.clock.time())
    # The left half of the hash ties the access token to this one.
    at_hash = encoded(sha256(token.id.encode()).digest()[:16])
    claims: dict[str, Any] = {"iss": ISSUER, "azp": world.app.id, "aud": world.app.id, "sub": user.id}
    if EMAIL in token.scopes:
        claims |= {"email": user.email, "email_verified": True}
    claims["at_hash"] = at_hash
    if PROFILE in token.scopes:
        claims |= _profile(user)
    return key(world).sign(claims | {"iat": now, "exp": now + int(_LIFE.total_seconds())})


def user_info(call: Call) -> object:
    token = signed_in(call, "openid", EMAIL, PROFILE)
    user = user_of(call.world, token)
    answer: dict[str, Any] = {"id": user.id}
    if EMAIL in token.scopes:
        answer |= {"email": user.email, "verified_email": True}
    return answer | (_profile(user) if PROFILE in token.scopes else {})


def openid_user_info(call: Call) -> object:
    token = signed_in(call, "openid", EMAIL, PROFILE)
    user = user_of(call.world, token)
    answer: dict[str, Any] = {"sub": user.id}
    answer |= _profile(user) if PROFILE in token.scopes else {}
    return answer | ({"email": user.email, "email_verified": True} if EMAIL in token.scopes else {})


def token_info(call: Call) -> object:
    """Respond with strings instead of numbers, as the newer version of this endpoint does."""
    token = live_token(call.world, _asked_token(call))
    if token is None:
        return oauth_error(400, "invalid_token", "Invalid Value")
    world, user = call.world, user_of(call.world, token)
    answer = {"azp": world.app.id, "aud": world.app.id, "sub": user.id, "scope": " ".join(token.scopes)}
    answer["exp"] = str(int(token.expires.timestamp()))
    answer["expires_in"] = str(_left(world, token))
    if EMAIL in token.scopes:
        answer |= {"email": user.email, "email_verified": "true"}
    return answer | {"access_type": "offline" if token.offline else "online"}


def old_token_info(call: Call) -> object:
    token = live_token(call.world, _asked_token(call))
    if token is None:
        return oauth_error(400, "invalid_token", "Invalid Value")
    world, user = call.world, user_of(call.world, token)
    answer: dict[str, Any] = {"issued_to": world.app.id, "audience": world.app.id, "user_id": user.id}
    answer |= {"scope": " ".join(token.scopes), "expires_in": _left(world, token)}
    if EMAIL in token.scopes:
        answer |= {"email": user.email, "verified_email": True}
    return answer | {"access_type": "offline" if token.offline else "online"}


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


def _profile(user: GoogleUser) -> dict[str, str]:
    names = {"name": user.name, "given_name": user.given_name, "family_name": user.family_name}
    return {name: value for name, value in names.items() if value} | {"picture": _PICTURE.format(user=user.id)}


def _asked_token(call: Call) -> str:
    return str(call.params.get("access_token", "")) or call.bearer or ""


def _left(world: World, token: AccessToken) -> int:
    return int((token.expires - world.clock.now()).total_seconds())


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
