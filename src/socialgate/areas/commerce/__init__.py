"""Commerce: catalogs, products, product sets and shops, read live; product batches run as tasks."""

from socialgate.areas.commerce import store
from socialgate.areas.commerce.batches import build_batch_job_type
from socialgate.areas.commerce.catalog_operations import CREATE_CATALOG, CREATE_PRODUCT, CREATE_SET, DELETE_PRODUCT
from socialgate.areas.commerce.routes import routes
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=[build_batch_job_type],
    operations=[CREATE_CATALOG, CREATE_SET, CREATE_PRODUCT, DELETE_PRODUCT],
    purges={"product_batches": store.purge_batches},
)
