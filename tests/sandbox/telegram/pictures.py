"""Files to send."""

import struct
import zlib

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def picture(width: int = 320, height: int = 240) -> bytes:
    """Draw a PNG."""
    rows = zlib.compress((b"\0" + b"\xc8\x96\x64" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    )
