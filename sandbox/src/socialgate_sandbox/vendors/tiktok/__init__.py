"""TikTok for Developers: Login Kit, the Display API and Content Posting."""

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.vendors.tiktok import accounts, feed, oauth, publish, videos
from socialgate_sandbox.vendors.tiktok.actions import ACTIONS
from socialgate_sandbox.vendors.tiktok.counters import USER_METRICS
from socialgate_sandbox.vendors.tiktok.coverage import COVERAGE
from socialgate_sandbox.vendors.tiktok.errors import ERRORS, unknown_path, unreadable
from socialgate_sandbox.vendors.tiktok.seed import seed

VENDOR = Vendor(
    name="tiktok",
    title="TikTok",
    app=App(id="sandbox-tiktok", secret="sandbox-tiktok-secret"),
    routes=[*oauth.ROUTES, *accounts.ROUTES, *publish.ROUTES, *videos.ROUTES],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=accounts.list_accounts,
    actions=ACTIONS,
    feeds={"user": feed.creator_feed},
    numbers={"user": USER_METRICS.shown},
    accounts_of=accounts.accounts_of,
    # For 72 hours, at increasing intervals.
    webhook_retries=(5, 30, 120, 600, 3600, 21_600, 86_400, 86_400),
    coverage=COVERAGE,
)
