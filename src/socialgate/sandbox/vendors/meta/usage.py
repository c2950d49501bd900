"""How much of its limits the app has used, as percentages in headers."""

import json
from collections.abc import Mapping

from socialgate.sandbox.dialects.graph.errors import trace_id
from socialgate.sandbox.kit import Call, Quota
from socialgate.sandbox.vendors.meta.viewer import TOKENS

# 200 calls an hour for each of 1,000 people who use the app.
_CALLS = Quota("calls", 200 * 1000, lambda now: f"{now:%Y-%m-%dT%H}")


def usage_headers(call: Call) -> Mapping[str, str]:
    """Count the call and return the app's usage. Page tokens have limits of their own."""
    with call.world.store.transaction():
        _CALLS.spend(call.world)
        percent = _CALLS.use(call.world).units * 100 // _CALLS.most
    share = {"call_count": percent, "total_cputime": percent, "total_time": percent}
    found = {"facebook-api-version": "v26.0", "x-fb-trace-id": trace_id(), "x-fb-request-id": trace_id()}
    page = _page(call)
    if page:
        row = {"type": "pages", **share, "estimated_time_to_regain_access": 0}
        return {**found, "X-Business-Use-Case-Usage": json.dumps({page: [row]})}
    return {**found, "X-App-Usage": json.dumps(share)}


def _page(call: Call) -> str:
    token = TOKENS.find(call)
    return token.page if token is not None else ""
