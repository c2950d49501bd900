"""One request to a simulated platform, already read: its body is parsed and its files are on disk."""

from collections.abc import Callable, Mapping
from functools import cached_property
from time import monotonic
from typing import Any, TypeVar

import msgspec
from starlette.datastructures import Headers, ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate_sandbox.kernel.files import Upload
from socialgate_sandbox.kernel.ids import generate_alphanumeric
from socialgate_sandbox.kernel.vendor_context import VendorContext

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
JSON_CONTENT_TYPE = "application/json"


class CallRefusedError(Exception):
    """Raised in a handler to respond with this and roll back everything that the handler wrote."""

    def __init__(self, response: "Response | Callable[[Call], Response]") -> None:
        super().__init__("refused")
        self._response = response

    def response(self, call: "Call") -> Response:
        return self._response if isinstance(self._response, Response) else self._response(call)


class UnreadableInputError(Exception):
    """The input does not have the expected form. The kernel responds with the vendor's `invalid`."""


class Call:
    """What a handler receives.

    `path` is relative to the vendor's mount, `args` are the values of the route's placeholders. `query` and `form` are
    multi-dicts of strings (`form` from a urlencoded or multipart body), `files` are the files of a multipart body. If
    several have the same name, the others are numbered from 2: `image[]`, `image[] 2`.
    """

    def __init__(
        self,
        *,
        context: VendorContext,
        method: str,
        path: str,
        query: QueryParams,
        headers: Headers,
        form: ImmutableMultiDict[str, str],
        files: Mapping[str, Upload],
        raw_body: bytes | Upload,
    ) -> None:
        self.context = context
        self.method = method
        self.path = path
        self.path_params: Mapping[str, str] = {}
        self.query = query
        self.headers = headers
        self.form = form
        self.files = files
        self._raw_body = raw_body
        self._started_at = monotonic()

    @property
    def age_seconds(self) -> float:
        """How many seconds of real time ago the call was read."""
        return monotonic() - self._started_at

    @cached_property
    def id(self) -> str:
        """A random id of this call, for vendors that report one."""
        return generate_alphanumeric(14)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def bearer_token(self) -> str | None:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" and token.strip() else None

    @property
    def body(self) -> bytes:
        """The raw bytes, empty if the body was a form. Prefer `store_body_as_file` if there may be many."""
        return self._raw_body if isinstance(self._raw_body, bytes) else self._raw_body.path.read_bytes()

    @property
    def size(self) -> int:
        """The length of the raw body."""
        return len(self._raw_body) if isinstance(self._raw_body, bytes) else self._raw_body.size

    def store_body_as_file(self) -> Upload:
        """Return the raw body as a file."""
        if isinstance(self._raw_body, bytes):
            path = self.context.files.create_path()
            path.write_bytes(self._raw_body)
            self._raw_body = Upload("", self.content_type, path, len(self._raw_body))
        return self._raw_body

    @property
    def temporary_uploads(self) -> list[Upload]:
        return [*self.files.values(), *([] if isinstance(self._raw_body, bytes) else [self._raw_body])]

    @cached_property
    def json(self) -> Any:
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableInputError(f"The body is not JSON: {error}") from error

    @cached_property
    def params(self) -> dict[str, Any]:
        """Everything passed by name: the query, then the form or the members of a JSON object, which override it."""
        result: dict[str, Any] = {**self.query, **self.form}
        if self.content_type == JSON_CONTENT_TYPE and self.body:
            params = self.json
            result |= params if isinstance(params, dict) else {}
        return result

    def parse_params(self, type_: type[S]) -> S:
        """Convert `params` into a struct. Strings become numbers, booleans or parsed JSON if a field requires it."""
        params = dict(self.params)
        for field in msgspec.structs.fields(type_):
            value = params.get(field.encode_name)
            if isinstance(value, str) and value[:1] in {"{", "["} and not _accepts_text(field.type):
                params[field.encode_name] = _parse_json(value, field.encode_name)
        return _convert(params, type_, strict=False)

    def parse_json_body(self, type_: type[T]) -> T:
        """Convert the JSON body into a struct, strictly."""
        return _convert(self.json, type_, strict=True)


def build_json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Respond with JSON, from anything that msgspec can encode."""
    return Response(msgspec.json.encode(value), status, dict(headers or {}), JSON_CONTENT_TYPE)


def _convert(value: Any, type_: type[T], *, strict: bool) -> T:
    try:
        return msgspec.convert(value, type_, strict=strict)
    except msgspec.ValidationError as error:
        raise UnreadableInputError(str(error)) from error


def _parse_json(value: str, name: str) -> Any:
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is not JSON: {error}") from error


def _accepts_text(type_: Any) -> bool:
    info = msgspec.inspect.type_info(type_)
    parts = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    return any(isinstance(part, msgspec.inspect.StrType) for part in parts)
