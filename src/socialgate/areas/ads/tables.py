"""The tables of this area. Objects on platforms are not stored: they are read live."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.encryption import EncryptionPurposeTemplate
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
PEOPLE_SEALING_PURPOSE = EncryptionPurposeTemplate("audience people {owner_id} {upload_id}")

# Creatives for platforms that have none as objects of their own.
ad_creatives = sa.Table(
    "ad_creatives",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, nullable=False),
    # As a connector gets it, with the files that were uploaded for it.
    sa.Column("creative", Json, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Index("ix_ad_creatives_account_id", "owner_id", "account_id"),
)

# Our files in the libraries of ad accounts, so that none is uploaded again.
ad_assets = sa.Table(
    "ad_assets",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("asset", Json, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_ad_assets_created_at", "created_at"),
)

# The rows of reports, by the task that prepared them.
ad_report_rows = sa.Table(
    "ad_report_rows",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("task_id", Id, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("row", Json, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_ad_report_rows_created_at", "created_at"),
)

# People who are still to be uploaded to an audience: hashed, and encrypted on top of that.
ad_people = sa.Table(
    "ad_people",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("upload_id", Id, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False, info=PEOPLE_SEALING_PURPOSE.column_info),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_ad_people_created_at", "created_at"),
)


class CreativeRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    account_id: str
    creative: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


class PeopleChunkRow(msgspec.Struct, frozen=True):
    owner_id: str
    upload_id: str
    number: int
    sealed: bytes
    created_at: datetime


read_creative = build_row_reader(CreativeRow, ad_creatives)
read_people_chunk = build_row_reader(PeopleChunkRow, ad_people)
