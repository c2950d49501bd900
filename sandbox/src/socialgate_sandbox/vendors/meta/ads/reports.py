"""Reports: insights that are computed in the background."""

from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.nodes import NodeType, finder, own
from socialgate_sandbox.kit import Call, Refused, Thing, digits
from socialgate_sandbox.kit.lifecycle import processing, stage
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign
from socialgate_sandbox.vendors.meta.ads.accounts import ad_account_node
from socialgate_sandbox.vendors.meta.ads.insights import page, rows
from socialgate_sandbox.vendors.meta.state import AdAccount

_SECONDS = 10.0
_LEAST = timedelta(seconds=1)
_WORDS = {"waiting": "Job Not Started", "processing": "Job Running", "failed": "Job Failed", "ready": "Job Completed"}
_NOT_KEPT = {"access_token", "appsecret_proof", "limit", "after", "before"}


class Report(Thing, kw_only=True):
    """A report about an ad account (the parent), or about something in it (`of`)."""

    of: str
    params: dict[str, Any]
    made: datetime
    ready: datetime
    failure: str = ""


def request_report(call: Call, of: Thing) -> Any:
    """Check the parameters right away, and compute the rows later."""
    page(call, rows(call, of))
    account = of.id if isinstance(of, AdAccount) else of.parent
    ready, fails = processing(call.world, account, _SECONDS)
    kept = {name: value for name, value in call.params.items() if name not in _NOT_KEPT}
    report = Report(
        id=digits(16), parent=account, of=of.id, params=kept, made=call.world.clock.now(), ready=ready, failure=fails
    )
    return {"report_run_id": call.world.store.put(report).id}


def _percent(call: Call, report: Report, _field: Field) -> int:
    passed, whole = call.world.clock.now() - report.made, max(_LEAST, report.ready - report.made)
    return 100 if report.ready <= call.world.clock.now() and not report.failure else min(95, int(passed / whole * 100))


def _status(call: Call, report: Report, field: Field) -> str:
    reached = stage(call.world, report.ready, report.failure)
    return _WORDS["waiting" if reached == "processing" and not _percent(call, report, field) else reached]


def _error(value: Any) -> Any:
    def resolve(call: Call, report: Report, _field: Field) -> Any:
        return value(report) if stage(call.world, report.ready, report.failure) == "failed" else None

    return resolve


REPORT = NodeType(
    "AdReportRun",
    {
        **own("id"),
        "account_id": lambda _call, report, _field: report.parent.removeprefix("act_"),
        "async_status": _status,
        "async_percent_completion": _percent,
        "is_running": lambda call, report, _field: stage(call.world, report.ready) == "processing",
        "time_ref": lambda _call, report, _field: int(report.made.timestamp()),
        "time_completed": lambda _call, report, _field: int(report.ready.timestamp()),
        "error_code": _error(lambda _report: 1),
        "error_subcode": _error(lambda report: int(report.failure)),
        "error_message": _error(lambda _report: "An unknown error occurred"),
        "error_user_msg": _error(lambda _report: "The report could not be created. Try again with fewer days."),
    },
    ("id", "account_id", "time_ref", "async_status", "async_percent_completion"),
)


def report_insights(call: Call, report: Report) -> Any:
    if stage(call.world, report.ready, report.failure) != "ready":
        raise Refused(failure("(#2601) The report is not available yet", 2601))
    store = call.world.store
    kinds = (AdAccount, Campaign, AdSet, Ad)
    of = next((found for kind in kinds if (found := store.get(kind, report.of)) is not None), None)
    if of is None:
        raise Refused(failure("(#2601) What the report is about no longer exists", 2601))
    given = call.params.get("fields")
    call.params.update({**report.params, **({"fields": given} if given else {})})
    return page(call, rows(call, of))


report_node = finder(Report, REPORT, lambda call, report: ad_account_node(call, report.parent) is not None)
