"""Google: sign-in, YouTube, Calendar and Business Profile."""

from dataclasses import replace

from socialgate.sandbox.kit import App, Vendor
from socialgate.sandbox.vendors.google import (
    batch,
    business,
    calendar_events,
    calendars,
    channels,
    comments,
    feed,
    identity,
    local_posts,
    oauth,
    place_insights,
    publish,
    reviews,
    risc,
    search,
    videos,
    watch,
    websub,
    youtube_insights,
)
from socialgate.sandbox.vendors.google.accounts import accounts_of, list_accounts
from socialgate.sandbox.vendors.google.actions import ACTIONS
from socialgate.sandbox.vendors.google.errors import ERRORS, unknown_path, unreadable
from socialgate.sandbox.vendors.google.masks import partial
from socialgate.sandbox.vendors.google.metrics import CHANNEL_METRICS, PLACE_METRICS
from socialgate.sandbox.vendors.google.seed import seed

_AREAS = (
    channels,
    publish,
    videos,
    search,
    comments,
    watch,
    calendars,
    calendar_events,
    youtube_insights,
    business,
    place_insights,
    local_posts,
    reviews,
)
_SERVED = [replace(route, handler=partial(route.handler)) for area in _AREAS for route in area.ROUTES]

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
    ],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feeds={"channel": feed.channel_feed, "location": feed.place_feed},
    numbers={"channel": CHANNEL_METRICS.shown, "location": PLACE_METRICS.shown},
    reviews={"location": reviews.DESK.shown},
    calendars={"calendar": feed.calendar_events},
    accounts_of=accounts_of,
)
