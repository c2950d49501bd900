"""Downloading the files of messages immediately: platforms delete them within minutes. Also who wrote them."""

from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox import store
from socialgate.areas.inbox.changes import stored_files
from socialgate.areas.inbox.ledger import FETCH, FILES_KEPT, MessageLedger, lock
from socialgate.areas.inbox.service import LACKS
from socialgate.areas.inbox.tables import MessageRow
from socialgate.areas.media import store as media
from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.areas.media.service import Library
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure, TemporarilyUnavailable
from socialgate.contracts.messages import MESSAGES, AttachmentItem
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts

_AT_ONCE = 4
MOST_TRIES = 5

log = structlog.get_logger(__name__)


class Attachments:
    def __init__(
        self, db: Database, session: AccountSession, fetcher: Fetcher, ledger: MessageLedger, library: Library
    ) -> None:
        self._db = db
        self._session = session
        self._fetcher = fetcher
        self._ledger = ledger
        self._library = library

    async def run(self, run: Run) -> None:
        """Download the files of one message, then report it, with the files that could be downloaded.

        What the account itself sent, and what comes from the platform's history, is not reported.
        """
        found = await self._db.read(self._found, run.owner_id, run.input["messageId"])
        if found is None:
            return
        account, message = found
        if run.input.get("contactId"):
            await self._name(account, message, run.input["contactId"])
        files = [dict(one) for one in run.state or message.attachments]
        for place, file in enumerate(files):
            # One that was given up before a restart has no source any more.
            if file["mediaId"] is None and file.get("source"):
                files[place] = await self._fetched(account, file, last=run.tries >= MOST_TRIES - 1)
                await run.step(files)
        await run.finish(self._finish, account, message.id, files, run.input)

    async def _name(self, account: AccountRow, message: MessageRow, contact_id: str) -> None:
        """Read who the person is. A message is reported without that, too."""
        try:
            part = self._session.part(account, MESSAGES, LACKS)
            contact = await self._session.call_as(account, lambda held: part.profile(held, contact_id))
        except PlatformFailure as failure:
            log.info("contact_not_named", platform=account.platform, reason=failure.detail)
            return
        await self._db.write(self._ledger.conversation, account, contact, message.at)

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
            if not last and failure.retryable:
                wait = (failure.retry_after if isinstance(failure, PlatformFailure) else None) or 1
                raise TemporarilyUnavailable(str(failure), platform=account.platform, retry_after=wait) from None
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
        self, tx: Tx, account: AccountRow, message_id: str, files: list[dict[str, Any]], wanted: Mapping[str, Any]
    ) -> None:
        await lock(tx, account)
        message = await store.find_message(tx, account.owner_id, message_id)
        fetched = stored_files(files)
        if message is None or message.deleted_at is not None:
            # One that was deleted in the meantime keeps nothing.
            await self._library.delete_unused(tx, account.owner_id, fetched)
            return
        await store.update_message(tx, account.owner_id, message_id, {"attachments": files})
        await media.keep_at_least(tx, account.owner_id, fetched, tx.now + FILES_KEPT)
        if not wanted.get("silent"):
            fetched_message = msgspec.structs.replace(message, attachments=files)
            await self._ledger.announce_fetched(tx, account, fetched_message, is_first=bool(wanted["isFirst"]))

    async def given_up(self, tx: Tx, job: JobRow) -> None:
        """Report a message whose files cannot be downloaded, whatever the reason: with those that could be."""
        found = await self._found(tx, job.owner_id, job.input["messageId"])
        if found is not None:
            account, message = found
            files = [{**file, "source": {}} for file in job.state or message.attachments]
            await self._finish(tx, account, message.id, files, job.input)


def fetching(parts: Parts) -> JobType:
    """Messages queue this job, and this job reports messages: its runner is built on first use."""

    async def run(run: Run) -> None:
        await parts.get(Attachments).run(run)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        del error
        await parts.get(Attachments).given_up(tx, job)

    return JobType(name=FETCH, run=run, given_up=given_up, per_owner=_AT_ONCE, most_tries=MOST_TRIES, public=False)
