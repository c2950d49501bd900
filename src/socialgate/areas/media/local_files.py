"""Files on this machine, inspected like uploads but without a service: for the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory

from obstore.store import LocalStore

from socialgate.areas.media.probe import MediaProber
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.areas.media.sniff import HEAD_BYTES, detect_type
from socialgate.contracts.publishing import MediaFile
from socialgate.core.storage import Storage

_NOBODY = "local"
_LINK = "file"


@contextmanager
def _linked(path: Path) -> Iterator[Path]:
    """Open a folder that has only a link to the file."""
    with TemporaryDirectory() as links:
        Path(links, _LINK).symlink_to(path)
        yield Path(links)


async def inspect_local_file(folder: Path, key: str, file_name: str) -> MediaFile:
    """Find out about a file what an upload would. UnreadableFileError if it is not what it seems to be."""
    path = (folder / key).resolve()
    with path.open("rb") as file:
        sniffed = detect_type(file.read(HEAD_BYTES), file_name)
        file.seek(0)
        checksum = file_digest(file, "sha256").hexdigest()
    taken = ReceivedFile(size=path.stat().st_size, sha256=checksum, sniffed=sniffed)
    # Under a name of ours: people's names have characters that mean something to the storage and to programs.
    with _linked(path) as links:
        prober = MediaProber(Storage(LocalStore(links), links))
        try:
            probed = await prober.probe(_NOBODY, _LINK, taken)
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
