"""Meta: Facebook Pages, Instagram by Facebook Login, ad accounts."""

from socialgate_sandbox.dialects.graph.errors import bad_parameter, not_found
from socialgate_sandbox.dialects.graph.media import serve_media
from socialgate_sandbox.kit import App, Route, Vendor, page_routes
from socialgate_sandbox.kit import Call as Call
from socialgate_sandbox.kit.pictures import picture_route
from socialgate_sandbox.vendors.meta import actions, errors, feed, oauth
from socialgate_sandbox.vendors.meta.accounts import CDN
from socialgate_sandbox.vendors.meta.ads.accounts import shown_numbers
from socialgate_sandbox.vendors.meta.ads.managed import shown_campaigns
from socialgate_sandbox.vendors.meta.commerce.catalogs import shown_catalogs
from socialgate_sandbox.vendors.meta.coverage import COVERAGE
from socialgate_sandbox.vendors.meta.graph import API
from socialgate_sandbox.vendors.meta.instagram import publish as instagram
from socialgate_sandbox.vendors.meta.instagram.metrics import INSTAGRAM_METRICS
from socialgate_sandbox.vendors.meta.leads.leads import DESK
from socialgate_sandbox.vendors.meta.messaging.chats import CHATS
from socialgate_sandbox.vendors.meta.pages import videos
from socialgate_sandbox.vendors.meta.pages.metrics import PAGE_METRICS
from socialgate_sandbox.vendors.meta.pages.videos import UPLOAD_HOST
from socialgate_sandbox.vendors.meta.seed import seed
from socialgate_sandbox.vendors.meta.viewer import accounts_of

_DIALOGS = ("/www.facebook.com/{version}/dialog/oauth", "/www.facebook.com/dialog/oauth")


VENDOR = Vendor(
    name="meta",
    title="Meta",
    app=App(id="sandbox-meta", secret="sandbox-meta-secret"),
    routes=[
        *page_routes(oauth.LOGIN.page, *_DIALOGS),
        picture_route(CDN),
        Route("GET", f"/{CDN}/media/{{name}}", serve_media),
        Route("POST", f"/{UPLOAD_HOST}/video-upload/{{version}}/{{video}}", videos.upload),
        Route("POST", f"/{UPLOAD_HOST}/ig-api-upload/{{version}}/{{container}}", instagram.upload),
        *API.routes("graph-video.facebook.com"),
    ],
    errors=errors.ERRORS,
    not_found=not_found,
    invalid=lambda _call, why: bad_parameter(why),
    seed=seed,
    accounts=actions.accounts,
    actions=actions.ACTIONS,
    feeds={"page": feed.page_feed, "instagram": feed.instagram_feed},
    chats=dict.fromkeys(("page", "instagram"), CHATS.shown),
    adverts={"ad account": shown_campaigns},
    numbers={"page": PAGE_METRICS.shown, "instagram": INSTAGRAM_METRICS.shown, "ad account": shown_numbers},
    forms={"page": DESK.shown},
    catalogs={"page": shown_catalogs, "ad account": shown_catalogs},
    accounts_of=accounts_of,
    coverage=COVERAGE,
)
