"""Reading a request into a `Call`: forms are parsed, and large bodies go to disk as they arrive."""

from collections.abc import AsyncIterator
from itertools import chain, count
from typing import BinaryIO
from urllib.parse import parse_qsl

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from socialgate_sandbox.kernel.call import Call
from socialgate_sandbox.kernel.files import FileStore, Upload
from socialgate_sandbox.kernel.vendor_context import VendorContext

_MAX_MEMORY_BYTES = 1 << 20
# Parsing a larger form would keep all other requests of the process waiting.
MAX_FORM_BYTES = 4 << 20
_FormPairs = list[tuple[str, str]]


async def read_call(context: VendorContext, request: Request, path: str) -> tuple[Call, str | None]:
    """Return the call, and the reason if its body could not be read."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    form: _FormPairs = []
    files: dict[str, Upload] = {}
    raw: bytes | Upload = b""
    fault = None
    if kind == "multipart/form-data":
        fault = await _read_multipart(request.stream(), options.get("boundary", ""), context.files, form, files)
    elif kind == "application/x-www-form-urlencoded":
        text = await read_limited(MAX_FORM_BYTES, request.stream())
        form = parse_qsl((text or b"").decode("utf-8", "replace"), keep_blank_values=True)
        fault = "The form is too large." if text is None else None
    else:
        raw = await _read_raw(request.stream(), context.files, kind)
    call = Call(
        context=context,
        method=request.method,
        path=path,
        query=request.query_params,
        headers=request.headers,
        form=ImmutableMultiDict(form),
        files=files,
        raw_body=raw,
    )
    return call, fault


async def read_limited(max_bytes: int, stream: AsyncIterator[bytes]) -> bytes | None:
    """Read a body that has at most so many bytes; None if it has more, which are not kept."""
    content = bytearray()
    async for piece in stream:
        if len(content) <= max_bytes:
            content += piece
    return bytes(content) if len(content) <= max_bytes else None


async def _read_raw(stream: AsyncIterator[bytes], files: FileStore, kind: str) -> bytes | Upload:
    head = b""
    async for piece in stream:
        head += piece
        if len(head) > _MAX_MEMORY_BYTES:
            break
    else:
        return head
    path = files.create_path()
    with path.open("wb") as file:
        file.write(head)
        async for piece in stream:
            file.write(piece)
        return Upload("", kind, path, file.tell())


async def _read_multipart(
    stream: AsyncIterator[bytes], boundary: str, files: FileStore, form: _FormPairs, uploads: dict[str, Upload]
) -> str | None:
    if not boundary:
        return "The multipart body names no boundary."
    reader = _PartReader(files, form, uploads)
    try:
        with PushMultipartParser(boundary) as parser:
            async for piece in stream:
                for event in parser.parse(piece) if piece else ():
                    reader.handle_event(event)
    except MultipartError as error:
        return f"The multipart body cannot be read: {error}"
    finally:
        reader.close()
    return None


class _PartReader:
    """Sorts the parts of a multipart body: those with a file name become files, the others strings."""

    def __init__(self, files: FileStore, form: _FormPairs, uploads: dict[str, Upload]) -> None:
        self._files = files
        self._form = form
        self._uploads = uploads
        self._part: MultipartSegment | None = None
        self._text = bytearray()
        self._file: BinaryIO | None = None
        self._upload_key = ""

    def handle_event(self, event: MultipartSegment | bytes | bytearray | None) -> None:
        if isinstance(event, MultipartSegment):
            self._begin_part(event)
        elif event is None:
            self._end_part()
        elif self._file is not None:
            self._file.write(event)
        else:
            self._text += event

    def _begin_part(self, part: MultipartSegment) -> None:
        self._part, self._text = part, bytearray()
        if part.filename is not None:
            path = self._files.create_path()
            self._file = path.open("wb")
            self._upload_key = self._build_unused_key(part.name or "")
            self._uploads[self._upload_key] = Upload(part.filename, part.content_type or "", path, 0)

    def _end_part(self) -> None:
        assert self._part is not None
        if self._file is None:
            self._form.append((self._part.name or "", self._text.decode("utf-8", "replace")))
            return
        begun = self._uploads[self._upload_key]
        self._uploads[self._upload_key] = Upload(begun.name, begun.content_type, begun.path, self._file.tell())
        self.close()

    def _build_unused_key(self, name: str) -> str:
        """Number files that have the same name, such as `image[]`: `image[] 2` is the second."""
        later = (f"{name} {number}" for number in count(2))
        return next(key for key in chain([name], later) if key not in self._uploads)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
