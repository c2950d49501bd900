"""Login Kit: the consent page, codes, rotating tokens, and revocation."""

from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse, Response

from socialgate.sandbox.kit import (
    Allowed,
    Call,
    Candidate,
    Denied,
    Route,
    Scope,
    World,
    consent,
    page_routes,
    reply,
    send_back,
    text,
)
from socialgate.sandbox.kit.addresses import is_own
from socialgate.sandbox.vendors.tiktok.errors import oauth_error
from socialgate.sandbox.vendors.tiktok.state import AccessToken, ClientToken, Code, Creator, RefreshToken
from socialgate.sandbox.vendors.tiktok.webhooks import DEVELOPER_REVOKED, authorization_removed

BASIC = "user.info.basic"
_CODE_LIFE = timedelta(minutes=10)
_ACCESS_LIFE = timedelta(days=1)
_REFRESH_LIFE = timedelta(days=365)
_CLIENT_LIFE = timedelta(hours=2)
_LONGEST_ADDRESS = 512
_FORM = "application/x-www-form-urlencoded"
_ABOUT = {
    BASIC: "read your profile info (avatar, display name)",
    "user.info.profile": "read your additional profile information (bio, link, username)",
    "user.info.stats": "read your profile engagement statistics (followers, likes)",
    "video.list": "read your public videos on TikTok",
    "video.publish": "post content to TikTok",
    "video.upload": "upload draft content to TikTok",
}


def authorize(call: Call) -> Response:
    asked = [name.strip() for name in call.query.get("scope", "").split(",") if name.strip()]
    problem = _problem(call, asked)
    if problem:
        return PlainTextResponse(f"Something went wrong. We couldn't log in with TikTok: {problem}", 400)
    people = [
        Candidate(creator.id, f"{creator.name} (@{creator.username})", creator.about)
        for creator in call.world.store.find(Creator)
        if not creator.gone
    ]
    scopes = [Scope(name, _ABOUT[name], required=name == BASIC) for name in asked]
    decided = consent(call, platform="TikTok", people=people, scopes=scopes)
    back, state = call.query["redirect_uri"], call.query.get("state")
    if isinstance(decided, Denied):
        why = "User has denied the authorization request."
        return send_back(back, error="access_denied", error_description=why, state=state)
    if not isinstance(decided, Allowed):
        return decided
    code = Code(
        id=f"{text(64)}*0!{text(6)}",
        parent=decided.person,
        redirect_uri=back,
        scopes=decided.scopes,
        made=call.world.clock.now(),
        challenge=call.query.get("code_challenge", ""),
    )
    call.world.store.put(code)
    return send_back(back, code=code.id, scopes=",".join(code.scopes), state=state)


def token(call: Call) -> Response:
    refused = _client_problem(call)
    if refused:
        return refused
    kind = call.form.get("grant_type", "")
    if kind == "authorization_code":
        return _exchange(call)
    if kind == "refresh_token":
        return _refresh(call)
    if kind == "client_credentials":
        return _client_token(call)
    return oauth_error(400, "unsupported_grant_type", "The grant type is not supported.")


def revoke(call: Call) -> Response:
    refused = _client_problem(call)
    if refused:
        return refused
    found = call.world.store.get(AccessToken, call.form.get("token", ""))
    if found is None:
        return oauth_error(400, "invalid_request", "The token is invalid.")
    creator = found.parent
    end_grant(call.world, creator)
    authorization_removed(call.world, creator, DEVELOPER_REVOKED)
    return Response(status_code=200)


def end_grant(world: World, creator: str) -> None:
    for kind in (AccessToken, RefreshToken, Code):
        world.store.clear(kind, parent=creator)


def _problem(call: Call, asked: list[str]) -> str | None:
    query = call.query
    if query.get("client_key") != call.world.app.id:
        return "client_key"
    if not _redirect_allowed(call.world, query.get("redirect_uri", "")):
        return "redirect_uri"
    if query.get("response_type") != "code":
        return "response_type"
    if not asked or not set(asked) <= set(_ABOUT):
        return "scope"
    # Login Kit for Web does not need it; Login Kit for Desktop, whose addresses are on loopback, requires it.
    challenged = "code_challenge" in query or _is_desktop(query["redirect_uri"])
    if challenged and not (query.get("code_challenge") and query.get("code_challenge_method") == "S256"):
        return "code_challenge"
    return None


def _is_desktop(url: str) -> bool:
    return urlsplit(url).hostname in {"localhost", "127.0.0.1"}


def _redirect_allowed(world: World, url: str) -> bool:
    """Whether an address can be registered in the portal: it is plain and not too long."""
    return is_own(world, url) and len(url) < _LONGEST_ADDRESS and not {"?", "#"} & set(url)


def _client_problem(call: Call) -> Response | None:
    if call.content_type != _FORM:
        return oauth_error(400, "invalid_request", f"Only `{_FORM}` is accepted as Content-Type.")
    app, form = call.world.app, call.form
    if not form.get("client_key") or not form.get("client_secret"):
        return oauth_error(400, "invalid_request", "The request parameters are malformed.")
    if (form["client_key"], form["client_secret"]) != (app.id, app.secret):
        return oauth_error(401, "invalid_client", "Client key or secret is incorrect.")
    return None


def _exchange(call: Call) -> Response:
    world = call.world
    code = world.store.get(Code, call.form.get("code", ""))
    if code is None or code.spent or world.clock.since(code.made) > _CODE_LIFE.total_seconds():
        return oauth_error(400, "invalid_grant", "Authorization code is expired.")
    if call.form.get("redirect_uri") != code.redirect_uri:
        return oauth_error(400, "invalid_grant", "Redirect_uri is not matched with the uri when requesting code.")
    # Unlike everybody else, TikTok encodes the challenge in hexadecimal.
    verifier = call.form.get("code_verifier", "")
    if code.challenge and sha256(verifier.encode()).hexdigest() != code.challenge:
        return oauth_error(400, "invalid_request", "Code verifier or code challenge is invalid.")
    code.spent = True
    world.store.put(code)
    return _tokens(world, code.parent, code.scopes)


def _refresh(call: Call) -> Response:
    world = call.world
    found = world.store.get(RefreshToken, call.form.get("refresh_token", ""))
    if found is None or found.expires <= world.clock.now():
        return oauth_error(400, "invalid_grant", "Refresh token is invalid or expired.")
    # A refresh token works once: its successor is in the response.
    world.store.delete(RefreshToken, found.id)
    return _tokens(world, found.parent, found.scopes)


def _client_token(call: Call) -> Response:
    world = call.world
    made = ClientToken(id=f"clt.{text(60)}", expires=world.clock.now() + _CLIENT_LIFE)
    world.store.put(made)
    life = int(_CLIENT_LIFE.total_seconds())
    return reply({"access_token": made.id, "expires_in": life, "token_type": "Bearer"})


def _tokens(world: World, creator: str, scopes: Iterable[str]) -> Response:
    now, allowed = world.clock.now(), list(scopes)
    access = AccessToken(id=f"act.{text(64)}!{text(4)}", parent=creator, scopes=allowed, expires=now + _ACCESS_LIFE)
    refresh = RefreshToken(id=f"rft.{text(64)}!{text(4)}", parent=creator, scopes=allowed, expires=now + _REFRESH_LIFE)
    world.store.put(access)
    world.store.put(refresh)
    answer = {
        "access_token": access.id,
        "expires_in": int(_ACCESS_LIFE.total_seconds()),
        "open_id": creator,
        "refresh_expires_in": int(_REFRESH_LIFE.total_seconds()),
        "refresh_token": refresh.id,
        "scope": ",".join(allowed),
        "token_type": "Bearer",
    }
    return reply(answer, headers={"Cache-Control": "no-store"})


ROUTES = [
    *page_routes(authorize, "/www.tiktok.com/v2/auth/authorize/"),
    Route("POST", "/open.tiktokapis.com/v2/oauth/token/", token),
    Route("POST", "/open.tiktokapis.com/v2/oauth/revoke/", revoke),
]
