"""Ads: campaigns, ad sets, ads, creatives, audiences, pixels and insights of ad accounts."""

from socialgate.areas.ads import store
from socialgate.areas.ads.boosts import BOOST, DARK_POST
from socialgate.areas.ads.changes import OBJECT_CHANGES
from socialgate.areas.ads.events import SEND
from socialgate.areas.ads.reports import reporting
from socialgate.areas.ads.routes import routes
from socialgate.areas.ads.uploads import audience_creation, uploading
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=[reporting, uploading],
    operations=[*OBJECT_CHANGES, audience_creation, BOOST, DARK_POST, SEND],
    purges={
        "ad_report_rows": store.purge_reports,
        "ad_people": store.purge_people,
        "ad_assets": store.purge_assets,
    },
)
