"""The feeds in which YouTube tells of new and changed videos."""

from xml.parsers import expat

import msgspec

_ATOM = "http://www.w3.org/2005/Atom"
_YOUTUBE = "http://www.youtube.com/xml/schemas/2015"
_TOMBSTONE = "http://purl.org/atompub/tombstones/1.0"
_FIELDS = {
    f"{_YOUTUBE} videoId": "video_id",
    f"{_YOUTUBE} channelId": "channel_id",
    f"{_ATOM} title": "title",
    f"{_ATOM} published": "published",
    f"{_ATOM} updated": "updated",
}
_VIDEO = "yt:video:"


class Entry(msgspec.Struct, kw_only=True):
    video_id: str = ""
    channel_id: str = ""
    title: str = ""
    published: str = ""
    updated: str = ""
    deleted: bool = False


class _Refused(Exception):
    """A feed that declares a document type: it can only mean to blow up or to read files."""


class _Reader:
    """Takes the fields that stand directly in an entry; the author within it has a name too."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._path: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._text = []
        if name == f"{_ATOM} entry":
            self.entries.append(Entry())
        elif name == f"{_TOMBSTONE} deleted-entry":
            video_id = attributes.get("ref", "").removeprefix(_VIDEO)
            self.entries.append(Entry(video_id=video_id, updated=attributes.get("when", ""), deleted=True))

    def end(self, name: str) -> None:
        self._path.pop()
        if name in _FIELDS and self._path and self._path[-1] == f"{_ATOM} entry":
            setattr(self.entries[-1], _FIELDS[name], "".join(self._text).strip())
        self._text = []

    def text(self, text: str) -> None:
        self._text.append(text)


def read_feed(body: bytes) -> list[Entry] | None:
    """Give the entries of a feed, None for what is no feed."""
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, _Refused, ValueError, LookupError):
        return None
    return reader.entries


def _refuse(*_: object) -> None:
    raise _Refused
