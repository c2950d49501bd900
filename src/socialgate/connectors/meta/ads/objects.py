"""What all objects of an ad account have in common at Meta: nodes of the account's edges, with a status."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from socialgate.connectors import advertising
from socialgate.connectors.advertising import chosen, inverse, option_faults, switch_faults, timed
from socialgate.connectors.forms import given
from socialgate.connectors.graph.dialect import Node, Rows, cursor_of, from_cursor, when
from socialgate.connectors.json_paths import rows_at, text_at
from socialgate.connectors.meta.ads.options import RESERVED
from socialgate.connectors.meta.ads.words import STATUSES, SWITCHES, states_for, text_of
from socialgate.connectors.meta.wire import Graph, checked, known, said
from socialgate.contracts.ad_values import AdSchedule, AdStatus
from socialgate.contracts.ads import AdPage, AdQuery, Change, Item, New
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.operations import Looked
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

NewThing = TypeVar("NewThing", bound=New)

_MOST = 100
_OTHER_TYPE = "Tried accessing nonexisting field"
_SWITCHES_READ = inverse(SWITCHES)
_REASONS = {
    "CAMPAIGN_PAUSED": "Its campaign is paused.",
    "ADSET_PAUSED": "Its ad set is paused.",
    "PENDING_REVIEW": "Meta is reviewing it.",
    "IN_PROCESS": "Meta is processing it.",
    "PENDING_BILLING_INFO": "The ad account has no valid payment method.",
}


class MetaObjects(ABC, Generic[Item, NewThing]):
    """Objects of one type. `states` are the statuses that its list can be filtered by, `able` what can be changed,
    `reserved` what the options must not contain.
    """

    edge: ClassVar[str]
    fields: ClassVar[str]
    states: ClassVar[tuple[str, ...]] = ()
    able: ClassVar[frozenset[str]]
    defaults: ClassVar[Mapping[str, Any]] = {}
    reserved: ClassVar[Mapping[str, str]] = RESERVED

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def faults(self, new: NewThing) -> Sequence[Fault]:
        own = (*option_faults(new.options, self.reserved), *switch_faults("Meta", new.switch, ("active", "paused")))
        return [*own, *self._faults(new)]

    def change_faults(self, change: Change) -> Sequence[Fault]:
        own = advertising.change_faults("Meta", change, self.able)
        return [*own, *option_faults(change.options, self.reserved), *self._change_faults(change)]

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[Item]:
        api, states = self._graph.of(held), states_for(query.statuses, self.states)
        if self.states and not states:
            return AdPage(items=[], cursor=None)
        asked = {"effective_status": text_of(states)} if states else {}
        place = from_cursor(query.cursor)
        async with known(api):
            path = f"{self._parent(query) or api.budget}/{self.edge}"
            fields = f"{self.fields},account_id"
            rows = await api.get(path, Rows[Any], fields=fields, limit=min(query.limit, _MOST), **asked, **place)
        items = [self._item(held, row) for row in rows.data if _is_of(held, row)]
        return AdPage(items=chosen(items, query), cursor=cursor_of(rows))

    async def find(self, held: AccountCredentials, item_id: str) -> Item:
        return self._item(held, await self.row(held, item_id))

    async def create(self, held: AccountCredentials, new: NewThing) -> Item:
        api, body = self._graph.of(held), {**self.defaults, **new.options, **given(await self._body(held, new))}
        sent = {name: text_of(value) for name, value in body.items()}
        made = await api.post(f"{api.budget}/{self.edge}", Node, sent, repeatable=False)
        return self._item(held, {**body, "id": str(made.id)})

    async def look(self, held: AccountCredentials, new: NewThing) -> Looked[Item]:
        api = self._graph.of(held)
        async with known(api):
            rows = await api.all(
                f"{self._above(new) or api.budget}/{self.edge}", Rows[Any], f"{self.fields},account_id"
            )
        items = [self._item(held, row) for row in rows if _is_of(held, row) and text_at(row, "name") == new.name]
        return advertising.found(items, new)

    async def update(self, held: AccountCredentials, item_id: str, change: Change) -> None:
        before = await self.row(held, item_id)
        body = {**change.options, **given(await self._changes(held, change, before))}
        sent = {name: text_of(value) for name, value in body.items()}
        await self._graph.of(held).do("POST", item_id, sent, repeatable=False)

    async def delete(self, held: AccountCredentials, item_id: str) -> None:
        await self.row(held, item_id)
        api = self._graph.of(held)
        async with known(api):
            await api.do("DELETE", item_id, repeatable=False)

    async def row(self, held: AccountCredentials, item_id: str) -> Mapping[str, Any]:
        """Read an object of this account that is not deleted. The token may give access to other accounts, too."""
        api = self._graph.of(held)
        async with known(api):
            try:
                row = await api.get(checked(item_id), dict[str, Any], fields=f"{self.fields},account_id")
            except Rejected as failure:
                if not _is_of_another_type(failure):
                    raise
                raise said(PlatformNotFound, "Meta has no such object of this type.", failure) from None
        if not _is_of(held, row) or text_at(row, "status") == "DELETED":
            raise PlatformNotFound("The ad account has no such object.", platform=Platform.META)
        return row

    def _faults(self, new: NewThing) -> Iterator[Fault]:
        """Report what is wrong with this type of object."""
        del new
        yield from ()

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        del change
        yield from ()

    def _parent(self, query: AdQuery) -> str | None:
        """Return the id of what the list is limited to."""
        del query
        return None

    def _above(self, new: NewThing) -> str | None:
        """Return the id of the parent of a new object."""
        del new
        return None

    @abstractmethod
    async def _body(self, held: AccountCredentials, new: NewThing) -> Mapping[str, Any]:
        """Return the parameters that create it; those that are None are left out."""

    @abstractmethod
    async def _changes(
        self, held: AccountCredentials, change: Change, before: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...

    @abstractmethod
    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> Item:
        """Read an object: a row of Meta, or the parameters that created it, which have the same names."""

    def _common(self, row: Mapping[str, Any], schedule: AdSchedule | None = None) -> dict[str, Any]:
        state = text_at(row, "effective_status") or text_at(row, "status")
        switch = _SWITCHES_READ.get(text_at(row, "configured_status") or text_at(row, "status"))
        status = timed(STATUSES.get(state), schedule, self._graph.wire.clock.now())
        return {
            "id": text_at(row, "id"),
            "name": text_at(row, "name") or None,
            "status": status,
            "switch": switch,
            "reason": None if status is None or status == switch else _reason(row, state, status),
            "created_at": when(text_at(row, "created_time")),
            "updated_at": when(text_at(row, "updated_time")),
        }


def _is_of_another_type(failure: Rejected) -> bool:
    """Meta reads any id: it only complains that the object lacks a field that all objects of the wanted type have."""
    error = failure.platform_error
    return error is not None and _OTHER_TYPE in (error.message or "")


def _is_of(held: AccountCredentials, row: Mapping[str, Any]) -> bool:
    return f"act_{text_at(row, 'account_id')}" == held.platform_account_id


def _reason(row: Mapping[str, Any], state: str, status: AdStatus) -> str:
    """Say why something is not what it is set to. Meta's sentences come first."""
    issues = [text_at(one, "error_message") or text_at(one, "error_summary") for one in rows_at(row, "issues_info")]
    feedback = row.get("ad_review_feedback")
    review = feedback.get("global") if isinstance(feedback, dict) else None
    reviewed = [f"{name}: {text}" for name, text in review.items()] if isinstance(review, dict) else []
    # The same sentence is often in both.
    more = [one for one in issues if not any(one in text for text in reviewed)]
    said = " ".join(dict.fromkeys(filter(None, (*more, *reviewed))))
    return said or _REASONS.get(state) or (str(status) if state == "ACTIVE" else state)
