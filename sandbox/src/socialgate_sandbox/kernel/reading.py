"""Reading a request into a `Call`: forms are parsed, and large bodies go to disk as they arrive."""

from collections.abc import AsyncIterator
from itertools import chain, count
from typing import BinaryIO
from urllib.parse import parse_qsl

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from socialgate_sandbox.kernel.call import Call
from socialgate_sandbox.kernel.files import Files, Upload
from socialgate_sandbox.kernel.world import World

_IN_MEMORY = 1 << 20
# Parsing a larger form would keep all other requests of the process waiting.
LARGEST_FORM = 4 << 20
_Form = list[tuple[str, str]]


async def read_call(world: World, request: Request, path: str) -> tuple[Call, str | None]:
    """Return the call, and the reason if its body could not be read."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    form: _Form = []
    files: dict[str, Upload] = {}
    raw: bytes | Upload = b""
    fault = None
    if kind == "multipart/form-data":
        fault = await _read_multipart(request.stream(), options.get("boundary", ""), world.files, form, files)
    elif kind == "application/x-www-form-urlencoded":
        text = await read_up_to(LARGEST_FORM, request.stream())
        form = parse_qsl((text or b"").decode("utf-8", "replace"), keep_blank_values=True)
        fault = "The form is too large." if text is None else None
    else:
        raw = await _read_raw(request.stream(), world.files, kind)
    call = Call(
        world=world,
        method=request.method,
        path=path,
        query=request.query_params,
        headers=request.headers,
        form=ImmutableMultiDict(form),
        files=files,
        raw=raw,
    )
    return call, fault


async def read_up_to(most: int, stream: AsyncIterator[bytes]) -> bytes | None:
    """Read a body that has at most so many bytes; None if it has more, which are not kept."""
    content = bytearray()
    async for piece in stream:
        if len(content) <= most:
            content += piece
    return bytes(content) if len(content) <= most else None


async def _read_raw(stream: AsyncIterator[bytes], files: Files, kind: str) -> bytes | Upload:
    head = b""
    async for piece in stream:
        head += piece
        if len(head) > _IN_MEMORY:
            break
    else:
        return head
    path = files.new()
    with path.open("wb") as file:
        file.write(head)
        async for piece in stream:
            file.write(piece)
        return Upload("", kind, path, file.tell())


async def _read_multipart(
    stream: AsyncIterator[bytes], boundary: str, files: Files, form: _Form, uploads: dict[str, Upload]
) -> str | None:
    if not boundary:
        return "The multipart body names no boundary."
    reader = _PartReader(files, form, uploads)
    try:
        with PushMultipartParser(boundary) as parser:
            async for piece in stream:
                for event in parser.parse(piece) if piece else ():
                    reader.take(event)
    except MultipartError as error:
        return f"The multipart body cannot be read: {error}"
    finally:
        reader.close()
    return None


class _PartReader:
    """Sorts the parts of a multipart body: those with a file name become files, the others strings."""

    def __init__(self, files: Files, form: _Form, uploads: dict[str, Upload]) -> None:
        self._files = files
        self._form = form
        self._uploads = uploads
        self._part: MultipartSegment | None = None
        self._text = bytearray()
        self._file: BinaryIO | None = None
        self._key = ""

    def take(self, event: MultipartSegment | bytes | bytearray | None) -> None:
        if isinstance(event, MultipartSegment):
            self._begin(event)
        elif event is None:
            self._end()
        elif self._file is not None:
            self._file.write(event)
        else:
            self._text += event

    def _begin(self, part: MultipartSegment) -> None:
        self._part, self._text = part, bytearray()
        if part.filename is not None:
            path = self._files.new()
            self._file = path.open("wb")
            self._key = self._free_key(part.name or "")
            self._uploads[self._key] = Upload(part.filename, part.content_type or "", path, 0)

    def _end(self) -> None:
        assert self._part is not None
        if self._file is None:
            self._form.append((self._part.name or "", self._text.decode("utf-8", "replace")))
            return
        begun = self._uploads[self._key]
        self._uploads[self._key] = Upload(begun.name, begun.content_type, begun.path, self._file.tell())
        self.close()

    def _free_key(self, name: str) -> str:
        """Number files that have the same name, such as `image[]`: `image[] 2` is the second."""
        later = (f"{name} {number}" for number in count(2))
        return next(key for key in chain([name], later) if key not in self._uploads)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
