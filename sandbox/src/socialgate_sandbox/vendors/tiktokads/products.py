"""Products of a catalog: accepted immediately, processed a little later, with a log of the results."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, digits
from socialgate_sandbox.society.catalogs import (
    BadMoney,
    Batch,
    Catalog,
    Fault,
    Method,
    Product,
    Row,
    RowFault,
    begin_batch,
    is_reviewed,
    money,
    stage_of,
)
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.catalogs import RULES, catalog_of, in_set, list_filter, set_of
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND, WRONG_PARAMETER, answered, failed, refused, require
from socialgate_sandbox.vendors.tiktokads.hosts import api

MOST_PRODUCTS, _MOST_IDS = 5000, 1000
_LISTED_ITEMS = 5
_STAGES = {"waiting": "WAITING", "working": "PROCESSING", "done": "SUCCESS"}
_LOG_HOST = "lf16-catalog.tiktokcdn.com"
# Where TikTok has the fields that usual feeds have under these names: in the product, or in a part of it.
_PLACES: Mapping[str, tuple[str, ...]] = {
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
_PRICES = ("price", "sale_price")


class Sent(msgspec.Struct):
    products: list[Any] = []
    sku_ids: list[str] = []
    product_ids: list[str] = []
    product_set_ids: list[str] = []
    conditions: dict[str, Any] | None = None
    feed_log_id: str = ""


def list_products(call: Call) -> Response:
    (catalog, _asked), given = catalog_of(call), call.read(Sent)
    if len(given.sku_ids) > _MOST_IDS or len(given.product_ids) > _MOST_IDS:
        return failed(call, WRONG_PARAMETER, f"sku_ids, product_ids: at most {_MOST_IDS} ids are allowed.")
    found = RULES.products(call.world, catalog.id)
    if given.sku_ids or given.product_ids:
        found = [one for one in found if one.sku in given.sku_ids or one.id in given.product_ids]
    elif given.conditions:
        test = list_filter(call, given.conditions)
        found = [one for one in found if test(one)]
    if given.product_set_ids:
        sets = [set_of(call, catalog, key) for key in given.product_set_ids]
        kept = {product.id for one in sets for product in in_set(call, one)}
        found = [one for one in found if one.id in kept]
    return _listed(call, found)


def list_set_products(call: Call) -> Response:
    catalog, given = catalog_of(call)
    return _listed(call, in_set(call, set_of(call, catalog, given.product_set_id)))


def _listed(call: Call, found: list[Product]) -> Response:
    shown, info = paged(call, call.read(PageQuery), found, most=500)
    return answered(call, {"list": [_product(call, one) for one in shown], "page_info": info})


def upload(call: Call) -> Response:
    return _taken(call, "create", per_second=5)


def update(call: Call) -> Response:
    return _taken(call, "update", per_second=2)


def delete(call: Call) -> Response:
    catalog, _asked = catalog_of(call)
    _slow_down(call, 2)
    given = call.read(Sent)
    require(0 < len(given.sku_ids) <= _MOST_IDS, f"sku_ids: between 1 and {_MOST_IDS} ids are allowed.")
    rows = [Row(line=line, method="delete", sku=sku) for line, sku in enumerate(given.sku_ids, 1)]
    return answered(call, {"feed_log_id": begin_batch(call.world, digits(19), catalog.id, rows).id})


def _taken(call: Call, method: Method, *, per_second: int) -> Response:
    """Accept products. Errors in individual products are in the log, not in this response."""
    catalog, _asked = catalog_of(call)
    _slow_down(call, per_second)
    given = call.read(Sent)
    require(0 < len(given.products) <= MOST_PRODUCTS, f"products: between 1 and {MOST_PRODUCTS} products are allowed.")
    rows: list[Row] = []
    wrong: list[RowFault] = []
    for line, one in enumerate(given.products, 1):
        row, faults = _read(catalog, line, one, method)
        title = str(row.fields.get("title", ""))
        wrong += [
            RowFault(line=line, sku=row.sku, field=fault.field, message=fault.message, title=title) for fault in faults
        ]
        rows += [] if faults else [row]
    return answered(call, {"feed_log_id": begin_batch(call.world, digits(19), catalog.id, rows, wrong).id})


def _slow_down(call: Call, per_second: int) -> None:
    for most, seconds in ((per_second, 1), (per_second * 60, 60)):
        if not call.world.allow(f"{call.path} slow {seconds}", most, seconds):
            raise refused(call, 40100, "Too many requests. Please retry in some time.")


def log(call: Call) -> Response:
    catalog, _asked = catalog_of(call)
    RULES.settle(call.world, catalog.id)
    batch = call.world.store.get(Batch, call.read(Sent).feed_log_id)
    if batch is None or batch.catalog != catalog.id:
        return failed(call, NOT_FOUND, "The feed log does not exist.")
    stage = stage_of(call.world, batch)
    faults = batch.faults if stage == "done" else []
    files = {"en": f"{call.world.url}/{_LOG_HOST}/{batch.id}.csv"} if faults else {}
    return answered(
        call,
        {
            "product_feed_log": {
                "catalog_id": catalog.id,
                "process_status": _STAGES[stage],
                "add_count": batch.created,
                "update_count": batch.updated,
                "delete_count": batch.deleted,
                "error_count": len({one.line for one in faults}),
                "warn_count": 0,
                "update_mode": "INCREASE",
                "start_time": f"{batch.made:%Y-%m-%d %H:%M:%S}",
                "feed_log_data": {
                    "download_path": files,
                    "error_affected_products": _affected(faults),
                    "warn_affected_products": [],
                },
            }
        },
    )


def _affected(faults: list[RowFault]) -> list[dict[str, Any]]:
    """Report each issue once, with the first few products that have it; the file has them all."""
    issues: dict[tuple[str, str], list[RowFault]] = {}
    for one in faults:
        issues.setdefault((_name(one.field), one.message), []).append(one)
    return [
        {
            "field": name,
            "issue": message,
            "suggestion": f"Correct {name} and upload the product again.",
            "affected_product_count": len(rows),
            # The first product is number 2: the first line of a file would be the header.
            "affected_product_item_list": [
                {"index": one.line + 1, "sku_id": one.sku, "title": one.title} for one in rows[:_LISTED_ITEMS]
            ],
        }
        for (name, message), rows in issues.items()
    ]


def log_file(call: Call) -> Response:
    batch = call.world.store.get(Batch, call.args["log"])
    if batch is None:
        return Response("Not Found", 404)
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(["index", "sku_id", "title", "field", "issue"])
    rows.writerows([one.line + 1, one.sku, one.title, _name(one.field), one.message] for one in batch.faults)
    return Response(out.getvalue().encode("utf-8-sig"), media_type="text/csv")


def _name(field: str) -> str:
    return "sku_id" if field == "id" else _PLACES.get(field, (field,))[-1]


def _read(catalog: Catalog, line: int, given: Any, method: Method) -> tuple[Row, list[Fault]]:
    product = given if isinstance(given, dict) else {}
    fields: dict[str, Any] = {}
    for name, path in _PLACES.items():
        value = _at(product, path)
        if value not in (None, "", []):
            fields[name] = value
    faults = []
    currency = str(_at(product, ("price_info", "currency")) or catalog.currency)
    for name in _PRICES:
        amount = _at(product, ("price_info", name))
        if amount is not None:
            try:
                fields |= {name: money(amount, currency), "currency": currency}
            except BadMoney as error:
                faults.append(Fault(name, str(error)))
                fields.setdefault(name, "wrong")
    row = Row(line=line, method=method, sku=str(product.get("sku_id") or ""), fields=fields, upsert=False)
    return row, [*faults, *RULES.faults(row)]


def _at(product: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = product
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _product(call: Call, one: Product) -> dict[str, Any]:
    """Return a product. A price is a number in the main unit."""
    shown: dict[str, Any] = {"sku_id": one.sku, "product_id": one.id}
    for name, path in _PLACES.items():
        if name in one.fields:
            place = shown if len(path) == 1 else shown.setdefault(path[0], {})
            place[path[-1]] = one.fields[name]
    prices = {name: float(one.fields[name]) for name in _PRICES if one.fields.get(name)}
    status = "approved" if is_reviewed(call.world, one) else "processing"
    return {
        **shown,
        "price_info": {**prices, "currency": one.fields.get("currency", "")},
        "audit": {"audit_status": status},
        "active_status": "ACTIVATED",
        "ad_creation_eligible": "AVAILABLE" if status == "approved" else "NOT_AVAILABLE",
    }


ROUTES = [
    *api("GET", "catalog/product/get", list_products),
    *api("POST", "catalog/product/upload", upload),
    *api("POST", "catalog/product/update", update),
    *api("POST", "catalog/product/delete", delete),
    *api("GET", "catalog/product/log", log),
    *api("GET", "catalog/set/product/get", list_set_products),
    Route("GET", f"/{_LOG_HOST}/{{log}}.csv", log_file),
]
