"""Whether a file contains as much as it says. ffmpeg reads a file that was cut off to where it ends, and reports
success: what it makes of it would be published shorter.
"""

# How much may be missing: containers round, and the last frame need not say how long it is shown.
_MIN_ALLOWED_SECONDS = 0.5
_ALLOWED_SHARE = 0.01
# Without an index, some formats only estimate how long they are.
_IS_ESTIMATE = b"Estimating duration"
_TIME_BASE, _MEDIA_TYPE = b"#tb ", b"#media_type "
# Of a packet: its stream, when it is decoded, when it is shown, and how long.
_PACKET_FIELDS = 4


def is_short(reached: float, expected: float) -> bool:
    """Return whether so many seconds are too few."""
    return reached < expected - max(_MIN_ALLOWED_SECONDS, expected * _ALLOWED_SHARE)


def is_estimate(messages: bytes) -> bool:
    """Return whether a length that a file seems to state was only estimated, by what ffmpeg says about it."""
    return _IS_ESTIMATE in messages


class PacketList:
    """The packets of all streams of a file, as the format `framecrc` lists them: `end` is when the last one ends."""

    def __init__(self) -> None:
        self.end = 0.0
        self._units: dict[bytes, float] = {}
        self._films: set[bytes] = set()
        self._last: dict[bytes, float] = {}

    def add(self, line: bytes) -> None:
        if line.startswith(_TIME_BASE):
            stream, _, unit = line.removeprefix(_TIME_BASE).partition(b": ")
            above, _, below = unit.partition(b"/")
            self._units[stream] = int(above) / int(below)
        elif line.startswith(_MEDIA_TYPE):
            stream, _, name = line.removeprefix(_MEDIA_TYPE).partition(b": ")
            if name.strip() == b"video":
                self._films.add(stream)
        elif not line.startswith(b"#"):
            self._add_packet(line.split(b",")[:_PACKET_FIELDS])

    def _add_packet(self, fields: list[bytes]) -> None:
        stream = fields[0].strip()
        if len(fields) < _PACKET_FIELDS or stream not in self._units:
            return
        try:
            decoded, shown, length = (int(field) * self._units[stream] for field in fields[1:])
        except ValueError:
            return
        if stream in self._films and decoded >= 0:
            # Many frames do not say how long they are shown: as long as the one before.
            length = max(length, decoded - self._last.get(stream, decoded))
            self._last[stream] = decoded
        self.end = max(self.end, max(decoded, shown) + length)
