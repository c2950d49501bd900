"""Reports: synchronous ones in pages, and asynchronous ones as CSV files.

It has more than 400 lines: both kinds of reports check the same parameters and compute the same rows.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import (
    AccountMetricsView,
    AdObjectView,
    Call,
    Route,
    StoredObject,
    VendorContext,
    generate_digits,
)
from socialgate_sandbox.society.ad_reports import (
    AdMetric,
    MetricRatio,
    ReportCell,
    iterate_periods,
    split_cell_by_shares,
)
from socialgate_sandbox.society.ad_spend import Account
from socialgate_sandbox.society.campaigns import SwitchedObject, build_ad_views, build_metrics_view
from socialgate_sandbox.society.catalogs import count_decimals
from socialgate_sandbox.vendors.tiktokads.access import REPORTING_SCOPE, authenticate, require_advertiser
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, find_advertiser, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import AdAccountContents, build_advertiser_spend
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.leads import TASK_NOT_READY_CODE

REPORT_FILES_HOST = "ads-reports.tiktokcdn.com"
_MAX_ADVERTISERS, _MAX_ROWS = 5, 1000
_QUEUED_SECONDS, _READY_AFTER_SECONDS = 1.0, 3.0
_MAX_DAYS_BY_TIME_DIMENSION = {"stat_time_day": 30, "stat_time_hour": 1, "": 365}
_MIN_DATE, _MAX_DATE = date(2016, 1, 1), date(2999, 1, 1)
_PERIOD_UNITS: Mapping[str, Literal["", "day", "hour"]] = {"": "", "stat_time_day": "day", "stat_time_hour": "hour"}
_ID_FIELDS_BY_LEVEL = {f"AUCTION_{name.upper()}": f"{name}_id" for name in ("advertiser", "campaign", "adgroup", "ad")}
_COUNT_METRICS: Mapping[str, AdMetric] = {
    **{name: name for name in ("impressions", "reach", "clicks", "likes", "comments", "shares", "follows",
                               "profile_visits")},
    **dict.fromkeys(("spend", "billed_cost", "cash_spend"), "spend"),
    **dict.fromkeys(("conversion", "real_time_conversion", "result", "complete_payment"), "conversions"),
    "total_landing_page_view": "landings",
    "video_play_actions": "plays",
    "video_watched_2s": "plays_2s",
    "video_watched_6s": "plays_6s",
    **{f"video_views_p{part}": f"plays_{part}" for part in (25, 50, 75, 100)},
    "engagements": ("likes", "comments", "shares", "follows", "clicks"),
    # Despite its name, it is the value of the payments.
    "total_complete_payment_rate": "value",
}  # fmt: skip
_RATIO_METRICS: Mapping[str, AdMetric] = {
    "ctr": MetricRatio("clicks", "impressions", 100),
    "cpc": MetricRatio("spend", "clicks"),
    "cpm": MetricRatio("spend", "impressions", 1000),
    "frequency": MetricRatio("impressions", "reach"),
    "cost_per_1000_reached": MetricRatio("spend", "reach", 1000),
    "complete_payment_roas": MetricRatio("value", "spend"),
    "average_video_play": MetricRatio("plays_2s", "plays", 10),
    **dict.fromkeys(("cost_per_conversion", "cost_per_result"), MetricRatio("spend", "conversions")),
    "conversion_rate": MetricRatio("conversions", "clicks", 100),
    "conversion_rate_v2": MetricRatio("conversions", "impressions", 100),
    "result_rate": MetricRatio("conversions", "impressions", 100),
}
METRICS_BY_NAME = {**_COUNT_METRICS, **_RATIO_METRICS}
_ATTRIBUTE_METRICS = (
    *("advertiser_name", "campaign_name", "adgroup_name", "ad_name", "objective_type", "budget", "currency"),
    *("campaign_id", "adgroup_id"),
)
_SHARES_BY_BREAKDOWN: Mapping[str, Mapping[str, int]] = {
    "age": {"AGE_13_17": 6, "AGE_18_24": 31, "AGE_25_34": 34, "AGE_35_44": 16, "AGE_45_54": 8, "AGE_55_100": 5},
    "gender": {"FEMALE": 56, "MALE": 43, "NONE": 1},
    "country_code": {"SE": 71, "NO": 12, "DK": 9, "FI": 8},
    "province_id": {"2673722": 61, "2666218": 24, "2687699": 15},
    "platform": {"ANDROID": 58, "IOS": 41, "UNKNOWN": 1},
}
_COMBINABLE_BREAKDOWNS = {"gender", "age"}
# What is not counted by country.
_METRICS_WITHOUT_COUNTRY = {
    "engagements",
    "total_complete_payment_rate",
    "complete_payment_roas",
    "billed_cost",
    "cash_spend",
}
# What is not counted by groups of people.
_METRICS_WITHOUT_AUDIENCE = _METRICS_WITHOUT_COUNTRY | {"reach", "frequency", "cost_per_1000_reached"}
_MONEY_METRICS = {"spend", "billed_cost", "cash_spend", "total_complete_payment_rate"}


class ReportParams(msgspec.Struct):
    report_type: str
    data_level: str = ""
    dimensions: list[str] = []
    metrics: list[str] = msgspec.field(default_factory=lambda: ["spend", "impressions"])
    advertiser_id: str = ""
    advertiser_ids: list[str] = []
    start_date: date | None = None
    end_date: date | None = None
    query_lifetime: bool = False
    filtering: list[dict[str, str]] = []
    order_field: str = ""
    order_type: str = "DESC"
    enable_total_metrics: bool = False
    output_format: str = "CSV_STRING"
    file_name: str = ""

    @property
    def time_dimension(self) -> str:
        return next((name for name in self.dimensions if name.startswith("stat_time_")), "")

    @property
    def breakdowns(self) -> list[str]:
        return [name for name in self.dimensions if name in _SHARES_BY_BREAKDOWN]


class ReportTask(StoredObject):
    """An asynchronous report of an ad account, which is its parent."""

    params: ReportParams = msgspec.field(name="asked")
    created_at: datetime = msgspec.field(name="made")
    cancelled: bool = False


class TaskParams(msgspec.Struct):
    advertiser_id: str = ""
    task_id: str = ""


def get_report(call: Call) -> Response:
    report_params = _parse_report_params(call)
    rows = [
        row
        for books in _authorize_accounts(call, report_params)
        for row in _iterate_rows(books, books.spend_account, report_params)
    ]
    page, info = select_page(
        call, call.parse_params(PageQuery), _sort_rows(rows, report_params), max_page_size=_MAX_ROWS
    )
    data: dict[str, Any] = {"list": page, "page_info": info}
    if report_params.enable_total_metrics:
        whole = msgspec.structs.replace(report_params, dimensions=["advertiser_id"], data_level="AUCTION_ADVERTISER")
        totals = [
            row["metrics"]
            for books in _authorize_accounts(call, whole)
            for row in _iterate_rows(books, books.spend_account, whole)
        ]
        data["total_metrics"] = totals[0] if totals else {}
    return build_success_response(call, data)


def create_task(call: Call) -> Response:
    report_params = _parse_report_params(call)
    formats = ("CSV_STRING", "CSV_DOWNLOAD")
    require(report_params.output_format in formats, f"output_format: Must be one of: {', '.join(formats)}.")
    (advertiser, *_more) = [books.advertiser.id for books in _authorize_accounts(call, report_params)]
    task = ReportTask(
        id=generate_digits(19), parent=advertiser, params=report_params, created_at=call.context.clock.now()
    )
    return build_success_response(call, {"task_id": call.context.store.put(task).id})


def get_task_status(call: Call) -> Response:
    return build_success_response(call, {"status": _get_status(call.context, _require_task(call)), "message": ""})


def cancel_task(call: Call) -> Response:
    task = _require_task(call)
    task.cancelled = _get_status(call.context, task) != "SUCCESS"
    call.context.store.put(task)
    return build_success_response(call, {})


def download_task(call: Call) -> Response:
    task = _require_task(call)
    if _get_status(call.context, task) != "SUCCESS":
        return build_error_response(call, TASK_NOT_READY_CODE, "The task is not ready.")
    if task.params.output_format == "CSV_STRING":
        return Response(_build_csv(call, task), media_type="text/csv")
    url, name = f"{call.context.url}/{REPORT_FILES_HOST}/{task.id}.csv", task.params.file_name or f"report_{task.id}"
    return build_success_response(
        call, {"download_url": url, "file_name": f"{name}.csv", "output_format": task.params.output_format}
    )


def serve_file(call: Call) -> Response:
    task = call.context.store.get(ReportTask, call.path_params["name"])
    return Response("", 404) if task is None else Response(_build_csv(call, task), media_type="text/csv")


def build_account_metrics(context: VendorContext, account: str, first: date, last: date) -> AccountMetricsView:
    names = {name: count for name, count in _COUNT_METRICS.items() if isinstance(count, str)}
    return build_metrics_view(
        context, build_advertiser_spend(context, find_advertiser(context, account)), names, first, last
    )


def build_campaign_views(context: VendorContext, account: str) -> list[AdObjectView]:
    """Return the campaigns of an ad account, for people."""
    books = AdAccountContents(context, find_advertiser(context, account))
    return build_ad_views(context, books.spend_account, books.get_secondary_status)


def _parse_report_params(call: Call) -> ReportParams:
    report_params = call.parse_params(ReportParams)
    types = ("BASIC", "AUDIENCE")
    require(report_params.report_type in types, f"report_type: Must be one of: {', '.join(types)}.")
    require(
        report_params.data_level in _ID_FIELDS_BY_LEVEL,
        f"data_level: Must be one of: {', '.join(_ID_FIELDS_BY_LEVEL)}.",
    )
    unknown = set(report_params.metrics) - {*METRICS_BY_NAME, *_ATTRIBUTE_METRICS}
    require(not unknown, f"metrics: Invalid metric fields: {sorted(unknown)}.")
    _validate_dimensions(report_params)
    if report_params.query_lifetime:
        require(
            report_params.report_type == "BASIC" and not report_params.time_dimension,
            "query_lifetime: only for BASIC without a time.",
        )
        return msgspec.structs.replace(report_params, start_date=None, end_date=None)
    require(
        report_params.start_date and report_params.end_date, "start_date, end_date: Missing data for required field."
    )
    assert report_params.start_date is not None
    assert report_params.end_date is not None
    days, most = (
        (report_params.end_date - report_params.start_date).days + 1,
        _MAX_DAYS_BY_TIME_DIMENSION[report_params.time_dimension],
    )
    require(_MIN_DATE <= report_params.start_date <= _MAX_DATE, "start_date: not a valid date.")
    require(days >= 1, "end_date: must not be earlier than start_date.")
    require(days <= most, f"start_date, end_date: max time span is {most} days for these dimensions.")
    return report_params


def _validate_dimensions(params: ReportParams) -> None:
    ids = [name for name in params.dimensions if name in _ID_FIELDS_BY_LEVEL.values()]
    require(
        ids == [_ID_FIELDS_BY_LEVEL[params.data_level]],
        f"dimensions: {params.data_level} needs {_ID_FIELDS_BY_LEVEL[params.data_level]}.",
    )
    left = set(params.dimensions) - {*ids, params.time_dimension, *params.breakdowns}
    require(
        not left and params.time_dimension in _MAX_DAYS_BY_TIME_DIMENSION,
        f"dimensions: {', '.join(sorted(left)) or params.time_dimension} is not valid.",
    )
    people = set(params.breakdowns)
    splits = people <= {"country_code"} if params.report_type == "BASIC" else 0 < len(people) <= 2  # noqa: PLR2004 - age and gender
    together = len(people) < 2 or people == _COMBINABLE_BREAKDOWNS  # noqa: PLR2004 - as above
    require(splits and together, "dimensions: this combination is not supported by the report type.")
    wrong = set(params.metrics) & (
        (_METRICS_WITHOUT_COUNTRY if params.report_type == "BASIC" else _METRICS_WITHOUT_AUDIENCE) if people else set()
    )
    require(not wrong, f"metrics: {sorted(wrong)} are not supported with these dimensions.")


def _authorize_accounts(call: Call, params: ReportParams) -> list[AdAccountContents]:
    token = authenticate(call, REPORTING_SCOPE)
    keys = params.advertiser_ids or [params.advertiser_id]
    require(
        all(keys) and len(keys) <= _MAX_ADVERTISERS, f"advertiser_ids: between 1 and {_MAX_ADVERTISERS} are allowed."
    )
    return [AdAccountContents(call.context, require_advertiser(call, token, key)[0]) for key in keys]


def _iterate_rows(contents: AdAccountContents, account: Account, params: ReportParams) -> Iterator[dict[str, Any]]:
    """Return the rows in which something happened."""
    key = _ID_FIELDS_BY_LEVEL[params.data_level]
    for switched_object in _list_report_objects(contents, params):
        about = _build_attributes(contents, switched_object)
        for at, start, end in iterate_periods(
            account, params.start_date, params.end_date, _PERIOD_UNITS[params.time_dimension]
        ):
            whole = ReportCell(None if switched_object is None else switched_object.id, start, end)
            if not account.count_between("impressions", start, end, whole.object_id):
                continue
            names = {key: contents.advertiser.id if switched_object is None else switched_object.id}
            if at is not None:
                names[params.time_dimension] = f"{at:%Y-%m-%d %H:%M:%S}"
            for people, cell in split_cell_by_shares(
                whole, *(_SHARES_BY_BREAKDOWN[name] for name in params.breakdowns)
            ):
                dimensions = names | dict(zip(params.breakdowns, people, strict=True))
                values = {name: _format_metric(account, cell, name, about) for name in params.metrics}
                yield {"dimensions": dimensions, "metrics": values}


def _list_report_objects(contents: AdAccountContents, params: ReportParams) -> Sequence[SwitchedObject | None]:
    """Return the objects of a report; None is the ad account. Deleted ones only if the caller filters by status."""
    level = params.data_level.removeprefix("AUCTION_").lower()
    if level == "advertiser":
        return [None]
    levels: Mapping[str, Mapping[str, SwitchedObject]] = {
        "campaign": contents.campaigns,
        "adgroup": contents.adgroups,
        "ad": contents.ads,
    }
    every = [*levels[level].values()]
    filters = {item.get("field_name", ""): item.get("filter_value", "") for item in params.filtering}
    requested_values = {name: _parse_filter_values(text) for name, text in filters.items()}
    kept = [
        switched_object
        for switched_object in every
        if f"{level}_status" in requested_values
        or not contents.get_secondary_status(switched_object).endswith("DELETE")
    ]
    for name, values in requested_values.items():
        if name.endswith("_ids"):
            kept = [
                switched_object
                for switched_object in kept
                if values & _list_ids_at_level(contents, switched_object, name.removesuffix("_ids").upper())
            ]
        else:
            require(name.endswith("_status"), f"filtering: {name} is not a valid field_name.")
    return kept


def _list_ids_at_level(contents: AdAccountContents, ad_object: SwitchedObject, level: str) -> set[str]:
    chain = dict(contents.list_parents(ad_object))
    return {chain[level].id} if level in chain else {ad_object.id}


def _parse_filter_values(text: str) -> set[str]:
    try:
        items = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {text}
    return {str(value) for value in items} if isinstance(items, list) else {str(items)}


def _build_attributes(contents: AdAccountContents, ad_object: SwitchedObject | None) -> dict[str, str]:
    about = {"advertiser_name": contents.advertiser.name, "currency": contents.advertiser.currency}
    if ad_object is not None:
        chain = [
            *contents.list_parents(ad_object),
            (
                "AD"
                if len(contents.list_parents(ad_object)) > 1
                else "ADGROUP"
                if contents.list_parents(ad_object)
                else "CAMPAIGN",
                ad_object,
            ),
        ]
        about |= {f"{name.lower()}_name": each.name for name, each in chain}
        about |= {f"{name.lower()}_id": each.id for name, each in chain[:-1]}
        about["objective_type"] = chain[0][1].fields["objective_type"]
        about["budget"] = str(chain[-1][1].fields.get("budget", "0.0"))
    return about


def _format_metric(account: Account, cell: ReportCell, name: str, attributes: Mapping[str, str]) -> str:
    if name in _ATTRIBUTE_METRICS:
        return attributes.get(name, "-")
    value = cell.value(account, METRICS_BY_NAME[name])
    if name in _MONEY_METRICS:
        return f"{value:.{count_decimals(account.currency)}f}"
    return f"{value:.2f}" if name in _RATIO_METRICS else str(int(value))


def _sort_rows(rows: list[dict[str, Any]], params: ReportParams) -> list[dict[str, Any]]:
    if not params.order_field:
        return rows
    require(params.order_field in {*METRICS_BY_NAME} & {*params.metrics}, "order_field: must be one of the metrics.")
    return sorted(rows, key=lambda row: float(row["metrics"][params.order_field]), reverse=params.order_type != "ASC")


def _require_task(call: Call) -> ReportTask:
    token, task_params = authenticate(call, REPORTING_SCOPE), call.parse_params(TaskParams)
    require_advertiser(call, token, task_params.advertiser_id)
    report_task = call.context.store.get(ReportTask, task_params.task_id)
    if report_task is None or task_params.advertiser_id not in {report_task.parent, *report_task.params.advertiser_ids}:
        raise build_error(call, NOT_FOUND_CODE, "The task does not exist.")
    return report_task


def _get_status(context: VendorContext, task: ReportTask) -> str:
    age = context.clock.get_seconds_since(task.created_at)
    ripe = "QUEUING" if age < _QUEUED_SECONDS else "PROCESSING" if age < _READY_AFTER_SECONDS else "SUCCESS"
    return "CANCELED" if task.cancelled else ripe


def _build_csv(call: Call, task: ReportTask) -> str:
    """Write a report as of the time when it was requested."""
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow([*task.params.dimensions, *task.params.metrics])
    for key in task.params.advertiser_ids or [task.parent]:
        books = AdAccountContents(call.context, find_advertiser(call.context, key))
        account = msgspec.structs.replace(books.spend_account, now=task.created_at)
        for row in _sort_rows(list(_iterate_rows(books, account, task.params)), task.params):
            rows.writerow([row["dimensions"][name] for name in task.params.dimensions] + list(row["metrics"].values()))
    return out.getvalue()


ROUTES = [
    *build_api_routes("GET", "report/integrated/get", get_report),
    *build_api_routes("POST", "report/task/create", create_task),
    *build_api_routes("GET", "report/task/check", get_task_status),
    *build_api_routes("POST", "report/task/cancel", cancel_task),
    *build_api_routes("GET", "report/task/download", download_task),
    Route("GET", f"/{REPORT_FILES_HOST}/{{name}}.csv", serve_file),
]
