"""Every failure that can be ordered has Meta's envelope."""

import pytest

from sandbox.graph_support import error_of
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.errors import ERRORS
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BRAM

EXPECTED = {
    "rate_limited": (400, 4, None),
    "user_rate_limited": (400, 17, 2446079),
    "page_rate_limited": (400, 32, None),
    "business_rate_limited": (400, 80001, 2446079),
    "leads_rate_limited": (400, 80005, None),
    "catalog_rate_limited": (400, 80009, None),
    "catalog_batch_rate_limited": (400, 80014, None),
    "ads_rate_limited": (400, 80004, 2446079),
    "insights_rate_limited": (400, 80000, 2446079),
    "audiences_rate_limited": (400, 80003, 2446079),
    "ads_permission_missing": (403, 294, None),
    "audience_terms": (403, 200, 1870034),
    "too_much_data": (500, 1, None),
    "custom_rate_limited": (400, 613, None),
    "posting_too_fast": (400, 1390008, None),
    "token_revoked": (400, 190, 458),
    "token_expired": (400, 190, 463),
    "token_invalid": (400, 190, None),
    "password_changed": (400, 190, 460),
    "checkpoint": (400, 190, 459),
    "logged_out": (400, 190, 467),
    "role_lost": (400, 190, 492),
    "permission_missing": (403, 200, None),
    "permission_denied": (403, 10, None),
    "not_found": (400, 100, 33),
    "invalid": (400, 100, None),
    "unknown": (500, 1, None),
    "temporarily_unavailable": (500, 2, None),
    "blocked": (400, 368, 1390008),
    "duplicate": (400, 506, None),
    "publish_quota": (400, 9, 2207042),
    "spam": (400, 4, 2207051),
    "instagram_restricted": (400, 25, 2207050),
    "media_fetch_failed": (400, 9004, 2207052),
    "media_not_ready": (400, 9007, 2207027),
    "container_not_found": (400, 24, 2207008),
    "window_closed": (400, 10, 2018278),
    "instagram_window_closed": (403, 10, 2534022),
    "recipient_unknown": (400, 100, 2018001),
    "recipient_unavailable": (400, 551, 1545041),
    "messaging_restricted": (403, 10, 1893063),
}


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_named_error_has_its_code(meta: Meta, name: str) -> None:
    token = meta.long(ADA)
    meta.platform.running.control("fail", platform="meta", error=name)
    status, code, subcode = EXPECTED[name]
    error = error_of(meta.get("me", token), status)
    assert (error["code"], error.get("error_subcode")) == (code, subcode)
    assert error["type"] in {"OAuthException", "GraphMethodException", "IGApiException"}
    assert error["message"]
    assert meta.get("me", token).status_code == 200


def test_a_failure_can_be_aimed_at_one_account(meta: Meta) -> None:
    ada, bram = meta.long(ADA), meta.long(BRAM)
    meta.platform.running.control("fail", platform="meta", error="rate_limited", account=BAKERY)
    assert meta.get("me", bram).status_code == 200
    limited = meta.get("me", ada)
    assert error_of(limited)["is_transient"] is True
    assert '"call_count": 100' in limited.headers["x-app-usage"]
