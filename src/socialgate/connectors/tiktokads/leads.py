"""Instant forms of ad accounts, and their leads: exported as a file for each of TikTok's three regions.

There is no call for single leads or for leads since a time. A wrong region gives an empty file, so all are exported.
"""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import IO, Any

import msgspec

from socialgate.connectors.client import APP, Access
from socialgate.connectors.tiktokads.paging import Pages, page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.leads import TEXT, FormPage, LeadForm, LeadItem, LeadQuestion, Swept
from socialgate.contracts.platforms import Platform

# Leads from the EEA, Switzerland and the United Kingdom; from the United States; and from everywhere else.
_REGIONS: tuple[Mapping[str, str], ...] = ({"x-lead-region": "eu"}, {"x-lead-region": "us"}, {})
_TYPES = {"name": "full_name", "full_name": "full_name", "email": "email", "phone_number": "phone"}
_ABOUT = {"lead id", "lead_id", "created_time", "form_id", "form_name"}
_ABOUT |= {f"{what}_{part}" for what in ("ad", "adgroup", "campaign") for part in ("id", "name")}
_OK = frozenset({200})
_MOST = 100
_POLL_SECONDS, _LONGEST_POLL_SECONDS = 1.0, 5.0
# TikTok zips files over 10 MB, to about a tenth: this is enough for a million leads of one form in one region.
_LARGEST_FILE = 32 * 1024 * 1024
_DOWNLOAD_SECONDS = 120.0
_LEFT_OUT = "The leads of these forms could not be exported, or their file is larger than 32 MiB:"
_ENDED = frozenset({"FAILED", "CANCELED", "EXPIRED"})
# An export is available for ten minutes: after that, or if it failed, another one is started.
_MOST_EXPORTS = 5
# About a quarter of an hour: an export that is not ready by then must not hold back the others any longer.
_MOST_POLLS = 180


class _Form(msgspec.Struct, frozen=True):
    page_id: int | str
    title: str | None = None
    status: str | None = None
    create_time: str | None = None


class _Forms(msgspec.Struct, frozen=True):
    list: Sequence[_Form] = ()
    page_info: Pages = Pages()


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
        page, size = page_of(cursor, min(limit, _MOST))
        query = {"business_type": "LEAD_GEN", "page": page, "page_size": size}
        found = await self._access(held).get("page/get/", _Forms, advertiser_id=held.platform_account_id, **query)
        return FormPage(items=[_form(one) for one in found.list], cursor=found.page_info.after(size))

    async def form(self, held: AccountCredentials, form_id: str) -> LeadForm:
        query = {"advertiser_id": held.platform_account_id, "page_id": form_id}
        found = await self._access(held).get("page/field/get/", _Fields, **query)
        at = _moment(found.meta.create_time)
        asked = tuple(map(self.named, found.fields))
        return LeadForm(id=form_id, name=found.meta.page_name, questions=asked, created_at=at)

    def named(self, key: str, /) -> LeadQuestion:
        """TikTok describes a question only by its text, which is also the key of the answer."""
        return LeadQuestion(key=key, label=key, type=_TYPES.get(key.lower(), TEXT))

    async def country(self, held: AccountCredentials) -> str | None:
        rows = await self._api.info(held.grant.access_token, [held.platform_account_id])
        return next((row.country for row in rows if row.id == held.platform_account_id), None)

    async def fetch(self, held: AccountCredentials, lead_id: str) -> LeadItem:
        del held, lead_id
        raise PlatformNotFound("TikTok cannot look up a lead by id. The export has it.", platform=Platform.TIKTOKADS)

    async def sweep(self, held: AccountCredentials, since: datetime, place: Mapping[str, Any] | None) -> Swept:
        """List the forms, then export them one form and region at a time: start, wait, and read the file.

        A file that cannot be exported or is too large is skipped. That is reported after all others were read, so that
        it does not hold them back.
        """
        if place is None:
            forms = await self._all_forms(held)
            work = [[form_id, region] for form_id in forms for region in range(len(_REGIONS))]
            return Swept(items=(), place={"work": work} if work else None)
        if not place["work"]:
            raise Rejected(f"{_LEFT_OUT} {', '.join(place['left'])}.", platform=Platform.TIKTOKADS)
        (form_id, region), *rest = place["work"]
        headers, polls, tries = _REGIONS[region], place.get("polls", 0), place.get("tries", 1)
        task = await self._task(held, form_id, place.get("task"), headers)
        failed = task.status in _ENDED
        if failed and tries < _MOST_EXPORTS:
            return Swept(items=(), place={**place, "task": None, "tries": tries + 1}, wait=_POLL_SECONDS)
        if not failed and task.status != "SUCCEED" and polls < _MOST_POLLS:
            wait = min(_POLL_SECONDS * (polls + 1), _LONGEST_POLL_SECONDS)
            return Swept(items=(), place={**place, "task": str(task.task_id), "polls": polls + 1}, wait=wait)
        file = await self._download(held, task, headers) if task.status == "SUCCEED" else None
        left = [*place.get("left", ()), *([form_id] if file is None else [])]
        items = () if file is None else _leads(file, since)
        return Swept(items=items, place={"work": rest, "left": left} if rest or left else None)

    async def _all_forms(self, held: AccountCredentials) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await self.forms(held, _MOST, cursor)
            found += [one.id for one in page.items]
            cursor = page.cursor
            if cursor is None:
                return found

    async def _task(
        self, held: AccountCredentials, form_id: str, task: str | None, headers: Mapping[str, str]
    ) -> _Task:
        """Start an export, or check its progress. Exporting the same leads again is harmless."""
        given = {"advertiser_id": held.platform_account_id, "page_id": form_id, "task_id": task}
        asked = {name: value for name, value in given.items() if value is not None}
        return await self._access(held).post("page/lead/task/", _Task, asked, repeatable=True, headers=headers)

    async def _download(self, held: AccountCredentials, task: _Task, headers: Mapping[str, str]) -> bytes | None:
        """Read the file, None if it is too large. An error is returned as JSON instead of the file."""
        access = self._access(held)
        query = {"advertiser_id": held.platform_account_id, "task_id": str(task.task_id)}
        how: dict[str, Any] = {"repeatable": True, "query": query, "headers": headers, "deadline": _DOWNLOAD_SECONDS}
        call = access.to("GET", "page/lead/task/download/", expects=_OK, read_limit=_LARGEST_FILE, **how)
        answer = await access.client.answer(call)
        if answer.body.startswith(b"{"):
            await access.call("GET", "page/lead/task/download/", object, **how)
        return None if answer.truncated else answer.body

    def _access(self, held: AccountCredentials) -> Access:
        return self._api.access(token=held.grant.access_token, budgets=(held.platform_account_id, APP))


def _form(row: _Form) -> LeadForm:
    status = {"PUBLISHED": "active", "EDITED": "draft"}.get(row.status or "", row.status)
    return LeadForm(id=str(row.page_id), name=row.title, status=status, created_at=_moment(row.create_time))


def _opened(body: bytes) -> IO[bytes]:
    """Open an export, which is zipped if it is large."""
    if not body.startswith(b"PK"):
        return io.BytesIO(body)
    archive = zipfile.ZipFile(io.BytesIO(body))
    return archive.open(archive.infolist()[0])


def _leads(body: bytes, since: datetime) -> Iterator[LeadItem]:
    """Read an export row by row: unpacked, it can be ten times as large."""
    text = io.TextIOWrapper(_opened(body), "utf-8-sig", "replace", newline="")
    for row in csv.DictReader(text):
        lead_id, at = row.get("lead id") or row.get("lead_id"), _moment(row.get("created_time"))
        if lead_id and at is not None and at > since:
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
