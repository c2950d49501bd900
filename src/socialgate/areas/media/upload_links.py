"""Signed addresses for uploads: whoever has one sends one file, without the key of the owner."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

from socialgate.areas.media import store
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.resumable_uploads import MAX_FILE_BYTES
from socialgate.areas.media.schemas import MediaItem, NewUploadLink, UploadLink
from socialgate.areas.media.signing import UploadTicket, UploadTicketSigner
from socialgate.areas.media.upload_records import UploadRecords
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, NotFound
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings

# Long enough for a person to start, short enough for an address that ends up in a conversation.
_LINK_TTL = timedelta(minutes=15)


class UploadAlreadyStartedError(Conflict):
    """A file is being sent to this address already.

    Wait until that is done, or ask for another address with `POST /media/links`.
    """

    code = "upload_in_progress"
    title = "The file is being uploaded already"


class UploadLinkService:
    def __init__(
        self,
        db: Database,
        settings: Settings,
        tickets: UploadTicketSigner,
        records: UploadRecords,
        uploads: MediaUploads,
        links: MediaLinks,
    ) -> None:
        self._db = db
        self._public_url = settings.public_url
        self._tickets = tickets
        self._records = records
        self._uploads = uploads
        self._links = links

    async def create(self, tx: Tx, caller: Caller, body: NewUploadLink) -> UploadLink:
        profile_id = await self._records.resolve_profile_id(tx, caller, body.profile_id)
        until = int((tx.now + _LINK_TTL).timestamp())
        ticket = UploadTicket(
            owner_id=caller.owner_id,
            credential_id=caller.credential_id,
            profile_id=profile_id,
            file_name=body.file_name or "file",
            media_id=new_id("med"),
            until=until,
        )
        return UploadLink(
            url=f"{self._public_url}/media/links/{self._tickets.encode(ticket)}",
            media_id=ticket.media_id,
            expires_at=datetime.fromtimestamp(until, UTC),
            max_bytes=MAX_FILE_BYTES,
        )

    def read_ticket(self, text: str) -> UploadTicket:
        ticket = self._tickets.decode(text, self._db.clock.now())
        if ticket is None:
            raise NotFound("There is no such address, or it has expired. POST /media/links returns a new one.")
        return ticket

    async def receive(self, ticket: UploadTicket, chunks: AsyncIterator[bytes], announced: int) -> MediaItem:
        """Store the file of a ticket, once: what is there already is returned, and nothing is read."""
        existing = await self._db.read(self._find_existing, ticket)
        if existing is not None:
            return existing
        caller = Caller(owner_id=ticket.owner_id, credential_id=ticket.credential_id)
        return await self._uploads.store_file(
            caller, ticket.profile_id, ticket.file_name, chunks, announced=announced, media_id=ticket.media_id
        )

    async def _find_existing(self, tx: Tx, ticket: UploadTicket) -> MediaItem | None:
        row = await store.find_media(tx, ticket.owner_id, ticket.media_id)
        if row is not None:
            return self._links.build_media_view(row)
        if await store.is_being_uploaded(tx, ticket.owner_id, ticket.media_id):
            raise UploadAlreadyStartedError(
                "A file is being sent to this address already. Wait, or get another address."
            )
        return None
