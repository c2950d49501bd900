"""How ads perform at Meta: read at once, or as a report that Meta prepares."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec

from socialgate.connectors.advertising import get_account_currency, parse_count, parse_reported_amount
from socialgate.connectors.graph.dialect import GraphPage, build_cursor_params, extract_cursor
from socialgate.connectors.json_paths import get_objects, get_text_or_number
from socialgate.connectors.meta.ads.mappings import encode_param
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_insights import (
    AdInsightPage,
    AdInsightRow,
    AdInsightsLevel,
    AdInsightsQuery,
    Breakdown,
    Granularity,
    ReportRequiredError,
    ReportState,
)
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.errors import Fault

_INSIGHT_FIELDS = (
    "campaign_id,campaign_name,adset_id,adset_name,ad_id,ad_name,account_name,spend,impressions,reach,clicks,"
    "inline_link_clicks,frequency,actions,action_values,date_start,date_stop"
)
TIME_INCREMENTS = {Granularity.DAY: 1, Granularity.WEEK: 7, Granularity.MONTH: "monthly", Granularity.TOTAL: "all_days"}
_HOURLY_BREAKDOWN = "hourly_stats_aggregated_by_advertiser_time_zone"
VENDOR_NAMES_BY_BREAKDOWN: Mapping[Breakdown, str] = {
    Breakdown.AGE: "age",
    Breakdown.GENDER: "gender",
    Breakdown.COUNTRY: "country",
    Breakdown.REGION: "region",
    Breakdown.PLATFORM: "publisher_platform",
    Breakdown.PLACEMENT: "platform_position",
    Breakdown.DEVICE: "impression_device",
    Breakdown.HOUR: _HOURLY_BREAKDOWN,
}
# Breakdowns that Meta combines, and the one that it does not combine with any other.
_COMBINABLE_BREAKDOWNS = (
    {Breakdown.AGE, Breakdown.GENDER},
    {Breakdown.COUNTRY, Breakdown.REGION},
    {Breakdown.PLATFORM, Breakdown.PLACEMENT, Breakdown.DEVICE},
    {Breakdown.HOUR},
)
# What has several names is counted under the first that a row has: some include others.
_PURCHASE_ACTION_TYPES = ("omni_purchase", "purchase", "offsite_conversion.fb_pixel_purchase")
_LEAD_ACTION_TYPES = ("lead", "onsite_conversion.lead_grouped", "offsite_conversion.fb_pixel_lead")
_MAX_INSIGHTS_AGE = timedelta(days=37 * 30)
# Rows that Meta answers within a few seconds, by how many objects of a level an account usually has.
_TYPICAL_OBJECT_COUNTS = {
    AdInsightsLevel.ACCOUNT: 1,
    AdInsightsLevel.CAMPAIGN: 10,
    AdInsightsLevel.ADSET: 30,
    AdInsightsLevel.AD: 100,
}
_BREAKDOWN_VALUE_COUNTS = {Breakdown.AGE: 6, Breakdown.GENDER: 3, Breakdown.HOUR: 24}
_MAX_LIVE_ROWS = 5_000
_TOO_MUCH_DATA_ERROR_CODES = frozenset({"99", "1487534"})
_MAX_PAGE_SIZE = 500


class _ReportRun(msgspec.Struct):
    report_run_id: str | int


class MetaAdInsights:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_query(self, query: AdInsightsQuery) -> Sequence[Fault]:
        faults = []
        if Breakdown.HOUR in query.breakdowns and len(query.breakdowns) > 1:
            text = "On Meta, hour cannot be combined with other breakdowns."
            faults.append(Fault("?breakdowns", "not_supported", text))
        elif not any({*query.breakdowns} <= group for group in _COMBINABLE_BREAKDOWNS):
            text = (
                "Meta combines age with gender, country with region, and platform, placement and device with each "
                "other. Request other combinations separately."
            )
            faults.append(Fault("?breakdowns", "not_supported", text))
        if query.days.first < self._graph.wire.clock.now().date() - _MAX_INSIGHTS_AGE:
            faults.append(Fault("?since", "out_of_range", "Meta has insights for 37 months. Use a later `since`."))
        return faults

    def needs_report(self, query: AdInsightsQuery) -> bool:
        step = {Granularity.DAY: 1, Granularity.WEEK: 7, Granularity.MONTH: 30}.get(query.granularity)
        rows = (len(query.ids) or _TYPICAL_OBJECT_COUNTS[query.level]) * (query.days.count // step + 1 if step else 1)
        for breakdown in query.breakdowns:
            rows *= _BREAKDOWN_VALUE_COUNTS.get(breakdown, 10)
        return rows > _MAX_LIVE_ROWS

    async def read_page(self, credentials: AccountCredentials, query: AdInsightsQuery) -> AdInsightPage:
        api = self._graph.for_account(credentials)
        place = {"limit": min(query.limit, _MAX_PAGE_SIZE), **build_cursor_params(query.cursor)}
        try:
            rows = await api.get(f"{api.budget}/insights", GraphPage[Any], **_build_params(query), **place)
        except PlatformFailure as failure:
            if _is_too_much_data(failure):
                raise ReportRequiredError from None
            raise
        return _parse_page(credentials, query, rows)

    async def start_report(self, credentials: AccountCredentials, query: AdInsightsQuery) -> str | None:
        api = self._graph.for_account(credentials)
        run = await api.post(f"{api.budget}/insights", _ReportRun, _build_params(query), repeatable=True)
        return str(run.report_run_id)

    async def get_report_state(self, credentials: AccountCredentials, handle: str) -> ReportState:
        fields = "async_status,async_percent_completion,error_user_msg,error_message"
        row = await self._graph.for_account(credentials).get(require_object_id(handle), dict[str, Any], fields=fields)
        status, percent = get_text_or_number(row, "async_status"), parse_count(row.get("async_percent_completion") or 0)
        if status in {"Job Failed", "Job Skipped"}:
            why = get_text_or_number(row, "error_user_msg") or get_text_or_number(row, "error_message")
            return ReportState(done=True, percent=percent, failure_reason=why or f"Meta says: {status}.")
        # It is complete only if both say so.
        return ReportState(done=status == "Job Completed" and percent == 100, percent=percent)  # noqa: PLR2004 - percent

    async def read_report_page(
        self, credentials: AccountCredentials, query: AdInsightsQuery, handle: str
    ) -> AdInsightPage:
        api = self._graph.for_account(credentials)
        place = {"limit": min(query.limit, _MAX_PAGE_SIZE), **build_cursor_params(query.cursor)}
        async with raise_not_found_if_missing(api):
            rows = await api.get(f"{require_object_id(handle)}/insights", GraphPage[Any], **place)
        return _parse_page(credentials, query, rows)


def _build_params(query: AdInsightsQuery) -> dict[str, str]:
    breakdowns = {*query.breakdowns}
    # A position exists only within a platform.
    requested_breakdowns = [*query.breakdowns, *([Breakdown.PLATFORM] if Breakdown.PLACEMENT in breakdowns else [])]
    params = {
        "level": str(query.level),
        "fields": _INSIGHT_FIELDS,
        "time_range": encode_param({"since": str(query.days.first), "until": str(query.days.last)}),
        "time_increment": str(TIME_INCREMENTS[query.granularity]),
    }
    if requested_breakdowns:
        params["breakdowns"] = encode_param(
            [VENDOR_NAMES_BY_BREAKDOWN[breakdown] for breakdown in dict.fromkeys(requested_breakdowns)]
        )
    if query.ids and query.level is not AdInsightsLevel.ACCOUNT:
        chosen = {"field": f"{query.level}.id", "operator": "IN", "value": list(query.ids)}
        params["filtering"] = encode_param([chosen])
    return params


def _parse_page(credentials: AccountCredentials, query: AdInsightsQuery, rows: GraphPage[Any]) -> AdInsightPage:
    return AdInsightPage(items=[_parse_row(credentials, query, row) for row in rows.data], cursor=extract_cursor(rows))


def _parse_row(credentials: AccountCredentials, query: AdInsightsQuery, row: Any) -> AdInsightRow:
    currency, actions = get_account_currency(credentials), get_objects(row, "actions")
    earned = _get_action_value(get_objects(row, "action_values"), *_PURCHASE_ACTION_TYPES)
    shown = {
        str(breakdown): get_text_or_number(row, name)
        for breakdown, name in VENDOR_NAMES_BY_BREAKDOWN.items()
        if name in row
    }
    if "hour" in shown:
        shown["hour"] = shown["hour"][:2]
    return AdInsightRow(
        first_day=date.fromisoformat(get_text_or_number(row, "date_start")),
        last_day=date.fromisoformat(get_text_or_number(row, "date_stop")),
        campaign_id=get_text_or_number(row, "campaign_id") or None,
        adset_id=get_text_or_number(row, "adset_id") or None,
        ad_id=get_text_or_number(row, "ad_id") or None,
        name=get_text_or_number(row, f"{query.level}_name") or None,
        breakdowns=shown,
        spend=parse_reported_amount(row.get("spend"), currency),
        impressions=parse_count(row.get("impressions")),
        reach=parse_count(row.get("reach")),
        clicks=parse_count(row.get("clicks")),
        link_clicks=parse_count(row.get("inline_link_clicks")),
        engagements=parse_count(_get_action_value(actions, "post_engagement")),
        video_views=parse_count(_get_action_value(actions, "video_view")),
        leads=parse_count(_get_action_value(actions, *_LEAD_ACTION_TYPES)),
        conversions=parse_count(_get_action_value(actions, *_PURCHASE_ACTION_TYPES)),
        conversion_value=None if earned is None else parse_reported_amount(earned, currency),
        vendor={name: row[name] for name in ("frequency", "actions", "action_values") if name in row},
    )


def _get_action_value(actions: Sequence[Mapping[str, Any]], *types: str) -> str | None:
    result = {get_text_or_number(action, "action_type"): get_text_or_number(action, "value") for action in actions}
    return next((result[kind] for kind in types if kind in result), None)


def _is_too_much_data(failure: PlatformFailure) -> bool:
    """Recognize that Meta wants to prepare a report. There is no fixed code, so its words count as well: a report is
    never wrong.
    """
    platform_error = failure.platform_error
    if platform_error is None or platform_error.code not in {"1", "100"}:
        return False
    return (
        platform_error.subcode in _TOO_MUCH_DATA_ERROR_CODES
        or "reduce the amount of data" in (platform_error.message or "").lower()
    )
