"""People on their way to an audience: stored hashed and encrypted with the audience, and uploaded by a task."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store, views
from socialgate.areas.ads.audience_schemas import Audience, AudienceUploadResult, AudienceUploadTask
from socialgate.areas.ads.object_operations import NO_AUDIENCES_PHRASE, read_created_object
from socialgate.areas.ads.tables import PEOPLE_SEALING_PURPOSE
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES_CAPABILITY,
    AudienceAdapter,
    AudienceItem,
    HashedPerson,
    NewAudience,
    UploadedPeople,
)
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.operations import LookupResult, OperationType
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import Keyring
from socialgate.core.ids import new_id
from socialgate.core.jobs.job_store import JobRow, find_earlier_unfinished_job
from socialgate.core.jobs.service import JobCancelled, JobPostponed, JobRun, JobService, JobType
from socialgate.core.restores import HoldKind
from socialgate.core.service_container import ServiceContainer

AUDIENCE_UPLOAD_JOB = "ads.audienceUpload"
_MAX_JOBS_PER_OWNER = 2
_PEOPLE_PER_CHUNK = 1000
# How long an upload waits before it checks again whether an earlier one has finished.
_MIN_WAIT, _MAX_WAIT = timedelta(seconds=1), timedelta(minutes=1)
AudienceUploadAction = Literal["add", "remove"]


class AudienceCreation(msgspec.Struct, frozen=True, kw_only=True):
    """An audience to create, and who is uploaded to it afterwards."""

    new: NewAudience
    people: tuple[HashedPerson, ...] = ()


class AudienceUploadQueue:
    """Queues the upload of people, in the transaction that records their audience."""

    def __init__(self, jobs: JobService, keyring: Keyring) -> None:
        self._jobs = jobs
        self._keyring = keyring

    async def add(
        self,
        tx: Tx,
        account: AccountRow,
        audience: Audience,
        action: AudienceUploadAction,
        people: Sequence[HashedPerson],
    ) -> Audience:
        if not people:
            return audience
        upload_id = new_id("upl")
        purpose = PEOPLE_SEALING_PURPOSE.build_purpose(owner_id=account.owner_id, upload_id=upload_id)
        parts = [people[start : start + _PEOPLE_PER_CHUNK] for start in range(0, len(people), _PEOPLE_PER_CHUNK)]
        sealed = [self._keyring.seal(msgspec.json.encode(part).decode(), purpose) for part in parts]
        await store.insert_people_chunks(tx, account.owner_id, upload_id, sealed)
        job_input = {
            "accountId": account.id,
            "audienceId": audience.id,
            "uploadId": upload_id,
            "action": action,
            "people": len(people),
        }
        job = await self._jobs.enqueue(
            tx, AUDIENCE_UPLOAD_JOB, account.owner_id, job_input, profile_id=account.profile_id
        )
        task = AudienceUploadTask(
            id=job.id, type=job.type, status=job.status, people=len(people), created_at=job.created_at
        )
        return msgspec.structs.replace(audience, upload=task)


def build_audience_creation_type(
    queue: AudienceUploadQueue,
) -> OperationType[AudienceAdapter, AudienceCreation, AudienceItem, Audience]:
    """Create an audience. Its people are queued with the record of it: neither is ever there without the other."""

    async def call(
        part: AudienceAdapter, credentials: AccountCredentials, audience_creation: AudienceCreation
    ) -> AudienceItem:
        return await read_created_object(part, credentials, await part.create(credentials, audience_creation.new))

    async def look(
        part: AudienceAdapter, credentials: AccountCredentials, audience_creation: AudienceCreation
    ) -> LookupResult[AudienceItem]:
        return await part.look_up_result(credentials, audience_creation.new)

    async def record(tx: Tx, account: AccountRow, audience_creation: AudienceCreation, item: AudienceItem) -> Audience:
        return await queue.add(
            tx, account, views.build_item_view_builder(Audience)(account, item), "add", audience_creation.people
        )

    return OperationType(
        name="audiences.create",
        request=AudienceCreation,
        response_type=Audience,
        capability=AUDIENCES_CAPABILITY,
        unsupported_phrase=NO_AUDIENCES_PHRASE,
        call=call,
        record=record,
        look=look,
        summarize_request=lambda audience_creation: {
            "type": AdType.AUDIENCE,
            "name": audience_creation.new.name,
            "people": len(audience_creation.people),
        },
        get_object_id=lambda _, item: item.id,
        creates=True,
    )


class AudienceUploadJobHandler:
    """Uploads people to audiences, a chunk at a time. Each is deleted here as soon as the platform has it."""

    def __init__(self, db: Database, session: AccountSession, keyring: Keyring) -> None:
        self._db = db
        self._session = session
        self._keyring = keyring

    async def run(self, run: JobRun) -> AudienceUploadResult:
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise JobCancelled
        await self._wait_for_earlier_uploads(run)
        part = self._session.get_adapter(account, AUDIENCES_CAPABILITY, NO_AUDIENCES_PHRASE)
        state: dict[str, int] = run.state or {"done": 0, "received": 0, "invalid": 0}
        while (
            row := await self._db.read(store.find_next_people_chunk, run.owner_id, run.input["uploadId"])
        ) is not None:
            purpose = PEOPLE_SEALING_PURPOSE.build_purpose(owner_id=row.owner_id, upload_id=row.upload_id)
            people = msgspec.json.decode(self._keyring.unseal(row.sealed, purpose), type=list[HashedPerson])
            sent = await self._upload_chunk(account, part, run, people)
            state = {
                "done": state["done"] + len(people),
                "received": state["received"] + sent.received,
                "invalid": state["invalid"] + sent.invalid,
            }
            drop = _build_chunk_deleter(row.owner_id, row.upload_id, row.number)
            await run.write_step(drop, state, done=state["done"], total=run.input["people"], unit="people")
        return AudienceUploadResult(received=state["received"], invalid=state["invalid"])

    async def _wait_for_earlier_uploads(self, run: JobRun) -> None:
        """Keep the order of uploads to an audience: an older one that is retried must not undo what this one does."""
        # While it waits, it can be cancelled.
        await run.record_step(run.state)
        same = ("audienceId", str(run.input["audienceId"]))
        earlier = await self._db.read(find_earlier_unfinished_job, run.owner_id, AUDIENCE_UPLOAD_JOB, run.id, same)
        if earlier is not None:
            now = self._db.clock.now()
            raise JobPostponed(min(max(earlier.due_at or now, now + _MIN_WAIT), now + _MAX_WAIT))

    async def _upload_chunk(
        self, account: AccountRow, part: AudienceAdapter, run: JobRun, people: list[HashedPerson]
    ) -> UploadedPeople:
        """Send a chunk, in several calls if the platform accepts fewer people. A repeated chunk has no effect."""
        received = invalid = 0
        for start in range(0, len(people), part.max_people_per_call):
            some = people[start : start + part.max_people_per_call]
            sent = await self._session.call_for_account(account, _build_upload_call(part, run.input, some))
            received, invalid = received + sent.received, invalid + sent.invalid
        return UploadedPeople(received=received, invalid=invalid)


def _build_upload_call(
    part: AudienceAdapter, job_input: Mapping[str, Any], people: list[HashedPerson]
) -> Callable[[AccountCredentials], Awaitable[UploadedPeople]]:
    async def call(credentials: AccountCredentials) -> UploadedPeople:
        return await part.upload_people(credentials, str(job_input["audienceId"]), people, job_input["action"])

    return call


def _build_chunk_deleter(owner_id: str, upload_id: str, number: int) -> Callable[[Tx], Awaitable[None]]:
    async def drop(tx: Tx) -> None:
        await store.delete_people_chunks(tx, owner_id, upload_id, number)

    return drop


async def _handle_permanent_failure(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    del error
    await _delete_chunks(tx, job)


async def _delete_chunks(tx: Tx, job: JobRow) -> None:
    """Delete the people of an upload that failed permanently or was cancelled."""
    await store.delete_people_chunks(tx, job.owner_id, job.input["uploadId"])


def build_audience_upload_job_type(parts: ServiceContainer) -> JobType:
    """`AudienceUploadJobHandler` is built when the first job runs."""

    async def run(run: JobRun) -> AudienceUploadResult:
        return await parts.get(AudienceUploadJobHandler).run(run)

    return JobType(
        name=AUDIENCE_UPLOAD_JOB,
        run=run,
        max_per_owner=_MAX_JOBS_PER_OWNER,
        on_permanent_failure=_handle_permanent_failure,
        on_cancelled=_delete_chunks,
        result=AudienceUploadResult,
        hold_kind=HoldKind.TASKS,
    )
