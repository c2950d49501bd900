"""The tables of this area. Platforms delete leads after some time, and have no states or notes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
PlatformId = sa.String(300)


class LeadStateName(StrEnum):
    NEW = "new"
    CONTACTED = "contacted"
    QUALIFIED = "qualified"
    WON = "won"
    LOST = "lost"


leads = sa.Table(
    "leads",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, nullable=False),
    sa.Column("vendor_id", PlatformId, nullable=False),
    sa.Column("form_id", PlatformId, nullable=False),
    sa.Column("form_name", sa.String(300)),
    sa.Column("ad_id", PlatformId),
    sa.Column("campaign_id", PlatformId),
    sa.Column("fields", Json, nullable=False),
    sa.Column("test", sa.Boolean, nullable=False),
    sa.Column("state", sa.String(12), nullable=False),
    sa.Column("assignee", sa.String(200)),
    sa.Column("note", sa.String(2000)),
    # Who changed the state, when and why; newest last.
    sa.Column("history", Json, nullable=False),
    # The `lead.received` that reported it; null for leads from before the account was connected.
    sa.Column("event_id", Id),
    # When the form was submitted, by the platform's clock; lists are sorted by it.
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("received_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # The answers are deleted. The row stays, so that a sweep does not report the lead again.
    sa.Column("erased_at", UtcDateTime),
    sa.Index("uq_leads_vendor_id", "owner_id", "account_id", "vendor_id", unique=True),
    sa.Index("ix_leads_created_at", "owner_id", "account_id", "created_at", "id"),
)

# The questions of forms, by which answers are named and typed.
lead_forms = sa.Table(
    "lead_forms",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("form_id", PlatformId, primary_key=True),
    sa.Column("name", sa.String(300)),
    # Empty if the form could not be read yet.
    sa.Column("questions", Json, nullable=False),
    # After a failure: not to be read again before this.
    sa.Column("read_again_at", UtcDateTime),
    sa.Column("updated_at", UtcDateTime, nullable=False),
)

# Until when the leads of an account are known to be complete.
lead_sweeps = sa.Table(
    "lead_sweeps",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("swept_until", UtcDateTime, nullable=False),
)


class LeadRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    account_id: str
    vendor_id: str
    form_id: str
    form_name: str | None
    ad_id: str | None
    campaign_id: str | None
    fields: Mapping[str, str]
    test: bool
    state: LeadStateName
    assignee: str | None
    note: str | None
    history: Sequence[Mapping[str, Any]]
    event_id: str | None
    created_at: datetime
    received_at: datetime
    updated_at: datetime
    erased_at: datetime | None


class LeadFormRow(msgspec.Struct, frozen=True):
    owner_id: str
    account_id: str
    form_id: str
    name: str | None
    questions: Sequence[Mapping[str, Any]]
    read_again_at: datetime | None
    updated_at: datetime


read_lead = build_row_reader(LeadRow, leads)
read_lead_form = build_row_reader(LeadFormRow, lead_forms)
