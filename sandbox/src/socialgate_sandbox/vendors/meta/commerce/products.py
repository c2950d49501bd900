"""Products of a catalog: one by one in minor units, or thousands at once with prices as strings, processed later."""

import re
from base64 import urlsafe_b64decode
from binascii import Error
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_error,
    build_parameter_response,
    require,
)
from socialgate_sandbox.dialects.graph.nodes import Node
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text, parse_words
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit import generate_alphanumeric as random_text
from socialgate_sandbox.society.catalogs import (
    Batch,
    BatchRow,
    Catalog,
    FieldError,
    InvalidPriceError,
    Product,
    RowMethod,
    create_batch,
    format_price,
    get_batch_stage,
)
from socialgate_sandbox.vendors.meta.commerce.catalogs import find_catalog_node, parse_filter
from socialgate_sandbox.vendors.meta.commerce.product_nodes import (
    FEED_NAMES,
    PRODUCT_NODE_TYPE,
    PRODUCT_RULES,
    get_currency_offset,
)

MAX_IN_BATCH, MAX_BATCH_SIZE = 5000, 28_000_000
_METHODS_BY_NAME: Mapping[str, RowMethod] = {"CREATE": "create", "UPDATE": "update", "DELETE": "delete"}
_PRICE_PATTERN = re.compile(r"(\S+) ([A-Z]{3})")
_STATUSES_BY_STAGE = {"waiting": "started", "working": "in_progress", "done": "finished"}


def list_products(call: Call, catalog: Catalog) -> Any:
    test = parse_filter(call.params.get("filter"))
    products = [product for product in PRODUCT_RULES.products(call.context, catalog.id) if test(product)]
    return build_page(call, [Node(PRODUCT_NODE_TYPE, product) for product in products])


def find_product_node(call: Call, key: str) -> Node | None:
    """Find a product by its id, or by the catalog and the SKU: `catalog:<id>:<SKU in base64>`."""
    if key.startswith("catalog:"):
        _word, catalog, coded = [*key.split(":", 2), "", ""][:3]
        if find_catalog_node(call, catalog) is None:
            return None
        PRODUCT_RULES.process_due_batches(call.context, catalog)
        product = PRODUCT_RULES.find_product(call.context, catalog, _decode_sku(coded))
    else:
        product = call.context.store.get(Product, key)
        if product is not None and find_catalog_node(call, product.parent) is None:
            return None
    return Node(PRODUCT_NODE_TYPE, product) if product is not None else None


def create_product(call: Call, catalog: Catalog) -> Any:
    PRODUCT_RULES.process_due_batches(call.context, catalog.id)
    sku = get_text(call, "retailer_id")
    if PRODUCT_RULES.find_product(call.context, catalog.id, sku) is not None and not get_flag(
        call, "allow_upsert", default=True
    ):
        return build_error_response(
            "(#10800) Duplicate retailer_id when attempting to create a store collection", 10800
        )
    # Meta's defaults for omitted fields.
    usual = {"availability": "in stock", "condition": "new", "description": get_text(call, "name")}
    row = BatchRow(line=1, method="create", sku=sku, fields={**usual, **_read_product_params(call)})
    _require_valid(row)
    return {"id": PRODUCT_RULES.put_product(call.context, catalog.id, sku, row.fields).id}


def update_product(call: Call, product: Product) -> Any:
    row = BatchRow(
        line=1, method="update", sku=product.sku, fields=_read_product_params(call, product.fields.get("currency", ""))
    )
    _require_valid(row)
    PRODUCT_RULES.put_product(call.context, product.parent, product.sku, {**product.fields, **row.fields})
    return {"success": True}


def delete_product(call: Call, product: Product) -> Any:
    call.context.store.delete(Product, product.id)
    return {"success": True}


def start_items_batch(call: Call, catalog: Catalog) -> Any:
    """Accept the well-formed requests, and report the others immediately."""
    value = call.params.get("requests")
    if isinstance(value, str) and len(value) > MAX_BATCH_SIZE:
        return build_parameter_response("The request is too large. At most 28 MB are allowed")
    requests = parse_json_text(value)
    require(get_text(call, "item_type") == "PRODUCT_ITEM", "The parameter item_type is required")
    if not isinstance(requests, list) or not all(isinstance(request, dict) for request in requests):
        return build_parameter_response("Param requests must be an array")
    require(len(requests) <= MAX_IN_BATCH, f"Too many requests in the batch. At most {MAX_IN_BATCH} are allowed")
    upsert = get_flag(call, "allow_upsert", default=True)
    rows, refused = [], []
    for line, item in enumerate(requests, 1):
        row, faults = _parse_batch_request(line, item, upsert=upsert)
        if faults:
            errors = [{"message": fault.message} for fault in faults]
            refused.append({"retailer_id": row.sku, "errors": errors, "warnings": []})
        else:
            rows.append(row)
    handles = [create_batch(call.context, random_text(60), catalog.id, rows).id] if rows else []
    return {"handles": handles, "validation_status": refused}


def get_batch_status(call: Call, catalog: Catalog) -> Any:
    PRODUCT_RULES.process_due_batches(call.context, catalog.id)
    batch = call.context.store.get(Batch, get_text(call, "handle"))
    if batch is None or batch.catalog != catalog.id:
        return build_parameter_response("Invalid handle")
    errors = [{"line": fault.line, "id": fault.sku, "message": fault.message} for fault in batch.faults]
    requested_flag = get_flag(call, "load_ids_of_invalid_requests")
    row = {
        "handle": batch.id,
        "status": _STATUSES_BY_STAGE[get_batch_stage(call.context, batch)],
        "errors_total_count": len(errors),
        "errors": errors,
        "warnings_total_count": 0,
        "warnings": [],
        "ids_of_invalid_requests": sorted({fault.sku for fault in batch.faults}) if requested_flag else [],
    }
    return {"data": [row]}


def _read_product_params(call: Call, currency: str = "") -> dict[str, Any]:
    """Read the parameters of one product, whose prices are integers of the smallest unit that Meta counts."""
    fields: dict[str, Any] = {feed: get_text(call, name) for name, feed in FEED_NAMES.items() if get_text(call, name)}
    if "additional_image_link" in fields:
        fields["additional_image_link"] = parse_words(call.params["additional_image_urls"])
    currency = get_text(call, "currency") or currency
    for name in ("price", "sale_price"):
        amount = get_text(call, name)
        require(not amount or (amount.isascii() and amount.isdecimal()), f"Param {name} must be a nonnegative integer")
        if amount:
            try:
                fields |= {
                    name: format_price(str(Decimal(amount) / get_currency_offset(currency)), currency),
                    "currency": currency,
                }
            except InvalidPriceError as error:
                raise build_parameter_error(str(error)) from error
    return fields


def _require_valid(row: BatchRow) -> None:
    faults = PRODUCT_RULES.faults(row)
    if faults:
        raise build_parameter_error(faults[0].message)


def _parse_batch_request(line: int, params: dict[str, Any], *, upsert: bool) -> tuple[BatchRow, list[FieldError]]:
    """Read one request of a batch, whose data has the names used in feeds."""
    data = params.get("data")
    fields = dict(data) if isinstance(data, dict) else {}
    sku, method = str(fields.pop("id", "")), _METHODS_BY_NAME.get(str(params.get("method", "")))
    images = fields.pop("image", None)
    if isinstance(images, list) and images and all(isinstance(image, dict) for image in images):
        first, *others = [str(image.get("url", "")) for image in images]
        fields |= {"image_link": first} | ({"additional_image_link": others} if others else {})
    faults = [] if method is not None else [FieldError("method", "method must be one of: CREATE, UPDATE, DELETE.")]
    for name in ("price", "sale_price"):
        if fields.get(name) is not None and method != "delete":
            try:
                fields[name], fields["currency"] = _parse_price(str(fields[name]))
            except InvalidPriceError as error:
                faults.append(FieldError(name, f"{name}: {error}"))
    row = BatchRow(line=line, method="create", sku=sku, fields=fields, upsert=upsert)
    if method is not None:
        row.method = method
    return row, [*faults, *PRODUCT_RULES.faults(row)]


def _parse_price(value: str) -> tuple[str, str]:
    match = _PRICE_PATTERN.fullmatch(value.strip())
    if match is None:
        raise InvalidPriceError("Write the price as a number, a space and the currency, such as 9.99 USD.")
    return format_price(match[1], match[2]), match[2]


def _decode_sku(encoded: str) -> str:
    try:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (Error, ValueError):
        return ""
