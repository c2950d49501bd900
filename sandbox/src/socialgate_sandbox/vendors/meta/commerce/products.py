"""Products of a catalog: one by one in minor units, or thousands at once with prices as strings, processed later."""

import re
from base64 import urlsafe_b64decode
from binascii import Error
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, require, wrong
from socialgate_sandbox.dialects.graph.given import flag, parsed, text, words
from socialgate_sandbox.dialects.graph.nodes import Node
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit import text as random_text
from socialgate_sandbox.society.catalogs import (
    BadMoney,
    Batch,
    Catalog,
    Fault,
    Method,
    Product,
    Row,
    begin_batch,
    money,
    stage_of,
)
from socialgate_sandbox.vendors.meta.commerce.catalogs import catalog_node, filter_of
from socialgate_sandbox.vendors.meta.commerce.product_nodes import NAMES, PRODUCT, RULES, offset_of

MOST_IN_BATCH, LARGEST_BATCH = 5000, 28_000_000
_METHODS: Mapping[str, Method] = {"CREATE": "create", "UPDATE": "update", "DELETE": "delete"}
_PRICE = re.compile(r"(\S+) ([A-Z]{3})")
_STAGES = {"waiting": "started", "working": "in_progress", "done": "finished"}


def list_products(call: Call, catalog: Catalog) -> Any:
    test = filter_of(call.params.get("filter"))
    found = [product for product in RULES.products(call.world, catalog.id) if test(product)]
    return listing(call, [Node(PRODUCT, product) for product in found])


def product_node(call: Call, key: str) -> Node | None:
    """Find a product by its id, or by the catalog and the SKU: `catalog:<id>:<SKU in base64>`."""
    if key.startswith("catalog:"):
        _word, catalog, coded = [*key.split(":", 2), "", ""][:3]
        if catalog_node(call, catalog) is None:
            return None
        RULES.settle(call.world, catalog)
        product = RULES.find(call.world, catalog, _decoded(coded))
    else:
        product = call.world.store.get(Product, key)
        if product is not None and catalog_node(call, product.parent) is None:
            return None
    return Node(PRODUCT, product) if product is not None else None


def create_product(call: Call, catalog: Catalog) -> Any:
    RULES.settle(call.world, catalog.id)
    sku = text(call, "retailer_id")
    if RULES.find(call.world, catalog.id, sku) is not None and not flag(call, "allow_upsert", default=True):
        return failure("(#10800) Duplicate retailer_id when attempting to create a store collection", 10800)
    # Meta's defaults for omitted fields.
    usual = {"availability": "in stock", "condition": "new", "description": text(call, "name")}
    row = Row(line=1, method="create", sku=sku, fields={**usual, **_given(call)})
    _require(row)
    return {"id": RULES.put(call.world, catalog.id, sku, row.fields).id}


def change_product(call: Call, product: Product) -> Any:
    row = Row(line=1, method="update", sku=product.sku, fields=_given(call, product.fields.get("currency", "")))
    _require(row)
    RULES.put(call.world, product.parent, product.sku, {**product.fields, **row.fields})
    return {"success": True}


def delete_product(call: Call, product: Product) -> Any:
    call.world.store.delete(Product, product.id)
    return {"success": True}


def items_batch(call: Call, catalog: Catalog) -> Any:
    """Accept the well-formed requests, and report the others immediately."""
    given = call.params.get("requests")
    if isinstance(given, str) and len(given) > LARGEST_BATCH:
        return bad_parameter("The request is too large. At most 28 MB are allowed")
    requests = parsed(given)
    require(text(call, "item_type") == "PRODUCT_ITEM", "The parameter item_type is required")
    if not isinstance(requests, list) or not all(isinstance(one, dict) for one in requests):
        return bad_parameter("Param requests must be an array")
    require(len(requests) <= MOST_IN_BATCH, f"Too many requests in the batch. At most {MOST_IN_BATCH} are allowed")
    upsert = flag(call, "allow_upsert", default=True)
    rows, refused = [], []
    for line, one in enumerate(requests, 1):
        row, faults = _read(line, one, upsert=upsert)
        if faults:
            errors = [{"message": fault.message} for fault in faults]
            refused.append({"retailer_id": row.sku, "errors": errors, "warnings": []})
        else:
            rows.append(row)
    handles = [begin_batch(call.world, random_text(60), catalog.id, rows).id] if rows else []
    return {"handles": handles, "validation_status": refused}


def batch_status(call: Call, catalog: Catalog) -> Any:
    RULES.settle(call.world, catalog.id)
    batch = call.world.store.get(Batch, text(call, "handle"))
    if batch is None or batch.catalog != catalog.id:
        return bad_parameter("Invalid handle")
    errors = [{"line": one.line, "id": one.sku, "message": one.message} for one in batch.faults]
    wanted = flag(call, "load_ids_of_invalid_requests")
    row = {
        "handle": batch.id,
        "status": _STAGES[stage_of(call.world, batch)],
        "errors_total_count": len(errors),
        "errors": errors,
        "warnings_total_count": 0,
        "warnings": [],
        "ids_of_invalid_requests": sorted({one.sku for one in batch.faults}) if wanted else [],
    }
    return {"data": [row]}


def _given(call: Call, currency: str = "") -> dict[str, Any]:
    """Read the parameters of one product, whose prices are integers of the smallest unit that Meta counts."""
    fields: dict[str, Any] = {feed: text(call, name) for name, feed in NAMES.items() if text(call, name)}
    if "additional_image_link" in fields:
        fields["additional_image_link"] = words(call.params["additional_image_urls"])
    currency = text(call, "currency") or currency
    for name in ("price", "sale_price"):
        amount = text(call, name)
        require(not amount or (amount.isascii() and amount.isdecimal()), f"Param {name} must be a nonnegative integer")
        if amount:
            try:
                fields |= {name: money(str(Decimal(amount) / offset_of(currency)), currency), "currency": currency}
            except BadMoney as error:
                raise wrong(str(error)) from error
    return fields


def _require(row: Row) -> None:
    faults = RULES.faults(row)
    if faults:
        raise wrong(faults[0].message)


def _read(line: int, given: dict[str, Any], *, upsert: bool) -> tuple[Row, list[Fault]]:
    """Read one request of a batch, whose data has the names used in feeds."""
    data = given.get("data")
    fields = dict(data) if isinstance(data, dict) else {}
    sku, method = str(fields.pop("id", "")), _METHODS.get(str(given.get("method", "")))
    images = fields.pop("image", None)
    if isinstance(images, list) and images and all(isinstance(one, dict) for one in images):
        first, *others = [str(one.get("url", "")) for one in images]
        fields |= {"image_link": first} | ({"additional_image_link": others} if others else {})
    faults = [] if method is not None else [Fault("method", "method must be one of: CREATE, UPDATE, DELETE.")]
    for name in ("price", "sale_price"):
        if fields.get(name) is not None and method != "delete":
            try:
                fields[name], fields["currency"] = _price(str(fields[name]))
            except BadMoney as error:
                faults.append(Fault(name, f"{name}: {error}"))
    row = Row(line=line, method="create", sku=sku, fields=fields, upsert=upsert)
    if method is not None:
        row.method = method
    return row, [*faults, *RULES.faults(row)]


def _price(given: str) -> tuple[str, str]:
    found = _PRICE.fullmatch(given.strip())
    if found is None:
        raise BadMoney("Write the price as a number, a space and the currency, such as 9.99 USD.")
    return money(found[1], found[2]), found[2]


def _decoded(coded: str) -> str:
    try:
        return urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except (Error, ValueError):
        return ""
