"""TikTok for Developers: Login Kit, the Display API and Content Posting."""

from socialgate_sandbox.kit import AppRegistration, Vendor
from socialgate_sandbox.vendors.tiktok import accounts, content_posting, feed, oauth, videos
from socialgate_sandbox.vendors.tiktok.actions import ACTIONS
from socialgate_sandbox.vendors.tiktok.coverage import COVERAGE
from socialgate_sandbox.vendors.tiktok.errors import ERRORS, build_invalid_response, build_not_found_response
from socialgate_sandbox.vendors.tiktok.metrics import USER_METRICS
from socialgate_sandbox.vendors.tiktok.seed import seed

VENDOR = Vendor(
    name="tiktok",
    title="TikTok",
    app=AppRegistration(id="sandbox-tiktok", secret="sandbox-tiktok-secret"),
    routes=[*oauth.ROUTES, *accounts.ROUTES, *content_posting.ROUTES, *videos.ROUTES],
    errors=ERRORS,
    build_not_found_response=build_not_found_response,
    build_invalid_response=build_invalid_response,
    seed=seed,
    accounts=accounts.list_accounts,
    actions=ACTIONS,
    feed_readers={"user": feed.read_creator_feed},
    metrics_readers={"user": USER_METRICS.build_view},
    get_account_ids=accounts.get_account_ids,
    # For 72 hours, at increasing intervals.
    webhook_retry_delays=(5, 30, 120, 600, 3600, 21_600, 86_400, 86_400),
    coverage=COVERAGE,
)
