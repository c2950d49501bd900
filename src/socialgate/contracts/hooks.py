"""What the areas ask of the delivery engine's rules, and of the hooks, without knowing either."""

from collections.abc import Sequence
from typing import Protocol

from socialgate.core.db import Tx
from socialgate.core.fault_codes import FaultCode


class HookRules(Protocol):
    """The rules for a hook's address and secret. The delivery engine has them."""

    async def url_fault(self, url: str) -> tuple[FaultCode, str] | None:
        """Say why a URL cannot be a hook's: a stable code and a sentence that says how to mend it."""

    def secret_fault(self, secret: str) -> str | None:
        """Say what is wrong with a secret that a customer brought. The sentence never quotes it."""

    def make_secret(self) -> str:
        """Make a new secret."""


class HookBook(Protocol):
    """What happens to the hooks of an API key when the key changes."""

    async def narrow(self, tx: Tx, owner_id: str, key_id: str, profile_ids: Sequence[str]) -> None:
        """Take from every hook that the key made the profiles that the key no longer covers."""

    async def made_by(self, tx: Tx, owner_id: str, key_id: str) -> list[str]:
        """Name the hooks that the key made."""
