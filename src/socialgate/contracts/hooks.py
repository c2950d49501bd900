"""What the areas need from the delivery engine's rules, and from the hooks, without knowing either."""

from collections.abc import Sequence
from typing import Protocol

from socialgate.core.db import Tx
from socialgate.core.field_error_codes import FieldErrorCode


class HookValidator(Protocol):
    """The rules for a hook's URL and secret. The delivery engine implements them."""

    async def validate_url(self, url: str) -> tuple[FieldErrorCode, str] | None:
        """Return why a URL cannot be a hook's: a stable code and a sentence that says how to fix it."""

    def validate_secret(self, secret: str) -> str | None:
        """Return what is wrong with a customer's secret. The sentence never quotes it."""

    def generate_secret(self) -> str:
        """Create a new secret."""


class KeyHookService(Protocol):
    """What happens to the hooks of an API key when the key changes."""

    async def restrict_to_profiles(self, tx: Tx, owner_id: str, key_id: str, profile_ids: Sequence[str]) -> None:
        """Remove from every hook that the key created the profiles that the key no longer covers."""

    async def list_created_by_key(self, tx: Tx, owner_id: str, key_id: str) -> list[str]:
        """List the hooks that the key created."""
