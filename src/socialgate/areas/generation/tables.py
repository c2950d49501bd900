"""The table of this area: requests and their results. The progress is stored with the job."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.generation import GenerationType
from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
_HAS_RUN_KEY = sa.text("run_key IS NOT NULL")
_HAS_SUBJECT_KEY = sa.text("subject_key IS NOT NULL")

# The id is that of the job.
generations = sa.Table(
    "generations",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    # Null belongs to the owner as a whole, as with files.
    sa.Column("profile_id", Id),
    sa.Column("type", sa.String(10), nullable=False),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column("request", Json, nullable=False),
    # What is made so far.
    sa.Column("result", Json),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    # The last failure at the provider, with its own words.
    sa.Column("failure", Json),
    # The step of an automation's run that needs the text: it is generated once for each.
    sa.Column("run_key", sa.String(200)),
    # The message or comment that is replied to, so that it can be erased.
    sa.Column("subject_key", sa.String(400)),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index(
        "uq_generations_run",
        "owner_id",
        "run_key",
        unique=True,
        postgresql_where=_HAS_RUN_KEY,
        sqlite_where=_HAS_RUN_KEY,
    ),
    sa.Index(
        "ix_generations_subject",
        "owner_id",
        "subject_key",
        postgresql_where=_HAS_SUBJECT_KEY,
        sqlite_where=_HAS_SUBJECT_KEY,
    ),
)


class GenerationRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str | None
    type: GenerationType
    model: str
    request: Mapping[str, Any]
    result: Mapping[str, Any] | None
    input_tokens: int | None
    output_tokens: int | None
    failure: Mapping[str, Any] | None
    run_key: str | None
    subject_key: str | None
    created_at: datetime


read_generation = build_row_reader(GenerationRow, generations)
