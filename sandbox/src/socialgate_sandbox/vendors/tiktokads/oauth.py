"""How an advertiser grants the app access: a portal page, codes for an hour, and tokens valid until revoked."""

from datetime import timedelta

import msgspec
from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import Call, Candidate, World, hexadecimal, oauth, page_routes, reply
from socialgate_sandbox.kit.tokens import issue
from socialgate_sandbox.vendors.tiktokads.access import ACCOUNT, SCOPES, check_app, paced, reached
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_CODE,
    DEAD_TOKEN,
    NO_REFRESH,
    OK,
    answered,
    failed,
    request_id,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
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


def _people(call: Call) -> list[Candidate]:
    return [Candidate(user.id, f"{user.name} ({user.email})", user.about) for user in call.world.store.find(AdsUser)]


LOGIN = oauth.Login(
    platform="TikTok for Business",
    scopes=SCOPES,
    required=(ACCOUNT,),
    people=_people,
    client="app_id",
    refuse_page=lambda _call, detail: PlainTextResponse(detail, 400),
    page_refusals=dict.fromkeys(
        ("client", "redirect_uri"), ("The app does not exist, or its redirect URL is another one.",)
    ),
    new_code=lambda: hexadecimal(40),
    code_life=timedelta(hours=1),
    returned=lambda code: {"auth_code": code.id, **oauth.code_and_state(code)},
    refuse=failed,
    code_refusals=dict.fromkeys(("code", "used", "expired"), (BAD_CODE, "Auth_code is used, expired or invalid.")),
)


def exchange(call: Call) -> Response:
    paced(call)
    given = call.read_json(ExchangeBody)
    data = _exchanged(call, given.app_id, given.secret, given.auth_code)
    if not given.return_advertiser_ids:
        del data["advertiser_ids"]
    return answered(call, data)


def exchange_form(call: Call) -> Response:
    """Serve the variant with the names of plain OAuth, whose response has no envelope."""
    paced(call)
    given = {name: str(value) for name, value in call.params.items()}
    if given.get("grant_type") != "authorization_code":
        return failed(call, NO_REFRESH, "The refresh token or the grant type is invalid.")
    data = _exchanged(call, given.get("client_id", ""), given.get("client_secret", ""), given.get("code", ""))
    return reply({"code": OK, "message": "OK", "request_id": request_id(call.world)} | data)


def revoke(call: Call) -> Response:
    paced(call)
    given = call.read_json(RevokeBody)
    check_app(call, given.app_id, given.secret)
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


def _exchanged(call: Call, app: str, secret: str, key: str) -> dict[str, object]:
    check_app(call, app, secret)
    code = LOGIN.redeem(call, key, {})
    token = issue(call.world, AccessToken(id=hexadecimal(40), parent=code.parent, scopes=code.scopes))
    advertisers = [member.advertiser for member in reached(call.world, token)]
    scopes = [int(scope) for scope in token.scopes]
    return {"access_token": token.id, "advertiser_ids": advertisers, "scope": scopes}


ROUTES = [
    *page_routes(LOGIN.page, *(f"/business-api.tiktok.com/portal/auth{slash}" for slash in ("", "/"))),
    *api("POST", "oauth2/access_token", exchange),
    *api("POST", "oauth/token", exchange_form),
    *api("POST", "oauth2/token", exchange_form),
    *api("POST", "oauth2/revoke_token", revoke),
]
