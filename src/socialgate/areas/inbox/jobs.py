"""Downloading the files of messages immediately: platforms delete them within minutes. Also who wrote them."""

from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox import store
from socialgate.areas.inbox.changes import list_media_ids
from socialgate.areas.inbox.recorder import (
    ATTACHMENT_DOWNLOAD_JOB,
    MESSAGE_FILE_RETENTION,
    MessageRecorder,
    lock_messages,
)
from socialgate.areas.inbox.service import NO_MESSAGES_PHRASE
from socialgate.areas.inbox.tables import MessageRow
from socialgate.areas.media import store as media
from socialgate.areas.media.fetching import FetchError, MediaFetcher
from socialgate.areas.media.service import MediaService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure, PlatformUnavailableError
from socialgate.contracts.messages import MESSAGES_CAPABILITY, AttachmentItem
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.service_container import ServiceContainer

_MAX_JOBS_PER_OWNER = 4
MAX_DOWNLOAD_TRIES = 5

log = structlog.get_logger(__name__)


class AttachmentDownloader:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        fetcher: MediaFetcher,
        ledger: MessageRecorder,
        library: MediaService,
    ) -> None:
        self._db = db
        self._session = session
        self._fetcher = fetcher
        self._ledger = ledger
        self._library = library

    async def run(self, run: JobRun) -> None:
        """Download the files of one message, then report it, with the files that could be downloaded.

        What the account itself sent, and what comes from the platform's history, is not reported.
        """
        result = await self._db.read(self._find_account_and_message, run.owner_id, run.input["messageId"])
        if result is None:
            return
        account, message = result
        if run.input.get("contactId"):
            await self._update_contact(account, message, run.input["contactId"])
        files = [dict(item) for item in run.state or message.attachments]
        for place, file in enumerate(files):
            # One that was given up before a restart has no source any more.
            if file["mediaId"] is None and file.get("source"):
                files[place] = await self._download_attachment(account, file, last=run.tries >= MAX_DOWNLOAD_TRIES - 1)
                await run.record_step(files)
        await run.finish(self._save_files, account, message.id, files, run.input)

    async def _update_contact(self, account: AccountRow, message: MessageRow, contact_id: str) -> None:
        """Read who the person is. A message is reported without that, too."""
        try:
            part = self._session.get_adapter(account, MESSAGES_CAPABILITY, NO_MESSAGES_PHRASE)
            contact = await self._session.call_for_account(
                account, lambda credentials: part.get_contact_profile(credentials, contact_id)
            )
        except PlatformFailure as failure:
            log.info("contact_not_named", platform=account.platform, reason=failure.detail)
            return
        await self._db.write(self._ledger.find_or_create_conversation, account, contact, message.at)

    async def _download_attachment(self, account: AccountRow, file: dict[str, Any], *, last: bool) -> dict[str, Any]:
        item = AttachmentItem(type=file["type"], source=file.get("source", {}), file_name=file["fileName"])
        caller = Caller(owner_id=account.owner_id, credential_id="messages")
        try:
            part = self._session.get_adapter(account, MESSAGES_CAPABILITY, NO_MESSAGES_PHRASE)
            place = await self._session.call_for_account(
                account, lambda credentials: part.get_download_location(credentials, item)
            )
            media = await self._fetcher.fetch_from_platform(
                place.door, caller, account.profile_id, place.url, headers=place.headers, file_name=file["fileName"]
            )
        except (PlatformFailure, FetchError) as failure:
            if not last and failure.retryable:
                wait = (failure.retry_after if isinstance(failure, PlatformFailure) else None) or 1
                raise PlatformUnavailableError(str(failure), platform=account.platform, retry_after=wait) from None
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

    async def _find_account_and_message(
        self, tx: Tx, owner_id: str, message_id: str
    ) -> tuple[AccountRow, MessageRow] | None:
        message = await store.find_message(tx, owner_id, message_id)
        account = None if message is None else await accounts.find_account(tx, owner_id, message.account_id)
        return None if message is None or account is None else (account, message)

    async def _save_files(
        self, tx: Tx, account: AccountRow, message_id: str, files: list[dict[str, Any]], values: Mapping[str, Any]
    ) -> None:
        await lock_messages(tx, account)
        message = await store.find_message(tx, account.owner_id, message_id)
        fetched = list_media_ids(files)
        if message is None or message.deleted_at is not None:
            # One that was deleted in the meantime keeps nothing.
            await self._library.delete_unused(tx, account.owner_id, fetched)
            return
        await store.update_message(tx, account.owner_id, message_id, {"attachments": files})
        await media.extend_expiry(tx, account.owner_id, fetched, tx.now + MESSAGE_FILE_RETENTION)
        if not values.get("silent"):
            fetched_message = msgspec.structs.replace(message, attachments=files)
            await self._ledger.emit_after_download(tx, account, fetched_message, is_first=bool(values["isFirst"]))

    async def on_given_up(self, tx: Tx, job: JobRow) -> None:
        """Report a message whose files cannot be downloaded, whatever the reason: with those that could be."""
        result = await self._find_account_and_message(tx, job.owner_id, job.input["messageId"])
        if result is not None:
            account, message = result
            files = [{**file, "source": {}} for file in job.state or message.attachments]
            await self._save_files(tx, account, message.id, files, job.input)


def build_attachment_download_job_type(parts: ServiceContainer) -> JobType:
    """Messages queue this job, and this job reports messages: its runner is built on first use."""

    async def run(run: JobRun) -> None:
        await parts.get(AttachmentDownloader).run(run)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        del error
        await parts.get(AttachmentDownloader).on_given_up(tx, job)

    return JobType(
        name=ATTACHMENT_DOWNLOAD_JOB,
        run=run,
        on_permanent_failure=given_up,
        max_per_owner=_MAX_JOBS_PER_OWNER,
        max_tries=MAX_DOWNLOAD_TRIES,
        public=False,
    )
