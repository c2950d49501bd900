"""Color profiles, built from the numbers of their standards: Pillow can only create that of sRGB."""

import struct
from collections.abc import Mapping

# Display P3, in which phones take pictures: the colors of its primaries and of its white, as profiles contain them.
_DISPLAY_P3: Mapping[str, tuple[float, float, float]] = {
    "rXYZ": (0.51512, 0.24120, -0.00105),
    "gXYZ": (0.29198, 0.69225, 0.04189),
    "bXYZ": (0.15710, 0.06657, 0.78407),
    "wtpt": (0.9642, 1.0, 0.8249),
}
_GAMMA = 2.2
_HEADER_BYTES = 128
# What a color of Display P3 is in sRGB, computed by hand from the definitions of both.
P3_COLOR, P3_COLOR_IN_SRGB = (200, 100, 50), (216, 93, 24)


def build_display_p3() -> bytes:
    """Return a profile (ICC.1, version 2) of Display P3, with a gamma of 2.2."""
    tags = {name: b"XYZ \0\0\0\0" + _fixed(*values) for name, values in _DISPLAY_P3.items()}
    tags |= {name: b"curv\0\0\0\0" + struct.pack(">IH", 1, round(_GAMMA * 256)) for name in ("rTRC", "gTRC", "bTRC")}
    name = b"Display P3\0"
    tags["desc"] = b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + bytes(78)
    tags["cprt"] = b"text\0\0\0\0none\0"
    table, body = struct.pack(">I", len(tags)), b""
    start = _HEADER_BYTES + len(table) + 12 * len(tags)
    for tag, data in tags.items():
        table += tag.encode() + struct.pack(">II", start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    head = struct.pack(">I4xI4s4s4s12x4s28x", start + len(body), 0x0210_0000, b"mntr", b"RGB ", b"XYZ ", b"acsp")
    return (head + _fixed(*_DISPLAY_P3["wtpt"])).ljust(_HEADER_BYTES, b"\0") + table + body


def _fixed(*values: float) -> bytes:
    return struct.pack(f">{len(values)}i", *(round(value * 65536) for value in values))
