"""TikTok API for Business (Marketing API)."""

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.vendors.tiktokads import (
    accounts,
    adgroups,
    ads,
    assets,
    audiences,
    campaigns,
    catalogs,
    conversions,
    identities,
    leads,
    oauth,
    pixels,
    products,
    reports,
    targeting,
    webhooks,
)
from socialgate_sandbox.vendors.tiktokads.actions import ACTIONS
from socialgate_sandbox.vendors.tiktokads.coverage import COVERAGE
from socialgate_sandbox.vendors.tiktokads.errors import ERRORS, unknown_path, unreadable
from socialgate_sandbox.vendors.tiktokads.seed import seed

VENDOR = Vendor(
    name="tiktokads",
    title="TikTok Ads",
    app=App(id="sandbox-tiktokads", secret="sandbox-tiktokads-secret"),
    routes=[
        *(*oauth.ROUTES, *accounts.ROUTES, *webhooks.ROUTES, *leads.ROUTES, *catalogs.ROUTES, *products.ROUTES),
        *(*campaigns.ROUTES, *adgroups.ROUTES, *ads.ROUTES, *assets.ROUTES, *identities.ROUTES, *targeting.ROUTES),
        *(*audiences.ROUTES, *pixels.ROUTES, *conversions.ROUTES, *reports.ROUTES),
    ],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=accounts.list_accounts,
    actions=ACTIONS,
    adverts={"advertiser": reports.shown_campaigns},
    numbers={"advertiser": reports.numbers},
    forms={"advertiser": leads.DESK.shown},
    catalogs={"advertiser": catalogs.shown_catalogs},
    accounts_of=accounts.accounts_of,
    # For about a day.
    webhook_retries=(10, 60, 600, 3600, 21_600, 43_200),
    coverage=COVERAGE,
)
