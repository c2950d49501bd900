"""Resumable uploads in chunks, with the tus protocol (tus.io), version 1.0.0.

Received data is stored in chunks of a few MiB as it arrives, so that a broken connection loses little. When all chunks
have arrived, they are joined into one file.
"""

from base64 import b64decode
from binascii import Error
from collections.abc import AsyncIterator
from contextlib import suppress

from socialgate.areas.media import store
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.receiving import HashingStream
from socialgate.areas.media.schemas import UploadState
from socialgate.areas.media.store import UploadChunk, UploadRow
from socialgate.areas.media.upload_records import RESUMABLE_UPLOAD_TTL, UnreadableMediaError, UploadRecords
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import BodyTooLarge, Conflict, InvalidRequest, NotFound, ServiceError
from socialgate.core.ids import new_id
from socialgate.core.storage import Storage
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.schemas import DeletionConfirmation

TUS_VERSION = "1.0.0"
MAX_FILE_BYTES = 5 * 1024**3
_CHUNK_BYTES = 8 * 1024 * 1024
# Each chunk is a file, listed in the row of the upload. With 1 MiB each, this many make the largest file.
_MAX_PIECES = 6000
_MAX_DIGITS = 15
_UPLOAD_GONE_DETAIL = "There is no such upload, or it has expired. Start again with POST /uploads."


class WrongOffsetError(Conflict):
    """The chunk does not start where the last one ended.

    Send HEAD to find out how much was received, and continue there.
    """

    code = "wrong_offset"
    title = "The chunk starts at the wrong offset"


class ResumableUploadService:
    def __init__(self, db: Database, storage: Storage, records: UploadRecords, links: MediaLinks) -> None:
        self._db = db
        self._storage = storage
        self._records = records
        self._links = links

    async def begin_upload(
        self, work: UnitOfWork, profile_id: str | None, length: str | None, metadata: str | None
    ) -> UploadRow:
        profile_id = await work.read(self._records.resolve_profile_id, work.caller, profile_id)
        size = _parse_size_header(length, "Upload-Length")
        if size == 0:
            raise InvalidRequest.for_field(
                "Upload-Length", "required", "The file is empty. Send a file that has content."
            )
        if size > MAX_FILE_BYTES:
            raise BodyTooLarge("A file can have at most 5 GiB.")
        name = _parse_file_name(metadata)
        return await work.db.write(self._records.begin_upload, work.caller, profile_id, name, size=size, pieces=[])

    async def find(self, tx: Tx, caller: Caller, upload_id: str) -> UploadRow:
        row = await store.find_upload(tx, caller.owner_id, upload_id)
        if row is None or row.pieces is None or row.expires_at < tx.now:
            raise NotFound(_UPLOAD_GONE_DETAIL)
        if row.profile_id is not None:
            caller.require_profile_access(row.profile_id)
        else:
            caller.require_all_profiles("see a file of the whole owner")
        return row

    async def append(self, row: UploadRow, offset: str | None, chunks: AsyncIterator[bytes]) -> UploadRow:
        """Append the received data, chunk by chunk, and return the upload."""
        if _parse_size_header(offset, "Upload-Offset") != row.received:
            raise WrongOffsetError(f"The upload is at offset {row.received}. Continue there.")
        # Before the body is read: it may be large.
        self._storage.require_ready()
        async for piece in _collect_chunks(chunks):
            row = await self._add(row, piece)
        if row.received == row.size and await self._db.read(store.find_media, row.owner_id, row.media_id) is None:
            await self._join_or_discard(row)
        return row

    async def get_state(self, work: UnitOfWork, upload_id: str) -> UploadState:
        row = await work.read(self.find, work.caller, upload_id)
        existing_row = await work.read(store.find_media, row.owner_id, row.media_id)
        if existing_row is None and row.received == row.size:
            # The process that joined the chunks died.
            await self._join_or_discard(row)
            existing_row = await work.read(store.find_media, row.owner_id, row.media_id)
        return UploadState(
            id=row.id,
            size=row.size,
            received=row.received,
            expires_at=row.expires_at,
            media=None if existing_row is None else self._links.build_media_view(existing_row),
        )

    async def cancel(self, work: UnitOfWork, upload_id: str) -> DeletionConfirmation:
        row = await work.read(self.find, work.caller, upload_id)
        await self._records.delete_upload(row)
        return DeletionConfirmation(id=row.id)

    async def _add(self, row: UploadRow, piece: bytes) -> UploadRow:
        if row.received + len(piece) > row.size:
            raise BodyTooLarge(f"The upload was announced with {row.size} bytes, but more were sent.")
        if len(row.pieces or ()) >= _MAX_PIECES:
            raise BodyTooLarge(f"The upload already has {_MAX_PIECES} chunks. Start again with larger ones.")
        name = new_id("pce")
        await self._storage.write(store.build_piece_key(row.owner_id, row.id, name), _single_chunk(piece))
        expires_at = self._db.clock.now() + RESUMABLE_UPLOAD_TTL
        added = await self._db.write(store.add_piece, row, UploadChunk(name, len(piece)), expires_at)
        if added is None:
            await self._storage.delete([store.build_piece_key(row.owner_id, row.id, name)])
            raise WrongOffsetError(
                "Another request sent the same chunk at the same time. Send HEAD to get the current offset."
            )
        return added

    async def _join_or_discard(self, row: UploadRow) -> None:
        try:
            await self._join_pieces(row)
        except UnreadableMediaError:
            # A later check finds nothing else. What cannot be deleted now is found later through its row.
            with suppress(ServiceError):
                await self._records.delete_upload(row)
            raise
        except FileNotFoundError:
            # Another request joined them first, and has deleted them since.
            if await self._db.read(store.find_media, row.owner_id, row.media_id) is not None:
                return
            if await self._db.read(store.find_upload, row.owner_id, row.id) is None:
                raise NotFound(_UPLOAD_GONE_DETAIL) from None
            raise

    async def _join_pieces(self, row: UploadRow) -> None:
        key = store.build_media_key(row.owner_id, row.media_id)
        passing = HashingStream(self._read_pieces(row), row.file_name)
        await self._storage.write(key, aiter(passing))
        taken = passing.finish()
        probed = await self._records.inspect_file(row.owner_id, row.media_id, taken)
        await self._db.write(self._records.add_media, row, taken, probed)
        await self._storage.delete(
            [store.build_piece_key(row.owner_id, row.id, piece.name) for piece in row.pieces or ()]
        )

    async def _read_pieces(self, row: UploadRow) -> AsyncIterator[bytes]:
        for piece in row.pieces or ():
            key = store.build_piece_key(row.owner_id, row.id, piece.name)
            async for chunk in self._storage.read(key, 0, piece.length):
                yield chunk


async def _collect_chunks(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Collect data into chunks. A broken connection leaves what arrived so far as the last one."""
    gathered = bytearray()
    try:
        async for chunk in chunks:
            gathered += chunk
            while len(gathered) >= _CHUNK_BYTES:
                yield bytes(gathered[:_CHUNK_BYTES])
                del gathered[:_CHUNK_BYTES]
    except Exception:
        if gathered:
            yield bytes(gathered)
        raise
    if gathered:
        yield bytes(gathered)


async def _single_chunk(piece: bytes) -> AsyncIterator[bytes]:
    yield piece


def _parse_size_header(text: str | None, header: str) -> int:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise InvalidRequest.for_field(header, "invalid", f"The header {header} must be an integer number of bytes.")
    return int(text)


def _parse_file_name(metadata: str | None) -> str:
    """Read the name from `Upload-Metadata`: pairs of a key and a value in base64, comma-separated."""
    for pair in (metadata or "").split(","):
        key, _, value = pair.strip().partition(" ")
        if key in {"filename", "name"}:
            try:
                return b64decode(value, validate=True).decode("utf-8")[:255] or "file"
            except (Error, UnicodeDecodeError):
                raise InvalidRequest.for_field(
                    "Upload-Metadata", "invalid", "A value is not base64 of UTF-8."
                ) from None
    return "file"
