"""Reading a file from a multipart form as it arrives."""

from collections.abc import AsyncIterator, Mapping

from multipart import (
    MultipartError,
    MultipartSegment,
    ParserLimitReached,
    PushMultipartParser,
    parse_options_header,
)

from socialgate.core.errors import InvalidRequest, MalformedRequest

FILE_FIELD = "file"
_PROFILE_FIELD = "profileId"
_MAX_PARTS = 10
_MAX_HEADER_BYTES = 4096
_MAX_FIELD_LENGTH = 200


class MultipartFileReader:
    """The only file of a form. Its name, and the fields before it, are known when its first bytes arrive."""

    def __init__(self, chunks: AsyncIterator[bytes], content_type: str) -> None:
        self._chunks = chunks
        self._boundary = parse_options_header(content_type)[1].get("boundary", "")
        self.file_name = FILE_FIELD
        self.fields: dict[str, str] = {}

    async def open(self) -> AsyncIterator[bytes]:
        """Read up to the file, and return its bytes from there."""
        if not self._boundary:
            raise MalformedRequest(
                "The form has no boundary in its Content-Type. Let your HTTP client set that header."
            )
        pieces = self._read_file()
        first = await anext(pieces, None)
        if first is None:
            raise InvalidRequest.for_field(
                f"/{FILE_FIELD}", "required", f"The form has no file. Send it as the field `{FILE_FIELD}`."
            )
        return _prepend_chunk(first, pieces)

    async def _read_file(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file, starting with an empty chunk once it has been found."""
        inside = result = False
        field = ""
        try:
            with PushMultipartParser(
                self._boundary, max_segment_count=_MAX_PARTS, max_header_size=_MAX_HEADER_BYTES
            ) as parser:
                async for chunk in self._chunks:
                    for event in parser.parse(chunk):
                        if isinstance(event, MultipartSegment):
                            inside, field = event.name == FILE_FIELD, event.name
                            if inside and result:
                                raise InvalidRequest.for_field(
                                    f"/{FILE_FIELD}",
                                    "duplicate",
                                    "The form has several files. Send one file per request.",
                                )
                            if inside:
                                result = True
                                self.file_name = event.filename or FILE_FIELD
                                yield b""
                        elif event is None:
                            inside = False
                        elif inside:
                            yield bytes(event)
                        elif not result:
                            self._read_field(field, bytes(event))
        except MultipartError as error:
            raise MalformedRequest(_explain_error(error)) from error

    def _read_field(self, name: str, piece: bytes) -> None:
        known = self.fields.get(name, "")
        self.fields[name] = (known + piece.decode("utf-8", "replace"))[:_MAX_FIELD_LENGTH]


def resolve_profile_id(fields: Mapping[str, str], value: str | None) -> str | None:
    """Find the profile among the fields before the file, if the query does not set it."""
    named = fields.get(_PROFILE_FIELD)
    if named is not None and value is not None and named != value:
        raise InvalidRequest.for_field(
            f"/{_PROFILE_FIELD}", "contradiction", "The query has a different profile. Send only one of them."
        )
    return value or named


def _explain_error(error: MultipartError) -> str:
    if isinstance(error, ParserLimitReached):
        return (
            f"The form has more than {_MAX_PARTS} parts, or a part header has more than {_MAX_HEADER_BYTES} bytes. "
            f"Send only the file, as the field `{FILE_FIELD}`."
        )
    # Some messages include another error that means nothing to people.
    return f"The form cannot be parsed: {error.args[0]}. Let your HTTP client create it, or send the file as the body."


async def _prepend_chunk(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece
