"""Commerce: catalogs, products, product sets and shops, read live; product batches run as tasks."""

from socialgate.areas.commerce import store
from socialgate.areas.commerce.batches import build_product_batch_job_type
from socialgate.areas.commerce.catalog_operations import (
    CREATE_CATALOG_OPERATION,
    CREATE_PRODUCT_OPERATION,
    CREATE_PRODUCT_SET_OPERATION,
    DELETE_PRODUCT_OPERATION,
)
from socialgate.areas.commerce.routes import routes
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=[build_product_batch_job_type],
    operations=[
        CREATE_CATALOG_OPERATION,
        CREATE_PRODUCT_SET_OPERATION,
        CREATE_PRODUCT_OPERATION,
        DELETE_PRODUCT_OPERATION,
    ],
    purges={"product_batches": store.purge_batches},
)
