"""The differences that have a reason, and the calls that no SDK has. A test fails when one of them becomes untrue."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

_FOLDER = Path(__file__).parent
Found = Sequence[tuple[str, str]]


class Difference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentences of the comparison, in which `*` stands for anything, and why they are as they should be.

    Without `operations` they may be said of any operation of the vendor.
    """

    subject: tuple[str, ...]
    reason: str
    operations: tuple[str, ...] = ()

    def covers(self, operation: str, text: str) -> bool:
        named = not self.operations or operation in self.operations
        return named and any(_matches(pattern, text) for pattern in self.subject)


class Missing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls that no SDK makes, and why."""

    calls: tuple[str, ...]
    reason: str


def differences_of(vendor: str) -> list[Difference]:
    return msgspec.convert(_read("differences.toml").get(vendor, []), list[Difference])


def missing_of(vendor: str) -> list[Missing]:
    return msgspec.convert(_read("no_sdk.toml").get(vendor, []), list[Missing])


def unlisted(table: Sequence[Difference], result: Found) -> list[str]:
    """List what differs without a reason."""
    return [f"{name}: {text}" for name, text in result if not any(entry.covers(name, text) for entry in table)]


def stale(table: Sequence[Difference], result: Found) -> list[str]:
    """List what the table says and nothing shows any more: whole sentences, and operations that do not need them."""
    lines: list[str] = []
    for entry in table:
        pairs = [(name, text) for name, text in result if entry.covers(name, text)]
        lines += [value for value in entry.subject if not any(_matches(value, text) for _, text in pairs)]
        lines += [
            f"{operation}: {entry.subject[0]}"
            for operation in entry.operations
            if operation not in {name for name, _ in pairs}
        ]
    return lines


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def _read(name: str) -> dict[str, object]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
