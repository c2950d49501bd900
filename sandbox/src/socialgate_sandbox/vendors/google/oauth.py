"""Signing in with Google: the consent page, codes, access and refresh tokens, and revocation."""

from base64 import b64decode
from datetime import timedelta
from html import escape

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Candidate, Refused, Route, World, oauth, page_routes, reply, text
from socialgate_sandbox.kit.addresses import is_own
from socialgate_sandbox.kit.tokens import forget, issue, live
from socialgate_sandbox.vendors.google.errors import html_error, oauth_error
from socialgate_sandbox.vendors.google.identity import id_token
from socialgate_sandbox.vendors.google.state import AUTH, EMAIL, PROFILE, AccessToken, GoogleUser, Grant, RefreshToken

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
_words = oauth.scopes_separated_by(r"\s")


def _asked(query: oauth.Given) -> list[str]:
    return list(dict.fromkeys(_SHORT.get(name, name) for name in _words(query)))


def _people(call: Call) -> list[Candidate]:
    """List who may sign in. Brand accounts are offered if YouTube is requested, and the hinted person comes first."""
    hint = call.query.get("login_hint")
    youtube = any(name.removeprefix(AUTH).startswith(_YOUTUBE) for name in _asked(call.query))
    users = [user for user in call.world.store.find(GoogleUser) if not user.disabled and (youtube or not user.brand)]
    users.sort(key=lambda user: hint not in {user.id, user.email})
    return [Candidate(user.id, f"{user.name} ({user.email})", user.about) for user in users]


def _allow(call: Call, code: oauth.Code) -> None:
    """Add to what the user granted before. Google issues a refresh token only if it really asked the user."""
    if not code.scopes:
        raise Refused(LOGIN.deny(call))
    before = call.world.store.get(Grant, code.parent)
    known = before.scopes if before else []
    prompted = "consent" in call.query.get("prompt", "").split() or not set(code.scopes) <= set(known)
    code.asked["prompt"] = "consent" if prompted else "none"
    call.world.store.put(Grant(id=code.parent, scopes=list(dict.fromkeys([*known, *code.scopes]))))
    if call.query.get("include_granted_scopes") == "true":
        code.scopes = list(dict.fromkeys([*code.scopes, *known]))


def _returned(code: oauth.Code) -> oauth.Returned:
    given = [short for short, long in _SHORT.items() if long in code.scopes] + code.scopes
    scope, prompt = " ".join(given), code.asked["prompt"]
    return {"state": code.asked.get("state"), "code": code.id, "scope": scope, "authuser": "0", "prompt": prompt}


def _refuse_page(_call: Call, error: str, detail: str) -> Response:
    return html_error(_status(error), f"Error {_status(error)}: {error}", escape(detail))


def _refuse(_call: Call, error: str, description: str) -> Response:
    return oauth_error(_status(error), error, description)


def _status(error: str) -> int:
    return 401 if error == "invalid_client" else 400


_DEAD_TOKEN = "Token has been expired or revoked."
LOGIN = oauth.Login(
    platform="Google",
    scopes=_ABOUT,
    required=_IDENTITY,
    read_scopes=_asked,
    people=_people,
    checks={
        "redirect_uri": lambda it: not is_own(it.world, it.of("redirect_uri")) or "#" in it.of("redirect_uri"),
        "challenge method": lambda it: it.of("code_challenge_method") not in {"", "plain", "S256"},
        "malformed code": lambda it: not it.of("code").startswith("4/"),
    },
    refuse_page=_refuse_page,
    page_refusals={
        "client": ("invalid_client", "The OAuth client was not found."),
        "redirect_uri": ("redirect_uri_mismatch", "Request details: redirect_uri={redirect_uri}"),
        "response_type": ("invalid_request", "Missing required parameter: response_type"),
        "no scope": ("invalid_request", "Missing required parameter: scope"),
        "scope": ("invalid_scope", "Some requested scopes were invalid. {{invalid={unknown}}}"),
        "challenge method": ("invalid_request", "Invalid code_challenge_method"),
    },
    allow=_allow,
    new_code=lambda: f"4/0A{text(69)}",
    returned=_returned,
    refuse=_refuse,
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


def token(call: Call) -> object:
    LOGIN.check_client(call, call.params | _basic(call))
    kind = _required(call, "grant_type")
    if kind == "authorization_code":
        return _exchange(call)
    if kind == "refresh_token":
        return _refresh(call)
    return oauth_error(400, "unsupported_grant_type", f"Invalid grant_type: {kind}")


def revoke(call: Call) -> object:
    given = str(call.params.get("token", ""))
    found = live(call.world, AccessToken, given) or live(call.world, RefreshToken, given)
    if found is None:
        return oauth_error(400, "invalid_token", "Token expired or revoked")
    end_grant(call.world, found.parent)
    return reply({})


def end_grant(world: World, user: str) -> None:
    """Delete everything that a user has granted: all of the app's tokens for that user become invalid."""
    world.store.delete(Grant, user)
    forget(world, user, AccessToken, RefreshToken, oauth.Code)


def _basic(call: Call) -> dict[str, str]:
    """Read the client's name and secret from the header, if they are there."""
    kind, _, given = call.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return {}
    try:
        client, _, secret = b64decode(given).decode("utf-8", "replace").partition(":")
    except ValueError:
        client = secret = ""
    return {"client_id": client, "client_secret": secret}


def _required(call: Call, name: str) -> str:
    given = call.params.get(name)
    if not isinstance(given, str) or not given:
        raise Refused(oauth_error(400, "invalid_request", f"Missing required parameter: {name}"))
    return given


def _exchange(call: Call) -> object:
    world, code = call.world, LOGIN.redeem(call, _required(call, "code"), call.params)
    offline = code.asked.get("access_type") == "offline" and code.asked["prompt"] == "consent"
    answer = _answer(world, code.parent, code.scopes, offline=offline)
    if offline:
        answer["refresh_token"] = _new_refresh_token(world, code)
        if _testing(world):
            answer["refresh_token_expires_in"] = int(_TESTING_LIFE.total_seconds()) - 1
    return answer


def _refresh(call: Call) -> object:
    world, given = call.world, _required(call, "refresh_token")
    found = live(world, RefreshToken, given)
    if found is None:
        return oauth_error(400, "invalid_grant", _DEAD_TOKEN if given.startswith("1//") else "Bad Request")
    scopes = str(call.params.get("scope", "")).split() or found.scopes
    if not set(scopes) <= set(found.scopes):
        return oauth_error(400, "invalid_scope", "Bad Request")
    if not _testing(world):
        issue(world, found, _UNUSED_LIFE)
    return _answer(world, found.parent, scopes, offline=True)


def _testing(world: World) -> bool:
    return world.app.more.get("publishing_status") == "testing"


def _new_refresh_token(world: World, code: oauth.Code) -> str:
    others = world.store.find(RefreshToken, parent=code.parent)
    for oldest in others[: max(0, len(others) + 1 - _MOST_REFRESH_TOKENS)]:
        world.store.delete(RefreshToken, oldest.id)
    made = RefreshToken(id=f"1//0{text(99)}", parent=code.parent, scopes=code.scopes)
    return issue(world, made, _TESTING_LIFE if _testing(world) else _UNUSED_LIFE).id


def _answer(world: World, user: str, scopes: list[str], *, offline: bool) -> dict[str, object]:
    made = AccessToken(id=f"ya29.{text(195)}", parent=user, scopes=scopes, offline=offline)
    answer: dict[str, object] = {
        "access_token": issue(world, made, _ACCESS_LIFE).id,
        "expires_in": int(_ACCESS_LIFE.total_seconds()),
        "scope": " ".join(scopes),
        "token_type": "Bearer",
    }
    if set(scopes) & set(_IDENTITY):
        answer["id_token"] = id_token(world, made)
    return answer


ROUTES = [
    *page_routes(LOGIN.page, *(f"/accounts.google.com/o/oauth2/{path}" for path in ("v2/auth", "auth"))),
    Route("POST", "/oauth2.googleapis.com/token", token),
    Route("POST", "/www.googleapis.com/oauth2/v4/token", token),
    *page_routes(revoke, "/oauth2.googleapis.com/revoke", "/accounts.google.com/o/oauth2/revoke"),
]
