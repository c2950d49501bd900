"""Which nodes and edges catalogs, products, product sets and shops have."""

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.vendors.meta.commerce import catalogs, products

NODE_FINDERS: tuple[NodeFinder, ...] = (
    catalogs.find_catalog_node,
    catalogs.find_product_set_node,
    catalogs.find_shop_node,
    products.find_product_node,
)
EDGE_HANDLERS: EdgeHandlers = {
    "GET Business/owned_product_catalogs": catalogs.list_owned_catalogs,
    "POST Business/owned_product_catalogs": catalogs.create_catalog,
    "GET Business/client_product_catalogs": catalogs.list_client_catalogs,
    "GET Page/product_catalogs": catalogs.list_owned_catalogs,
    "POST ProductCatalog": catalogs.update_catalog,
    "DELETE ProductCatalog": catalogs.delete_catalog,
    "GET ProductCatalog/products": products.list_products,
    "POST ProductCatalog/products": products.create_product,
    "POST ProductItem": products.update_product,
    "DELETE ProductItem": products.delete_product,
    "POST ProductCatalog/items_batch": products.start_items_batch,
    "GET ProductCatalog/check_batch_request_status": products.get_batch_status,
    "GET ProductCatalog/product_sets": catalogs.list_product_sets,
    "POST ProductCatalog/product_sets": catalogs.create_product_set,
    "POST ProductSet": catalogs.update_product_set,
    "DELETE ProductSet": catalogs.delete_product_set,
    "GET ProductSet/products": catalogs.list_set_products,
    "GET Business/commerce_merchant_settings": catalogs.list_commerce_accounts,
    "GET Page/commerce_merchant_settings": catalogs.list_commerce_accounts,
    "GET CommerceMerchantSettings/shops": catalogs.list_shops,
    "GET CommerceMerchantSettings/product_catalogs": catalogs.list_shop_catalogs,
    "GET CommerceMerchantSettings/setup_status": catalogs.get_setup_status,
}
