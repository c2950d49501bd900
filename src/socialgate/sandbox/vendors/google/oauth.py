"""Signing in with Google: the consent page, codes, access and refresh tokens, and revocation."""

from base64 import b64decode
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from html import escape

from starlette.responses import Response

from socialgate.sandbox.kit import (
    Allowed,
    Call,
    Candidate,
    Denied,
    Refused,
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
from socialgate.sandbox.vendors.google.errors import html_error, oauth_error, refuse
from socialgate.sandbox.vendors.google.identity import id_token
from socialgate.sandbox.vendors.google.jwt import encoded
from socialgate.sandbox.vendors.google.state import (
    AUTH,
    EMAIL,
    PROFILE,
    AccessToken,
    Code,
    GoogleUser,
    Grant,
    RefreshToken,
)

_CODE_LIFE = timedelta(minutes=10)
_ACCESS_LIFE = timedelta(seconds=3599)
_UNUSED_LIFE = timedelta(days=183)
# An app whose consent screen is in status "Testing" has to ask again every week.
_TESTING_LIFE = timedelta(days=7)
_MOST_REFRESH_TOKENS = 100
_SHORT = {"email": EMAIL, "profile": PROFILE}
_IDENTITY = {"openid": "your identity", EMAIL: "your e-mail address", PROFILE: "your name and picture"}
_YOUTUBE = ("youtube", "yt-analytics")
_ABOUT = _IDENTITY | {
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


def authorize(call: Call) -> Response:
    asked = _asked_scopes(call)
    problem = _problem(call, asked)
    if problem:
        status, error, detail = problem
        return html_error(status, f"Error {status}: {error}", escape(detail))
    scopes = [Scope(name, _ABOUT[name], required=name in _IDENTITY) for name in asked]
    decided = consent(call, platform="Google", people=_people(call, asked), scopes=scopes)
    back, state = call.query["redirect_uri"], call.query.get("state")
    if isinstance(decided, Denied):
        return send_back(back, error="access_denied", state=state)
    if isinstance(decided, Allowed):
        if not decided.scopes:
            return send_back(back, error="access_denied", state=state)
        return _send_code(call, decided)
    return decided


def token(call: Call) -> object:
    _check_client(call)
    kind = _required(call, "grant_type")
    if kind == "authorization_code":
        return _exchange(call)
    if kind == "refresh_token":
        return _refresh(call)
    return oauth_error(400, "unsupported_grant_type", f"Invalid grant_type: {kind}")


def revoke(call: Call) -> object:
    given = str(call.params.get("token", ""))
    store = call.world.store
    found = store.get(AccessToken, given) or store.get(RefreshToken, given)
    if found is None or (isinstance(found, AccessToken) and found.expires <= call.world.clock.now()):
        return oauth_error(400, "invalid_token", "Token expired or revoked")
    end_grant(call.world, found.parent)
    return reply({})


def end_grant(world: World, user: str) -> None:
    """Delete everything that a user has granted: all of the app's tokens for that user become invalid."""
    world.store.delete(Grant, user)
    for kind in (AccessToken, RefreshToken, Code):
        world.store.clear(kind, parent=user)


def _asked_scopes(call: Call) -> list[str]:
    asked = [_SHORT.get(name, name) for name in call.query.get("scope", "").split()]
    return list(dict.fromkeys(asked))


def _problem(call: Call, asked: list[str]) -> tuple[int, str, str] | None:
    query = call.query
    if query.get("client_id") != call.world.app.id:
        return 401, "invalid_client", "The OAuth client was not found."
    if not is_own(call.world, query.get("redirect_uri", "")) or "#" in query["redirect_uri"]:
        return 400, "redirect_uri_mismatch", f"Request details: redirect_uri={query.get('redirect_uri', '')}"
    if query.get("response_type") != "code" or not asked:
        missing = "scope" if query.get("response_type") == "code" else "response_type"
        return 400, "invalid_request", f"Missing required parameter: {missing}"
    unknown = [name for name in asked if name not in _ABOUT]
    if unknown:
        return 400, "invalid_scope", f"Some requested scopes were invalid. {{invalid={unknown}}}"
    if query.get("code_challenge_method", "plain") not in {"plain", "S256"}:
        return 400, "invalid_request", "Invalid code_challenge_method"
    return None


def _people(call: Call, asked: list[str]) -> list[Candidate]:
    """List who may sign in. Brand accounts are offered if YouTube is requested, and the hinted person comes first."""
    hint = call.query.get("login_hint")
    youtube = any(name.removeprefix(AUTH).startswith(_YOUTUBE) for name in asked)
    users = [user for user in call.world.store.find(GoogleUser) if not user.disabled and (youtube or not user.brand)]
    users.sort(key=lambda user: hint not in {user.id, user.email})
    return [Candidate(user.id, f"{user.name} ({user.email})", user.about) for user in users]


def _send_code(call: Call, decided: Allowed) -> Response:
    query, store = call.query, call.world.store
    before = store.get(Grant, decided.person)
    known = before.scopes if before else []
    scopes = decided.scopes
    if query.get("include_granted_scopes") == "true":
        scopes = list(dict.fromkeys([*scopes, *known]))
    # Google issues a refresh token only if it really asked the user.
    asked = "consent" in query.get("prompt", "").split() or not set(decided.scopes) <= set(known)
    code = Code(
        id=f"4/0A{text(69)}",
        parent=decided.person,
        redirect_uri=query["redirect_uri"],
        scopes=scopes,
        made=call.world.clock.now(),
        offline=query.get("access_type") == "offline" and asked,
        challenge=query.get("code_challenge", ""),
        method=query.get("code_challenge_method", "plain"),
    )
    store.put(code)
    store.put(Grant(id=decided.person, scopes=list(dict.fromkeys([*known, *decided.scopes]))))
    given = [short for short, long in _SHORT.items() if long in scopes] + scopes
    return send_back(
        code.redirect_uri,
        state=query.get("state"),
        code=code.id,
        scope=" ".join(given),
        authuser="0",
        prompt="consent" if asked else "none",
    )


def _check_client(call: Call) -> None:
    client, secret = call.params.get("client_id"), call.params.get("client_secret")
    kind, _, basic = call.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        client, _, secret = _decoded(basic).partition(":")
    if not client:
        refuse(oauth_error(400, "invalid_request", "Could not determine client ID from request."))
    if client != call.world.app.id:
        refuse(oauth_error(401, "invalid_client", "The OAuth client was not found."))
    if not secret:
        refuse(oauth_error(400, "invalid_request", "client_secret is missing."))
    if secret != call.world.app.secret:
        refuse(oauth_error(401, "invalid_client", "The provided client secret is invalid."))


def _decoded(basic: str) -> str:
    try:
        return b64decode(basic).decode("utf-8", "replace")
    except ValueError:
        return ""


def _required(call: Call, name: str) -> str:
    given = call.params.get(name)
    if not isinstance(given, str) or not given:
        raise Refused(oauth_error(400, "invalid_request", f"Missing required parameter: {name}"))
    return given


def _exchange(call: Call) -> object:
    given = _required(call, "code")
    world = call.world
    code = world.store.get(Code, given)
    if code is None:
        known = given.startswith("4/")
        return oauth_error(400, "invalid_grant", "Bad Request" if known else "Malformed auth code.")
    if code.spent or world.clock.since(code.made) > _CODE_LIFE.total_seconds():
        return oauth_error(400, "invalid_grant", "Bad Request")
    if call.params.get("redirect_uri") != code.redirect_uri:
        return oauth_error(400, "redirect_uri_mismatch", "Bad Request")
    if code.challenge:
        verifier = str(call.params.get("code_verifier", ""))
        if not verifier:
            return oauth_error(400, "invalid_grant", "Missing code verifier.")
        if _challenge(verifier, code.method) != code.challenge:
            return oauth_error(400, "invalid_grant", "Invalid code verifier.")
    code.spent = True
    world.store.put(code)
    refresh = _new_refresh_token(world, code) if code.offline else None
    answer = _answer(world, code.parent, code.scopes, offline=code.offline)
    if refresh:
        answer["refresh_token"] = refresh
        if _testing(world):
            answer["refresh_token_expires_in"] = int(_TESTING_LIFE.total_seconds()) - 1
    return answer


def _refresh(call: Call) -> object:
    world = call.world
    found = world.store.get(RefreshToken, _required(call, "refresh_token"))
    if found is None:
        known = str(call.params["refresh_token"]).startswith("1//")
        return oauth_error(400, "invalid_grant", "Token has been expired or revoked." if known else "Bad Request")
    if refresh_token_dead(world, found):
        world.store.delete(RefreshToken, found.id)
        return oauth_error(400, "invalid_grant", "Token has been expired or revoked.")
    scopes = str(call.params.get("scope", "")).split() or found.scopes
    if not set(scopes) <= set(found.scopes):
        return oauth_error(400, "invalid_scope", "Bad Request")
    found.used = world.clock.now()
    world.store.put(found)
    return _answer(world, found.parent, scopes, offline=True)


def refresh_token_dead(world: World, found: RefreshToken) -> bool:
    now = world.clock.now()
    return now - found.used > _UNUSED_LIFE or (_testing(world) and now - found.made > _TESTING_LIFE)


def _testing(world: World) -> bool:
    return world.app.more.get("publishing_status") == "testing"


def _challenge(verifier: str, method: str) -> str:
    return encoded(sha256(verifier.encode()).digest()) if method == "S256" else verifier


def _new_refresh_token(world: World, code: Code) -> str:
    now = world.clock.now()
    others = world.store.find(RefreshToken, parent=code.parent)
    for oldest in others[: max(0, len(others) + 1 - _MOST_REFRESH_TOKENS)]:
        world.store.delete(RefreshToken, oldest.id)
    made = RefreshToken(id=f"1//0{text(99)}", parent=code.parent, scopes=code.scopes, made=now, used=now)
    return world.store.put(made).id


def _answer(world: World, user: str, scopes: Iterable[str], *, offline: bool) -> dict[str, object]:
    now: datetime = world.clock.now()
    made = AccessToken(
        id=f"ya29.{text(195)}", parent=user, scopes=list(scopes), expires=now + _ACCESS_LIFE, offline=offline
    )
    world.store.put(made)
    answer: dict[str, object] = {
        "access_token": made.id,
        "expires_in": int(_ACCESS_LIFE.total_seconds()),
        "scope": " ".join(made.scopes),
        "token_type": "Bearer",
    }
    if set(made.scopes) & set(_IDENTITY):
        answer["id_token"] = id_token(world, made)
    return answer


ROUTES = [
    *page_routes(authorize, *(f"/accounts.google.com/o/oauth2/{path}" for path in ("v2/auth", "auth"))),
    Route("POST", "/oauth2.googleapis.com/token", token),
    Route("POST", "/www.googleapis.com/oauth2/v4/token", token),
    *page_routes(revoke, "/oauth2.googleapis.com/revoke", "/accounts.google.com/o/oauth2/revoke"),
]
