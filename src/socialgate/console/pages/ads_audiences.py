"""Audiences: whom ads can be shown to beyond places and ages."""

import re
from typing import Any, Literal

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.ads.audience_schemas import Audience, AudiencesQuery, NewAudienceBody
from socialgate.areas.ads.audiences import AudienceService
from socialgate.areas.ads.objects import AdObjectService
from socialgate.areas.ads.schemas import AdObjectDeletionQuery, NameFilter
from socialgate.console.advertising.ad_accounts import choose_account, list_ad_accounts
from socialgate.console.advertising.ad_choices import list_audience_choices, list_pixels
from socialgate.console.advertising.ad_forms import read_body
from socialgate.console.forms import read_form
from socialgate.console.keyed_work import run_once
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.ads import ADS_PATH, AdAccountChoice, PlatformCursor
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY
from socialgate.core.errors import NotFound, ServiceError

AUDIENCES_PATH = "/console/ads/audiences"
_AUDIENCES_PER_PAGE = 25
_SEPARATORS = re.compile(r"[\r\n,;]+")


class AudiencesPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Whose audiences to show, and which kind of new one is being filled in."""

    account: AdAccountChoice | None = None
    q: NameFilter | None = None
    new: Literal["customers", "website", "lookalike"] | None = None
    cursor: PlatformCursor | None = None


@console_page(AUDIENCES_PATH, "audiences.html", query=AudiencesPageQuery)
async def audiences_page(
    visit: Visit, params: AudiencesPageQuery, accounts: AccountService, audiences: AudienceService
) -> Values:
    able = await list_ad_accounts(visit, accounts, AUDIENCES_CAPABILITY.name)
    chosen = choose_account(able, params.account)
    listed, failure = None, None
    if chosen is not None:
        query = AudiencesQuery(ad_account_id=chosen.id, limit=_AUDIENCES_PER_PAGE, cursor=params.cursor, q=params.q)
        try:
            listed = await audiences.list_audiences(visit.work, query)
        except ServiceError as error:
            failure = error.detail
    return {
        "accounts": able,
        "account": chosen,
        "audiences": listed,
        "failure": failure,
        "pixels": await list_pixels(visit, audiences, chosen) if chosen and params.new == "website" else (),
        "sources": await list_audience_choices(visit, audiences, chosen)
        if chosen and params.new == "lookalike"
        else (),
        "ads_path": ADS_PATH,
    }


@audiences_page.form("create", None)
async def create_audience(
    visit: Visit, params: AudiencesPageQuery, request: AnyRequest, accounts: AccountService, audiences: AudienceService
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("create", form)
    account = choose_account(await list_ad_accounts(visit, accounts, AUDIENCES_CAPABILITY.name), params.account)
    if account is None:
        raise NotFound("There is no ad account. Connect one first.")
    people: dict[str, Any] = {"people": _read_people(form.value("people"))} if form.value("people") else {}
    kind = params.new or "customers"
    body = read_body(form, account, visit.zone, NewAudienceBody, kind=kind, **people)
    created = await run_once(
        visit, form, "audience", Audience, lambda work: audiences.create_or_extend_audience(work, body)
    )
    to = visit.link(AUDIENCES_PATH, account=account.id)
    if created.upload is not None:
        return Done(f"{created.name} was created. Its people are being uploaded; see Tasks.", to=to)
    return Done(f"{created.name} was created. Its size can take up to a day to appear.", to=to)


@audiences_page.form("delete", AdObjectDeletionQuery)
async def delete_audience(visit: Visit, data: AdObjectDeletionQuery, objects: AdObjectService) -> Outcome:
    await objects.delete(visit.work, data)
    return Done("The audience was deleted on the platform.")


def _read_people(text: str) -> list[dict[str, str]]:
    """Read a pasted list: what has an @ is an email address, everything else a phone number."""
    values = (value.strip() for value in _SEPARATORS.split(text))
    return [{"email" if "@" in value else "phone": value} for value in values if value]
