"""Google: sign-in, YouTube, Calendar and Business Profile."""

from socialgate.sandbox.kit import App, Vendor
from socialgate.sandbox.vendors.google import (
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
    videos,
    watch,
    websub,
    youtube_insights,
)
from socialgate.sandbox.vendors.google.accounts import accounts_of, list_accounts
from socialgate.sandbox.vendors.google.actions import ACTIONS
from socialgate.sandbox.vendors.google.errors import ERRORS, unknown_path, unreadable
from socialgate.sandbox.vendors.google.metrics import CHANNEL_METRICS, PLACE_METRICS
from socialgate.sandbox.vendors.google.seed import seed

VENDOR = Vendor(
    name="google",
    title="Google",
    app=App(id="sandbox-google", secret="sandbox-google-secret"),
    routes=[
        *oauth.ROUTES,
        *identity.ROUTES,
        *channels.ROUTES,
        *publish.ROUTES,
        *videos.ROUTES,
        *comments.ROUTES,
        *watch.ROUTES,
        *calendars.ROUTES,
        *calendar_events.ROUTES,
        *youtube_insights.ROUTES,
        *business.ROUTES,
        *place_insights.ROUTES,
        *local_posts.ROUTES,
        *reviews.ROUTES,
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
    accounts_of=accounts_of,
)
