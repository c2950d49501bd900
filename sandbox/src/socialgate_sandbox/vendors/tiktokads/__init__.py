"""TikTok API for Business (Marketing API)."""

from socialgate_sandbox.kit import AppRegistration, Vendor
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
from socialgate_sandbox.vendors.tiktokads.errors import ERRORS, build_unknown_path_response, build_unreadable_response
from socialgate_sandbox.vendors.tiktokads.seed import seed

VENDOR = Vendor(
    name="tiktokads",
    title="TikTok Ads",
    app=AppRegistration(id="sandbox-tiktokads", secret="sandbox-tiktokads-secret"),
    routes=[
        *(*oauth.ROUTES, *accounts.ROUTES, *webhooks.ROUTES, *leads.ROUTES, *catalogs.ROUTES, *products.ROUTES),
        *(*campaigns.ROUTES, *adgroups.ROUTES, *ads.ROUTES, *assets.ROUTES, *identities.ROUTES, *targeting.ROUTES),
        *(*audiences.ROUTES, *pixels.ROUTES, *conversions.ROUTES, *reports.ROUTES),
    ],
    errors=ERRORS,
    build_not_found_response=build_unknown_path_response,
    build_invalid_response=build_unreadable_response,
    seed=seed,
    accounts=accounts.list_accounts,
    actions=ACTIONS,
    ad_readers={"advertiser": reports.build_campaign_views},
    metrics_readers={"advertiser": reports.build_account_metrics},
    form_readers={"advertiser": leads.LEAD_SERVICE.build_form_views},
    catalog_readers={"advertiser": catalogs.build_catalog_views},
    get_account_ids=accounts.get_account_ids,
    # For about a day.
    webhook_retry_delays=(10, 60, 600, 3600, 21_600, 43_200),
    coverage=COVERAGE,
)
