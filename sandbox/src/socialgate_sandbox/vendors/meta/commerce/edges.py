"""Which nodes and edges catalogs, products, product sets and shops have."""

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.vendors.meta.commerce import catalogs, products

FINDERS: tuple[Finder, ...] = (catalogs.catalog_node, catalogs.set_node, catalogs.shop_node, products.product_node)
EDGES: Edges = {
    "GET Business/owned_product_catalogs": catalogs.owned_catalogs,
    "POST Business/owned_product_catalogs": catalogs.create_catalog,
    "GET Business/client_product_catalogs": catalogs.client_catalogs,
    "GET Page/product_catalogs": catalogs.owned_catalogs,
    "POST ProductCatalog": catalogs.change_catalog,
    "DELETE ProductCatalog": catalogs.delete_catalog,
    "GET ProductCatalog/products": products.list_products,
    "POST ProductCatalog/products": products.create_product,
    "POST ProductItem": products.change_product,
    "DELETE ProductItem": products.delete_product,
    "POST ProductCatalog/items_batch": products.items_batch,
    "GET ProductCatalog/check_batch_request_status": products.batch_status,
    "GET ProductCatalog/product_sets": catalogs.list_sets,
    "POST ProductCatalog/product_sets": catalogs.create_set,
    "POST ProductSet": catalogs.change_set,
    "DELETE ProductSet": catalogs.delete_set,
    "GET ProductSet/products": catalogs.set_products,
    "GET Business/commerce_merchant_settings": catalogs.commerce_accounts,
    "GET Page/commerce_merchant_settings": catalogs.commerce_accounts,
    "GET CommerceMerchantSettings/shops": catalogs.shops,
    "GET CommerceMerchantSettings/product_catalogs": catalogs.shop_catalogs,
    "GET CommerceMerchantSettings/setup_status": catalogs.setup_status,
}
