"""The tables of this area, and the types of their rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.accounts import AccountRow, AccountStatus
from socialgate.contracts.connect_links import LinkVisit
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Id, UtcDateTime, inline_literal, metadata
from socialgate.core.encryption import EncryptionPurposeTemplate
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
PlatformId = sa.String(300)

VERIFIER_SEALING_PURPOSE = EncryptionPurposeTemplate("connect {state_hash}")
GRANT_SEALING_PURPOSE = EncryptionPurposeTemplate("grant {owner_id} {id}")
ACCOUNT_SEALING_PURPOSE = EncryptionPurposeTemplate("account {owner_id} {id}")
WEBHOOK_SEALING_PURPOSE = EncryptionPurposeTemplate("webhook {platform} {inbound_key}")

_IS_NOT_DISCONNECTED = sa.text("status <> 'disconnected'")
_HAS_CHECK_DUE = sa.text("check_at IS NOT NULL")
_HAS_RENEWAL_DUE = sa.text("refresh_at IS NOT NULL")
_HAS_TRY_DUE = sa.text("try_at IS NOT NULL")

# One attempt to connect by redirect. Only the hash of the state is stored: reading the table does not help an attacker.
connect_states = sa.Table(
    "connect_states",
    metadata,
    sa.Column("state_hash", sa.String(64), primary_key=True),
    sa.Column("owner_id", Id, nullable=False),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("kinds", Json, nullable=False),
    sa.Column("redirect_url", sa.String(2048)),
    sa.Column("verifier", sa.LargeBinary, nullable=False, info=VERIFIER_SEALING_PURPOSE.column_info),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Column("used_at", UtcDateTime),
    # What the platform was called with. The node that finishes the attempt may have another address.
    sa.Column("redirect_uri", sa.String(2048)),
    # The page that a person came from, and the hash of what only that browser knows; null without a connect link.
    sa.Column("link_id", Id),
    sa.Column("visit_hash", sa.String(64)),
)

# What one person on a platform permitted for one profile. Several accounts can belong to it.
grants = sa.Table(
    "grants",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("subject", PlatformId, nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False, info=GRANT_SEALING_PURPOSE.column_info),
    sa.Column("token_marks", sa.String(200), nullable=False),
    sa.Column("expires_at", UtcDateTime),
    # When it is due for renewal; null if never.
    sa.Column("refresh_at", UtcDateTime),
    sa.Column("refresh_tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("refresh_error", sa.String(500)),
    # Who is renewing it. Using a refresh token twice at the same time may end the whole grant.
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Index("uq_grants_subject", "owner_id", "profile_id", "platform", "subject", unique=True),
    sa.Index("ix_grants_subject", "platform", "subject"),
    sa.Index("ix_grants_refresh_at", "refresh_at", postgresql_where=_HAS_RENEWAL_DUE, sqlite_where=_HAS_RENEWAL_DUE),
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    # Null once it is disconnected: its tokens are deleted, its history stays.
    sa.Column("grant_id", Id),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("platform_account_id", PlatformId, nullable=False),
    sa.Column("inbound_key", PlatformId, nullable=False),
    sa.Column("name", sa.String(300), nullable=False),
    sa.Column("username", sa.String(300)),
    sa.Column("avatar_url", sa.String(2048)),
    sa.Column("profile_url", sa.String(2048)),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("sealed", sa.LargeBinary, info=ACCOUNT_SEALING_PURPOSE.column_info),
    sa.Column("details", Json, nullable=False),
    # The result of the last check, and when the next one is due.
    sa.Column("health", Json),
    sa.Column("checked_at", UtcDateTime),
    sa.Column("check_at", UtcDateTime),
    # The problems that were last reported with `account.health`. Unlike the check, they outlive a reconnection.
    sa.Column("reported_issues", Json),
    # Why the permission may have been revoked, until a check has settled it.
    sa.Column("suspicion", sa.String(500)),
    sa.Column("lost_at", UtcDateTime),
    sa.Column("lost_reason", sa.String(500)),
    sa.Column("connected_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Column("disconnected_at", UtcDateTime),
    # Who is checking it.
    sa.Column("check_claim_id", Id),
    sa.Column("check_claim_until", UtcDateTime),
    sa.Index(
        "uq_accounts_live",
        "owner_id",
        "kind",
        "platform_account_id",
        unique=True,
        postgresql_where=_IS_NOT_DISCONNECTED,
        sqlite_where=_IS_NOT_DISCONNECTED,
    ),
    sa.Index("ix_accounts_platform_account_id", "platform", "platform_account_id"),
    sa.Index("ix_accounts_inbound_key", "platform", "inbound_key"),
    sa.Index("ix_accounts_grant_id", "owner_id", "grant_id"),
    sa.Index("ix_accounts_check_at", "check_at", postgresql_where=_HAS_CHECK_DUE, sqlite_where=_HAS_CHECK_DUE),
)

# What a platform allows only once, however many owners connect the account: where it sends its webhooks.
registrations = sa.Table(
    "subscriptions",
    metadata,
    sa.Column("platform", sa.String(20), primary_key=True),
    sa.Column("inbound_key", PlatformId, primary_key=True),
    sa.Column("routing_id", sa.String(64), nullable=False, unique=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False, info=WEBHOOK_SEALING_PURPOSE.column_info),
    # Null until the platform has accepted it.
    sa.Column("set_up_at", UtcDateTime),
    # When the platform is asked: again, after it refused, or early enough before what it took ends.
    sa.Column("try_at", UtcDateTime),
    # When it ends by itself, and what the platform calls it, where that is so.
    sa.Column("expires_at", UtcDateTime),
    sa.Column("details", Json),
    sa.Column("error", sa.String(500)),
    sa.Column("created_at", UtcDateTime, nullable=False),
    # Who is calling the platform for it.
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Index("ix_subscriptions_try_at", "try_at", postgresql_where=_HAS_TRY_DUE, sqlite_where=_HAS_TRY_DUE),
)


IS_NOT_DISCONNECTED = accounts.c.status != inline_literal(AccountStatus.DISCONNECTED)


class ConnectStateRow(msgspec.Struct, frozen=True):
    state_hash: str
    owner_id: str
    profile_id: str
    platform: str
    kinds: Sequence[str]
    redirect_url: str | None
    verifier: bytes
    expires_at: datetime
    used_at: datetime | None
    redirect_uri: str | None
    link_id: str | None
    visit_hash: str | None

    @property
    def visit(self) -> LinkVisit | None:
        """The visit to the page of a connect link that this attempt belongs to."""
        if self.link_id is None or self.visit_hash is None:
            return None
        return LinkVisit(owner_id=self.owner_id, link_id=self.link_id, visit_hash=self.visit_hash)


class GrantRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    platform: str
    subject: str
    sealed: bytes
    token_marks: str
    expires_at: datetime | None
    refresh_at: datetime | None
    refresh_tries: int
    refresh_error: str | None
    claim_id: str | None
    claim_until: datetime | None
    created_at: datetime
    updated_at: datetime


class ListedAccountRow(msgspec.Struct, frozen=True):
    """What is shown of an account, together with the renewal of its grant."""

    id: str
    profile_id: str
    platform: Platform
    kind: Kind
    platform_account_id: str
    name: str
    username: str | None
    avatar_url: str | None
    profile_url: str | None
    status: AccountStatus
    # None in the list of accounts that are no ad accounts.
    details: Mapping[str, Any] | None
    checked_at: datetime | None
    lost_at: datetime | None
    lost_reason: str | None
    connected_at: datetime | None
    expires_at: datetime | None
    refresh_at: datetime | None
    refresh_error: str | None


class RegistrationRow(msgspec.Struct, frozen=True):
    platform: str
    inbound_key: str
    routing_id: str
    sealed: bytes
    set_up_at: datetime | None
    try_at: datetime | None
    expires_at: datetime | None
    details: Mapping[str, str] | None
    error: str | None
    created_at: datetime
    claim_id: str | None
    claim_until: datetime | None


_RENEWAL_COLUMNS = (grants.c.expires_at, grants.c.refresh_at, grants.c.refresh_error)
# Only these: reading whole rows, with what is encrypted in them, takes twice as long.
LISTED_COLUMNS = (
    *(accounts.c[name] for name in ListedAccountRow.__struct_fields__[: -len(_RENEWAL_COLUMNS)]),
    *_RENEWAL_COLUMNS,
)

read_connect_state = build_row_reader(ConnectStateRow, connect_states)
read_grant = build_row_reader(GrantRow, grants)
read_account = build_row_reader(AccountRow, accounts)
read_listed_account = build_row_reader(ListedAccountRow, LISTED_COLUMNS)
read_registration = build_row_reader(RegistrationRow, registrations)
