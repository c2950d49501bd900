"""What all objects of an ad account have in common at Meta: nodes of the account's edges, with a status."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from socialgate.connectors import advertising
from socialgate.connectors.advertising import (
    apply_schedule_to_status,
    filter_items,
    invert_table,
    validate_configured_status,
    validate_options,
)
from socialgate.connectors.graph.dialect import GraphNode, GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.json_paths import get_objects, get_text_or_number
from socialgate.connectors.meta.ads.mappings import (
    STATUSES_BY_VENDOR_NAME,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    encode_param,
    get_vendor_statuses,
)
from socialgate.connectors.meta.ads.reserved_options import COMMON_RESERVED_OPTIONS
from socialgate.connectors.meta.api import MetaApi, convert_failure, raise_not_found_if_missing, require_object_id
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import AdSchedule, AdStatus
from socialgate.contracts.ads import AdItem_T, AdObjectChanges, AdPage, AdQuery, NewAdObject
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.operations import LookupResult
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

NewObject = TypeVar("NewObject", bound=NewAdObject)

_MAX_PAGE_SIZE = 100
_WRONG_TYPE_MESSAGE = "Tried accessing nonexisting field"
_CONFIGURED_STATUSES_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_CONFIGURED_STATUS)
_STATUS_REASONS = {
    "CAMPAIGN_PAUSED": "Its campaign is paused.",
    "ADSET_PAUSED": "Its ad set is paused.",
    "PENDING_REVIEW": "Meta is reviewing it.",
    "IN_PROCESS": "Meta is processing it.",
    "PENDING_BILLING_INFO": "The ad account has no valid payment method.",
}


class MetaAdObjects(ABC, Generic[AdItem_T, NewObject]):
    """Objects of one type. `filterable_statuses` are the statuses that its list can be filtered by, `changeable_fields`
    what can be changed, `reserved_options` what the options must not contain.
    """

    edge: ClassVar[str]
    fields: ClassVar[str]
    filterable_statuses: ClassVar[tuple[str, ...]] = ()
    changeable_fields: ClassVar[frozenset[str]]
    default_params: ClassVar[Mapping[str, Any]] = {}
    reserved_options: ClassVar[Mapping[str, str]] = COMMON_RESERVED_OPTIONS

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_new_object(self, new: NewObject) -> Sequence[Fault]:
        own = (
            *validate_options(new.options, self.reserved_options),
            *validate_configured_status("Meta", new.configured_status, ("active", "paused")),
        )
        return [*own, *self._validate_new(new)]

    def validate_changes(self, change: AdObjectChanges) -> Sequence[Fault]:
        own = advertising.validate_changes("Meta", change, self.changeable_fields)
        return [*own, *validate_options(change.options, self.reserved_options), *self._validate_change(change)]

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[AdItem_T]:
        api, states = (
            self._graph.for_account(credentials),
            get_vendor_statuses(query.statuses, self.filterable_statuses),
        )
        if self.filterable_statuses and not states:
            return AdPage(items=[], cursor=None)
        request = {"effective_status": encode_param(states)} if states else {}
        place = build_cursor_params(query.cursor)
        async with raise_not_found_if_missing(api):
            path = f"{self._get_list_parent_id(query) or api.budget}/{self.edge}"
            fields = f"{self.fields},account_id"
            rows = await api.get(
                path, GraphPage[Any], fields=fields, limit=min(query.limit, _MAX_PAGE_SIZE), **request, **place
            )
        items = [self._parse_item(credentials, row) for row in rows.data if _belongs_to_account(credentials, row)]
        return AdPage(items=filter_items(items, query), cursor=extract_cursor(rows))

    async def find(self, credentials: AccountCredentials, item_id: str) -> AdItem_T:
        return self._parse_item(credentials, await self.fetch_row(credentials, item_id))

    async def create(self, credentials: AccountCredentials, new: NewObject) -> AdItem_T:
        api, body = (
            self._graph.for_account(credentials),
            {**self.default_params, **new.options, **drop_none(await self._build_create_params(credentials, new))},
        )
        sent = {name: encode_param(value) for name, value in body.items()}
        node = await api.post(f"{api.budget}/{self.edge}", GraphNode, sent, repeatable=False)
        return self._parse_item(credentials, {**body, "id": str(node.id)})

    async def look_up_result(self, credentials: AccountCredentials, new: NewObject) -> LookupResult[AdItem_T]:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            rows = await api.list_all(
                f"{self._get_parent_id(new) or api.budget}/{self.edge}", GraphPage[Any], f"{self.fields},account_id"
            )
        items = [
            self._parse_item(credentials, row)
            for row in rows
            if _belongs_to_account(credentials, row) and get_text_or_number(row, "name") == new.name
        ]
        return advertising.find_created_item(items, new)

    async def update(self, credentials: AccountCredentials, item_id: str, change: AdObjectChanges) -> None:
        before = await self.fetch_row(credentials, item_id)
        body = {**change.options, **drop_none(await self._build_update_params(credentials, change, before))}
        sent = {name: encode_param(value) for name, value in body.items()}
        await self._graph.for_account(credentials).call_for_success("POST", item_id, sent, repeatable=False)

    async def delete(self, credentials: AccountCredentials, item_id: str) -> None:
        await self.fetch_row(credentials, item_id)
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            await api.call_for_success("DELETE", item_id, repeatable=False)

    async def fetch_row(self, credentials: AccountCredentials, item_id: str) -> Mapping[str, Any]:
        """Read an object of this account that is not deleted. The token may give access to other accounts, too."""
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            try:
                row = await api.get(require_object_id(item_id), dict[str, Any], fields=f"{self.fields},account_id")
            except PlatformRejectedError as failure:
                if not _is_wrong_type_error(failure):
                    raise
                raise convert_failure(PlatformNotFoundError, "Meta has no such object of this type.", failure) from None
        if not _belongs_to_account(credentials, row) or get_text_or_number(row, "status") == "DELETED":
            raise PlatformNotFoundError("The ad account has no such object.", platform=Platform.META)
        return row

    def _validate_new(self, new: NewObject) -> Iterator[Fault]:
        """Report what is wrong with this type of object."""
        del new
        yield from ()

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        del change
        yield from ()

    def _get_list_parent_id(self, query: AdQuery) -> str | None:
        """Return the id of what the list is limited to."""
        del query
        return None

    def _get_parent_id(self, new: NewObject) -> str | None:
        """Return the id of the parent of a new object."""
        del new
        return None

    @abstractmethod
    async def _build_create_params(self, credentials: AccountCredentials, new: NewObject) -> Mapping[str, Any]:
        """Return the parameters that create it; those that are None are left out."""

    @abstractmethod
    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...

    @abstractmethod
    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdItem_T:
        """Read an object: a row of Meta, or the parameters that created it, which have the same names."""

    def _parse_common_fields(self, row: Mapping[str, Any], schedule: AdSchedule | None = None) -> dict[str, Any]:
        state = get_text_or_number(row, "effective_status") or get_text_or_number(row, "status")
        switch = _CONFIGURED_STATUSES_BY_VENDOR_NAME.get(
            get_text_or_number(row, "configured_status") or get_text_or_number(row, "status")
        )
        status = apply_schedule_to_status(STATUSES_BY_VENDOR_NAME.get(state), schedule, self._graph.wire.clock.now())
        return {
            "id": get_text_or_number(row, "id"),
            "name": get_text_or_number(row, "name") or None,
            "status": status,
            "configured_status": switch,
            "reason": None if status is None or status == switch else _get_status_reason(row, state, status),
            "created_at": parse_time(get_text_or_number(row, "created_time")),
            "updated_at": parse_time(get_text_or_number(row, "updated_time")),
        }


def _is_wrong_type_error(failure: PlatformRejectedError) -> bool:
    """Meta reads any id: it only complains that the object lacks a field that all objects of the wanted type have."""
    error = failure.platform_error
    return error is not None and _WRONG_TYPE_MESSAGE in (error.message or "")


def _belongs_to_account(credentials: AccountCredentials, row: Mapping[str, Any]) -> bool:
    return f"act_{get_text_or_number(row, 'account_id')}" == credentials.platform_account_id


def _get_status_reason(row: Mapping[str, Any], state: str, status: AdStatus) -> str:
    """Say why something is not what it is set to. Meta's sentences come first."""
    issues = [
        get_text_or_number(item, "error_message") or get_text_or_number(item, "error_summary")
        for item in get_objects(row, "issues_info")
    ]
    feedback = row.get("ad_review_feedback")
    review = feedback.get("global") if isinstance(feedback, dict) else None
    reviewed = [f"{name}: {text}" for name, text in review.items()] if isinstance(review, dict) else []
    # The same sentence is often in both.
    more = [issue for issue in issues if not any(issue in text for text in reviewed)]
    message = " ".join(dict.fromkeys(filter(None, (*more, *reviewed))))
    return message or _STATUS_REASONS.get(state) or (str(status) if state == "ACTIVE" else state)
