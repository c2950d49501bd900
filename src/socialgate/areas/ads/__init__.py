"""Ads: campaigns, ad sets, ads, creatives, audiences, pixels and insights of ad accounts."""

from socialgate.areas.ads import store
from socialgate.areas.ads.audience_uploads import build_audience_creation_type, build_audience_upload_job_type
from socialgate.areas.ads.object_operations import AD_OBJECT_OPERATIONS
from socialgate.areas.ads.pixel_events import SEND_PIXEL_EVENTS_OPERATION
from socialgate.areas.ads.promotions import BOOST, DARK_POST
from socialgate.areas.ads.reports import build_ad_report_job_type
from socialgate.areas.ads.routes import routes
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=[build_ad_report_job_type, build_audience_upload_job_type],
    operations=[*AD_OBJECT_OPERATIONS, build_audience_creation_type, BOOST, DARK_POST, SEND_PIXEL_EVENTS_OPERATION],
    purges={
        "ad_report_rows": store.purge_reports,
        "ad_people": store.purge_people_chunks,
        "ad_assets": store.purge_assets,
    },
)
