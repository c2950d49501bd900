"""How much of its limits the app has used, as percentages in headers."""

import json
from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.errors import trace_id
from socialgate_sandbox.kit import Call, Quota
from socialgate_sandbox.vendors.meta.ads.edges import account_in
from socialgate_sandbox.vendors.meta.viewer import TOKENS

# 200 calls an hour for each of 1,000 people who use the app.
_USES = {
    **dict.fromkeys(("customaudiences", "users", "usersreplace"), "custom_audience"),
    "insights": "ads_insights",
}
_CALLS = Quota("calls", 200 * 1000, lambda now: f"{now:%Y-%m-%dT%H}")


def usage_headers(call: Call) -> Mapping[str, str]:
    """Count the call and return the app's usage. Page tokens have limits of their own."""
    with call.world.store.transaction():
        _CALLS.spend(call.world)
        percent = _CALLS.use(call.world).units * 100 // _CALLS.most
    share = {"call_count": percent, "total_cputime": percent, "total_time": percent}
    found = {"facebook-api-version": "v26.0", "x-fb-trace-id": trace_id(), "x-fb-request-id": trace_id()}
    account = account_in(call)
    if account:
        return {**found, **_of_ads(call, account, share)}
    page = _page(call)
    if page:
        row = {"type": "pages", **share, "estimated_time_to_regain_access": 0}
        return {**found, "X-Business-Use-Case-Usage": json.dumps({page: [row]})}
    return {**found, "X-App-Usage": json.dumps(share)}


def _of_ads(call: Call, account: str, share: Mapping[str, int]) -> dict[str, str]:
    """Return the usage of an ad account. Insights and audiences have limits of their own."""
    edge = call.path.rstrip("/").rpartition("/")[2]
    tier = {"ads_api_access_tier": "standard_access"}
    row = {"type": _USES.get(edge, "ads_management"), **share, "estimated_time_to_regain_access": 0, **tier}
    percent = share["call_count"]
    headers = {
        "X-Business-Use-Case-Usage": json.dumps({account.removeprefix("act_"): [row]}),
        "X-Ad-Account-Usage": json.dumps({"acc_id_util_pct": float(percent), "reset_time_duration": 0, **tier}),
    }
    if edge == "insights":
        used = {"app_id_util_pct": float(percent), "acc_id_util_pct": float(percent), **tier}
        headers["X-FB-Ads-Insights-Throttle"] = json.dumps(used)
    return headers


def _page(call: Call) -> str:
    token = TOKENS.find(call)
    return token.page if token is not None else ""
