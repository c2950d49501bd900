"""How ads perform at Meta: read at once, or as a report that Meta prepares."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec

from socialgate.connectors.advertising import count_of, currency_of, reported
from socialgate.connectors.graph.dialect import Rows, cursor_of, from_cursor
from socialgate.connectors.json_paths import rows_at, text_at
from socialgate.connectors.meta.ads.words import text_of
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.contracts.ad_insights import (
    AdInsightPage,
    AdInsightRow,
    AdInsightsQuery,
    Breakdown,
    Granularity,
    Level,
    NeedsReport,
    ReportState,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.errors import Fault

_FIELDS = (
    "campaign_id,campaign_name,adset_id,adset_name,ad_id,ad_name,account_name,spend,impressions,reach,clicks,"
    "inline_link_clicks,frequency,actions,action_values,date_start,date_stop"
)
STEPS = {Granularity.DAY: 1, Granularity.WEEK: 7, Granularity.MONTH: "monthly", Granularity.TOTAL: "all_days"}
_HOUR = "hourly_stats_aggregated_by_advertiser_time_zone"
BREAKDOWNS: Mapping[Breakdown, str] = {
    Breakdown.AGE: "age",
    Breakdown.GENDER: "gender",
    Breakdown.COUNTRY: "country",
    Breakdown.REGION: "region",
    Breakdown.PLATFORM: "publisher_platform",
    Breakdown.PLACEMENT: "platform_position",
    Breakdown.DEVICE: "impression_device",
    Breakdown.HOUR: _HOUR,
}
# Breakdowns that Meta combines, and the one that it does not combine with any other.
_COMBINED = (
    {Breakdown.AGE, Breakdown.GENDER},
    {Breakdown.COUNTRY, Breakdown.REGION},
    {Breakdown.PLATFORM, Breakdown.PLACEMENT, Breakdown.DEVICE},
    {Breakdown.HOUR},
)
# What has several names is counted under the first that a row has: some include others.
_PURCHASES = ("omni_purchase", "purchase", "offsite_conversion.fb_pixel_purchase")
_LEADS = ("lead", "onsite_conversion.lead_grouped", "offsite_conversion.fb_pixel_lead")
_OLDEST = timedelta(days=37 * 30)
# Rows that Meta answers within a few seconds, by how many objects of a level an account usually has.
_USUAL = {Level.ACCOUNT: 1, Level.CAMPAIGN: 10, Level.ADSET: 30, Level.AD: 100}
_PARTS = {Breakdown.AGE: 6, Breakdown.GENDER: 3, Breakdown.HOUR: 24}
_MANY_ROWS = 5_000
_TOO_MUCH = frozenset({"99", "1487534"})
_MOST = 500


class _Run(msgspec.Struct):
    report_run_id: str | int


class MetaAdInsights:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def query_faults(self, query: AdInsightsQuery) -> Sequence[Fault]:
        faults = []
        if Breakdown.HOUR in query.breakdowns and len(query.breakdowns) > 1:
            text = "On Meta, hour cannot be combined with other breakdowns."
            faults.append(Fault("?breakdowns", "not_supported", text))
        elif not any({*query.breakdowns} <= group for group in _COMBINED):
            text = (
                "Meta combines age with gender, country with region, and platform, placement and device with each "
                "other. Request other combinations separately."
            )
            faults.append(Fault("?breakdowns", "not_supported", text))
        if query.days.first < self._graph.wire.clock.now().date() - _OLDEST:
            faults.append(Fault("?since", "out_of_range", "Meta has insights for 37 months. Use a later `since`."))
        return faults

    def is_long(self, query: AdInsightsQuery) -> bool:
        step = {Granularity.DAY: 1, Granularity.WEEK: 7, Granularity.MONTH: 30}.get(query.granularity)
        rows = (len(query.ids) or _USUAL[query.level]) * (query.days.count // step + 1 if step else 1)
        for one in query.breakdowns:
            rows *= _PARTS.get(one, 10)
        return rows > _MANY_ROWS

    async def read(self, held: AccountCredentials, query: AdInsightsQuery) -> AdInsightPage:
        api = self._graph.of(held)
        place = {"limit": min(query.limit, _MOST), **from_cursor(query.cursor)}
        try:
            rows = await api.get(f"{api.budget}/insights", Rows[Any], **_params(query), **place)
        except PlatformFailure as failure:
            if _is_too_much(failure):
                raise NeedsReport from None
            raise
        return _page(held, query, rows)

    async def start(self, held: AccountCredentials, query: AdInsightsQuery) -> str | None:
        api = self._graph.of(held)
        run = await api.post(f"{api.budget}/insights", _Run, _params(query), repeatable=True)
        return str(run.report_run_id)

    async def check(self, held: AccountCredentials, handle: str) -> ReportState:
        fields = "async_status,async_percent_completion,error_user_msg,error_message"
        row = await self._graph.of(held).get(checked(handle), dict[str, Any], fields=fields)
        status, percent = text_at(row, "async_status"), count_of(row.get("async_percent_completion") or 0)
        if status in {"Job Failed", "Job Skipped"}:
            why = text_at(row, "error_user_msg") or text_at(row, "error_message")
            return ReportState(done=True, percent=percent, failed=why or f"Meta says: {status}.")
        # It is complete only if both say so.
        return ReportState(done=status == "Job Completed" and percent == 100, percent=percent)  # noqa: PLR2004 - percent

    async def rows(self, held: AccountCredentials, query: AdInsightsQuery, handle: str) -> AdInsightPage:
        api = self._graph.of(held)
        place = {"limit": min(query.limit, _MOST), **from_cursor(query.cursor)}
        async with known(api):
            rows = await api.get(f"{checked(handle)}/insights", Rows[Any], **place)
        return _page(held, query, rows)


def _params(query: AdInsightsQuery) -> dict[str, str]:
    given = {*query.breakdowns}
    # A position exists only within a platform.
    wanted = [*query.breakdowns, *([Breakdown.PLATFORM] if Breakdown.PLACEMENT in given else [])]
    params = {
        "level": str(query.level),
        "fields": _FIELDS,
        "time_range": text_of({"since": str(query.days.first), "until": str(query.days.last)}),
        "time_increment": str(STEPS[query.granularity]),
    }
    if wanted:
        params["breakdowns"] = text_of([BREAKDOWNS[one] for one in dict.fromkeys(wanted)])
    if query.ids and query.level is not Level.ACCOUNT:
        chosen = {"field": f"{query.level}.id", "operator": "IN", "value": list(query.ids)}
        params["filtering"] = text_of([chosen])
    return params


def _page(held: AccountCredentials, query: AdInsightsQuery, rows: Rows[Any]) -> AdInsightPage:
    return AdInsightPage(items=[_row(held, query, row) for row in rows.data], cursor=cursor_of(rows))


def _row(held: AccountCredentials, query: AdInsightsQuery, row: Any) -> AdInsightRow:
    currency, actions = currency_of(held), rows_at(row, "actions")
    earned = _action(rows_at(row, "action_values"), *_PURCHASES)
    shown = {str(one): text_at(row, name) for one, name in BREAKDOWNS.items() if name in row}
    if "hour" in shown:
        shown["hour"] = shown["hour"][:2]
    return AdInsightRow(
        first=date.fromisoformat(text_at(row, "date_start")),
        last=date.fromisoformat(text_at(row, "date_stop")),
        campaign_id=text_at(row, "campaign_id") or None,
        adset_id=text_at(row, "adset_id") or None,
        ad_id=text_at(row, "ad_id") or None,
        name=text_at(row, f"{query.level}_name") or None,
        breakdowns=shown,
        spend=reported(row.get("spend"), currency),
        impressions=count_of(row.get("impressions")),
        reach=count_of(row.get("reach")),
        clicks=count_of(row.get("clicks")),
        link_clicks=count_of(row.get("inline_link_clicks")),
        engagements=count_of(_action(actions, "post_engagement")),
        video_views=count_of(_action(actions, "video_view")),
        leads=count_of(_action(actions, *_LEADS)),
        conversions=count_of(_action(actions, *_PURCHASES)),
        conversion_value=None if earned is None else reported(earned, currency),
        vendor={name: row[name] for name in ("frequency", "actions", "action_values") if name in row},
    )


def _action(actions: Sequence[Mapping[str, Any]], *types: str) -> str | None:
    found = {text_at(one, "action_type"): text_at(one, "value") for one in actions}
    return next((found[kind] for kind in types if kind in found), None)


def _is_too_much(failure: PlatformFailure) -> bool:
    """Recognize that Meta wants to prepare a report. There is no fixed code, so its words count as well: a report is
    never wrong.
    """
    said = failure.platform_error
    if said is None or said.code not in {"1", "100"}:
        return False
    return said.subcode in _TOO_MUCH or "reduce the amount of data" in (said.message or "").lower()
