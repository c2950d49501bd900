"""People on their way to an audience: stored hashed and encrypted with the audience, and uploaded by a task."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import showing, store
from socialgate.areas.ads.audience_schemas import Audience, AudienceUploadResult, UploadTask
from socialgate.areas.ads.changes import LACKS_AUDIENCES, whole
from socialgate.areas.ads.tables import PEOPLE
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES,
    AudienceItem,
    Audiences,
    NewAudience,
    PersonData,
    Uploaded,
)
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.operations import Looked, OperationType
from socialgate.core.db import Database, Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs.jobs import Cancelled, Jobs, JobType, Postponed, Run
from socialgate.core.jobs.table import JobRow, find_earlier
from socialgate.core.parts import Parts
from socialgate.core.restores import HoldKind
from socialgate.core.secrets import Keyring

UPLOAD = "ads.audienceUpload"
_AT_ONCE = 2
_CHUNK = 1000
# How long an upload waits before it checks again whether an earlier one has finished.
_SOON, _LATER = timedelta(seconds=1), timedelta(minutes=1)
Action = Literal["add", "remove"]


class AudienceCreation(msgspec.Struct, frozen=True, kw_only=True):
    """An audience to create, and who is uploaded to it afterwards."""

    new: NewAudience
    people: tuple[PersonData, ...] = ()


class PeopleQueue:
    """Queues the upload of people, in the transaction that records their audience."""

    def __init__(self, jobs: Jobs, keyring: Keyring) -> None:
        self._jobs = jobs
        self._keyring = keyring

    async def add(
        self, tx: Tx, account: AccountRow, audience: Audience, action: Action, people: Sequence[PersonData]
    ) -> Audience:
        if not people:
            return audience
        upload_id = new_id("upl")
        purpose = PEOPLE.of(owner_id=account.owner_id, upload_id=upload_id)
        parts = [people[start : start + _CHUNK] for start in range(0, len(people), _CHUNK)]
        sealed = [self._keyring.seal(msgspec.json.encode(part).decode(), purpose) for part in parts]
        await store.insert_people(tx, account.owner_id, upload_id, sealed)
        job_input = {
            "accountId": account.id,
            "audienceId": audience.id,
            "uploadId": upload_id,
            "action": action,
            "people": len(people),
        }
        job = await self._jobs.add(tx, UPLOAD, account.owner_id, job_input, profile_id=account.profile_id)
        task = UploadTask(id=job.id, type=job.type, status=job.status, people=len(people), created_at=job.created_at)
        return msgspec.structs.replace(audience, upload=task)


def audience_creation(queue: PeopleQueue) -> OperationType[Audiences, AudienceCreation, AudienceItem, Audience]:
    """Create an audience. Its people are queued with the record of it: neither is ever there without the other."""

    async def call(part: Audiences, held: AccountCredentials, asked: AudienceCreation) -> AudienceItem:
        return await whole(part, held, await part.create(held, asked.new))

    async def look(part: Audiences, held: AccountCredentials, asked: AudienceCreation) -> Looked[AudienceItem]:
        return await part.look(held, asked.new)

    async def record(tx: Tx, account: AccountRow, asked: AudienceCreation, item: AudienceItem) -> Audience:
        return await queue.add(tx, account, showing.show_as(Audience)(account, item), "add", asked.people)

    return OperationType(
        name="audiences.create",
        request=AudienceCreation,
        answer=Audience,
        capability=AUDIENCES,
        lacks=LACKS_AUDIENCES,
        call=call,
        record=record,
        look=look,
        shown=lambda asked: {"type": AdType.AUDIENCE, "name": asked.new.name, "people": len(asked.people)},
        object_id=lambda _, item: item.id,
        creates=True,
    )


class AudienceUploads:
    """Uploads people to audiences, a chunk at a time. Each is deleted here as soon as the platform has it."""

    def __init__(self, db: Database, session: AccountSession, keyring: Keyring) -> None:
        self._db = db
        self._session = session
        self._keyring = keyring

    async def run(self, run: Run) -> AudienceUploadResult:
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise Cancelled
        await self._wait_for_earlier(run)
        part = self._session.part(account, AUDIENCES, LACKS_AUDIENCES)
        state: dict[str, int] = run.state or {"done": 0, "received": 0, "invalid": 0}
        while (row := await self._db.read(store.next_people, run.owner_id, run.input["uploadId"])) is not None:
            purpose = PEOPLE.of(owner_id=row.owner_id, upload_id=row.upload_id)
            people = msgspec.json.decode(self._keyring.open(row.sealed, purpose), type=list[PersonData])
            sent = await self._send(account, part, run, people)
            state = {
                "done": state["done"] + len(people),
                "received": state["received"] + sent.received,
                "invalid": state["invalid"] + sent.invalid,
            }
            drop = _dropping(row.owner_id, row.upload_id, row.number)
            await run.step_with(drop, state, done=state["done"], total=run.input["people"], unit="people")
        return AudienceUploadResult(received=state["received"], invalid=state["invalid"])

    async def _wait_for_earlier(self, run: Run) -> None:
        """Keep the order of uploads to an audience: an older one that is retried must not undo what this one does."""
        # While it waits, it can be cancelled.
        await run.step(run.state)
        same = ("audienceId", str(run.input["audienceId"]))
        earlier = await self._db.read(find_earlier, run.owner_id, UPLOAD, run.id, same)
        if earlier is not None:
            now = self._db.clock.now()
            raise Postponed(min(max(earlier.due_at or now, now + _SOON), now + _LATER))

    async def _send(self, account: AccountRow, part: Audiences, run: Run, people: list[PersonData]) -> Uploaded:
        """Send a chunk, in several calls if the platform accepts fewer people. A repeated chunk has no effect."""
        received = invalid = 0
        for start in range(0, len(people), part.most_people):
            some = people[start : start + part.most_people]
            sent = await self._session.call_as(account, _uploading(part, run.input, some))
            received, invalid = received + sent.received, invalid + sent.invalid
        return Uploaded(received=received, invalid=invalid)


def _uploading(
    part: Audiences, job_input: Mapping[str, Any], people: list[PersonData]
) -> Callable[[AccountCredentials], Awaitable[Uploaded]]:
    async def call(held: AccountCredentials) -> Uploaded:
        return await part.upload(held, str(job_input["audienceId"]), people, job_input["action"])

    return call


def _dropping(owner_id: str, upload_id: str, number: int) -> Callable[[Tx], Awaitable[None]]:
    async def drop(tx: Tx) -> None:
        await store.drop_people(tx, owner_id, upload_id, number)

    return drop


async def _given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    del error
    await _drop_all(tx, job)


async def _drop_all(tx: Tx, job: JobRow) -> None:
    """Delete the people of an upload that failed permanently or was cancelled."""
    await store.drop_people(tx, job.owner_id, job.input["uploadId"])


def uploading(parts: Parts) -> JobType:
    """`AudienceUploads` is built when the first job runs."""

    async def run(run: Run) -> AudienceUploadResult:
        return await parts.get(AudienceUploads).run(run)

    return JobType(
        name=UPLOAD,
        run=run,
        per_owner=_AT_ONCE,
        given_up=_given_up,
        cancelled=_drop_all,
        result=AudienceUploadResult,
        hold_kind=HoldKind.TASKS,
    )
