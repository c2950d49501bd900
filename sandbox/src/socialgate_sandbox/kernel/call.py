"""One request to a simulated platform, already read: its body is parsed and its files are on disk."""

from collections.abc import Callable, Mapping
from functools import cached_property
from time import monotonic
from typing import Any, TypeVar

import msgspec
from starlette.datastructures import Headers, ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate_sandbox.kernel.files import Upload
from socialgate_sandbox.kernel.ids import text
from socialgate_sandbox.kernel.world import World

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
JSON = "application/json"


class Refused(Exception):
    """Raised in a handler to respond with this and roll back everything that the handler wrote."""

    def __init__(self, answer: "Response | Callable[[Call], Response]") -> None:
        super().__init__("refused")
        self._answer = answer

    def response(self, call: "Call") -> Response:
        return self._answer if isinstance(self._answer, Response) else self._answer(call)


class Unreadable(Exception):
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
        world: World,
        method: str,
        path: str,
        query: QueryParams,
        headers: Headers,
        form: ImmutableMultiDict[str, str],
        files: Mapping[str, Upload],
        raw: bytes | Upload,
    ) -> None:
        self.world = world
        self.method = method
        self.path = path
        self.args: Mapping[str, str] = {}
        self.query = query
        self.headers = headers
        self.form = form
        self.files = files
        self._raw = raw
        self._begun = monotonic()

    @property
    def age(self) -> float:
        """How many seconds of real time ago the call was read."""
        return monotonic() - self._begun

    @cached_property
    def id(self) -> str:
        """A random id of this call, for vendors that report one."""
        return text(14)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def bearer(self) -> str | None:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" and token.strip() else None

    @property
    def body(self) -> bytes:
        """The raw bytes, empty if the body was a form. Prefer `upload` if there may be many."""
        return self._raw if isinstance(self._raw, bytes) else self._raw.path.read_bytes()

    @property
    def size(self) -> int:
        """The length of the raw body."""
        return len(self._raw) if isinstance(self._raw, bytes) else self._raw.size

    def upload(self) -> Upload:
        """Return the raw body as a file."""
        if isinstance(self._raw, bytes):
            path = self.world.files.new()
            path.write_bytes(self._raw)
            self._raw = Upload("", self.content_type, path, len(self._raw))
        return self._raw

    @property
    def temporary(self) -> list[Upload]:
        return [*self.files.values(), *([] if isinstance(self._raw, bytes) else [self._raw])]

    @cached_property
    def json(self) -> Any:
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Unreadable(f"The body is not JSON: {error}") from error

    @cached_property
    def params(self) -> dict[str, Any]:
        """Everything passed by name: the query, then the form or the members of a JSON object, which override it."""
        found: dict[str, Any] = {**self.query, **self.form}
        if self.content_type == JSON and self.body:
            given = self.json
            found |= given if isinstance(given, dict) else {}
        return found

    def read(self, kind: type[S]) -> S:
        """Convert `params` into a struct. Strings become numbers, booleans or parsed JSON if a field requires it."""
        given = dict(self.params)
        for field in msgspec.structs.fields(kind):
            value = given.get(field.encode_name)
            if isinstance(value, str) and value[:1] in {"{", "["} and not _is_text(field.type):
                given[field.encode_name] = _parsed(value, field.encode_name)
        return _convert(given, kind, strict=False)

    def read_json(self, kind: type[T]) -> T:
        """Convert the JSON body into a struct, strictly."""
        return _convert(self.json, kind, strict=True)


def reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Respond with JSON, from anything that msgspec can encode."""
    return Response(msgspec.json.encode(value), status, dict(headers or {}), JSON)


def _convert(value: Any, kind: type[T], *, strict: bool) -> T:
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise Unreadable(str(error)) from error


def _parsed(value: str, name: str) -> Any:
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(f"{name} is not JSON: {error}") from error


def _is_text(kind: Any) -> bool:
    info = msgspec.inspect.type_info(kind)
    parts = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    return any(isinstance(part, msgspec.inspect.StrType) for part in parts)
