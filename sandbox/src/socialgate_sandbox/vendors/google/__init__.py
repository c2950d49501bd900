"""Google: sign-in, YouTube, Calendar and Business Profile."""

from dataclasses import replace

from socialgate_sandbox.kit import AppRegistration, Vendor
from socialgate_sandbox.kit.profile_pictures import build_picture_route
from socialgate_sandbox.vendors.google import batch, feed, identity, oauth, security_events
from socialgate_sandbox.vendors.google.accounts import get_account_ids, list_accounts
from socialgate_sandbox.vendors.google.actions import ACTIONS
from socialgate_sandbox.vendors.google.calendar import routes as calendar
from socialgate_sandbox.vendors.google.coverage import COVERAGE
from socialgate_sandbox.vendors.google.errors import (
    ERRORS,
    build_invalid_response,
    build_not_found_response,
    refuse_missing_length,
)
from socialgate_sandbox.vendors.google.field_selection import add_field_selection
from socialgate_sandbox.vendors.google.places import routes as places
from socialgate_sandbox.vendors.google.places.metrics import LOCATION_METRICS
from socialgate_sandbox.vendors.google.places.reviews import REVIEW_SERVICE
from socialgate_sandbox.vendors.google.seed import seed
from socialgate_sandbox.vendors.google.youtube import channels, websub
from socialgate_sandbox.vendors.google.youtube import routes as youtube
from socialgate_sandbox.vendors.google.youtube.metrics import CHANNEL_METRICS

_API_ROUTES = (*youtube.ROUTES, *calendar.ROUTES, *places.ROUTES)
_ROUTES_WITH_FIELD_SELECTION = [replace(route, handler=add_field_selection(route.handler)) for route in _API_ROUTES]

VENDOR = Vendor(
    name="google",
    title="Google",
    app=AppRegistration(id="sandbox-google", secret="sandbox-google-secret"),
    routes=[
        *oauth.ROUTES,
        *identity.ROUTES,
        *batch.build_batch_routes(_ROUTES_WITH_FIELD_SELECTION),
        *_ROUTES_WITH_FIELD_SELECTION,
        *security_events.ROUTES,
        *websub.ROUTES,
        *map(build_picture_route, (channels.PICTURE_HOST, identity.PICTURE_HOST)),
    ],
    errors=ERRORS,
    build_not_found_response=build_not_found_response,
    build_invalid_response=build_invalid_response,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feed_readers={"channel": feed.read_channel_feed, "location": feed.read_location_feed},
    metrics_readers={"channel": CHANNEL_METRICS.build_view, "location": LOCATION_METRICS.build_view},
    review_readers={"location": REVIEW_SERVICE.build_review_views},
    calendar_readers={"calendar": feed.read_calendar_events},
    get_account_ids=get_account_ids,
    claim=refuse_missing_length,
    coverage=COVERAGE,
)
