"""Commerce: catalogs, products, product sets and shops, read live; product batches run as tasks."""

from socialgate.areas.commerce import store
from socialgate.areas.commerce.batches import batching
from socialgate.areas.commerce.changes import CREATE_CATALOG, CREATE_PRODUCT, CREATE_SET, DELETE_PRODUCT
from socialgate.areas.commerce.routes import routes
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=[batching],
    operations=[CREATE_CATALOG, CREATE_SET, CREATE_PRODUCT, DELETE_PRODUCT],
    purges={"product_batches": store.purge_batches},
)
