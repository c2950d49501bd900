"""Generations and their jobs. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from socialgate.areas.generation.schemas import GenerationsQuery
from socialgate.areas.generation.tables import GenerationRow, generations, read_generation
from socialgate.contracts.generation import TokenUsage
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobRow, jobs, read_job
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import FittingList, build_response_size

# How many keys are looked up in one statement.
_KEYS_PER_STATEMENT = 500
_JOINS_JOB = sa.and_(jobs.c.owner_id == generations.c.owner_id, jobs.c.id == generations.c.id)


class GenerationWithJob(NamedTuple):
    """A generation with its job."""

    row: GenerationRow
    job: JobRow

    @property
    def id(self) -> str:
        return self.row.id


async def insert_generation(tx: Tx, row: GenerationRow) -> None:
    await tx.execute(sa.insert(generations), msgspec.structs.asdict(row))


async def find_generation(tx: Tx, owner_id: str, generation_id: str) -> GenerationRow | None:
    return await tx.first_as(
        sa.select(generations).where(_matches_generation(owner_id, generation_id)), read_generation
    )


async def find_generation_by_run(tx: Tx, owner_id: str, run_key: str) -> GenerationRow | None:
    statement = sa.select(generations).where(generations.c.owner_id == owner_id, generations.c.run_key == run_key)
    return await tx.first_as(statement, read_generation)


async def list_generations_page(
    tx: Tx, owner_id: str, caller: Caller, query: GenerationsQuery
) -> tuple[Sequence[GenerationWithJob], bool]:
    """List generations, newest first, and whether more follow."""
    optional = {
        "profiles": caller.allowed_profile_ids,
        "profile": query.profile_id,
        "type": query.type,
        "status": query.status,
    }
    rows, more = await _LIST.fetch_page(tx, read_generation, query, ("gen",), {"owner": owner_id}, optional)
    of_page = {"owner": owner_id, "ids": [row.id for row in rows]}
    known = {job.id: job for job in await tx.all_as(_SELECT_JOBS, read_job, of_page)}
    listed = [GenerationWithJob(row, known[row.id]) for row in rows if row.id in known]
    return listed, more and bool(listed)


_LIST = FittingList(
    generations,
    build_response_size(generations.c.request, generations.c.result),
    [generations.c.id.desc()],
    generations.c.owner_id == sa.bindparam("owner"),
    sa.exists().where(_JOINS_JOB),
    filters={
        "after": generations.c.id < sa.bindparam("after"),
        "profiles": is_one_of(generations.c.profile_id, "profiles"),
        "profile": generations.c.profile_id == sa.bindparam("profile"),
        "type": generations.c.type == sa.bindparam("type"),
        "status": sa.exists().where(_JOINS_JOB, jobs.c.status == sa.bindparam("status")),
    },
)
_SELECT_JOBS = sa.select(jobs).where(jobs.c.owner_id == sa.bindparam("owner"), is_one_of(jobs.c.id, "ids"))


async def save_generation(tx: Tx, owner_id: str, generation_id: str, values: Mapping[str, Any]) -> None:
    await tx.execute(sa.update(generations).where(_matches_generation(owner_id, generation_id)).values(**values))


async def add_token_usage(tx: Tx, owner_id: str, generation_id: str, usage: TokenUsage) -> None:
    columns = generations.c
    more = {
        "input_tokens": sa.func.coalesce(columns.input_tokens, 0) + usage.input_tokens,
        "output_tokens": sa.func.coalesce(columns.output_tokens, 0) + usage.output_tokens,
    }
    await tx.execute(sa.update(generations).where(_matches_generation(owner_id, generation_id)).values(**more))


async def erase_generation_text(tx: Tx, row: GenerationRow) -> None:
    """Delete what the person wrote, once it is no longer needed."""
    await save_generation(tx, row.owner_id, row.id, {"request": {**row.request, "text": None}})


async def list_generations_of_subjects(tx: Tx, owner_id: str, subject_keys: Sequence[str]) -> list[GenerationRow]:
    rows: list[GenerationRow] = []
    for start in range(0, len(subject_keys), _KEYS_PER_STATEMENT):
        some = generations.c.subject_key.in_(subject_keys[start : start + _KEYS_PER_STATEMENT])
        statement = sa.select(generations).where(generations.c.owner_id == owner_id, some)
        rows += await tx.all_as(statement, read_generation)
    return rows


async def purge_generations(tx: Tx, now: datetime) -> int:
    """Delete generations whose jobs have expired, or were deleted for that reason."""
    kept = sa.exists().where(_JOINS_JOB, sa.or_(jobs.c.expires_at.is_(None), jobs.c.expires_at >= now))
    return await tx.execute_and_count(sa.delete(generations).where(~kept))


def _matches_generation(owner_id: str, generation_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(generations.c.owner_id == owner_id, generations.c.id == generation_id)
