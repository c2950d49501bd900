"""Reports: synchronous ones in pages, and asynchronous ones as CSV files."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, ShownAdvert, ShownNumbers, Thing, World, digits
from socialgate_sandbox.society.ad_reports import Cell, Measure, Ratio, periods, shared
from socialgate_sandbox.society.campaigns import Managed, shown, shown_adverts
from socialgate_sandbox.society.catalogs import places_of
from socialgate_sandbox.society.spend import Account
from socialgate_sandbox.vendors.tiktokads.access import REPORTING, advertiser_of, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, advertiser_named, paged
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND, answered, failed, refused, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.leads import TASK_NOT_READY
from socialgate_sandbox.vendors.tiktokads.objects import Books, account_of

FILES = "ads-reports.tiktokcdn.com"
_MOST_ADVERTISERS, _MOST_ROWS = 5, 1000
_QUEUED, _READY = 1.0, 3.0
_LONGEST = {"stat_time_day": 30, "stat_time_hour": 1, "": 365}
_FIRST, _LAST = date(2016, 1, 1), date(2999, 1, 1)
_UNITS: Mapping[str, Literal["", "day", "hour"]] = {"": "", "stat_time_day": "day", "stat_time_hour": "hour"}
_LEVELS = {f"AUCTION_{name.upper()}": f"{name}_id" for name in ("advertiser", "campaign", "adgroup", "ad")}
_COUNTS: Mapping[str, Measure] = {
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
_RATIOS: Mapping[str, Measure] = {
    "ctr": Ratio("clicks", "impressions", 100),
    "cpc": Ratio("spend", "clicks"),
    "cpm": Ratio("spend", "impressions", 1000),
    "frequency": Ratio("impressions", "reach"),
    "cost_per_1000_reached": Ratio("spend", "reach", 1000),
    "complete_payment_roas": Ratio("value", "spend"),
    "average_video_play": Ratio("plays_2s", "plays", 10),
    **dict.fromkeys(("cost_per_conversion", "cost_per_result"), Ratio("spend", "conversions")),
    "conversion_rate": Ratio("conversions", "clicks", 100),
    "conversion_rate_v2": Ratio("conversions", "impressions", 100),
    "result_rate": Ratio("conversions", "impressions", 100),
}
METRICS = {**_COUNTS, **_RATIOS}
_ABOUT = (
    *("advertiser_name", "campaign_name", "adgroup_name", "ad_name", "objective_type", "budget", "currency"),
    *("campaign_id", "adgroup_id"),
)
_PEOPLE: Mapping[str, Mapping[str, int]] = {
    "age": {"AGE_13_17": 6, "AGE_18_24": 31, "AGE_25_34": 34, "AGE_35_44": 16, "AGE_45_54": 8, "AGE_55_100": 5},
    "gender": {"FEMALE": 56, "MALE": 43, "NONE": 1},
    "country_code": {"SE": 71, "NO": 12, "DK": 9, "FI": 8},
    "province_id": {"2673722": 61, "2666218": 24, "2687699": 15},
    "platform": {"ANDROID": 58, "IOS": 41, "UNKNOWN": 1},
}
_TOGETHER = {"gender", "age"}
# What is not counted by country.
_WHOLE = {"engagements", "total_complete_payment_rate", "complete_payment_roas", "billed_cost", "cash_spend"}
# What is not counted by groups of people.
_UNCOUNTED = _WHOLE | {"reach", "frequency", "cost_per_1000_reached"}
_MONEY = {"spend", "billed_cost", "cash_spend", "total_complete_payment_rate"}


class Asked(msgspec.Struct):
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
    def time(self) -> str:
        return next((name for name in self.dimensions if name.startswith("stat_time_")), "")

    @property
    def people(self) -> list[str]:
        return [name for name in self.dimensions if name in _PEOPLE]


class ReportTask(Thing):
    """An asynchronous report of an ad account, which is its parent."""

    asked: Asked
    made: datetime
    cancelled: bool = False


class AskedTask(msgspec.Struct):
    advertiser_id: str = ""
    task_id: str = ""


def report(call: Call) -> Response:
    asked = _asked(call)
    rows = [row for books in _books(call, asked) for row in _rows(books, books.account, asked)]
    page, info = paged(call, call.read(PageQuery), _sorted(rows, asked), most=_MOST_ROWS)
    data: dict[str, Any] = {"list": page, "page_info": info}
    if asked.enable_total_metrics:
        whole = msgspec.structs.replace(asked, dimensions=["advertiser_id"], data_level="AUCTION_ADVERTISER")
        totals = [row["metrics"] for books in _books(call, whole) for row in _rows(books, books.account, whole)]
        data["total_metrics"] = totals[0] if totals else {}
    return answered(call, data)


def create_task(call: Call) -> Response:
    asked = _asked(call)
    formats = ("CSV_STRING", "CSV_DOWNLOAD")
    require(asked.output_format in formats, f"output_format: Must be one of: {', '.join(formats)}.")
    (advertiser, *_more) = [books.advertiser.id for books in _books(call, asked)]
    task = ReportTask(id=digits(19), parent=advertiser, asked=asked, made=call.world.clock.now())
    return answered(call, {"task_id": call.world.store.put(task).id})


def check_task(call: Call) -> Response:
    return answered(call, {"status": _status(call.world, _task(call)), "message": ""})


def cancel_task(call: Call) -> Response:
    task = _task(call)
    task.cancelled = _status(call.world, task) != "SUCCESS"
    call.world.store.put(task)
    return answered(call, {})


def download_task(call: Call) -> Response:
    task = _task(call)
    if _status(call.world, task) != "SUCCESS":
        return failed(call, TASK_NOT_READY, "The task is not ready.")
    if task.asked.output_format == "CSV_STRING":
        return Response(_file(call, task), media_type="text/csv")
    url, name = f"{call.world.url}/{FILES}/{task.id}.csv", task.asked.file_name or f"report_{task.id}"
    return answered(call, {"download_url": url, "file_name": f"{name}.csv", "output_format": task.asked.output_format})


def serve_file(call: Call) -> Response:
    task = call.world.store.get(ReportTask, call.args["name"])
    return Response("", 404) if task is None else Response(_file(call, task), media_type="text/csv")


def numbers(world: World, account: str, first: date, last: date) -> ShownNumbers:
    names = {name: of for name, of in _COUNTS.items() if isinstance(of, str)}
    return shown(world, account_of(world, advertiser_named(world, account)), names, first, last)


def shown_campaigns(world: World, account: str) -> list[ShownAdvert]:
    """Return the campaigns of an ad account, for people."""
    books = Books(world, advertiser_named(world, account))
    return shown_adverts(world, books.account, books.standing)


def _asked(call: Call) -> Asked:
    asked = call.read(Asked)
    types = ("BASIC", "AUDIENCE")
    require(asked.report_type in types, f"report_type: Must be one of: {', '.join(types)}.")
    require(asked.data_level in _LEVELS, f"data_level: Must be one of: {', '.join(_LEVELS)}.")
    unknown = set(asked.metrics) - {*METRICS, *_ABOUT}
    require(not unknown, f"metrics: Invalid metric fields: {sorted(unknown)}.")
    _check_dimensions(asked)
    if asked.query_lifetime:
        require(asked.report_type == "BASIC" and not asked.time, "query_lifetime: only for BASIC without a time.")
        return msgspec.structs.replace(asked, start_date=None, end_date=None)
    require(asked.start_date and asked.end_date, "start_date, end_date: Missing data for required field.")
    assert asked.start_date is not None
    assert asked.end_date is not None
    days, most = (asked.end_date - asked.start_date).days + 1, _LONGEST[asked.time]
    require(_FIRST <= asked.start_date <= _LAST, "start_date: not a valid date.")
    require(days >= 1, "end_date: must not be earlier than start_date.")
    require(days <= most, f"start_date, end_date: max time span is {most} days for these dimensions.")
    return asked


def _check_dimensions(asked: Asked) -> None:
    ids = [name for name in asked.dimensions if name in _LEVELS.values()]
    require(ids == [_LEVELS[asked.data_level]], f"dimensions: {asked.data_level} needs {_LEVELS[asked.data_level]}.")
    left = set(asked.dimensions) - {*ids, asked.time, *asked.people}
    require(not left and asked.time in _LONGEST, f"dimensions: {', '.join(sorted(left)) or asked.time} is not valid.")
    people = set(asked.people)
    splits = people <= {"country_code"} if asked.report_type == "BASIC" else 0 < len(people) <= 2  # noqa: PLR2004 - age and gender
    together = len(people) < 2 or people == _TOGETHER  # noqa: PLR2004 - as above
    require(splits and together, "dimensions: this combination is not supported by the report type.")
    wrong = set(asked.metrics) & ((_WHOLE if asked.report_type == "BASIC" else _UNCOUNTED) if people else set())
    require(not wrong, f"metrics: {sorted(wrong)} are not supported with these dimensions.")


def _books(call: Call, asked: Asked) -> list[Books]:
    token = signed_in(call, REPORTING)
    keys = asked.advertiser_ids or [asked.advertiser_id]
    require(
        all(keys) and len(keys) <= _MOST_ADVERTISERS, f"advertiser_ids: between 1 and {_MOST_ADVERTISERS} are allowed."
    )
    return [Books(call.world, advertiser_of(call, token, key)[0]) for key in keys]


def _rows(books: Books, account: Account, asked: Asked) -> Iterator[dict[str, Any]]:
    """Return the rows in which something happened."""
    key = _LEVELS[asked.data_level]
    for one in _subjects(books, asked):
        about = _about(books, one)
        for at, start, end in periods(account, asked.start_date, asked.end_date, _UNITS[asked.time]):
            whole = Cell(None if one is None else one.id, start, end)
            if not account.between("impressions", start, end, whole.of):
                continue
            names = {key: books.advertiser.id if one is None else one.id}
            if at is not None:
                names[asked.time] = f"{at:%Y-%m-%d %H:%M:%S}"
            for people, cell in shared(whole, *(_PEOPLE[name] for name in asked.people)):
                dimensions = names | dict(zip(asked.people, people, strict=True))
                values = {name: _text(account, cell, name, about) for name in asked.metrics}
                yield {"dimensions": dimensions, "metrics": values}


def _subjects(books: Books, asked: Asked) -> Sequence[Managed | None]:
    """Return the objects of a report; None is the ad account. Deleted ones only if the caller filters by status."""
    level = asked.data_level.removeprefix("AUCTION_").lower()
    if level == "advertiser":
        return [None]
    levels: Mapping[str, Mapping[str, Managed]] = {
        "campaign": books.campaigns,
        "adgroup": books.groups,
        "ad": books.ads,
    }
    every = [*levels[level].values()]
    filters = {one.get("field_name", ""): one.get("filter_value", "") for one in asked.filtering}
    wanted = {name: _list(text) for name, text in filters.items()}
    kept = [one for one in every if f"{level}_status" in wanted or not books.standing(one).endswith("DELETE")]
    for name, values in wanted.items():
        if name.endswith("_ids"):
            kept = [one for one in kept if values & _ids(books, one, name.removesuffix("_ids").upper())]
        else:
            require(name.endswith("_status"), f"filtering: {name} is not a valid field_name.")
    return kept


def _ids(books: Books, one: Managed, level: str) -> set[str]:
    chain = dict(books.above(one))
    return {chain[level].id} if level in chain else {one.id}


def _list(text: str) -> set[str]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {text}
    return {str(value) for value in found} if isinstance(found, list) else {str(found)}


def _about(books: Books, one: Managed | None) -> dict[str, str]:
    about = {"advertiser_name": books.advertiser.name, "currency": books.advertiser.currency}
    if one is not None:
        chain = [
            *books.above(one),
            ("AD" if len(books.above(one)) > 1 else "ADGROUP" if books.above(one) else "CAMPAIGN", one),
        ]
        about |= {f"{name.lower()}_name": each.name for name, each in chain}
        about |= {f"{name.lower()}_id": each.id for name, each in chain[:-1]}
        about["objective_type"] = chain[0][1].fields["objective_type"]
        about["budget"] = str(chain[-1][1].fields.get("budget", "0.0"))
    return about


def _text(account: Account, cell: Cell, name: str, about: Mapping[str, str]) -> str:
    if name in _ABOUT:
        return about.get(name, "-")
    value = cell.value(account, METRICS[name])
    if name in _MONEY:
        return f"{value:.{places_of(account.currency)}f}"
    return f"{value:.2f}" if name in _RATIOS else str(int(value))


def _sorted(rows: list[dict[str, Any]], asked: Asked) -> list[dict[str, Any]]:
    if not asked.order_field:
        return rows
    require(asked.order_field in {*METRICS} & {*asked.metrics}, "order_field: must be one of the metrics.")
    return sorted(rows, key=lambda row: float(row["metrics"][asked.order_field]), reverse=asked.order_type != "ASC")


def _task(call: Call) -> ReportTask:
    token, given = signed_in(call, REPORTING), call.read(AskedTask)
    advertiser_of(call, token, given.advertiser_id)
    found = call.world.store.get(ReportTask, given.task_id)
    if found is None or given.advertiser_id not in {found.parent, *found.asked.advertiser_ids}:
        raise refused(call, NOT_FOUND, "The task does not exist.")
    return found


def _status(world: World, task: ReportTask) -> str:
    age = world.clock.since(task.made)
    ripe = "QUEUING" if age < _QUEUED else "PROCESSING" if age < _READY else "SUCCESS"
    return "CANCELED" if task.cancelled else ripe


def _file(call: Call, task: ReportTask) -> str:
    """Write a report as of the time when it was requested."""
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow([*task.asked.dimensions, *task.asked.metrics])
    for key in task.asked.advertiser_ids or [task.parent]:
        books = Books(call.world, advertiser_named(call.world, key))
        account = msgspec.structs.replace(books.account, now=task.made)
        for row in _sorted(list(_rows(books, account, task.asked)), task.asked):
            rows.writerow([row["dimensions"][name] for name in task.asked.dimensions] + list(row["metrics"].values()))
    return out.getvalue()


ROUTES = [
    *api("GET", "report/integrated/get", report),
    *api("POST", "report/task/create", create_task),
    *api("GET", "report/task/check", check_task),
    *api("POST", "report/task/cancel", cancel_task),
    *api("GET", "report/task/download", download_task),
    Route("GET", f"/{FILES}/{{name}}.csv", serve_file),
]
