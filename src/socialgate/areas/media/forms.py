"""Reading a file from a multipart form as it arrives."""

from collections.abc import AsyncIterator, Mapping

from multipart import (
    MultipartError,
    MultipartSegment,
    ParserLimitReached,
    PushMultipartParser,
    parse_options_header,
)

from socialgate.core.errors import Invalid, MalformedRequest

FIELD = "file"
_PROFILE = "profileId"
_MOST_PARTS = 10
_MOST_HEADER_BYTES = 4096
_MOST_FIELD_LETTERS = 200


class FileInForm:
    """The only file of a form. Its name, and the fields before it, are known when its first bytes arrive."""

    def __init__(self, chunks: AsyncIterator[bytes], content_type: str) -> None:
        self._chunks = chunks
        self._boundary = parse_options_header(content_type)[1].get("boundary", "")
        self.file_name = FIELD
        self.fields: dict[str, str] = {}

    async def open(self) -> AsyncIterator[bytes]:
        """Read up to the file, and return its bytes from there."""
        if not self._boundary:
            raise MalformedRequest(
                "The form has no boundary in its Content-Type. Let your HTTP client set that header."
            )
        pieces = self._pieces()
        first = await anext(pieces, None)
        if first is None:
            raise Invalid.at(f"/{FIELD}", "required", f"The form has no file. Send it as the field `{FIELD}`.")
        return _joined(first, pieces)

    async def _pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file, starting with an empty chunk once it has been found."""
        inside = found = False
        field = ""
        try:
            with PushMultipartParser(
                self._boundary, max_segment_count=_MOST_PARTS, max_header_size=_MOST_HEADER_BYTES
            ) as parser:
                async for chunk in self._chunks:
                    for event in parser.parse(chunk):
                        if isinstance(event, MultipartSegment):
                            inside, field = event.name == FIELD, event.name
                            if inside and found:
                                raise Invalid.at(
                                    f"/{FIELD}", "duplicate", "The form has several files. Send one file per request."
                                )
                            if inside:
                                found = True
                                self.file_name = event.filename or FIELD
                                yield b""
                        elif event is None:
                            inside = False
                        elif inside:
                            yield bytes(event)
                        elif not found:
                            self._read_field(field, bytes(event))
        except MultipartError as error:
            raise MalformedRequest(_in_words(error)) from error

    def _read_field(self, name: str, piece: bytes) -> None:
        known = self.fields.get(name, "")
        self.fields[name] = (known + piece.decode("utf-8", "replace"))[:_MOST_FIELD_LETTERS]


def profile_in(fields: Mapping[str, str], given: str | None) -> str | None:
    """Find the profile among the fields before the file, if the query does not set it."""
    named = fields.get(_PROFILE)
    if named is not None and given is not None and named != given:
        raise Invalid.at(f"/{_PROFILE}", "contradiction", "The query has a different profile. Send only one of them.")
    return given or named


def _in_words(error: MultipartError) -> str:
    if isinstance(error, ParserLimitReached):
        return (
            f"The form has more than {_MOST_PARTS} parts, or a part header has more than {_MOST_HEADER_BYTES} bytes. "
            f"Send only the file, as the field `{FIELD}`."
        )
    # Some messages include another error that means nothing to people.
    return f"The form cannot be parsed: {error.args[0]}. Let your HTTP client create it, or send the file as the body."


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece
