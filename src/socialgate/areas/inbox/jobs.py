"""Downloading the files of messages immediately: platforms delete them within minutes."""

from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox import store
from socialgate.areas.inbox.ledger import FETCH, FILES_KEPT, MessageLedger
from socialgate.areas.inbox.service import LACKS
from socialgate.areas.inbox.tables import MessageRow
from socialgate.areas.media import store as media
from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.messages import MESSAGES, AttachmentItem
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.parts import Parts

_AT_ONCE = 4
_MOST_TRIES = 5

log = structlog.get_logger(__name__)


class Attachments:
    def __init__(self, db: Database, session: AccountSession, fetcher: Fetcher, ledger: MessageLedger) -> None:
        self._db = db
        self._session = session
        self._fetcher = fetcher
        self._ledger = ledger

    async def run(self, run: Run) -> None:
        """Download the files of one message, then report it, with the files that could be downloaded."""
        found = await self._db.read(self._found, run.owner_id, run.input["messageId"])
        if found is None:
            return
        account, message = found
        files = [dict(one) for one in run.state or message.attachments]
        for place, file in enumerate(files):
            if file["mediaId"] is None:
                files[place] = await self._fetched(account, file, last=run.tries >= _MOST_TRIES - 1)
                await run.step(files)
        await run.finish(self._finish, account, message.id, files, bool(run.input["isFirst"]))

    async def _fetched(self, account: AccountRow, file: dict[str, Any], *, last: bool) -> dict[str, Any]:
        item = AttachmentItem(type=file["type"], source=file.get("source", {}), file_name=file["fileName"])
        caller = Caller(owner_id=account.owner_id, credential_id="messages")
        try:
            part = self._session.part(account, MESSAGES, LACKS)
            place = await self._session.call_as(account, lambda held: part.locate(held, item))
            media = await self._fetcher.fetch_one(
                place.door, caller, account.profile_id, place.url, headers=place.headers, file_name=file["fileName"]
            )
        except (PlatformFailure, Unfetchable) as failure:
            if not last and isinstance(failure, PlatformFailure) and failure.retryable:
                raise
            log.info("attachment_not_fetched", platform=account.platform, type=file["type"], reason=str(failure))
            return {**file, "source": {}}
        return {
            **file,
            "mediaId": media.id,
            "url": media.url,
            "mimeType": media.mime_type,
            "size": media.size,
            "source": {},
        }

    async def _found(self, tx: Tx, owner_id: str, message_id: str) -> tuple[AccountRow, MessageRow] | None:
        message = await store.find_message(tx, owner_id, message_id)
        account = None if message is None else await accounts.find_account(tx, owner_id, message.account_id)
        return None if message is None or account is None else (account, message)

    async def _finish(
        self, tx: Tx, account: AccountRow, message_id: str, files: list[dict[str, Any]], is_first: bool
    ) -> None:
        await store.update_message(tx, account.owner_id, message_id, {"attachments": files})
        fetched = [file["mediaId"] for file in files if file["mediaId"]]
        await media.keep_at_least(tx, account.owner_id, fetched, tx.now + FILES_KEPT)
        message = await store.find_message(tx, account.owner_id, message_id)
        assert message is not None, "it was there before its files"
        if message.deleted_at is None:
            await self._ledger.announce_fetched(
                tx, account, msgspec.structs.replace(message, attachments=files), is_first=is_first
            )


def fetching(parts: Parts) -> JobType:
    """Messages queue this job, and this job reports messages: its runner is built on first use."""

    async def run(run: Run) -> None:
        await parts.get(Attachments).run(run)

    return JobType(name=FETCH, run=run, per_owner=_AT_ONCE, most_tries=_MOST_TRIES, public=False)
