"""The jobs of this area, one type each, so that videos that take minutes do not hold up texts."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.areas.generation import store
from socialgate.areas.generation.schemas import GeneratedContent
from socialgate.areas.generation.service import job_of
from socialgate.areas.generation.work import GenerationWork
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.generation import GenerationType
from socialgate.contracts.messages import ConversationErased
from socialgate.core.db import Tx
from socialgate.core.facts import FactListener
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts
from socialgate.core.restores import HoldKind

REPLY = "ai.reply"
KEPT = timedelta(days=30)
# Texts for automations, which have runs of their own to look at.
_REPLY_KEPT = timedelta(days=7)
_PER_OWNER = {GenerationType.COPY: 4, GenerationType.IMAGE: 2, GenerationType.VIDEO: 2, GenerationType.AUDIO: 2}
_REPLIES_AT_ONCE = 10


def _job(
    parts: Parts,
    name: str,
    per_owner: int,
    kept: timedelta,
    *,
    result: Any = GeneratedContent,
    hold_kind: HoldKind = HoldKind.GENERATIONS,
) -> JobType:
    """`GenerationWork` is built when the first job runs."""

    async def run(run: Run) -> None:
        await parts.get(GenerationWork).run(run)

    return JobType(
        name=name,
        run=run,
        per_owner=per_owner,
        kept=kept,
        prefix="gen",
        given_up=_given_up,
        cancelled=_forget,
        hold_kind=hold_kind,
        result=result,
    )


async def _given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    del error
    await _forget(tx, job)


async def _forget(tx: Tx, job: JobRow) -> None:
    row = await store.find(tx, job.owner_id, job.id)
    if row is not None and row.run_key is not None:
        await store.forget_text(tx, row)


def copying(parts: Parts) -> JobType:
    return _job(parts, job_of(GenerationType.COPY), _PER_OWNER[GenerationType.COPY], KEPT)


def drawing(parts: Parts) -> JobType:
    return _job(parts, job_of(GenerationType.IMAGE), _PER_OWNER[GenerationType.IMAGE], KEPT)


def filming(parts: Parts) -> JobType:
    return _job(parts, job_of(GenerationType.VIDEO), _PER_OWNER[GenerationType.VIDEO], KEPT)


def speaking(parts: Parts) -> JobType:
    return _job(parts, job_of(GenerationType.AUDIO), _PER_OWNER[GenerationType.AUDIO], KEPT)


def replying(parts: Parts) -> JobType:
    # Decided together with the run that waits for it.
    return _job(parts, REPLY, _REPLIES_AT_ONCE, _REPLY_KEPT, result=None, hold_kind=HoldKind.AUTOMATIONS)


JOBS = (copying, drawing, filming, speaking, replying)


async def _forget_subject(tx: Tx, fact: SubjectErased, owner_id: str) -> None:
    await _forget_subjects(tx, owner_id, [fact.key])


async def _forget_conversation(tx: Tx, fact: ConversationErased, owner_id: str) -> None:
    await _forget_subjects(tx, owner_id, [f"message {message_id}" for message_id in fact.message_ids])


async def _forget_subjects(tx: Tx, owner_id: str, subject_keys: Sequence[str]) -> None:
    """Erase what a person wrote, and what was written to them."""
    for row in await store.of_subjects(tx, owner_id, subject_keys):
        await store.forget_text(tx, row)
        await store.save(tx, owner_id, row.id, {"result": None})


def listens() -> Sequence[FactListener]:
    return [SubjectErased.heard_by(_forget_subject), ConversationErased.heard_by(_forget_conversation)]
