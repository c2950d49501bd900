"""Instant forms of ad accounts, and their leads: exported as a file for each of TikTok's three regions.

There is no call for one lead, nor for those since a moment. A wrong region gives an empty file, so all are asked.
"""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.client import APP, Access
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, TemporarilyUnavailable
from socialgate.contracts.leads import TEXT, FormItem, FormPage, LeadItem, Question, Swept
from socialgate.contracts.platforms import Platform

# The leads of people in the EEA, Switzerland and the United Kingdom, of those in the United States, and all others.
_REGIONS: tuple[Mapping[str, str], ...] = ({"x-lead-region": "eu"}, {"x-lead-region": "us"}, {})
_TYPES = {"name": "full_name", "full_name": "full_name", "email": "email", "phone_number": "phone"}
_ABOUT = {"lead id", "lead_id", "created_time", "form_id", "form_name"}
_ABOUT |= {f"{what}_{part}" for what in ("ad", "adgroup", "campaign") for part in ("id", "name")}
_OK = frozenset({200})
_MOST = 100
_POLL_SECONDS = 1.0
_RETRY_SECONDS = 60
_LARGEST_FILE = 200_000_000
_ENDED = frozenset({"FAILED", "CANCELED", "EXPIRED"})


class _Form(msgspec.Struct, frozen=True):
    page_id: int | str
    title: str | None = None
    status: str | None = None
    create_time: str | None = None


class _Pages(msgspec.Struct, frozen=True):
    page: int = 1
    total_page: int = 1


class _Forms(msgspec.Struct, frozen=True):
    list: Sequence[_Form] = ()
    page_info: _Pages = _Pages()


class _Meta(msgspec.Struct, frozen=True):
    page_name: str | None = None
    create_time: str | None = None


class _Fields(msgspec.Struct, frozen=True):
    fields: Sequence[str] = ()
    meta: _Meta = _Meta()


class _Task(msgspec.Struct, frozen=True):
    task_id: int | str
    status: str = ""
    file_type: str = "csv"


class AdvertiserLeads:
    is_live = False

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def forms(self, held: AccountCredentials, limit: int, cursor: str | None) -> FormPage:
        page = int(cursor) if cursor and cursor.isdecimal() else 1
        query = {"business_type": "LEAD_GEN", "page": page, "page_size": min(limit, _MOST)}
        found = await self._access(held).get("page/get/", _Forms, advertiser_id=held.platform_account_id, **query)
        more = found.page_info.page < found.page_info.total_page
        return FormPage(items=[_form(one) for one in found.list], cursor=str(page + 1) if more else None)

    async def form(self, held: AccountCredentials, form_id: str) -> FormItem:
        query = {"advertiser_id": held.platform_account_id, "page_id": form_id}
        found = await self._access(held).get("page/field/get/", _Fields, **query)
        asked = [Question(key=key, label=key, type=_TYPES.get(key.lower(), TEXT)) for key in found.fields]
        at = _moment(found.meta.create_time)
        return FormItem(id=form_id, name=found.meta.page_name, questions=tuple(asked), created_at=at)

    async def fetch(self, held: AccountCredentials, lead_id: str) -> LeadItem:
        del held, lead_id
        raise PlatformNotFound("TikTok gives no lead by its id. The export has it.", platform=Platform.TIKTOKADS)

    async def sweep(self, held: AccountCredentials, since: datetime, place: Mapping[str, Any] | None) -> Swept:
        """List the forms, then export one form and region after the other: ask, wait, and read the file."""
        if place is None:
            forms = await self._all_forms(held)
            work = [[form_id, region] for form_id in forms for region in range(len(_REGIONS))]
            return Swept(items=(), place={"work": work, "task": None} if work else None)
        (form_id, region), *rest = place["work"]
        given = {"advertiser_id": held.platform_account_id, "page_id": form_id}
        if place["task"] is not None:
            given["task_id"] = place["task"]
        path, headers = "page/lead/task/", _REGIONS[region]
        # Another export of the same leads does no harm.
        task = await self._access(held).post(path, _Task, given, repeatable=True, headers=headers)
        if task.status in _ENDED:
            raise _unfinished("TikTok Ads could not export the leads.")
        if task.status != "SUCCEED":
            return Swept(items=(), place={"work": place["work"], "task": str(task.task_id)}, wait=_POLL_SECONDS)
        items = [one for one in await self._download(held, task, headers) if one.created_at > since]
        return Swept(items=items, place={"work": rest, "task": None} if rest else None)

    async def _all_forms(self, held: AccountCredentials) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await self.forms(held, _MOST, cursor)
            found += [one.id for one in page.items]
            cursor = page.cursor
            if cursor is None:
                return found

    async def _download(self, held: AccountCredentials, task: _Task, headers: Mapping[str, str]) -> Sequence[LeadItem]:
        """Read the file. What went wrong comes as JSON in its place."""
        access = self._access(held)
        query = {"advertiser_id": held.platform_account_id, "task_id": str(task.task_id)}
        how: dict[str, Any] = {"repeatable": True, "query": query, "headers": headers}
        answer = await access.client.answer(access.to("GET", "page/lead/task/download/", expects=_OK, **how))
        if answer.body.startswith(b"{"):
            await access.call("GET", "page/lead/task/download/", object, **how)
        if answer.truncated:
            raise _unfinished("The export of the leads is larger than this service reads at once.")
        return [*_leads(_unpacked(answer.body))]

    def _access(self, held: AccountCredentials) -> Access:
        return self._api.access(token=held.grant.access_token, budgets=(held.platform_account_id, APP))


def _unfinished(detail: str) -> TemporarilyUnavailable:
    return TemporarilyUnavailable(detail, platform=Platform.TIKTOKADS, retry_after=_RETRY_SECONDS)


def _form(row: _Form) -> FormItem:
    status = {"PUBLISHED": "active", "EDITED": "draft"}.get(row.status or "", row.status)
    return FormItem(id=str(row.page_id), name=row.title, status=status, created_at=_moment(row.create_time))


def _unpacked(body: bytes) -> str:
    """Give the text of an export, which is zipped where it is large."""
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            first = archive.infolist()[0]
            if first.file_size > _LARGEST_FILE:
                raise _unfinished("The export of the leads is larger than this service reads at once.")
            body = archive.read(first)
    return body.decode("utf-8-sig", "replace")


def _leads(text: str) -> Iterator[LeadItem]:
    for row in csv.DictReader(io.StringIO(text, newline="")):
        lead_id, at = row.get("lead id") or row.get("lead_id"), _moment(row.get("created_time"))
        if lead_id and at is not None:
            yield LeadItem(
                id=lead_id,
                form_id=row.get("form_id") or "",
                form_name=row.get("form_name") or None,
                created_at=at,
                fields={key: value for key, value in row.items() if key and key not in _ABOUT and value},
                ad_id=row.get("ad_id") or None,
                campaign_id=row.get("campaign_id") or None,
            )


def _moment(text: str | None) -> datetime | None:
    """Read a time such as 2026-11-14 09:28:50, which is in UTC."""
    try:
        return datetime.fromisoformat(text or "").replace(tzinfo=UTC)
    except ValueError:
        return None
