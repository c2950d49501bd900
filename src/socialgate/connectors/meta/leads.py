"""Lead forms of Pages, and the leads submitted through them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.json_paths import get_list, get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.contracts.account_connection import AccountCredentials, AccountIssue
from socialgate.contracts.failures import PlatformFailure, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.leads import (
    CHOICE,
    TEXT,
    LeadBatch,
    LeadForm,
    LeadFormPage,
    LeadItem,
    LeadOption,
    LeadQuestion,
    LeadThankYou,
)
from socialgate.contracts.platforms import Platform

FORM_FIELDS = "id,name,status,locale,leads_count,created_time,privacy_policy_url,questions,thank_you_page"
_LEAD_FIELDS = "id,created_time,ad_id,campaign_id,form_id,field_data"
_MAX_PAGE_SIZE = 100
_LEAD_SCOPES = frozenset({"leads_retrieval", "pages_manage_ads"})
_LEADS_UNREADABLE_DETAIL = "The leads of the Page cannot be read."
_LEAD_ACCESS_FIX = (
    "In Meta Business Suite, open the Leads Access Manager of the Page and add this app and the person who connected "
    "the account. Leads that arrive until then are read afterwards."
)
# Meta does not mark leads from its own testing tools, but this is how they fill in forms.
_TEST_ANSWER_PREFIX = "<test lead: dummy data"
_TEST_EMAILS = frozenset({"test@fb.com", "test@meta.com"})


class PageLeads:
    can_read_within_request = True

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def list_forms(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> LeadFormPage:
        api, path = self._graph.for_account(credentials), f"{credentials.platform_account_id}/leadgen_forms"
        async with raise_not_found_if_missing(api):
            rows = await api.get(
                path,
                GraphPage[Any],
                fields=FORM_FIELDS,
                limit=min(limit, _MAX_PAGE_SIZE),
                **build_cursor_params(cursor),
            )
        return LeadFormPage(items=[parse_form(row) for row in rows.data], cursor=extract_cursor(rows))

    async def fetch_form(self, credentials: AccountCredentials, form_id: str) -> LeadForm:
        """Read a form. A form of another Page that the same person manages does not belong to this account."""
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            row = await api.get(require_object_id(form_id), dict[str, Any], fields=f"{FORM_FIELDS},page_id")
        if get_text_or_number(row, "page_id") != credentials.platform_account_id:
            raise PlatformNotFoundError("The Page has no lead form with this id.", platform=Platform.META)
        return parse_form(row)

    def build_question(self, _key: str, /) -> None:
        """Only the form knows what its keys mean."""

    async def fetch_country(self, credentials: AccountCredentials) -> str | None:
        """Read the country of the Page's address, which Meta spells out; not every Page has an address."""
        row = await self._graph.for_account(credentials).get(
            credentials.platform_account_id, dict[str, Any], fields="location"
        )
        return (
            get_text_or_number(row, "location", "country_code")
            or get_text_or_number(row, "location", "country")
            or None
        )

    async def fetch_lead(self, credentials: AccountCredentials, lead_id: str) -> LeadItem:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            row = await api.get(require_object_id(lead_id), dict[str, Any], fields=_LEAD_FIELDS)
        if (lead := _parse_lead(row)) is None:
            raise PlatformNotFoundError("Meta does not show this lead.", platform=Platform.META)
        return lead

    async def read_lead_batch(
        self, credentials: AccountCredentials, since: datetime, place: Mapping[str, Any] | None
    ) -> LeadBatch:
        """List the forms first, then read their leads, one form after another.

        A form that Meta does not show is skipped. That is reported after all others were read, so that it does not hold
        them back.
        """
        api = self._graph.for_account(credentials)
        if place is None:
            rows = await api.list_all(
                f"{credentials.platform_account_id}/leadgen_forms", GraphPage[Any], "id,name,leads_count"
            )
            forms = [
                [get_text_or_number(row, "id"), get_text_or_number(row, "name")]
                for row in rows
                if get_path(row, "leads_count") != 0
            ]
            return LeadBatch(items=(), checkpoint=_build_checkpoint(forms))
        left = place.get("left", [])
        if not place["forms"]:
            raise PlatformRejectedError(
                f"Meta does not show the leads of these forms: {', '.join(left)}.", platform=Platform.META
            )
        (form_id, name), *rest = place["forms"]
        later = [{"field": "time_created", "operator": "GREATER_THAN", "value": int(since.timestamp())}]
        query = {
            "fields": _LEAD_FIELDS,
            "filtering": msgspec.json.encode(later).decode(),
            "limit": _MAX_PAGE_SIZE,
            **build_cursor_params(place["cursor"]),
        }
        try:
            async with raise_not_found_if_missing(api):
                page = await api.get(f"{require_object_id(form_id)}/leads", GraphPage[Any], **query)
        except (PlatformRejectedError, PlatformNotFoundError):
            return LeadBatch(items=(), checkpoint=_build_checkpoint(rest, [*left, form_id]))
        cursor, items = extract_cursor(page), [item for row in page.data if (item := _parse_lead(row, form_id, name))]
        return LeadBatch(
            items=items, checkpoint=_build_checkpoint(rest, left) if cursor is None else {**place, "cursor": cursor}
        )


async def find_lead_issues(credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]:
    """Return whether this app has no access to the leads of a Page. Missing scopes are reported separately."""
    if not _LEAD_SCOPES.issubset(credentials.grant.scopes):
        return ()
    try:
        row = await api.get(credentials.platform_account_id, dict[str, Any], fields="has_lead_access")
    except PlatformFailure:
        return ()
    access = get_path(row, "has_lead_access")
    if get_path(access, "can_access_lead") is not False:
        return ()
    reason = get_text_or_number(access, "failure_reason")
    detail = f"The leads of the Page cannot be read. Meta says: {reason}" if reason else _LEADS_UNREADABLE_DETAIL
    return [
        AccountIssue(
            "lead_access_missing", detail, get_text_or_number(access, "failure_resolution") or _LEAD_ACCESS_FIX
        )
    ]


def _build_checkpoint(forms: Sequence[Any], skipped_forms: Sequence[str] = ()) -> Mapping[str, Any] | None:
    """Return where a sweep continues: with these forms, and finally with those that were skipped."""
    return {"forms": forms, "cursor": None, "left": skipped_forms} if forms or skipped_forms else None


def parse_form(row: Any) -> LeadForm:
    count, page = get_path(row, "leads_count"), get_path(row, "thank_you_page")
    names = {"title": "title", "body": "body", "button_text": "button_text", "url": "website_url"}
    thanks = {ours: get_text_or_number(page, theirs) or None for ours, theirs in names.items()}
    return LeadForm(
        id=get_text_or_number(row, "id"),
        name=get_text_or_number(row, "name") or None,
        status=get_text_or_number(row, "status").lower() or None,
        locale=get_text_or_number(row, "locale") or None,
        questions=tuple(_parse_question(item) for item in get_objects(row, "questions")),
        privacy_policy_url=get_text_or_number(row, "privacy_policy_url") or None,
        thank_you=LeadThankYou(**thanks) if page else None,
        lead_count=count if isinstance(count, int) else None,
        created_at=parse_time(get_text_or_number(row, "created_time")),
    )


def _parse_question(row: Any) -> LeadQuestion:
    # The single option of a slider is its range, and has no key.
    value = [
        (get_text_or_number(item, "key"), get_text_or_number(item, "value")) for item in get_objects(row, "options")
    ]
    options = tuple(LeadOption(key=key, label=label) for key, label in value if key)
    kind = get_text_or_number(row, "type").lower()
    own = CHOICE if options else TEXT
    return LeadQuestion(
        key=get_text_or_number(row, "key"),
        label=get_text_or_number(row, "label"),
        type=own if kind == "custom" else kind,
        options=options,
    )


def _parse_lead(row: Any, form_id: str = "", form_name: str | None = None) -> LeadItem | None:
    """Read a lead; None if it has no id or time and is therefore invalid. Multiple values of an answer are joined."""
    lead_id, at = get_text_or_number(row, "id"), parse_time(get_text_or_number(row, "created_time"))
    if not lead_id or at is None:
        return None
    answers = {
        get_text_or_number(item, "name"): map(get_text_or_number, get_list(item, "values"))
        for item in get_objects(row, "field_data")
    }
    fields = {name: ", ".join(filter(None, values)) for name, values in answers.items() if name}
    return LeadItem(
        id=lead_id,
        form_id=get_text_or_number(row, "form_id") or form_id,
        form_name=form_name or None,
        created_at=at,
        fields=fields,
        ad_id=get_text_or_number(row, "ad_id") or None,
        campaign_id=get_text_or_number(row, "campaign_id") or None,
        test=any(field.startswith(_TEST_ANSWER_PREFIX) or field in _TEST_EMAILS for field in fields.values()),
    )
