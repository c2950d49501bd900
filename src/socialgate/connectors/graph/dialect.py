"""The Graph API, which Meta's products share: errors even with status 200, waits in special headers, and cursors."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from socialgate.connectors.client import APP_BUDGET, VendorCall, VendorClient
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.graph.signing import build_appsecret_proof
from socialgate.connectors.json_paths import get_list
from socialgate.connectors.transport import decode_response
from socialgate.contracts.account_connection import RedactedStruct
from socialgate.contracts.failures import PlatformFailure, PlatformUnavailableError
from socialgate.core.egress import HttpResponse

T = TypeVar("T")

_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
# Our own codes, for errors without one: an error of a token endpoint, and a 404 without a message.
FLAT_ERROR_CODE = "flat"
UNKNOWN_PATH_CODE = "no address"

_MIN_UNIQUE_SUBCODE = 10_000
_DAY_SECONDS = 24 * 60 * 60
_MAX_YEAR = 9000
_PAGE_SIZE = 100
# A cursor that never ends would keep a request forever; nobody has 20,000 Pages.
_MAX_PAGES = 200
_PAGING_PARAMETERS = frozenset({"after", "until", "since", "__paging_token"})


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
    def full_message(self) -> str | None:
        """The message and its details, unless one of them says the same as the other."""
        details = self.error_data.get("details") if isinstance(self.error_data, dict) else None
        details = details or self.error_user_msg
        if not self.message or not isinstance(details, str) or details.strip(" .") in self.message:
            return self.message
        return details if self.message in details else f"{self.message}: {details}"

    @property
    def blamed_field(self) -> str | None:
        """The name of the parameter that is wrong, as far as it is known: [["daily_budget"]], perhaps as a text."""
        data = self.error_data
        with suppress(msgspec.DecodeError):
            data = msgspec.json.decode(data) if isinstance(data, str) else data
        paths = get_list(data, "blame_field_specs")
        return next((str(path[0]) for path in paths if isinstance(path, list) and path), None)


class _ErrorBody(msgspec.Struct, kw_only=True):
    """Some token endpoints use the flat form, all others put the error under `error`."""

    error: GraphError | None = None
    error_type: str | None = None
    error_message: str | None = None
    code: int | str | None = None


class AccessToken(msgspec.Struct):
    access_token: str
    expires_in: int | None = None

    def __repr__(self) -> str:
        return "Token(…)"


class GraphNode(msgspec.Struct):
    """Anything with an id: a person, a business, a number, or something that was just created."""

    id: str | int
    name: str | None = None


class TokenInspection(msgspec.Struct, kw_only=True):
    """What Meta knows about a token. Times are seconds, 0 for never."""

    is_valid: bool
    expires_at: int | None = None
    data_access_expires_at: int | None = None
    scopes: list[str] = []
    error: GraphError | None = None


class DebugTokenResponse(msgspec.Struct):
    data: TokenInspection


class _Cursors(msgspec.Struct):
    after: str | None = None


class _Paging(msgspec.Struct):
    cursors: _Cursors | None = None
    next: str | None = None

    @property
    def after(self) -> str | None:
        """`next` itself is not followed: it contains the token."""
        return self.cursors.after if self.next and self.cursors is not None else None


class GraphPage(msgspec.Struct, Generic[T]):
    data: list[T] = []
    paging: _Paging | None = None


class _SuccessResponse(msgspec.Struct):
    success: bool = True


class GraphDialect:
    """Sends the token in a header, and with the `secret` of its app the proof that it is used by that app."""

    def __init__(self, secret: str = "", fields: Mapping[str, str] = _EMPTY_MAPPING) -> None:
        """Take the names of parameters that errors blame, each with where it is in a customer's request."""
        self._secret = secret
        self._fields = fields

    def authenticate(self, call: VendorCall) -> VendorCall:
        if not call.token:
            return call
        proven = (
            _add_params(call, appsecret_proof=build_appsecret_proof(self._secret, call.token)) if self._secret else call
        )
        headers = {"Authorization": f"Bearer {call.token}", **call.headers}
        return msgspec.structs.replace(proven, headers=headers)

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        body = decode_response(answer, _ErrorBody) or _ErrorBody()
        bad = answer.status >= HTTPStatus.BAD_REQUEST
        if body.error is not None:
            vendor_error = build_vendor_error(body.error, answer.status, answer.headers)
            return msgspec.structs.replace(vendor_error, field=self._fields.get(body.error.blamed_field or ""))
        # A container that failed has its own `error_message`, in a successful response.
        if body.error_type is not None or (body.error_message is not None and bad):
            return _parse_flat_error(body, answer)
        return _build_intermediary_error(answer) if bad else None

    def extract_result(self, answer: HttpResponse) -> bytes:
        return answer.body


class TokenParameterDialect(GraphDialect):
    """Sends the token as a parameter."""

    def authenticate(self, call: VendorCall) -> VendorCall:
        return _add_params(call, access_token=call.token) if call.token else call


class GraphClient(VendorClient):
    async def call_for_success(self, call: VendorCall) -> None:
        """Make a call whose response only says whether it was done."""
        if not (await self.call(call, _SuccessResponse)).success:
            raise PlatformUnavailableError(
                f"{self._table.vendor} did not do it and gave no reason. Try again.", platform=self._table.platform
            )

    async def list_all(self, call: VendorCall, shape: type[GraphPage[T]]) -> Sequence[T]:
        """Follow the cursor to the end: a page may be short, or empty, and still not be the last."""
        items: list[T] = []
        after: str | None = None
        for _ in range(_MAX_PAGES):
            query = {**call.query, "limit": _PAGE_SIZE, "after": after}
            rows = await self.call(msgspec.structs.replace(call, query=query), shape)
            items += rows.data
            before, after = after, rows.paging.after if rows.paging is not None else None
            if after is None or after == before:
                break
        return items


class GraphCaller(RedactedStruct, frozen=True):
    """Acts for one account, or for a person: paths are below `base`, and `budget` says whose calls wait.

    What is posted is a form, or JSON with `as_json`. That is for customers' own apps: there is no budget of our app.
    """

    client: GraphClient
    base: str
    token: str
    budget: str = APP_BUDGET
    hidden: tuple[str, ...] = ()
    as_json: bool = False

    async def get(self, path: str, shape: type[T], **params: Any) -> T:
        return await self.client.call(self._build_call("GET", path, params), shape)

    async def post(
        self, path: str, shape: type[T], params: Mapping[str, Any], *, repeatable: bool, **options: Any
    ) -> T:
        """Post something. `spends` names the quota that it uses one unit of; `options` is anything else a call
        supports.
        """
        return await self.client.call(self._build_call("POST", path, params, repeatable=repeatable, **options), shape)

    async def call(self, method: str, path: str, shape: type[T], params: Mapping[str, Any], **options: Any) -> T:
        """Make a call of any method."""
        return await self.client.call(self._build_call(method, path, params, **options), shape)

    async def call_for_success(
        self, method: str, path: str, params: Mapping[str, Any] = _EMPTY_MAPPING, **options: Any
    ) -> None:
        """Make a call whose response only says whether it was done."""
        await self.client.call_for_success(self._build_call(method, path, params, **options))

    async def list_all(self, path: str, shape: type[GraphPage[T]], fields: str) -> Sequence[T]:
        return await self.client.list_all(self._build_call("GET", path, {"fields": fields}), shape)

    async def fetch_permissions(
        self, scopes: Sequence[str], ends: datetime | None = None
    ) -> tuple[tuple[str, ...], datetime | None]:
        """Ask what the token permits, and until when. If a token cannot be inspected, these values are used."""
        try:
            inspected = (await self.get("debug_token", DebugTokenResponse, input_token=self.token)).data
        except PlatformFailure:
            return tuple(scopes), ends
        return tuple(sorted(inspected.scopes or scopes)), parse_timestamp(inspected.expires_at) or ends

    def _build_call(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any],
        *,
        repeatable: bool = True,
        hidden: tuple[str, ...] = (),
        **options: Any,
    ) -> VendorCall:
        url, options = path if path.startswith("https://") else f"{self.base}/{path}", {**options, "token": self.token}
        hidden = (*self.hidden, *hidden)
        call = build_request(
            method, url, params, repeatable=repeatable, budget=self.budget, secret_values=hidden, **options
        )
        if not self.as_json:
            return call
        return msgspec.structs.replace(call, budgets=(self.budget,), form=None, json=params if call.form else None)


def build_request(
    method: str,
    url: str,
    params: Mapping[str, Any],
    *,
    repeatable: bool,
    budget: str = APP_BUDGET,
    spends: str | None = None,
    in_body: bool = False,
    **options: Any,
) -> VendorCall:
    """Build a call with parameters: those of a POST go into its body, objects and lists as JSON.

    `budget` names whose calls wait when there were too many: the account, or the app before there is one. With
    `in_body`, those of other methods do so, too: what is too long for a URL.
    """
    body = {name: _encode_value(value) for name, value in params.items()} if method == "POST" or in_body else None
    spent, query = ((spends, 1),) if spends else (), params if body is None else {}
    budgets = (budget, APP_BUDGET)
    return VendorCall(
        method=method, url=url, repeatable=repeatable, budgets=budgets, query=query, form=body, spends=spent, **options
    )


def _encode_value(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def build_vendor_error(error: GraphError, status: int, headers: Mapping[str, str]) -> VendorError:
    """Read an error. Its code and subcode are looked up together first, as `190/463`; then the subcode, if it is long:
    these are unique, whatever their code, and some sources have them as the code.
    """
    code = None if error.code is None else str(error.code)
    number = error.error_subcode or error.subcode or 0
    subcode = str(number) if number else None
    pair = f"{code}/{subcode}" if subcode else None
    alone = subcode if number >= _MIN_UNIQUE_SUBCODE else None
    return VendorError(
        status=status,
        codes=tuple(filter(None, (pair, alone, code))),
        code=code,
        subcode=subcode,
        message=error.full_message,
        trace=error.fbtrace_id,
        retry_after=parse_wait_seconds(headers),
        is_temporary=bool(error.is_transient),
    )


def parse_timestamp(seconds: float | None) -> datetime | None:
    """Read a time. Nothing, 0 and values outside the calendar mean that there is none."""
    try:
        read_time = datetime.fromtimestamp(seconds or 0, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return read_time if seconds and read_time.year < _MAX_YEAR else None


def parse_time(text: str | None) -> datetime | None:
    """Read a time such as 2026-11-14T09:28:50+0000."""
    try:
        return datetime.fromisoformat(text or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def extract_cursor(rows: GraphPage[Any]) -> str | None:
    """Extract the position to continue from out of the next page's URL, which also contains the token.

    Feeds are sometimes paged by time, everything else by cursor.
    """
    if rows.paging is None or not rows.paging.next:
        return None
    query = [(name, value) for name, value in parse_qsl(urlsplit(rows.paging.next).query) if name in _PAGING_PARAMETERS]
    if not query and rows.paging.after:
        query = [("after", rows.paging.after)]
    return urlencode(query) or None


def build_cursor_params(cursor: str | None) -> dict[str, str]:
    """Return the parameters that continue from there."""
    return {name: value for name, value in parse_qsl(cursor or "") if name in _PAGING_PARAMETERS}


def parse_wait_seconds(headers: Mapping[str, str]) -> int | None:
    """Read how many seconds Meta asks to wait. It does not send Retry-After, but a proxy in front of it may."""
    business = _decode_json_header(headers, "x-business-use-case-usage", dict[str, list[_UsageReport]]) or {}
    minutes = [usage.estimated_time_to_regain_access for usages in business.values() for usage in usages]
    account = _decode_json_header(headers, "x-ad-account-usage", _AccountUsage)
    seconds = (
        parse_retry_after(headers) or 0,
        max(minutes, default=0) * 60,
        account.reset_time_duration if account is not None else 0,
    )
    return int(min(max(seconds), _DAY_SECONDS)) or None


class _UsageReport(msgspec.Struct):
    estimated_time_to_regain_access: float = 0


class _AccountUsage(msgspec.Struct):
    reset_time_duration: float = 0


def _parse_flat_error(body: _ErrorBody, answer: HttpResponse) -> VendorError:
    """In the flat form the code is the HTTP status: nothing in it is ever final for a connected account."""
    return VendorError(
        status=answer.status,
        codes=(f"{FLAT_ERROR_CODE}/{answer.status}", FLAT_ERROR_CODE),
        code=None if body.code is None else str(body.code),
        message=body.error_message,
        retry_after=parse_wait_seconds(answer.headers),
        is_temporary=answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def _build_intermediary_error(answer: HttpResponse) -> VendorError:
    """The response does not come from the API, but from something in front of it, which cannot know what happened."""
    if answer.status == HTTPStatus.NOT_FOUND:
        return VendorError(status=answer.status, codes=(UNKNOWN_PATH_CODE,), code=None, lacks_vendor_format=True)
    return VendorError(status=answer.status, retry_after=parse_wait_seconds(answer.headers), from_intermediary=True)


def _add_params(call: VendorCall, **params: str) -> VendorCall:
    if call.form is not None:
        return msgspec.structs.replace(call, form={**call.form, **params})
    return msgspec.structs.replace(call, query={**call.query, **params})


def _decode_json_header(headers: Mapping[str, str], name: str, shape: Any) -> Any:
    try:
        return msgspec.json.decode(headers.get(name) or "null", type=shape, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
