"""Google: sign-in, YouTube, Calendar and Business Profile."""

from socialgate.sandbox.kit import App, Vendor
from socialgate.sandbox.vendors.google import (
    analytics,
    business,
    calendar_events,
    calendars,
    channels,
    comments,
    feed,
    identity,
    local_posts,
    oauth,
    performance,
    publish,
    reviews,
    risc,
    videos,
    watch,
    websub,
)
from socialgate.sandbox.vendors.google.accounts import accounts_of, list_accounts
from socialgate.sandbox.vendors.google.actions import ACTIONS
from socialgate.sandbox.vendors.google.errors import ERRORS, unknown_path, unreadable
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
        *analytics.ROUTES,
        *business.ROUTES,
        *performance.ROUTES,
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
    numbers={"channel": analytics.CHANNEL_METRICS.shown, "location": performance.PLACE_METRICS.shown},
    reviews={"location": feed.place_reviews},
    calendars={"calendar": feed.calendar_events},
    accounts_of=accounts_of,
)
