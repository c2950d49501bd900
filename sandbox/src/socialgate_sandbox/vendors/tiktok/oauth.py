"""Login Kit: the consent page, codes, rotating tokens, and revocation."""

from datetime import timedelta
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import Call, Candidate, Refused, Route, World, oauth, page_routes, reply, text
from socialgate_sandbox.kit.addresses import is_own
from socialgate_sandbox.kit.tokens import forget, issue, live
from socialgate_sandbox.vendors.tiktok.errors import oauth_error
from socialgate_sandbox.vendors.tiktok.state import AccessToken, ClientToken, Creator, RefreshToken
from socialgate_sandbox.vendors.tiktok.webhooks import DEVELOPER_REVOKED, authorization_removed

BASIC = "user.info.basic"
_ACCESS_LIFE = timedelta(days=1)
_REFRESH_LIFE = timedelta(days=365)
_CLIENT_LIFE = timedelta(hours=2)
_LONGEST_ADDRESS = 512
_FAILED = "Something went wrong. We couldn't log in with TikTok"
_FORM = "application/x-www-form-urlencoded"
_ABOUT = {
    BASIC: "read your profile info (avatar, display name)",
    "user.info.profile": "read your additional profile information (bio, link, username)",
    "user.info.stats": "read your profile engagement statistics (followers, likes)",
    "video.list": "read your public videos on TikTok",
    "video.publish": "post content to TikTok",
    "video.upload": "upload draft content to TikTok",
}


def _people(call: Call) -> list[Candidate]:
    found = [creator for creator in call.world.store.find(Creator) if not creator.gone]
    return [Candidate(creator.id, f"{creator.name} (@{creator.username})", creator.about) for creator in found]


def _wrong_redirect(it: oauth.Attempt) -> bool:
    """Find an address that cannot be registered in the portal: it must be plain and not too long."""
    url = it.of("redirect_uri")
    return not is_own(it.world, url) or len(url) >= _LONGEST_ADDRESS or not {"?", "#"}.isdisjoint(url)


def _wrong_challenge(it: oauth.Attempt) -> bool:
    """Login Kit for Web does not need one; Login Kit for Desktop, whose addresses are on loopback, requires it."""
    desktop = urlsplit(it.of("redirect_uri")).hostname in {"localhost", "127.0.0.1"}
    proven = it.of("code_challenge") and it.of("code_challenge_method") == "S256"
    return (desktop or "code_challenge" in it.given) and not proven


def _returned(code: oauth.Code) -> oauth.Returned:
    return {"code": code.id, "scopes": ",".join(code.scopes), "state": code.asked.get("state")}


def _refuse(_call: Call, error: str, description: str) -> Response:
    return oauth_error(401 if error == "invalid_client" else 400, error, description)


LOGIN = oauth.Login(
    platform="TikTok",
    scopes=_ABOUT,
    required=(BASIC,),
    read_scopes=oauth.scopes_separated_by(","),
    people=_people,
    client="client_key",
    checks={"redirect_uri": _wrong_redirect, "code_challenge": _wrong_challenge},
    refuse_page=lambda _call, problem: PlainTextResponse(f"{_FAILED}: {problem}", 400),
    page_refusals={
        "client": ("client_key",),
        "redirect_uri": ("redirect_uri",),
        "response_type": ("response_type",),
        "no scope": ("scope",),
        "scope": ("scope",),
        "code_challenge": ("code_challenge",),
    },
    denied={"error_description": "User has denied the authorization request."},
    new_code=lambda: f"{text(64)}*0!{text(6)}",
    returned=_returned,
    # Unlike everybody else, TikTok encodes the challenge in hexadecimal.
    encode=bytes.hex,
    refuse=_refuse,
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


def token(call: Call) -> Response:
    _check_client(call)
    match call.form.get("grant_type"):
        case "authorization_code":
            code = LOGIN.redeem(call, call.form.get("code", ""), call.form)
            return _tokens(call.world, code.parent, code.scopes)
        case "refresh_token":
            return _refresh(call)
        case "client_credentials":
            return _client_token(call.world)
    return oauth_error(400, "unsupported_grant_type", "The grant type is not supported.")


def revoke(call: Call) -> Response:
    _check_client(call)
    found = call.world.store.get(AccessToken, call.form.get("token", ""))
    if found is None:
        return oauth_error(400, "invalid_request", "The token is invalid.")
    end_grant(call.world, found.parent)
    authorization_removed(call.world, found.parent, DEVELOPER_REVOKED)
    return Response(status_code=200)


def end_grant(world: World, creator: str) -> None:
    forget(world, creator, AccessToken, RefreshToken, oauth.Code)


def _check_client(call: Call) -> None:
    if call.content_type != _FORM:
        raise Refused(oauth_error(400, "invalid_request", f"Only `{_FORM}` is accepted as Content-Type."))
    LOGIN.check_client(call, call.form)


def _refresh(call: Call) -> Response:
    found = live(call.world, RefreshToken, call.form.get("refresh_token"))
    if found is None:
        return oauth_error(400, "invalid_grant", "Refresh token is invalid or expired.")
    # A refresh token works once: its successor is in the response.
    call.world.store.delete(RefreshToken, found.id)
    return _tokens(call.world, found.parent, found.scopes)


def _tokens(world: World, creator: str, scopes: list[str]) -> Response:
    access = AccessToken(id=f"act.{text(64)}!{text(4)}", parent=creator, scopes=scopes)
    refresh = RefreshToken(id=f"rft.{text(64)}!{text(4)}", parent=creator, scopes=scopes)
    answer = {
        "access_token": issue(world, access, _ACCESS_LIFE).id,
        "expires_in": int(_ACCESS_LIFE.total_seconds()),
        "open_id": creator,
        "refresh_expires_in": int(_REFRESH_LIFE.total_seconds()),
        "refresh_token": issue(world, refresh, _REFRESH_LIFE).id,
        "scope": ",".join(scopes),
        "token_type": "Bearer",
    }
    return reply(answer, headers={"Cache-Control": "no-store"})


def _client_token(world: World) -> Response:
    made = issue(world, ClientToken(id=f"clt.{text(60)}"), _CLIENT_LIFE)
    life = int(_CLIENT_LIFE.total_seconds())
    return reply({"access_token": made.id, "expires_in": life, "token_type": "Bearer"})


ROUTES = [
    *page_routes(LOGIN.page, "/www.tiktok.com/v2/auth/authorize/"),
    Route("POST", "/open.tiktokapis.com/v2/oauth/token/", token),
    Route("POST", "/open.tiktokapis.com/v2/oauth/revoke/", revoke),
]
