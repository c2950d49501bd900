"""Google: sign-in, YouTube, Calendar and Business Profile."""

from dataclasses import replace

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.kit.pictures import picture_route
from socialgate_sandbox.vendors.google import batch, feed, identity, oauth, risc
from socialgate_sandbox.vendors.google.accounts import accounts_of, list_accounts
from socialgate_sandbox.vendors.google.actions import ACTIONS
from socialgate_sandbox.vendors.google.calendar import routes as calendar
from socialgate_sandbox.vendors.google.coverage import COVERAGE
from socialgate_sandbox.vendors.google.errors import ERRORS, front_end, unknown_path, unreadable
from socialgate_sandbox.vendors.google.masks import partial
from socialgate_sandbox.vendors.google.places import routes as places
from socialgate_sandbox.vendors.google.places.metrics import PLACE_METRICS
from socialgate_sandbox.vendors.google.places.reviews import DESK
from socialgate_sandbox.vendors.google.seed import seed
from socialgate_sandbox.vendors.google.youtube import channels, websub
from socialgate_sandbox.vendors.google.youtube import routes as youtube
from socialgate_sandbox.vendors.google.youtube.metrics import CHANNEL_METRICS

_ROUTES = (*youtube.ROUTES, *calendar.ROUTES, *places.ROUTES)
_SERVED = [replace(route, handler=partial(route.handler)) for route in _ROUTES]

VENDOR = Vendor(
    name="google",
    title="Google",
    app=App(id="sandbox-google", secret="sandbox-google-secret"),
    routes=[
        *oauth.ROUTES,
        *identity.ROUTES,
        *batch.routes(_SERVED),
        *_SERVED,
        *risc.ROUTES,
        *websub.ROUTES,
        *map(picture_route, (channels.PICTURES, identity.PICTURES)),
    ],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feeds={"channel": feed.channel_feed, "location": feed.place_feed},
    numbers={"channel": CHANNEL_METRICS.shown, "location": PLACE_METRICS.shown},
    reviews={"location": DESK.shown},
    calendars={"calendar": feed.calendar_events},
    accounts_of=accounts_of,
    claim=front_end,
    coverage=COVERAGE,
)
