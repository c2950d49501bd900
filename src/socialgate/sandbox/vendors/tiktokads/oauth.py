"""How an advertiser grants the app access: a portal page, codes for an hour, and tokens valid until revoked."""

from datetime import timedelta

import msgspec
from starlette.responses import PlainTextResponse, Response

from socialgate.sandbox.kit import (
    Allowed,
    Call,
    Candidate,
    Denied,
    Scope,
    World,
    consent,
    hexadecimal,
    page_routes,
    reply,
    send_back,
)
from socialgate.sandbox.kit.addresses import is_own
from socialgate.sandbox.vendors.tiktokads.access import ACCOUNT, SCOPES, paced, reached
from socialgate.sandbox.vendors.tiktokads.errors import (
    BAD_AUTH,
    BAD_CODE,
    DEAD_TOKEN,
    NO_REFRESH,
    OK,
    answered,
    failed,
    request_id,
)
from socialgate.sandbox.vendors.tiktokads.hosts import api
from socialgate.sandbox.vendors.tiktokads.state import AccessToken, AdsUser, Code, Subscription

_CODE_LIFE = timedelta(hours=1)


class ExchangeBody(msgspec.Struct):
    app_id: str
    secret: str
    auth_code: str
    return_advertiser_ids: bool = True


class RevokeBody(msgspec.Struct):
    app_id: str
    secret: str
    access_token: str


def authorize(call: Call) -> Response:
    query, world = call.query, call.world
    if query.get("app_id") != world.app.id or not is_own(world, query.get("redirect_uri", "")):
        return PlainTextResponse("The app does not exist, or its redirect URL is another one.", 400)
    people = [Candidate(user.id, f"{user.name} ({user.email})", user.about) for user in world.store.find(AdsUser)]
    scopes = [Scope(str(number), about, required=number == ACCOUNT) for number, about in SCOPES.items()]
    decided = consent(call, platform="TikTok for Business", people=people, scopes=scopes)
    back, state = query["redirect_uri"], query.get("state")
    if isinstance(decided, Denied):
        return send_back(back, error="access_denied", state=state)
    if not isinstance(decided, Allowed):
        return decided
    allowed = [int(scope) for scope in decided.scopes]
    code = Code(id=hexadecimal(40), parent=decided.person, scopes=allowed, made=world.clock.now())
    world.store.put(code)
    return send_back(back, auth_code=code.id, code=code.id, state=state)


def exchange(call: Call) -> Response:
    paced(call)
    given = call.read_json(ExchangeBody)
    token = _token_for(call, given.app_id, given.secret, given.auth_code)
    if isinstance(token, Response):
        return token
    data = _about(call.world, token)
    if not given.return_advertiser_ids:
        del data["advertiser_ids"]
    return answered(call, data)


def exchange_form(call: Call) -> Response:
    """Serve the variant with the names of plain OAuth, whose response has no envelope."""
    paced(call)
    given = call.params
    if given.get("grant_type") != "authorization_code":
        return failed(call, NO_REFRESH, "The refresh token or the grant type is invalid.")
    client, secret = str(given.get("client_id", "")), str(given.get("client_secret", ""))
    token = _token_for(call, client, secret, str(given.get("code", "")))
    if isinstance(token, Response):
        return token
    trace = request_id(call.world)
    return reply({"code": OK, "message": "OK", "request_id": trace} | _about(call.world, token))


def revoke(call: Call) -> Response:
    paced(call)
    given = call.read_json(RevokeBody)
    if not _is_app(call.world, given.app_id, given.secret):
        return failed(call, BAD_AUTH, "The app_id or secret is incorrect.")
    token = call.world.store.get(AccessToken, given.access_token)
    if token is None:
        return failed(call, DEAD_TOKEN, "Access token is incorrect or has been revoked.")
    lost = [member.advertiser for member in reached(call.world, token)]
    end_token(call.world, token.id)
    return answered(call, {"app_id": given.app_id, "advertiser_ids": lost})


def end_token(world: World, token: str) -> None:
    """Delete a token. The webhooks that were created with it end silently."""
    world.store.delete(AccessToken, token)
    world.store.clear(Subscription, parent=token)


def _is_app(world: World, app: str, secret: str) -> bool:
    return (app, secret) == (world.app.id, world.app.secret)


def _token_for(call: Call, app: str, secret: str, given: str) -> AccessToken | Response:
    world = call.world
    if not _is_app(world, app, secret):
        return failed(call, BAD_AUTH, "The app_id or secret is incorrect.")
    code = world.store.get(Code, given)
    if code is None or code.spent or world.clock.since(code.made) > _CODE_LIFE.total_seconds():
        return failed(call, BAD_CODE, "Auth_code is used, expired or invalid.")
    code.spent = True
    world.store.put(code)
    return world.store.put(AccessToken(id=hexadecimal(40), parent=code.parent, scopes=code.scopes))


def _about(world: World, token: AccessToken) -> dict[str, object]:
    advertisers = [member.advertiser for member in reached(world, token)]
    return {"access_token": token.id, "advertiser_ids": advertisers, "scope": token.scopes}


ROUTES = [
    *page_routes(authorize, *(f"/business-api.tiktok.com/portal/auth{slash}" for slash in ("", "/"))),
    *api("POST", "oauth2/access_token", exchange),
    *api("POST", "oauth/token", exchange_form),
    *api("POST", "oauth2/token", exchange_form),
    *api("POST", "oauth2/revoke_token", revoke),
]
