"""How every connector calls its platform: through one client, with configurable base URLs.

A connector specifies a call by the vendor's own URL. A deployment can replace the vendor with a simulator or a proxy:
`https://graph.facebook.com/v26.0/me` is then sent to `<base>/graph.facebook.com/v26.0/me`. If a vendor has only one
host, and people run such servers themselves, the base replaces the host: `https://api.telegram.org/bot<token>/getMe` is
then sent to `<base>/bot<token>/getMe`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from math import ceil
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from socialgate.connectors import tolerant
from socialgate.contracts.connecting import Secretive
from socialgate.contracts.failures import OutcomeUnknown, PlatformRateLimited, TemporarilyUnavailable
from socialgate.contracts.platforms import Manifest, Quota
from socialgate.core.clock import Clock
from socialgate.core.egress import Answer, Door, SendFailed
from socialgate.core.pauses import Pauses
from socialgate.core.quotas import Quotas, QuotaUsedUp, Spent

T = TypeVar("T")

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NO_QUOTAS: Mapping[str, Sequence[Quota]] = MappingProxyType({})
_DEADLINE_SECONDS = 30.0
_LONGEST_SECONDS = 300.0
READ_LIMIT = 8 * 1024 * 1024
_RETRY_SECONDS = 30
_MOST_WAITS = 4


class App(Secretive, frozen=True, kw_only=True):
    """The app that the platform knows this deployment by. `verify_token` is for its webhook handshake."""

    id: str = ""
    secret: str = ""
    verify_token: str = ""


class Wire:
    def __init__(
        self,
        door: Door,
        clock: Clock,
        pauses: Pauses,
        platform: str,
        base: str | None,
        longest: float = _LONGEST_SECONDS,
        quotas: Quotas | None = None,
        *,
        one_host: bool = False,
    ) -> None:
        """Take the name of the platform or of another vendor, the base URL that replaces its hosts (None for the hosts
        themselves), the maximum time for one call, and the quota counter (None if there is none). With `one_host` the
        base URL replaces the host.
        """
        self.platform = platform
        self.clock = clock
        self._door = door
        self._pauses = pauses
        self._base = base.rstrip("/") if base else None
        self._longest = longest
        self._keeps_host = not one_host
        self._quotas = quotas
        self._limits = _NO_QUOTAS
        self._name = str(platform)

    @property
    def door(self) -> Door:
        """The outgoing client of this platform, for files that are fetched as a stream."""
        return self._door

    def within(self, manifest: Manifest) -> "Wire":
        """Return a wire that respects the quotas of the platform."""
        bound = copy(self)
        declared = dict.fromkeys(quota for kind in manifest.kinds for quota in kind.limits.quotas)
        limits = {one.name: [quota for quota in declared if quota.name == one.name] for one in declared}
        bound._limits = limits  # noqa: SLF001 - a wire like this one
        bound._name = manifest.name  # noqa: SLF001 - a wire like this one
        return bound

    def address(self, url: str, query: Mapping[str, Any] = _NOTHING) -> str:
        """Return the URL under which a vendor's URL is reached here. Parameters that are None are omitted.

        A substitute may name itself in its responses (where to upload to): that URL is used as it is.
        """
        if self._base is not None and not url.startswith(f"{self._base}/"):
            rest = url.removeprefix("https://")
            url = f"{self._base}/{rest if self._keeps_host else rest.partition('/')[2]}"
        given = {name: str(value) for name, value in query.items() if value is not None}
        return f"{url}?{urlencode(given)}" if given else url

    async def send(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, Any] = _NOTHING,
        headers: Mapping[str, str] = _NOTHING,
        form: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes | None = None,
        mutates: bool | None = None,
        deadline: float = _DEADLINE_SECONDS,
        read_limit: int = READ_LIMIT,
        spent: Sequence[Spent] = (),
    ) -> Answer:
        """Send once and return the response, whatever its status: the connector's `errors.py` says what it means.

        Without a response nothing was done (TemporarilyUnavailable), unless a call that changes something had already
        been sent (OutcomeUnknown). `mutates` says which of the two it is if the method does not: a POST that only reads
        or may be repeated is `mutates=False`. What was `spent` on it is returned if it was certainly never sent.
        """
        sent_headers = dict(headers)
        if form is not None:
            body = urlencode({name: str(value) for name, value in form.items() if value is not None}).encode()
            sent_headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif json is not None:
            body = msgspec.json.encode(json)
            sent_headers["Content-Type"] = "application/json"
        try:
            return await self._door.send(
                method,
                self.address(url, query),
                deadline=min(deadline, self._longest),
                read_limit=read_limit,
                headers=sent_headers,
                body=body,
            )
        except SendFailed as failure:
            if spent and self._quotas is not None and not failure.sent:
                await self._quotas.give_back(spent)
            changes = method not in {"GET", "HEAD"} if mutates is None else mutates
            raise self._no_answer(failure, changes=changes) from None

    async def require_not_paused(self, *budgets: str) -> None:
        """Reject a call whose account or app has to wait, whichever node learned of that."""
        wait = await self._pauses.left(*(f"{self.platform}:{budget}" for budget in budgets))
        if wait:
            raise PlatformRateLimited(
                f"{self._name} asked this service to wait. Try again in {_spelled(wait)}.",
                platform=self.platform,
                retry_after=wait,
            )

    async def spend(
        self, units: Mapping[str, int], whose: Mapping[str, str], *, patient: bool = False
    ) -> Sequence[Spent]:
        """Take units of each named quota, counted across all nodes, or reject the call.

        `whose` says for whom the call is made, by what a quota can be `per`. A `patient` call waits for a quota that
        allows it again within a second, instead of failing.
        """
        if self._quotas is None or not units:
            return ()
        limits = [(quota, number) for name, number in units.items() for quota in self._limits[name]]
        budgets = [(quota.budget(self.platform, whose[quota.per]), number) for quota, number in limits]
        for left in reversed(range(_MOST_WAITS if patient else 1)):
            try:
                return await self._quotas.spend(budgets)
            except QuotaUsedUp as refused:
                if not left or refused.budget.seconds > 1:
                    raise self._used_up(refused) from None
                await asyncio.sleep(refused.wait)
        raise AssertionError("unreachable")

    async def pause(self, budget: str, seconds: int) -> None:
        """Hold back every further call on this budget: `app`, or the id of an account on the platform."""
        await self._pauses.set(f"{self.platform}:{budget}", seconds)

    def _used_up(self, refused: QuotaUsedUp) -> PlatformRateLimited:
        budget = refused.budget
        moment = refused.frees_at.isoformat(timespec="seconds").replace("+00:00", "Z")
        return PlatformRateLimited(
            f"{refused.used} of {budget.limit} `{budget.quota}` that {self.platform} allows within {budget.seconds} s "
            f"are used, so the call was not made. The quota allows it again in {refused.wait} s, at {moment}.",
            platform=self.platform,
            category="quota_exhausted",
            retry_after=refused.wait,
        )

    def _no_answer(self, failure: SendFailed, *, changes: bool) -> Exception:
        if failure.sent and changes:
            return OutcomeUnknown(
                f"The request reached {self.platform}, but its response was lost ({failure.reason}). Check there "
                "before you send it again.",
                platform=self.platform,
            )
        return TemporarilyUnavailable(
            f"{self.platform} did not respond ({failure.reason}). Nothing was changed; try again.",
            platform=self.platform,
            retry_after=_RETRY_SECONDS,
        )


def read(answer: Answer, shape: type[T]) -> T | None:
    """Decode a response into a typed struct, None if it is something else (an error page, an empty body)."""
    return tolerant.readable(answer.body, shape)


def _spelled(seconds: float) -> str:
    """Write a duration as people do, rounded up."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds > length:
            return f"{ceil(seconds / length)} {unit}"
    return f"{ceil(seconds)} seconds"
