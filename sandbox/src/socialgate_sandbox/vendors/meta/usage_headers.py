"""How much of its limits the app has used, as percentages in headers."""

import json
from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.errors import generate_trace_id
from socialgate_sandbox.kit import Call, Quota
from socialgate_sandbox.vendors.meta.ads.edges import find_ad_account_id
from socialgate_sandbox.vendors.meta.token_access import TOKENS

# 200 calls an hour for each of 1,000 people who use the app.
_USAGE_TYPES = {
    **dict.fromkeys(("customaudiences", "users", "usersreplace"), "custom_audience"),
    "insights": "ads_insights",
}
_CALL_QUOTA = Quota("calls", 200 * 1000, lambda now: f"{now:%Y-%m-%dT%H}")


def count_and_build_usage_headers(call: Call) -> Mapping[str, str]:
    """Count the call and return the app's usage. Page tokens have limits of their own."""
    with call.context.store.transaction():
        _CALL_QUOTA.spend(call.context)
        percent = _CALL_QUOTA.get_period_use(call.context).units * 100 // _CALL_QUOTA.most
    share = {"call_count": percent, "total_cputime": percent, "total_time": percent}
    result = {
        "facebook-api-version": "v26.0",
        "x-fb-trace-id": generate_trace_id(),
        "x-fb-request-id": generate_trace_id(),
    }
    account = find_ad_account_id(call)
    if account:
        return {**result, **_build_ads_usage_headers(call, account, share)}
    page = _get_token_page(call)
    if page:
        row = {"type": "pages", **share, "estimated_time_to_regain_access": 0}
        return {**result, "X-Business-Use-Case-Usage": json.dumps({page: [row]})}
    return {**result, "X-App-Usage": json.dumps(share)}


def _build_ads_usage_headers(call: Call, account: str, usage_percents: Mapping[str, int]) -> dict[str, str]:
    """Return the usage of an ad account. Insights and audiences have limits of their own."""
    edge = call.path.rstrip("/").rpartition("/")[2]
    tier = {"ads_api_access_tier": "standard_access"}
    row = {
        "type": _USAGE_TYPES.get(edge, "ads_management"),
        **usage_percents,
        "estimated_time_to_regain_access": 0,
        **tier,
    }
    percent = usage_percents["call_count"]
    headers = {
        "X-Business-Use-Case-Usage": json.dumps({account.removeprefix("act_"): [row]}),
        "X-Ad-Account-Usage": json.dumps({"acc_id_util_pct": float(percent), "reset_time_duration": 0, **tier}),
    }
    if edge == "insights":
        used = {"app_id_util_pct": float(percent), "acc_id_util_pct": float(percent), **tier}
        headers["X-FB-Ads-Insights-Throttle"] = json.dumps(used)
    return headers


def _get_token_page(call: Call) -> str:
    token = TOKENS.find(call)
    return token.page if token is not None else ""
