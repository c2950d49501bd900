"""The boxes of an MP4 file: where they are, and what they say about its streams. Read without a library of video."""

from collections.abc import Iterator
from struct import unpack
from typing import BinaryIO, TypeAlias

import msgspec

# Where the content of a box starts and ends.
Box: TypeAlias = tuple[int, int]

# The boxes that describe a video are small; anything that claims to be larger is not one of them.
_MAX_INDEX = 16 << 20
_SIZE_IS_LONG, _SIZE_TO_END = 1, 0
# The fixed fields of a sample description before the boxes that follow, from the start of its content.
_CHANNELS_AT, _SAMPLE_RATE_AT = 16, 24


class Mp4Info(msgspec.Struct, frozen=True, kw_only=True):
    """Unknown values are 0 or empty. Codecs are the four characters of the format, such as `avc1` and `mp4a`."""

    width: int = 0
    height: int = 0
    seconds: float = 0.0
    video_codec: str = ""
    audio_codec: str = ""
    fps: float = 0.0
    channels: int = 0
    sample_rate: int = 0
    # Of all streams together, in bits per second.
    bit_rate: int = 0
    # Whether the index comes after the data, so that players have to load everything before they start.
    index_last: bool = False


def read_mp4(file: BinaryIO) -> Mp4Info:
    """Read the index of an MP4, which may be at the end of the file."""
    end = file.seek(0, 2)
    boxes: dict[bytes, Box] = {}
    for name, box in _iterate_boxes(file, 0, end):
        boxes.setdefault(name, box)
    movie = boxes.get(b"moov")
    if movie is None or movie[1] - movie[0] > _MAX_INDEX:
        return Mp4Info()
    data = boxes.get(b"mdat", (end, end))
    info = Mp4Info(index_last=data[0] < movie[0])
    for name, box in _iterate_boxes(file, *movie):
        if name == b"mvhd":
            seconds, _ = _parse_duration(_read_bytes_at(file, box[0], 32))
            bit_rate = int((data[1] - data[0]) * 8 / seconds) if seconds else 0
            info = msgspec.structs.replace(info, seconds=seconds, bit_rate=bit_rate)
        elif name == b"trak":
            info = _add_track(file, box, info)
    return info


def _add_track(file: BinaryIO, track: Box, info: Mp4Info) -> Mp4Info:
    header = _find(file, track, b"tkhd")
    media = _find(file, track, b"mdia")
    if not info.width and header is not None:
        width, height = _parse_track_size(_read_bytes_at(file, header[0], header[1] - header[0]))
        info = msgspec.structs.replace(info, width=width, height=height)
    handler = None if media is None else _find(file, media, b"hdlr")
    table = None if media is None else _find(file, media, b"minf", b"stbl")
    entry = None if table is None else _find(file, table, b"stsd")
    if media is None or handler is None or table is None or entry is None:
        return info
    # Four bytes of version and flags, four for the number of entries, then the first of them.
    size, codec = unpack(">I4s", _read_bytes_at(file, entry[0] + 8, 8))
    fields = _read_bytes_at(file, entry[0] + 16, min(size, 64))
    match _read_bytes_at(file, handler[0] + 8, 4):
        case b"vide" if not info.video_codec:
            return msgspec.structs.replace(
                info, video_codec=codec.decode("latin-1"), fps=_read_frame_rate(file, media, table)
            )
        case b"soun" if not info.audio_codec:
            channels, rate = unpack(">H", fields[_CHANNELS_AT:][:2])[0], unpack(">I", fields[_SAMPLE_RATE_AT:][:4])[0]
            return msgspec.structs.replace(
                info, audio_codec=codec.decode("latin-1"), channels=channels, sample_rate=rate >> 16
            )
    return info


def _read_frame_rate(file: BinaryIO, media: Box, table: Box) -> float:
    """Divide the number of frames by their duration."""
    header, times = _find(file, media, b"mdhd"), _find(file, table, b"stts")
    if header is None or times is None:
        return 0.0
    _, scale = _parse_duration(_read_bytes_at(file, header[0], 32))
    runs = _read_bytes_at(file, times[0] + 8, times[1] - times[0] - 8)
    pairs = [unpack(">II", runs[place : place + 8]) for place in range(0, len(runs) - 7, 8)]
    length = sum(count * each for count, each in pairs)
    return sum(count for count, _ in pairs) * scale / length if length else 0.0


def _find(file: BinaryIO, box: Box, *path: bytes) -> Box | None:
    """Find a box inside another, and so on."""
    for name_in_path in path:
        inner_box = next((inner for name, inner in _iterate_boxes(file, *box) if name == name_in_path), None)
        if inner_box is None:
            return None
        box = inner_box
    return box


def _iterate_boxes(file: BinaryIO, start: int, end: int) -> Iterator[tuple[bytes, Box]]:
    """Yield the name of each box and where its content starts and ends."""
    while start + 8 <= end:
        size, name = unpack(">I4s", _read_bytes_at(file, start, 8))
        begin = start + 8
        if size == _SIZE_IS_LONG:
            size, begin = int.from_bytes(_read_bytes_at(file, begin, 8)), start + 16
        elif size == _SIZE_TO_END:
            size = end - start
        if size < begin - start or start + size > end:
            return
        yield name, (begin, start + size)
        start += size


def _read_bytes_at(file: BinaryIO, start: int, count: int) -> bytes:
    file.seek(start)
    return file.read(count)


def _parse_duration(header: bytes) -> tuple[float, int]:
    """Divide the duration by its unit, and return both; version 1 has wider integers."""
    scale, length = unpack(">IQ", header[20:32]) if header[0] else unpack(">II", header[12:20])
    return length / scale if scale else 0.0, scale


def _parse_track_size(header: bytes) -> tuple[int, int]:
    """Read the last two numbers of a track header, which are fixed-point pixels."""
    width, height = unpack(">II", header[-8:])
    return width >> 16, height >> 16
