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

from socialgate.connectors.client import APP_BUDGET, AuthorizedClient
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.paging import PageInfo, parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.leads import TEXT, LeadBatch, LeadForm, LeadFormPage, LeadItem, LeadQuestion
from socialgate.contracts.platforms import Platform

# Leads from the EEA, Switzerland and the United Kingdom; from the United States; and from everywhere else.
_REGION_HEADERS: tuple[Mapping[str, str], ...] = ({"x-lead-region": "eu"}, {"x-lead-region": "us"}, {})
_QUESTION_TYPES_BY_KEY = {"name": "full_name", "full_name": "full_name", "email": "email", "phone_number": "phone"}
_METADATA_COLUMNS = {"lead id", "lead_id", "created_time", "form_id", "form_name"}
_METADATA_COLUMNS |= {f"{label}_{part}" for label in ("ad", "adgroup", "campaign") for part in ("id", "name")}
_SUCCESS_STATUSES = frozenset({200})
_MAX_PAGE_SIZE = 100
_POLL_SECONDS, _MAX_POLL_SECONDS = 1.0, 5.0
# TikTok zips files over 10 MB, to about a tenth: this is enough for a million leads of one form in one region.
_MAX_FILE_BYTES = 32 * 1024 * 1024
_DOWNLOAD_SECONDS = 120.0
_SKIPPED_FORMS_DETAIL = "The leads of these forms could not be exported, or their file is larger than 32 MiB:"
_FAILED_STATUSES = frozenset({"FAILED", "CANCELED", "EXPIRED"})
# An export is available for ten minutes: after that, or if it failed, another one is started.
_MAX_EXPORT_ATTEMPTS = 5
# About a quarter of an hour: an export that is not ready by then must not hold back the others any longer.
_MAX_POLLS = 180


class _LeadForm(msgspec.Struct, frozen=True):
    page_id: int | str
    title: str | None = None
    status: str | None = None
    create_time: str | None = None


class _LeadFormsResponse(msgspec.Struct, frozen=True):
    list: Sequence[_LeadForm] = ()
    page_info: PageInfo = PageInfo()


class _FormMetadata(msgspec.Struct, frozen=True):
    page_name: str | None = None
    create_time: str | None = None


class _FormFieldsResponse(msgspec.Struct, frozen=True):
    fields: Sequence[str] = ()
    meta: _FormMetadata = _FormMetadata()


class _ExportTask(msgspec.Struct, frozen=True):
    task_id: int | str
    status: str = ""
    file_type: str = "csv"


class AdAccountLeads:
    can_read_within_request = False

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def list_forms(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> LeadFormPage:
        page, size = parse_page_cursor(cursor, min(limit, _MAX_PAGE_SIZE))
        query = {"business_type": "LEAD_GEN", "page": page, "page_size": size}
        forms = await self._api_for_account(credentials).get(
            "page/get/", _LeadFormsResponse, advertiser_id=credentials.platform_account_id, **query
        )
        return LeadFormPage(
            items=[_parse_form(form) for form in forms.list], cursor=forms.page_info.get_next_cursor(size)
        )

    async def fetch_form(self, credentials: AccountCredentials, form_id: str) -> LeadForm:
        query = {"advertiser_id": credentials.platform_account_id, "page_id": form_id}
        fields_response = await self._api_for_account(credentials).get("page/field/get/", _FormFieldsResponse, **query)
        at = _parse_time(fields_response.meta.create_time)
        lead_questions = tuple(map(self.build_question, fields_response.fields))
        return LeadForm(id=form_id, name=fields_response.meta.page_name, questions=lead_questions, created_at=at)

    def build_question(self, key: str, /) -> LeadQuestion:
        """TikTok describes a question only by its text, which is also the key of the answer."""
        return LeadQuestion(key=key, label=key, type=_QUESTION_TYPES_BY_KEY.get(key.lower(), TEXT))

    async def fetch_country(self, credentials: AccountCredentials) -> str | None:
        rows = await self._api.fetch_advertisers(credentials.grant.access_token, [credentials.platform_account_id])
        return next((row.country for row in rows if row.id == credentials.platform_account_id), None)

    async def fetch_lead(self, credentials: AccountCredentials, lead_id: str) -> LeadItem:
        del credentials, lead_id
        raise PlatformNotFoundError(
            "TikTok cannot look up a lead by id. The export has it.", platform=Platform.TIKTOKADS
        )

    async def read_lead_batch(
        self, credentials: AccountCredentials, since: datetime, place: Mapping[str, Any] | None
    ) -> LeadBatch:
        """List the forms, then export them one form and region at a time: start, wait, and read the file.

        A file that cannot be exported or is too large is skipped. That is reported after all others were read, so that
        it does not hold them back.
        """
        if place is None:
            forms = await self._list_form_ids(credentials)
            work = [[form_id, region] for form_id in forms for region in range(len(_REGION_HEADERS))]
            return LeadBatch(items=(), checkpoint={"work": work} if work else None)
        if not place["work"]:
            raise PlatformRejectedError(
                f"{_SKIPPED_FORMS_DETAIL} {', '.join(place['left'])}.", platform=Platform.TIKTOKADS
            )
        (form_id, region), *rest = place["work"]
        headers, polls, tries = _REGION_HEADERS[region], place.get("polls", 0), place.get("tries", 1)
        task = await self._start_or_poll_export(credentials, form_id, place.get("task"), headers)
        failed = task.status in _FAILED_STATUSES
        if failed and tries < _MAX_EXPORT_ATTEMPTS:
            return LeadBatch(items=(), checkpoint={**place, "task": None, "tries": tries + 1}, wait=_POLL_SECONDS)
        if not failed and task.status != "SUCCEED" and polls < _MAX_POLLS:
            wait = min(_POLL_SECONDS * (polls + 1), _MAX_POLL_SECONDS)
            return LeadBatch(items=(), checkpoint={**place, "task": str(task.task_id), "polls": polls + 1}, wait=wait)
        file = await self._download_export(credentials, task, headers) if task.status == "SUCCEED" else None
        left = [*place.get("left", ()), *([form_id] if file is None else [])]
        items = () if file is None else _parse_leads(file, since)
        return LeadBatch(items=items, checkpoint={"work": rest, "left": left} if rest or left else None)

    async def _list_form_ids(self, credentials: AccountCredentials) -> list[str]:
        result: list[str] = []
        cursor: str | None = None
        while True:
            page = await self.list_forms(credentials, _MAX_PAGE_SIZE, cursor)
            result += [item.id for item in page.items]
            cursor = page.cursor
            if cursor is None:
                return result

    async def _start_or_poll_export(
        self, credentials: AccountCredentials, form_id: str, task: str | None, headers: Mapping[str, str]
    ) -> _ExportTask:
        """Start an export, or check its progress. Exporting the same leads again is harmless."""
        input_value = {"advertiser_id": credentials.platform_account_id, "page_id": form_id, "task_id": task}
        request = {name: value for name, value in input_value.items() if value is not None}
        return await self._api_for_account(credentials).post(
            "page/lead/task/", _ExportTask, request, repeatable=True, headers=headers
        )

    async def _download_export(
        self, credentials: AccountCredentials, task: _ExportTask, headers: Mapping[str, str]
    ) -> bytes | None:
        """Read the file, None if it is too large. An error is returned as JSON instead of the file."""
        access = self._api_for_account(credentials)
        query = {"advertiser_id": credentials.platform_account_id, "task_id": str(task.task_id)}
        values: dict[str, Any] = {"repeatable": True, "query": query, "headers": headers, "deadline": _DOWNLOAD_SECONDS}
        call = access.build_request(
            "GET",
            "page/lead/task/download/",
            accepted_statuses=_SUCCESS_STATUSES,
            read_limit=_MAX_FILE_BYTES,
            **values,
        )
        answer = await access.client.fetch_response(call)
        if answer.body.startswith(b"{"):
            await access.call("GET", "page/lead/task/download/", object, **values)
        return None if answer.truncated else answer.body

    def _api_for_account(self, credentials: AccountCredentials) -> AuthorizedClient:
        return self._api.build_authorized_client(
            token=credentials.grant.access_token, budgets=(credentials.platform_account_id, APP_BUDGET)
        )


def _parse_form(row: _LeadForm) -> LeadForm:
    status = {"PUBLISHED": "active", "EDITED": "draft"}.get(row.status or "", row.status)
    return LeadForm(id=str(row.page_id), name=row.title, status=status, created_at=_parse_time(row.create_time))


def _open_export(body: bytes) -> IO[bytes]:
    """Open an export, which is zipped if it is large."""
    if not body.startswith(b"PK"):
        return io.BytesIO(body)
    archive = zipfile.ZipFile(io.BytesIO(body))
    return archive.open(archive.infolist()[0])


def _parse_leads(body: bytes, since: datetime) -> Iterator[LeadItem]:
    """Read an export row by row: unpacked, it can be ten times as large."""
    text = io.TextIOWrapper(_open_export(body), "utf-8-sig", "replace", newline="")
    for row in csv.DictReader(text):
        lead_id, at = row.get("lead id") or row.get("lead_id"), _parse_time(row.get("created_time"))
        if lead_id and at is not None and at > since:
            yield LeadItem(
                id=lead_id,
                form_id=row.get("form_id") or "",
                form_name=row.get("form_name") or None,
                created_at=at,
                fields={key: value for key, value in row.items() if key and key not in _METADATA_COLUMNS and value},
                ad_id=row.get("ad_id") or None,
                campaign_id=row.get("campaign_id") or None,
            )


def _parse_time(text: str | None) -> datetime | None:
    """Read a time such as 2026-11-14 09:28:50, which is in UTC."""
    try:
        return datetime.fromisoformat(text or "").replace(tzinfo=UTC)
    except ValueError:
        return None
