"""The jobs of this area, one type each, so that videos that take minutes do not hold up texts."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.areas.generation import store
from socialgate.areas.generation.job_handler import GenerationJobHandler
from socialgate.areas.generation.schemas import GeneratedContent
from socialgate.areas.generation.service import get_generation_job_name
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.generation import GenerationType
from socialgate.contracts.messages import ConversationErased
from socialgate.core.db import Tx
from socialgate.core.facts import FactListener
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.restores import HoldKind
from socialgate.core.service_container import ServiceContainer

AI_REPLY_JOB = "ai.reply"
GENERATION_RETENTION = timedelta(days=30)
# Texts for automations, which have runs of their own to look at.
_REPLY_RETENTION = timedelta(days=7)
_MAX_JOBS_PER_OWNER = {
    GenerationType.COPY: 4,
    GenerationType.IMAGE: 2,
    GenerationType.VIDEO: 2,
    GenerationType.AUDIO: 2,
}
_MAX_REPLIES_PER_OWNER = 10


def _build_job_type(
    parts: ServiceContainer,
    name: str,
    per_owner: int,
    kept: timedelta,
    *,
    result: Any = GeneratedContent,
    hold_kind: HoldKind = HoldKind.GENERATIONS,
) -> JobType:
    """`GenerationJobHandler` is built when the first job runs."""

    async def run(run: JobRun) -> None:
        await parts.get(GenerationJobHandler).run(run)

    return JobType(
        name=name,
        run=run,
        max_per_owner=per_owner,
        retention=kept,
        prefix="gen",
        on_permanent_failure=_handle_permanent_failure,
        on_cancelled=_erase_reply_text,
        hold_kind=hold_kind,
        result=result,
    )


async def _handle_permanent_failure(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    del error
    await _erase_reply_text(tx, job)


async def _erase_reply_text(tx: Tx, job: JobRow) -> None:
    row = await store.find_generation(tx, job.owner_id, job.id)
    if row is not None and row.run_key is not None:
        await store.erase_generation_text(tx, row)


def build_copy_generation_job_type(parts: ServiceContainer) -> JobType:
    return _build_job_type(
        parts,
        get_generation_job_name(GenerationType.COPY),
        _MAX_JOBS_PER_OWNER[GenerationType.COPY],
        GENERATION_RETENTION,
    )


def build_image_generation_job_type(parts: ServiceContainer) -> JobType:
    return _build_job_type(
        parts,
        get_generation_job_name(GenerationType.IMAGE),
        _MAX_JOBS_PER_OWNER[GenerationType.IMAGE],
        GENERATION_RETENTION,
    )


def build_video_generation_job_type(parts: ServiceContainer) -> JobType:
    return _build_job_type(
        parts,
        get_generation_job_name(GenerationType.VIDEO),
        _MAX_JOBS_PER_OWNER[GenerationType.VIDEO],
        GENERATION_RETENTION,
    )


def build_audio_generation_job_type(parts: ServiceContainer) -> JobType:
    return _build_job_type(
        parts,
        get_generation_job_name(GenerationType.AUDIO),
        _MAX_JOBS_PER_OWNER[GenerationType.AUDIO],
        GENERATION_RETENTION,
    )


def build_ai_reply_job_type(parts: ServiceContainer) -> JobType:
    # Decided together with the run that waits for it.
    return _build_job_type(
        parts, AI_REPLY_JOB, _MAX_REPLIES_PER_OWNER, _REPLY_RETENTION, result=None, hold_kind=HoldKind.AUTOMATIONS
    )


JOB_TYPES = (
    build_copy_generation_job_type,
    build_image_generation_job_type,
    build_video_generation_job_type,
    build_audio_generation_job_type,
    build_ai_reply_job_type,
)


async def _erase_subject(tx: Tx, fact: SubjectErased, owner_id: str) -> None:
    await _erase_subjects(tx, owner_id, [fact.key])


async def _erase_conversation(tx: Tx, fact: ConversationErased, owner_id: str) -> None:
    await _erase_subjects(tx, owner_id, [f"message {message_id}" for message_id in fact.message_ids])


async def _erase_subjects(tx: Tx, owner_id: str, subject_keys: Sequence[str]) -> None:
    """Erase what a person wrote, and what was written to them."""
    for row in await store.list_generations_of_subjects(tx, owner_id, subject_keys):
        await store.erase_generation_text(tx, row)
        await store.save_generation(tx, owner_id, row.id, {"result": None})


def build_fact_listeners() -> Sequence[FactListener]:
    return [SubjectErased.build_listener(_erase_subject), ConversationErased.build_listener(_erase_conversation)]
