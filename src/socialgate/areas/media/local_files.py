"""Files on this machine, inspected like uploads but without a service: for the command line."""

from hashlib import file_digest
from pathlib import Path

from obstore.store import LocalStore

from socialgate.areas.media.probe import MediaProber
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.areas.media.sniff import HEAD_BYTES, detect_type
from socialgate.contracts.publishing import MediaFile
from socialgate.core.storage import Storage

_NOBODY = "local"


async def inspect_local_file(folder: Path, key: str, file_name: str) -> MediaFile:
    """Find out about a file what an upload would. UnreadableFileError if it is not what it seems to be."""
    path = folder / key
    with path.open("rb") as file:
        sniffed = detect_type(file.read(HEAD_BYTES), file_name)
        file.seek(0)
        checksum = file_digest(file, "sha256").hexdigest()
    taken = ReceivedFile(size=path.stat().st_size, sha256=checksum, sniffed=sniffed)
    prober = MediaProber(Storage(LocalStore(folder), folder))
    try:
        probed = await prober.probe(_NOBODY, key, taken)
    finally:
        await prober.close()
    return MediaFile(
        id=_NOBODY,
        type=sniffed.type,
        mime_type=sniffed.mime_type,
        size=taken.size,
        sha256=taken.sha256,
        url="",
        file_name=file_name,
        width=probed.width,
        height=probed.height,
        duration=probed.duration,
        details=probed.details,
    )
