"""The feeds in which YouTube tells of new and changed videos."""

from xml.etree import ElementTree as ET

import msgspec

_ATOM = "{http://www.w3.org/2005/Atom}"
_YOUTUBE = "{http://www.youtube.com/xml/schemas/2015}"
_ENTRY = f"{_ATOM}entry"
_DELETED = "{http://purl.org/atompub/tombstones/1.0}deleted-entry"
_FIELDS = {"video_id": _YOUTUBE + "videoId", "channel_id": _YOUTUBE + "channelId"} | {
    name: _ATOM + name for name in ("title", "published", "updated")
}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    video_id: str = ""
    channel_id: str = ""
    title: str = ""
    published: str = ""
    updated: str = ""
    deleted: bool = False


class _Refused(Exception):
    """A feed that declares a document type: it can only mean to blow up or to read files."""


class _Builder(ET.TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise _Refused


def read_feed(body: bytes) -> list[Entry] | None:
    """Give the entries of a feed, None for what is no feed."""
    try:
        root = ET.fromstring(body, ET.XMLParser(target=_Builder()))  # noqa: S314 - entities need a document type
    except (ET.ParseError, _Refused, ValueError, LookupError):
        return None
    return [_entry(element) for element in root.iter() if element.tag in {_ENTRY, _DELETED}]


def _entry(element: ET.Element) -> Entry:
    if element.tag == _DELETED:
        video_id = element.get("ref", "").removeprefix("yt:video:")
        return Entry(video_id=video_id, updated=element.get("when", ""), deleted=True)
    return msgspec.convert({name: element.findtext(tag, "").strip() for name, tag in _FIELDS.items()}, Entry)
