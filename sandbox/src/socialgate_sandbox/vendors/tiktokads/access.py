"""Who makes a call, and which ad accounts its token can access."""

from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.vendors.tiktokads.errors import BAD_AUTH, NO_PERMISSION, refusal, refused
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, Advertiser, AdvertiserMember

_PER_SECOND, _PER_MINUTE = 10, 600
SCOPES = {
    "1": "ad account management",
    "2": "ads management",
    "3": "audience management",
    "4": "reporting",
    "5": "measurement",
    "6": "creative management",
    "7": "app management",
    "8": "pixel management",
    "9": "catalog management",
    "12000000": "lead management",
    "15000000": "ad comments",
    "18000000": "TikTok accounts",
    "19000000": "store management",
}
ACCOUNT, ADS, AUDIENCES, REPORTING, MEASUREMENT, CREATIVE, PIXELS = "1", "2", "3", "4", "5", "6", "8"
CATALOGS, LEADS, STORES = "9", "12000000", "19000000"
# Endpoints whose limits differ from the usual ones: calls per second and per minute.
_PACES = {
    "ad/create": (5, 150),
    "report/task/create": (2, 60),
    "report/task/check": (2, 60),
    "report/task/download": (2, 60),
    "event/track": (1000, 60_000),
}


def given_token(call: Call) -> AccessToken | None:
    return call.world.store.get(AccessToken, call.headers.get("access-token", ""))


def paced(call: Call) -> None:
    """Count a call against the app's limits, which apply per endpoint."""
    world = call.world
    usual = (_PER_SECOND, _PER_MINUTE)
    second, minute = _PACES.get(call.path.rpartition("/v1.3/")[2].rstrip("/"), usual)
    if not world.allow(f"{call.path} second", second, 1):
        raise refusal("rate_limited")
    if not world.allow(f"{call.path} minute", minute):
        raise refusal("rate_limited_minute")


def check_app(call: Call, app: str, secret: str) -> None:
    if (app, secret) != (call.world.app.id, call.world.app.secret):
        raise refused(call, BAD_AUTH, "The app_id or secret is incorrect.")


def signed_in(call: Call, scope: str | None = None) -> AccessToken:
    paced(call)
    if not call.headers.get("access-token"):
        raise refusal("token_missing")
    token = given_token(call)
    if token is None:
        raise refusal("token_revoked")
    if scope is not None and scope not in token.scopes:
        raise refusal("permission_missing")
    return token


def reached(world: World, token: AccessToken) -> list[AdvertiserMember]:
    """List the ad accounts of a token, with the role of its user there."""
    members = world.store.find(AdvertiserMember, parent=token.parent)
    return [member for member in members if member.advertiser not in token.withdrawn]


def advertiser_of(call: Call, token: AccessToken, key: str) -> tuple[Advertiser, str]:
    """Return an ad account that the token can access, and the role there."""
    for member in reached(call.world, token):
        advertiser = call.world.store.get(Advertiser, key) if member.advertiser == key else None
        if advertiser:
            return advertiser, member.role
    raise refused(call, NO_PERMISSION, f"No permission to operate advertiser {key}.")
