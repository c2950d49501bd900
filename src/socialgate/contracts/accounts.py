"""A connected account, as all areas see it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.facts import FactAbout


class AccountStatus(StrEnum):
    CONNECTING = "connecting"
    CONNECTED = "connected"
    EXPIRED = "expired"
    NEEDS_RECONNECTION = "needs_reconnection"
    DISCONNECTED = "disconnected"


class AccountRow(msgspec.Struct, frozen=True):
    """The columns are explained in the table definition."""

    owner_id: str
    id: str
    profile_id: str
    grant_id: str | None
    platform: Platform
    kind: Kind
    platform_account_id: str
    inbound_key: str
    name: str
    username: str | None
    avatar_url: str | None
    profile_url: str | None
    status: AccountStatus
    sealed: bytes | None
    details: Mapping[str, Any]
    health: Mapping[str, Any] | None
    checked_at: datetime | None
    check_at: datetime | None
    reported_issues: Sequence[Mapping[str, Any]] | None
    suspicion: str | None
    lost_at: datetime | None
    lost_reason: str | None
    connected_at: datetime | None
    created_at: datetime
    updated_at: datetime
    disconnected_at: datetime | None
    check_claim_id: str | None
    check_claim_until: datetime | None

    @property
    def require_grant_id(self) -> str:
        """The grant that it belongs to. Only a disconnected account has none, and nothing works on that."""
        assert self.grant_id is not None, "the account is disconnected"
        return self.grant_id

    @property
    def require_sealed_secret(self) -> bytes:
        """The secret of this account alone, encrypted."""
        assert self.sealed is not None, "the account is disconnected"
        return self.sealed


class AccountMoved(msgspec.Struct, FactAbout[AccountRow], frozen=True, kw_only=True):
    """An account now belongs to another profile of its owner."""

    profile_id: str


class AccountActivated(msgspec.Struct, FactAbout[AccountRow], frozen=True):
    """An account works from now on: it was connected or reconnected. Published with its row."""
