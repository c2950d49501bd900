"""Products of a catalog: accepted immediately, processed a little later, with a log of the results."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, generate_digits
from socialgate_sandbox.society.catalogs import (
    Batch,
    BatchRow,
    BatchRowError,
    Catalog,
    FieldError,
    InvalidPriceError,
    Product,
    RowMethod,
    create_batch,
    format_price,
    get_batch_stage,
    is_reviewed,
)
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.catalogs import (
    CATALOG_RULES,
    build_list_filter,
    require_catalog,
    require_set,
    select_set_products,
)
from socialgate_sandbox.vendors.tiktokads.errors import (
    INVALID_PARAMETER_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)

MAX_PRODUCTS, _MAX_IDS = 5000, 1000
_MAX_LISTED_ITEMS = 5
_STATUSES_BY_STAGE = {"waiting": "WAITING", "working": "PROCESSING", "done": "SUCCESS"}
_LOG_HOST = "lf16-catalog.tiktokcdn.com"
# Where TikTok has the fields that usual feeds have under these names: in the product, or in a part of it.
_PATHS_BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "title": ("title",),
    "description": ("description",),
    "availability": ("availability",),
    "brand": ("brand",),
    "image_link": ("image_url",),
    "additional_image_link": ("additional_image_urls",),
    "video_link": ("video_url",),
    "item_group_id": ("item_group_id",),
    "google_product_category": ("google_product_category",),
    "link": ("landing_page", "landing_page_url"),
    **{
        name: ("product_detail", name) for name in ("condition", "age_group", "color", "gender", "size", "product_type")
    },
    **{f"custom_label_{number}": ("extra_info", f"custom_label_{number}") for number in range(5)},
}
_PRICE_FIELDS = ("price", "sale_price")


class ProductParams(msgspec.Struct):
    products: list[Any] = []
    sku_ids: list[str] = []
    product_ids: list[str] = []
    product_set_ids: list[str] = []
    conditions: dict[str, Any] | None = None
    feed_log_id: str = ""


def list_products(call: Call) -> Response:
    (catalog, _asked), product_params = require_catalog(call), call.parse_params(ProductParams)
    if len(product_params.sku_ids) > _MAX_IDS or len(product_params.product_ids) > _MAX_IDS:
        return build_error_response(
            call, INVALID_PARAMETER_CODE, f"sku_ids, product_ids: at most {_MAX_IDS} ids are allowed."
        )
    products = CATALOG_RULES.products(call.context, catalog.id)
    if product_params.sku_ids or product_params.product_ids:
        products = [
            product
            for product in products
            if product.sku in product_params.sku_ids or product.id in product_params.product_ids
        ]
    elif product_params.conditions:
        test = build_list_filter(call, product_params.conditions)
        products = [product for product in products if test(product)]
    if product_params.product_set_ids:
        sets = [require_set(call, catalog, key) for key in product_params.product_set_ids]
        kept = {product.id for product_set in sets for product in select_set_products(call, product_set)}
        products = [product for product in products if product.id in kept]
    return _build_page_response(call, products)


def list_set_products(call: Call) -> Response:
    catalog, catalog_params = require_catalog(call)
    return _build_page_response(
        call, select_set_products(call, require_set(call, catalog, catalog_params.product_set_id))
    )


def _build_page_response(call: Call, products: list[Product]) -> Response:
    shown, info = select_page(call, call.parse_params(PageQuery), products, max_page_size=500)
    return build_success_response(
        call, {"list": [_build_product_json(call, product) for product in shown], "page_info": info}
    )


def upload_products(call: Call) -> Response:
    return _accept_products(call, "create", max_per_second=5)


def update_products(call: Call) -> Response:
    return _accept_products(call, "update", max_per_second=2)


def delete_products(call: Call) -> Response:
    catalog, _asked = require_catalog(call)
    _enforce_batch_limits(call, 2)
    product_params = call.parse_params(ProductParams)
    require(0 < len(product_params.sku_ids) <= _MAX_IDS, f"sku_ids: between 1 and {_MAX_IDS} ids are allowed.")
    rows = [BatchRow(line=line, method="delete", sku=sku) for line, sku in enumerate(product_params.sku_ids, 1)]
    return build_success_response(
        call, {"feed_log_id": create_batch(call.context, generate_digits(19), catalog.id, rows).id}
    )


def _accept_products(call: Call, method: RowMethod, *, max_per_second: int) -> Response:
    """Accept products. Errors in individual products are in the log, not in this response."""
    catalog, _asked = require_catalog(call)
    _enforce_batch_limits(call, max_per_second)
    product_params = call.parse_params(ProductParams)
    require(
        0 < len(product_params.products) <= MAX_PRODUCTS,
        f"products: between 1 and {MAX_PRODUCTS} products are allowed.",
    )
    rows: list[BatchRow] = []
    wrong: list[BatchRowError] = []
    for line, product in enumerate(product_params.products, 1):
        row, faults = _parse_product(catalog, line, product, method)
        title = str(row.fields.get("title", ""))
        wrong += [
            BatchRowError(line=line, sku=row.sku, field=fault.field, message=fault.message, title=title)
            for fault in faults
        ]
        rows += [] if faults else [row]
    return build_success_response(
        call, {"feed_log_id": create_batch(call.context, generate_digits(19), catalog.id, rows, wrong).id}
    )


def _enforce_batch_limits(call: Call, max_per_second: int) -> None:
    for most, seconds in ((max_per_second, 1), (max_per_second * 60, 60)):
        if not call.context.try_use(f"{call.path} slow {seconds}", most, seconds):
            raise build_error(call, 40100, "Too many requests. Please retry in some time.")


def get_log(call: Call) -> Response:
    catalog, _asked = require_catalog(call)
    CATALOG_RULES.process_due_batches(call.context, catalog.id)
    batch = call.context.store.get(Batch, call.parse_params(ProductParams).feed_log_id)
    if batch is None or batch.catalog != catalog.id:
        return build_error_response(call, NOT_FOUND_CODE, "The feed log does not exist.")
    stage = get_batch_stage(call.context, batch)
    faults = batch.faults if stage == "done" else []
    files = {"en": f"{call.context.url}/{_LOG_HOST}/{batch.id}.csv"} if faults else {}
    return build_success_response(
        call,
        {
            "product_feed_log": {
                "catalog_id": catalog.id,
                "process_status": _STATUSES_BY_STAGE[stage],
                "add_count": batch.created,
                "update_count": batch.updated,
                "delete_count": batch.deleted,
                "error_count": len({fault.line for fault in faults}),
                "warn_count": 0,
                "update_mode": "INCREASE",
                "start_time": f"{batch.created_at:%Y-%m-%d %H:%M:%S}",
                "feed_log_data": {
                    "download_path": files,
                    "error_affected_products": _group_errors(faults),
                    "warn_affected_products": [],
                },
            }
        },
    )


def _group_errors(errors: list[BatchRowError]) -> list[dict[str, Any]]:
    """Report each issue once, with the first few products that have it; the file has them all."""
    issues: dict[tuple[str, str], list[BatchRowError]] = {}
    for fault in errors:
        issues.setdefault((_get_api_field_name(fault.field), fault.message), []).append(fault)
    return [
        {
            "field": name,
            "issue": message,
            "suggestion": f"Correct {name} and upload the product again.",
            "affected_product_count": len(rows),
            # The first product is number 2: the first line of a file would be the header.
            "affected_product_item_list": [
                {"index": row.line + 1, "sku_id": row.sku, "title": row.title} for row in rows[:_MAX_LISTED_ITEMS]
            ],
        }
        for (name, message), rows in issues.items()
    ]


def serve_log_file(call: Call) -> Response:
    batch = call.context.store.get(Batch, call.path_params["log"])
    if batch is None:
        return Response("Not Found", 404)
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(["index", "sku_id", "title", "field", "issue"])
    rows.writerows(
        [fault.line + 1, fault.sku, fault.title, _get_api_field_name(fault.field), fault.message]
        for fault in batch.faults
    )
    return Response(out.getvalue().encode("utf-8-sig"), media_type="text/csv")


def _get_api_field_name(field: str) -> str:
    return "sku_id" if field == "id" else _PATHS_BY_FIELD.get(field, (field,))[-1]


def _parse_product(
    catalog: Catalog, line: int, raw_product: Any, method: RowMethod
) -> tuple[BatchRow, list[FieldError]]:
    product = raw_product if isinstance(raw_product, dict) else {}
    fields: dict[str, Any] = {}
    for name, path in _PATHS_BY_FIELD.items():
        value = _get_at_path(product, path)
        if value not in (None, "", []):
            fields[name] = value
    faults = []
    currency = str(_get_at_path(product, ("price_info", "currency")) or catalog.currency)
    for name in _PRICE_FIELDS:
        amount = _get_at_path(product, ("price_info", name))
        if amount is not None:
            try:
                fields |= {name: format_price(amount, currency), "currency": currency}
            except InvalidPriceError as error:
                faults.append(FieldError(name, str(error)))
                fields.setdefault(name, "wrong")
    row = BatchRow(line=line, method=method, sku=str(product.get("sku_id") or ""), fields=fields, upsert=False)
    return row, [*faults, *CATALOG_RULES.faults(row)]


def _get_at_path(product: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = product
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _build_product_json(call: Call, product: Product) -> dict[str, Any]:
    """Return a product. A price is a number in the main unit."""
    shown: dict[str, Any] = {"sku_id": product.sku, "product_id": product.id}
    for name, path in _PATHS_BY_FIELD.items():
        if name in product.fields:
            place = shown if len(path) == 1 else shown.setdefault(path[0], {})
            place[path[-1]] = product.fields[name]
    prices = {name: float(product.fields[name]) for name in _PRICE_FIELDS if product.fields.get(name)}
    status = "approved" if is_reviewed(call.context, product) else "processing"
    return {
        **shown,
        "price_info": {**prices, "currency": product.fields.get("currency", "")},
        "audit": {"audit_status": status},
        "active_status": "ACTIVATED",
        "ad_creation_eligible": "AVAILABLE" if status == "approved" else "NOT_AVAILABLE",
    }


ROUTES = [
    *build_api_routes("GET", "catalog/product/get", list_products),
    *build_api_routes("POST", "catalog/product/upload", upload_products),
    *build_api_routes("POST", "catalog/product/update", update_products),
    *build_api_routes("POST", "catalog/product/delete", delete_products),
    *build_api_routes("GET", "catalog/product/log", get_log),
    *build_api_routes("GET", "catalog/set/product/get", list_set_products),
    Route("GET", f"/{_LOG_HOST}/{{log}}.csv", serve_log_file),
]
