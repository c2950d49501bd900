"""The latest calls that the platforms received, with their secrets truncated."""

import re
from collections.abc import Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from socialgate_sandbox.kernel.call import Call, Unreadable
from socialgate_sandbox.kernel.store import Store, Thing

_KEPT = 2000
_LONGEST = 2000
_SHOWN = 6
_SECRET = re.compile(r"token|secret|password|proof|signature|authorization|^code|_code$|api_?key", re.IGNORECASE)


class ReceivedCall(Thing):
    """`parent` is the vendor. Status 0 means that the connection was closed without a response."""

    at: datetime
    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int
    fault: str = ""
    accounts: list[str] = []


class Received:
    def __init__(self, store: Store) -> None:
        self._store = store

    def record(self, call: Call, status: int, fault: str, accounts: Sequence[str]) -> None:
        with self._store.transaction():
            number = self._store.count_up("received")
            self._store.delete(ReceivedCall, str(number - _KEPT))
            self._store.put(
                ReceivedCall(
                    id=str(number),
                    parent=call.world.vendor,
                    at=call.world.clock.now(),
                    method=call.method,
                    path=_path_of(call),
                    query={name: _short(name, value) for name, value in call.query.items()},
                    body=_body_of(call),
                    status=status,
                    fault=fault,
                    accounts=list(accounts),
                )
            )

    def find(self, vendor: str | None, path: str | None, limit: int, account: str | None = None) -> list[ReceivedCall]:
        """List calls, newest first. `path` may contain `*`; `account` is one that the token of the call belongs to."""
        found = self._store.find(ReceivedCall, parent=vendor, newest_first=True)
        return [
            call
            for call in found
            if (path is None or fnmatchcase(call.path, path)) and (account is None or account in call.accounts)
        ][:limit]


def shorten(value: str) -> str:
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"


def _path_of(call: Call) -> str:
    path = call.path
    for name, value in call.args.items():
        if _SECRET.search(name):
            path = path.replace(value, shorten(value))
    return path


def _body_of(call: Call) -> Any:
    if call.files or call.form:
        files = {name: f"{file.name} ({file.size} bytes)" for name, file in call.files.items()}
        return _cut({name: _short(name, value) for name, value in call.form.items()} | files)
    if call.content_type != "application/json" or not call.size:
        return f"({call.size} bytes)" if call.size else None
    try:
        return _cut(_without_secrets(call.json))
    except Unreadable:
        return f"({call.size} bytes that are not JSON)"


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return value


def _short(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return shorten(value) if _SECRET.search(name) else value
    return _without_secrets(value)


def _cut(value: Any) -> Any:
    text = msgspec.json.encode(value)
    return value if len(text) <= _LONGEST else text[:_LONGEST].decode("utf-8", "ignore") + "…"
