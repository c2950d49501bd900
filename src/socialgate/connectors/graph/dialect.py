"""The Graph API, which Meta's products share: errors even with status 200, waits in special headers, and cursors."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from socialgate.connectors.client import APP, Call, Client
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.graph.signing import proof
from socialgate.connectors.json_paths import list_at
from socialgate.connectors.wire import read
from socialgate.contracts.connecting import Secretive
from socialgate.contracts.failures import PlatformFailure, TemporarilyUnavailable
from socialgate.core.egress import Answer

T = TypeVar("T")

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Our own codes, for errors without one: an error of a token endpoint, and a 404 without a message.
FLAT = "flat"
NO_ADDRESS = "no address"

_FIRST_LONG_SUBCODE = 10_000
_DAY = 24 * 60 * 60
_LAST_YEAR = 9000
_ROWS = 100
# A cursor that never ends would keep a request forever; nobody has 20,000 Pages.
_MOST_PAGES = 200
_PAGING = frozenset({"after", "until", "since", "__paging_token"})


class GraphError(msgspec.Struct, kw_only=True):
    message: str | None = None
    code: int | None = None
    error_subcode: int | None = None
    # Its name inside the response of debug_token.
    subcode: int | None = None
    is_transient: bool | None = None
    fbtrace_id: str | None = None
    # WhatsApp says here what exactly is wrong; others have something else in it, or a text.
    error_data: Any = None
    # Facebook says here, in a sentence for people, what exactly is wrong.
    error_user_msg: str | None = None

    @property
    def words(self) -> str | None:
        """The message and its details, unless one of them says the same as the other."""
        details = self.error_data.get("details") if isinstance(self.error_data, dict) else None
        details = details or self.error_user_msg
        if not self.message or not isinstance(details, str) or details.strip(" .") in self.message:
            return self.message
        return details if self.message in details else f"{self.message}: {details}"

    @property
    def blamed(self) -> str | None:
        """The name of the parameter that is wrong, as far as it is known: [["daily_budget"]], perhaps as a text."""
        data = self.error_data
        with suppress(msgspec.DecodeError):
            data = msgspec.json.decode(data) if isinstance(data, str) else data
        paths = list_at(data, "blame_field_specs")
        return next((str(path[0]) for path in paths if isinstance(path, list) and path), None)


class _Body(msgspec.Struct, kw_only=True):
    """Some token endpoints use the flat form, all others put the error under `error`."""

    error: GraphError | None = None
    error_type: str | None = None
    error_message: str | None = None
    code: int | str | None = None


class Token(msgspec.Struct):
    access_token: str
    expires_in: int | None = None

    def __repr__(self) -> str:
        return "Token(…)"


class Node(msgspec.Struct):
    """Anything with an id: a person, a business, a number, or something that was just created."""

    id: str | int
    name: str | None = None


class Inspected(msgspec.Struct, kw_only=True):
    """What Meta knows about a token. Times are seconds, 0 for never."""

    is_valid: bool
    expires_at: int | None = None
    data_access_expires_at: int | None = None
    scopes: list[str] = []
    error: GraphError | None = None


class Debug(msgspec.Struct):
    data: Inspected


class _Cursors(msgspec.Struct):
    after: str | None = None


class _Paging(msgspec.Struct):
    cursors: _Cursors | None = None
    next: str | None = None

    @property
    def after(self) -> str | None:
        """`next` itself is not followed: it contains the token."""
        return self.cursors.after if self.next and self.cursors is not None else None


class Rows(msgspec.Struct, Generic[T]):
    data: list[T] = []
    paging: _Paging | None = None


class _Done(msgspec.Struct):
    success: bool = True


class GraphDialect:
    """Sends the token in a header, and with the `secret` of its app the proof that it is used by that app."""

    def __init__(self, secret: str = "", fields: Mapping[str, str] = _NOTHING) -> None:
        """Take the names of parameters that errors blame, each with where it is in a customer's request."""
        self._secret = secret
        self._fields = fields

    def authenticate(self, call: Call) -> Call:
        if not call.token:
            return call
        proven = _with(call, appsecret_proof=proof(self._secret, call.token)) if self._secret else call
        headers = {"Authorization": f"Bearer {call.token}", **call.headers}
        return msgspec.structs.replace(proven, headers=headers)

    def said(self, answer: Answer) -> Said | None:
        body = read(answer, _Body) or _Body()
        bad = answer.status >= HTTPStatus.BAD_REQUEST
        if body.error is not None:
            said = said_of(body.error, answer.status, answer.headers)
            return msgspec.structs.replace(said, field=self._fields.get(body.error.blamed or ""))
        # A container that failed has its own `error_message`, in a successful response.
        if body.error_type is not None or (body.error_message is not None and bad):
            return _flat(body, answer)
        return _without_words(answer) if bad else None

    def result(self, answer: Answer) -> bytes:
        return answer.body


class ParameterDialect(GraphDialect):
    """Sends the token as a parameter."""

    def authenticate(self, call: Call) -> Call:
        return _with(call, access_token=call.token) if call.token else call


class GraphClient(Client):
    async def do(self, call: Call) -> None:
        """Make a call whose response only says whether it was done."""
        if not (await self.call(call, _Done)).success:
            raise TemporarilyUnavailable(
                f"{self._table.vendor} did not do it and gave no reason. Try again.", platform=self._table.platform
            )

    async def all(self, call: Call, shape: type[Rows[T]]) -> Sequence[T]:
        """Follow the cursor to the end: a page may be short, or empty, and still not be the last."""
        found: list[T] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            query = {**call.query, "limit": _ROWS, "after": after}
            rows = await self.call(msgspec.structs.replace(call, query=query), shape)
            found += rows.data
            before, after = after, rows.paging.after if rows.paging is not None else None
            if after is None or after == before:
                break
        return found


class Caller(Secretive, frozen=True):
    """Acts for one account, or for a person: paths are below `base`, and `budget` says whose calls wait.

    What is posted is a form, or JSON with `as_json`. That is for customers' own apps: there is no budget of our app.
    """

    client: GraphClient
    base: str
    token: str
    budget: str = APP
    hidden: tuple[str, ...] = ()
    as_json: bool = False

    async def get(self, path: str, shape: type[T], **params: Any) -> T:
        return await self.client.call(self._request("GET", path, params), shape)

    async def post(self, path: str, shape: type[T], params: Mapping[str, Any], *, repeatable: bool, **how: Any) -> T:
        """Post something. `spends` names the quota that it uses one unit of; `how` is anything else a call supports."""
        return await self.client.call(self._request("POST", path, params, repeatable=repeatable, **how), shape)

    async def call(self, method: str, path: str, shape: type[T], params: Mapping[str, Any], **how: Any) -> T:
        """Make a call of any method."""
        return await self.client.call(self._request(method, path, params, **how), shape)

    async def do(self, method: str, path: str, params: Mapping[str, Any] = _NOTHING, **how: Any) -> None:
        """Make a call whose response only says whether it was done."""
        await self.client.do(self._request(method, path, params, **how))

    async def all(self, path: str, shape: type[Rows[T]], fields: str) -> Sequence[T]:
        return await self.client.all(self._request("GET", path, {"fields": fields}), shape)

    async def permitted(
        self, scopes: Sequence[str], ends: datetime | None = None
    ) -> tuple[tuple[str, ...], datetime | None]:
        """Ask what the token permits, and until when. If a token cannot be inspected, these values are used."""
        try:
            inspected = (await self.get("debug_token", Debug, input_token=self.token)).data
        except PlatformFailure:
            return tuple(scopes), ends
        return tuple(sorted(inspected.scopes or scopes)), moment(inspected.expires_at) or ends

    def _request(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any],
        *,
        repeatable: bool = True,
        hidden: tuple[str, ...] = (),
        **how: Any,
    ) -> Call:
        url, how = path if path.startswith("https://") else f"{self.base}/{path}", {**how, "token": self.token}
        hidden = (*self.hidden, *hidden)
        call = request(method, url, params, repeatable=repeatable, budget=self.budget, hidden=hidden, **how)
        if not self.as_json:
            return call
        return msgspec.structs.replace(call, budgets=(self.budget,), form=None, json=params if call.form else None)


def request(
    method: str,
    url: str,
    params: Mapping[str, Any],
    *,
    repeatable: bool,
    budget: str = APP,
    spends: str | None = None,
    in_body: bool = False,
    **how: Any,
) -> Call:
    """Build a call with parameters: those of a POST go into its body, objects and lists as JSON.

    `budget` names whose calls wait when there were too many: the account, or the app before there is one. With
    `in_body`, those of other methods do so, too: what is too long for a URL.
    """
    body = {name: _encoded(value) for name, value in params.items()} if method == "POST" or in_body else None
    spent, query = ((spends, 1),) if spends else (), params if body is None else {}
    budgets = (budget, APP)
    return Call(
        method=method, url=url, repeatable=repeatable, budgets=budgets, query=query, form=body, spends=spent, **how
    )


def _encoded(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def said_of(error: GraphError, status: int, headers: Mapping[str, str]) -> Said:
    """Read an error. Its code and subcode are looked up together first, as `190/463`; then the subcode, if it is long:
    these are unique, whatever their code, and some sources have them as the code.
    """
    code = None if error.code is None else str(error.code)
    number = error.error_subcode or error.subcode or 0
    subcode = str(number) if number else None
    pair = f"{code}/{subcode}" if subcode else None
    alone = subcode if number >= _FIRST_LONG_SUBCODE else None
    return Said(
        status=status,
        codes=tuple(filter(None, (pair, alone, code))),
        code=code,
        subcode=subcode,
        message=error.words,
        trace=error.fbtrace_id,
        retry_after=wait_of(headers),
        passing=bool(error.is_transient),
    )


def moment(seconds: float | None) -> datetime | None:
    """Read a time. Nothing, 0 and values outside the calendar mean that there is none."""
    try:
        read_time = datetime.fromtimestamp(seconds or 0, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return read_time if seconds and read_time.year < _LAST_YEAR else None


def when(text: str | None) -> datetime | None:
    """Read a time such as 2026-11-14T09:28:50+0000."""
    try:
        return datetime.fromisoformat(text or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def cursor_of(rows: Rows[Any]) -> str | None:
    """Extract the position to continue from out of the next page's URL, which also contains the token.

    Feeds are sometimes paged by time, everything else by cursor.
    """
    if rows.paging is None or not rows.paging.next:
        return None
    query = [(name, value) for name, value in parse_qsl(urlsplit(rows.paging.next).query) if name in _PAGING]
    if not query and rows.paging.after:
        query = [("after", rows.paging.after)]
    return urlencode(query) or None


def from_cursor(cursor: str | None) -> dict[str, str]:
    """Return the parameters that continue from there."""
    return {name: value for name, value in parse_qsl(cursor or "") if name in _PAGING}


def wait_of(headers: Mapping[str, str]) -> int | None:
    """Read how many seconds Meta asks to wait. It does not send Retry-After, but a proxy in front of it may."""
    business = _header(headers, "x-business-use-case-usage", dict[str, list[_Usage]]) or {}
    minutes = [usage.estimated_time_to_regain_access for usages in business.values() for usage in usages]
    account = _header(headers, "x-ad-account-usage", _AccountUsage)
    seconds = (
        retry_after_of(headers) or 0,
        max(minutes, default=0) * 60,
        account.reset_time_duration if account is not None else 0,
    )
    return int(min(max(seconds), _DAY)) or None


class _Usage(msgspec.Struct):
    estimated_time_to_regain_access: float = 0


class _AccountUsage(msgspec.Struct):
    reset_time_duration: float = 0


def _flat(body: _Body, answer: Answer) -> Said:
    """In the flat form the code is the HTTP status: nothing in it is ever final for a connected account."""
    return Said(
        status=answer.status,
        codes=(f"{FLAT}/{answer.status}", FLAT),
        code=None if body.code is None else str(body.code),
        message=body.error_message,
        retry_after=wait_of(answer.headers),
        passing=answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def _without_words(answer: Answer) -> Said:
    """The response does not come from the API, but from something in front of it, which cannot know what happened."""
    if answer.status == HTTPStatus.NOT_FOUND:
        return Said(status=answer.status, codes=(NO_ADDRESS,), code=None, unnamed=True)
    return Said(status=answer.status, retry_after=wait_of(answer.headers), from_between=True)


def _with(call: Call, **params: str) -> Call:
    if call.form is not None:
        return msgspec.structs.replace(call, form={**call.form, **params})
    return msgspec.structs.replace(call, query={**call.query, **params})


def _header(headers: Mapping[str, str], name: str, shape: Any) -> Any:
    try:
        return msgspec.json.decode(headers.get(name) or "null", type=shape, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
