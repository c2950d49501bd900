"""Lead forms of Pages, and the leads submitted through them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import Caller, Rows, cursor_of, from_cursor, when
from socialgate.connectors.json_paths import list_at, member, rows_at, text_at
from socialgate.connectors.meta.wire import Graph, checked, known
from socialgate.contracts.connecting import AccountCredentials, Issue
from socialgate.contracts.failures import PlatformFailure, PlatformNotFound, Rejected
from socialgate.contracts.leads import (
    CHOICE,
    TEXT,
    FormPage,
    LeadForm,
    LeadItem,
    LeadOption,
    LeadQuestion,
    LeadThankYou,
    Swept,
)
from socialgate.contracts.platforms import Platform

FORM = "id,name,status,locale,leads_count,created_time,privacy_policy_url,questions,thank_you_page"
_LEAD = "id,created_time,ad_id,campaign_id,form_id,field_data"
_MOST = 100
_SCOPES = frozenset({"leads_retrieval", "pages_manage_ads"})
_NO_LEADS = "The leads of the Page cannot be read."
_GIVE_ACCESS = (
    "In Meta Business Suite, open the Leads Access Manager of the Page and add this app and the person who connected "
    "the account. Leads that arrive until then are read afterwards."
)
# Meta does not mark leads from its own testing tools, but this is how they fill in forms.
_DUMMY = "<test lead: dummy data"
_DUMMY_EMAILS = frozenset({"test@fb.com", "test@meta.com"})


class PageLeads:
    is_live = True

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def forms(self, held: AccountCredentials, limit: int, cursor: str | None) -> FormPage:
        api, path = self._graph.of(held), f"{held.platform_account_id}/leadgen_forms"
        async with known(api):
            rows = await api.get(path, Rows[Any], fields=FORM, limit=min(limit, _MOST), **from_cursor(cursor))
        return FormPage(items=[form_of(row) for row in rows.data], cursor=cursor_of(rows))

    async def form(self, held: AccountCredentials, form_id: str) -> LeadForm:
        """Read a form. A form of another Page that the same person manages does not belong to this account."""
        api = self._graph.of(held)
        async with known(api):
            row = await api.get(checked(form_id), dict[str, Any], fields=f"{FORM},page_id")
        if text_at(row, "page_id") != held.platform_account_id:
            raise PlatformNotFound("The Page has no lead form with this id.", platform=Platform.META)
        return form_of(row)

    def named(self, _key: str, /) -> None:
        """Only the form knows what its keys mean."""

    async def country(self, held: AccountCredentials) -> str | None:
        """Read the country of the Page's address, which Meta spells out; not every Page has an address."""
        row = await self._graph.of(held).get(held.platform_account_id, dict[str, Any], fields="location")
        return text_at(row, "location", "country_code") or text_at(row, "location", "country") or None

    async def fetch(self, held: AccountCredentials, lead_id: str) -> LeadItem:
        api = self._graph.of(held)
        async with known(api):
            row = await api.get(checked(lead_id), dict[str, Any], fields=_LEAD)
        if (lead := _lead(row)) is None:
            raise PlatformNotFound("Meta does not show this lead.", platform=Platform.META)
        return lead

    async def sweep(self, held: AccountCredentials, since: datetime, place: Mapping[str, Any] | None) -> Swept:
        """List the forms first, then read their leads, one form after another.

        A form that Meta does not show is skipped. That is reported after all others were read, so that it does not hold
        them back.
        """
        api = self._graph.of(held)
        if place is None:
            rows = await api.all(f"{held.platform_account_id}/leadgen_forms", Rows[Any], "id,name,leads_count")
            forms = [[text_at(row, "id"), text_at(row, "name")] for row in rows if member(row, "leads_count") != 0]
            return Swept(items=(), place=_place(forms))
        left = place.get("left", [])
        if not place["forms"]:
            raise Rejected(f"Meta does not show the leads of these forms: {', '.join(left)}.", platform=Platform.META)
        (form_id, name), *rest = place["forms"]
        later = [{"field": "time_created", "operator": "GREATER_THAN", "value": int(since.timestamp())}]
        query = {
            "fields": _LEAD,
            "filtering": msgspec.json.encode(later).decode(),
            "limit": _MOST,
            **from_cursor(place["cursor"]),
        }
        try:
            async with known(api):
                page = await api.get(f"{checked(form_id)}/leads", Rows[Any], **query)
        except (Rejected, PlatformNotFound):
            return Swept(items=(), place=_place(rest, [*left, form_id]))
        cursor, items = cursor_of(page), [item for row in page.data if (item := _lead(row, form_id, name))]
        return Swept(items=items, place=_place(rest, left) if cursor is None else {**place, "cursor": cursor})


async def lead_issues(held: AccountCredentials, api: Caller) -> Sequence[Issue]:
    """Return whether this app has no access to the leads of a Page. Missing scopes are reported separately."""
    if not _SCOPES.issubset(held.grant.scopes):
        return ()
    try:
        row = await api.get(held.platform_account_id, dict[str, Any], fields="has_lead_access")
    except PlatformFailure:
        return ()
    access = member(row, "has_lead_access")
    if member(access, "can_access_lead") is not False:
        return ()
    reason = text_at(access, "failure_reason")
    detail = f"The leads of the Page cannot be read. Meta says: {reason}" if reason else _NO_LEADS
    return [Issue("lead_access_missing", detail, text_at(access, "failure_resolution") or _GIVE_ACCESS)]


def _place(forms: Sequence[Any], left: Sequence[str] = ()) -> Mapping[str, Any] | None:
    """Return where a sweep continues: with these forms, and finally with those that were skipped."""
    return {"forms": forms, "cursor": None, "left": left} if forms or left else None


def form_of(row: Any) -> LeadForm:
    count, page = member(row, "leads_count"), member(row, "thank_you_page")
    names = {"title": "title", "body": "body", "button_text": "button_text", "url": "website_url"}
    thanks = {ours: text_at(page, theirs) or None for ours, theirs in names.items()}
    return LeadForm(
        id=text_at(row, "id"),
        name=text_at(row, "name") or None,
        status=text_at(row, "status").lower() or None,
        locale=text_at(row, "locale") or None,
        questions=tuple(_question(one) for one in rows_at(row, "questions")),
        privacy_policy_url=text_at(row, "privacy_policy_url") or None,
        thank_you=LeadThankYou(**thanks) if page else None,
        lead_count=count if isinstance(count, int) else None,
        created_at=when(text_at(row, "created_time")),
    )


def _question(row: Any) -> LeadQuestion:
    # The single option of a slider is its range, and has no key.
    given = [(text_at(one, "key"), text_at(one, "value")) for one in rows_at(row, "options")]
    options = tuple(LeadOption(key=key, label=label) for key, label in given if key)
    kind = text_at(row, "type").lower()
    own = CHOICE if options else TEXT
    return LeadQuestion(
        key=text_at(row, "key"), label=text_at(row, "label"), type=own if kind == "custom" else kind, options=options
    )


def _lead(row: Any, form_id: str = "", form_name: str | None = None) -> LeadItem | None:
    """Read a lead; None if it has no id or time and is therefore invalid. Multiple values of an answer are joined."""
    lead_id, at = text_at(row, "id"), when(text_at(row, "created_time"))
    if not lead_id or at is None:
        return None
    answers = {text_at(one, "name"): map(text_at, list_at(one, "values")) for one in rows_at(row, "field_data")}
    fields = {name: ", ".join(filter(None, values)) for name, values in answers.items() if name}
    return LeadItem(
        id=lead_id,
        form_id=text_at(row, "form_id") or form_id,
        form_name=form_name or None,
        created_at=at,
        fields=fields,
        ad_id=text_at(row, "ad_id") or None,
        campaign_id=text_at(row, "campaign_id") or None,
        test=any(one.startswith(_DUMMY) or one in _DUMMY_EMAILS for one in fields.values()),
    )
