"""Who makes a call, and which ad accounts its token can access."""

from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.vendors.tiktokads.errors import BAD_APP_CODE, NO_PERMISSION_CODE, build_error, build_refusal
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, Advertiser, AdvertiserMember

_MAX_CALLS_PER_SECOND, _MAX_CALLS_PER_MINUTE = 10, 600
SCOPE_NAMES = {
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
ACCOUNT_SCOPE, ADS_SCOPE, AUDIENCES_SCOPE, REPORTING_SCOPE, MEASUREMENT_SCOPE, CREATIVE_SCOPE, PIXELS_SCOPE = (
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "8",
)
CATALOGS_SCOPE, LEADS_SCOPE, STORES_SCOPE = "9", "12000000", "19000000"
# Endpoints whose limits differ from the usual ones: calls per second and per minute.
_CALL_LIMITS_BY_ENDPOINT = {
    "ad/create": (5, 150),
    "report/task/create": (2, 60),
    "report/task/check": (2, 60),
    "report/task/download": (2, 60),
    "event/track": (1000, 60_000),
}


def find_token(call: Call) -> AccessToken | None:
    return call.context.store.get(AccessToken, call.headers.get("access-token", ""))


def enforce_call_limits(call: Call) -> None:
    """Count a call against the app's limits, which apply per endpoint."""
    world = call.context
    usual = (_MAX_CALLS_PER_SECOND, _MAX_CALLS_PER_MINUTE)
    second, minute = _CALL_LIMITS_BY_ENDPOINT.get(call.path.rpartition("/v1.3/")[2].rstrip("/"), usual)
    if not world.try_use(f"{call.path} second", second, 1):
        raise build_refusal("rate_limited")
    if not world.try_use(f"{call.path} minute", minute):
        raise build_refusal("rate_limited_minute")


def require_app(call: Call, app_id: str, secret: str) -> None:
    if (app_id, secret) != (call.context.app.id, call.context.app.secret):
        raise build_error(call, BAD_APP_CODE, "The app_id or secret is incorrect.")


def authenticate(call: Call, scope: str | None = None) -> AccessToken:
    enforce_call_limits(call)
    if not call.headers.get("access-token"):
        raise build_refusal("token_missing")
    token = find_token(call)
    if token is None:
        raise build_refusal("token_revoked")
    if scope is not None and scope not in token.scopes:
        raise build_refusal("permission_missing")
    return token


def list_accessible_accounts(context: VendorContext, token: AccessToken) -> list[AdvertiserMember]:
    """List the ad accounts of a token, with the role of its user there."""
    members = context.store.find(AdvertiserMember, parent=token.parent)
    return [member for member in members if member.advertiser not in token.withdrawn]


def require_advertiser(call: Call, token: AccessToken, key: str) -> tuple[Advertiser, str]:
    """Return an ad account that the token can access, and the role there."""
    for member in list_accessible_accounts(call.context, token):
        advertiser = call.context.store.get(Advertiser, key) if member.advertiser == key else None
        if advertiser:
            return advertiser, member.role
    raise build_error(call, NO_PERMISSION_CODE, f"No permission to operate advertiser {key}.")
