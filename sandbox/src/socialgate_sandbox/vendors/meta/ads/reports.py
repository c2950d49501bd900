"""Reports: insights that are computed in the background."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import NodeType, build_finder, resolve_attributes
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, generate_digits
from socialgate_sandbox.kit.post_processing import compute_stage, start_processing
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign
from socialgate_sandbox.vendors.meta.ads.ad_accounts import find_ad_account_node
from socialgate_sandbox.vendors.meta.ads.insights import build_insights_page, build_rows
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount

_PROCESSING_SECONDS = 10.0
_MIN_PROCESSING_TIME = timedelta(seconds=1)
_STATUS_TEXTS = {
    "waiting": "Job Not Started",
    "processing": "Job Running",
    "failed": "Job Failed",
    "ready": "Job Completed",
}
_UNSTORED_PARAMS = {"access_token", "appsecret_proof", "limit", "after", "before"}


class Report(StoredObject, kw_only=True):
    """A report about an ad account (the parent), or about something in it (`of`)."""

    of: str
    params: dict[str, Any]
    created_at: datetime = msgspec.field(name="made")
    ready: datetime
    failure: str = ""


def create_report(call: Call, target: StoredObject) -> Any:
    """Check the parameters right away, and compute the rows later."""
    build_insights_page(call, build_rows(call, target))
    account = target.id if isinstance(target, AdAccount) else target.parent
    ready, fails = start_processing(call.context, account, _PROCESSING_SECONDS)
    kept = {name: value for name, value in call.params.items() if name not in _UNSTORED_PARAMS}
    report = Report(
        id=generate_digits(16),
        parent=account,
        of=target.id,
        params=kept,
        created_at=call.context.clock.now(),
        ready=ready,
        failure=fails,
    )
    return {"report_run_id": call.context.store.put(report).id}


def _resolve_percent(call: Call, report: Report, _field: RequestedField) -> int:
    passed, whole = (
        call.context.clock.now() - report.created_at,
        max(_MIN_PROCESSING_TIME, report.ready - report.created_at),
    )
    return (
        100 if report.ready <= call.context.clock.now() and not report.failure else min(95, int(passed / whole * 100))
    )


def _resolve_status(call: Call, report: Report, field: RequestedField) -> str:
    reached = compute_stage(call.context, report.ready, report.failure)
    return _STATUS_TEXTS[
        "waiting" if reached == "processing" and not _resolve_percent(call, report, field) else reached
    ]


def _build_error_resolver(get_value: Any) -> Any:
    def resolve(call: Call, report: Report, _field: RequestedField) -> Any:
        return get_value(report) if compute_stage(call.context, report.ready, report.failure) == "failed" else None

    return resolve


REPORT_NODE_TYPE = NodeType(
    "AdReportRun",
    {
        **resolve_attributes("id"),
        "account_id": lambda _call, report, _field: report.parent.removeprefix("act_"),
        "async_status": _resolve_status,
        "async_percent_completion": _resolve_percent,
        "is_running": lambda call, report, _field: compute_stage(call.context, report.ready) == "processing",
        "time_ref": lambda _call, report, _field: int(report.created_at.timestamp()),
        "time_completed": lambda _call, report, _field: int(report.ready.timestamp()),
        "error_code": _build_error_resolver(lambda _report: 1),
        "error_subcode": _build_error_resolver(lambda report: int(report.failure)),
        "error_message": _build_error_resolver(lambda _report: "An unknown error occurred"),
        "error_user_msg": _build_error_resolver(
            lambda _report: "The report could not be created. Try again with fewer days."
        ),
    },
    ("id", "account_id", "time_ref", "async_status", "async_percent_completion"),
)


def get_report_insights(call: Call, report: Report) -> Any:
    if compute_stage(call.context, report.ready, report.failure) != "ready":
        raise CallRefusedError(build_error_response("(#2601) The report is not available yet", 2601))
    store = call.context.store
    kinds = (AdAccount, Campaign, AdSet, Ad)
    stored_object = next(
        (
            existing_stored_object
            for kind in kinds
            if (existing_stored_object := store.get(kind, report.of)) is not None
        ),
        None,
    )
    if stored_object is None:
        raise CallRefusedError(build_error_response("(#2601) What the report is about no longer exists", 2601))
    value = call.params.get("fields")
    call.params.update({**report.params, **({"fields": value} if value else {})})
    return build_insights_page(call, build_rows(call, stored_object))


find_report_node = build_finder(
    Report, REPORT_NODE_TYPE, lambda call, report: find_ad_account_node(call, report.parent) is not None
)
