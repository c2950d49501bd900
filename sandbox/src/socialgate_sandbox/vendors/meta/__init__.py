"""Meta: Facebook Pages, Instagram by Facebook Login, ad accounts."""

from socialgate_sandbox.dialects.graph.errors import build_not_found_response, build_parameter_response
from socialgate_sandbox.dialects.graph.media import serve_media
from socialgate_sandbox.kit import AppRegistration, Route, Vendor, build_page_routes
from socialgate_sandbox.kit import Call as Call
from socialgate_sandbox.kit.profile_pictures import build_picture_route
from socialgate_sandbox.vendors.meta import control_actions, errors, feed_reader, oauth
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST
from socialgate_sandbox.vendors.meta.ads.ad_accounts import read_metrics
from socialgate_sandbox.vendors.meta.ads.managed_objects import read_campaigns
from socialgate_sandbox.vendors.meta.commerce.catalogs import read_catalogs
from socialgate_sandbox.vendors.meta.coverage import COVERAGE
from socialgate_sandbox.vendors.meta.graph_api import API
from socialgate_sandbox.vendors.meta.instagram import instagram_publishing as instagram
from socialgate_sandbox.vendors.meta.instagram.instagram_metrics import INSTAGRAM_METRICS
from socialgate_sandbox.vendors.meta.leads.leads import LEAD_SERVICE
from socialgate_sandbox.vendors.meta.messaging.chats import CHAT_SERVICE
from socialgate_sandbox.vendors.meta.pages import video_uploads
from socialgate_sandbox.vendors.meta.pages.page_metrics import PAGE_METRICS
from socialgate_sandbox.vendors.meta.pages.video_uploads import UPLOAD_HOST
from socialgate_sandbox.vendors.meta.seed import seed
from socialgate_sandbox.vendors.meta.token_access import get_account_ids

_LOGIN_DIALOG_PATHS = ("/www.facebook.com/{version}/dialog/oauth", "/www.facebook.com/dialog/oauth")


VENDOR = Vendor(
    name="meta",
    title="Meta",
    app=AppRegistration(id="sandbox-meta", secret="sandbox-meta-secret"),
    routes=[
        *build_page_routes(oauth.LOGIN.serve_page, *_LOGIN_DIALOG_PATHS),
        build_picture_route(CDN_HOST),
        Route("GET", f"/{CDN_HOST}/media/{{name}}", serve_media),
        Route("POST", f"/{UPLOAD_HOST}/video-upload/{{version}}/{{video}}", video_uploads.receive_upload),
        Route("POST", f"/{UPLOAD_HOST}/ig-api-upload/{{version}}/{{container}}", instagram.receive_upload),
        *API.build_routes("graph-video.facebook.com"),
    ],
    errors=errors.ERRORS,
    build_not_found_response=build_not_found_response,
    build_invalid_response=lambda _call, why: build_parameter_response(why),
    seed=seed,
    accounts=control_actions.list_accounts,
    actions=control_actions.ACTIONS,
    feed_readers={"page": feed_reader.read_page_feed, "instagram": feed_reader.read_instagram_feed},
    chat_readers=dict.fromkeys(("page", "instagram"), CHAT_SERVICE.iterate_message_views),
    ad_readers={"ad account": read_campaigns},
    metrics_readers={
        "page": PAGE_METRICS.build_view,
        "instagram": INSTAGRAM_METRICS.build_view,
        "ad account": read_metrics,
    },
    form_readers={"page": LEAD_SERVICE.build_form_views},
    catalog_readers={"page": read_catalogs, "ad account": read_catalogs},
    get_account_ids=get_account_ids,
    coverage=COVERAGE,
)
