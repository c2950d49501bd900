"""How an operation is made twice: once by the SDK of its vendor, and once by our connector.

A vendor is a module of the folder `vendors` with a `VENDOR`: its operations, and what its servers answer. The answers
are as short as both sides accept, and the same for both.
"""

import asyncio
import re
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from parity.comparing import differences
from parity.recording import OURS, SDK, Answer, Recorded, Recorder
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import AccountCredentials, Grant, WebhookEndpoint
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import MediaFile
from socialgate.core.egress import EgressClient, StreamedResponse, SystemResolver, allow_any_address
from socialgate.core.egress import HttpResponse as Received
from socialgate.core.pauses import PlatformPauses

TOKEN = "token-of-ada"
APP = PlatformApp(id="1000001", secret="secret-of-the-app")
NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
# A part of a path that names one object: it has a number, which versions of APIs have only a short one of.
_ID = re.compile(r"[^/]*\d{4}[^/]*")
_CONNECTORS = "/socialgate/connectors/"
# Lines of connectors: the file, the class with the function, and the number.
Stack: TypeAlias = frozenset[tuple[str, str, int]]


class Operation(NamedTuple):
    """`sdk` makes exactly one request, unless `of_several` says which one is meant. Of ours, the last one with the same
    path is compared, or with `first` the first one; if there is none, simply the last.

    `answers` come before those of the vendor. `free` names what each side chooses by itself, such as a random name: it
    must be there, with the same type of value.
    """

    name: str
    sdk: Callable[[Any], object]
    ours: Callable[[Any], Awaitable[object]]
    answers: Mapping[str, Any] = {}
    free: tuple[str, ...] = ()
    first: bool = False
    of_several: int | None = None


class Walk(NamedTuple):
    """Requests of ours that no SDK is compared with: the same as others, or without an SDK."""

    name: str
    ours: Callable[[Any], Awaitable[object]]
    answers: Mapping[str, Any] = {}


class Vendor(NamedTuple):
    """`sdk` and `ours` build what the operations are called with: a client of the SDK, and a connector of ours.

    `answers` are by the method and the path, as a pattern; the first that matches counts. `host` is set if the base URL
    of a deployment replaces the host.
    """

    name: str
    sdk: Callable[[Recorder], AbstractContextManager[Any]]
    ours: Callable[[VendorTransport], Any]
    operations: Sequence[Operation]
    answers: Mapping[str, Any]
    walks: Sequence[Walk] = ()
    host: str = ""


class Outcome(msgspec.Struct, kw_only=True):
    """What the operations of a vendor showed. `stacks` are the lines of connectors that each request came from."""

    differences: list[tuple[str, str]] = []
    calls: set[str] = set()
    compared_calls: set[str] = set()
    stacks: set[Stack] = set()


def call_of(request: Recorded) -> str:
    """Name a call by its method, host and path, with `{}` for what names an object."""
    method, _, rest = request.place.partition(" ")
    return f"{method} {'/'.join('{}' if _ID.fullmatch(part) else part for part in rest.split('/'))}"


def run(vendor: Vendor) -> Outcome:
    """Make all operations of a vendor, on both sides."""
    recorder = Recorder()
    try:
        return asyncio.run(_compare(vendor, recorder, _sdk_requests(vendor, recorder)))
    finally:
        recorder.close()


def _sdk_requests(vendor: Vendor, recorder: Recorder) -> list[tuple[Recorded, list[str]]]:
    with vendor.sdk(recorder) as client:
        return [_sdk_request(vendor, recorder, client, operation) for operation in vendor.operations]


def _sdk_request(vendor: Vendor, recorder: Recorder, client: Any, item: Operation) -> tuple[Recorded, list[str]]:
    _prepare(vendor, recorder, item.answers)
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        item.sdk(client)
    requests = recorder.of(SDK)
    places = [request.place for request in requests]
    assert len(requests) == 1 or item.of_several is not None, f"{item.name}: the SDK made {places}"
    # What an SDK says about its own parameters is worth as much as what it sends.
    complaints = sorted(
        {f"the SDK warns: {warning.message}" for warning in caught_warnings if warning.category is UserWarning}
    )
    return requests[item.of_several or 0], complaints


async def _compare(vendor: Vendor, recorder: Recorder, sdk: Sequence[tuple[Recorded, list[str]]]) -> Outcome:
    outcome = Outcome()
    async with _wire(vendor, recorder, outcome.stacks) as wire:
        client = vendor.ours(wire)
        for item, (theirs, complaints) in zip(vendor.operations, sdk, strict=True):
            requests = await _our_requests(vendor, recorder, client, item)
            ours = _counterpart(requests, theirs, 0 if item.first else -1)
            outcome.compared_calls.add(call_of(ours))
            outcome.calls |= {call_of(each) for each in requests}
            outcome.differences += [
                (item.name, text) for text in [*_without_free(differences(theirs, ours), item.free), *complaints]
            ]
        for walk in vendor.walks:
            outcome.calls |= {call_of(each) for each in await _our_requests(vendor, recorder, client, walk)}
    return outcome


def _counterpart(requests: Sequence[Recorded], theirs: Recorded, place: int) -> Recorded:
    """Find the request of ours that is most like one of the SDK: by method and path, by path, or by its last part."""
    path = theirs.path.rstrip("/")
    same = [request for request in requests if request.path.rstrip("/") == path]
    alike = [request for request in requests if request.path.rpartition("/")[2] == path.rpartition("/")[2]]
    return ([recorded for recorded in same if recorded.method == theirs.method] or same or alike or requests)[place]


async def _our_requests(vendor: Vendor, recorder: Recorder, client: Any, item: Operation | Walk) -> list[Recorded]:
    _prepare(vendor, recorder, item.answers)
    try:
        await item.ours(client)
    except Exception as error:
        error.add_note(f"{vendor.name}, {item.name}: {[request.place for request in recorder.requests]}")
        raise
    requests = recorder.of(OURS)
    assert requests, f"{item.name}: we made no request"
    return requests


def _without_free(sentences: Sequence[str], free: Sequence[str]) -> Iterator[str]:
    for text in sentences:
        label, _, rest = text.partition(": ")
        if not (label in free and rest.startswith("SDK ") and rest.count("(string)") == 2):
            yield text


def _prepare(vendor: Vendor, recorder: Recorder, answers: Mapping[str, Any]) -> None:
    rules = [(re.compile(pattern), body) for some in (answers, vendor.answers) for pattern, body in some.items()]

    def answer(request: Recorded) -> Answer:
        body = next((body for pattern, body in rules if pattern.search(request.place)), None)
        assert body is not None, f"nothing is answered to {request.place}"
        body = body(request) if callable(body) else body
        return body if isinstance(body, Answer) else Answer(body=body)

    recorder.requests.clear()
    recorder.answer = answer


@asynccontextmanager
async def _wire(vendor: Vendor, recorder: Recorder, stacks: set[Stack]) -> AsyncIterator[VendorTransport]:
    resolver = SystemResolver(1)
    door = _WatchedDoor(stacks, resolver)
    base = recorder.base(OURS, vendor.host)
    try:
        yield VendorTransport(door, _StoppedClock(), _NoPauses(), vendor.name, base, one_host=bool(vendor.host))
    finally:
        door.close()
        resolver.close()


class _WatchedDoor(EgressClient):
    """The client of the service. It notes which lines of connectors each request comes from."""

    def __init__(self, stacks: set[Stack], resolver: SystemResolver) -> None:
        super().__init__(policy=allow_any_address, resolver=resolver, user_agent="Socialgate/test")
        self._stacks = stacks

    async def send(self, method: str, url: str, **options: Any) -> Received:
        self._stacks.add(frozenset(_stack(sys._getframe())))
        return await super().send(method, url, **options)

    @asynccontextmanager
    async def stream(self, method: str, url: str, **options: Any) -> AsyncIterator[StreamedResponse]:
        self._stacks.add(frozenset(_stack(sys._getframe())))
        async with super().stream(method, url, **options) as streamed_response:
            yield streamed_response


def _stack(frame: FrameType | None) -> Iterator[tuple[str, str, int]]:
    """Follow a request back: the file, the class that it was made for with the function, and the line.

    The lines of a comprehension belong to the function around it.
    """
    lines: list[int] = []
    while frame is not None:
        path, function = frame.f_code.co_filename, frame.f_code.co_name
        if _CONNECTORS in path:
            lines.append(frame.f_lineno)
            if not function.startswith("<"):
                me = frame.f_locals.get("self")
                owner = type(me).__name__ if me is not None else ""
                yield from ((path.partition(_CONNECTORS)[2], f"{owner}.{function}", line) for line in lines)
                lines = []
        frame = frame.f_back


class _StoppedClock:
    """A clock that always shows the same time, so that requests have the same times on every day."""

    def now(self) -> datetime:
        return NOW


class _NoPauses(PlatformPauses):
    """Keeps nothing, because nothing is called too often here."""

    def __init__(self) -> None:
        """Need no database."""

    async def get_remaining_seconds(self, *budgets: str) -> int:
        del budgets
        return 0

    async def pause_for(self, budget: str, seconds: int) -> None:
        """Forget it."""


class Files:
    """Reads any file as as many bytes as are wanted."""

    async def read(self, media_id: str, start: int, length: int) -> bytes:
        del media_id, start
        return b"x" * length


FILES = Files()
CALLBACK = WebhookEndpoint(
    url="https://gate.example.com/webhooks/x?r=1", secret="secret-of-the-hook", verify_token="verify-me"
)


async def ignore_refusal(call: Awaitable[object]) -> None:
    """Make calls that end with an error of the vendor, for what is asked after it."""
    with suppress(PlatformFailure):
        await call


def account(kind: Kind, number: str, *, secret: Mapping[str, str] | None = None, **rest: Any) -> AccountCredentials:
    """Create an account whose grant permits everything that `scopes` says."""
    grant = Grant(
        platform_user_id=rest.pop("subject", number),
        name="Ada",
        access_token=rest.pop("token", TOKEN),
        scopes=rest.pop("scopes", ()),
        refreshed_at=NOW,
        refresh_token=rest.pop("refresh_token", None),
        extra=rest.pop("extra", {}),
    )
    details = rest.pop("details", {})
    return AccountCredentials(
        kind=kind, platform_account_id=number, grant=grant, secret=secret or {}, details=details, **rest
    )


def media(kind: Any, mime_type: str, size: int = 4, **rest: Any) -> MediaFile:
    name = f"bun.{mime_type.rpartition('/')[2]}"
    url = f"https://gate.example.com/media/{name}"
    return MediaFile(id="med_1", type=kind, mime_type=mime_type, size=size, sha256="0", url=url, file_name=name, **rest)


IMAGE = media("image", "image/jpeg")
VIDEO = media("video", "video/mp4", duration=10.0, width=1080, height=1920)
