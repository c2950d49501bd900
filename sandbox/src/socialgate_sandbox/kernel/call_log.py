"""The latest calls that the platforms received, with their secrets truncated."""

import re
from collections.abc import Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from socialgate_sandbox.kernel.call import Call, UnreadableInputError
from socialgate_sandbox.kernel.store import Store, StoredObject

_MAX_STORED_CALLS = 2000
_MAX_BODY_LENGTH = 2000
_VISIBLE_SECRET_LENGTH = 6
_SECRET_NAME_PATTERN = re.compile(
    r"token|secret|password|proof|signature|authorization|^code|_code$|api_?key", re.IGNORECASE
)


class ReceivedCall(StoredObject):
    """`parent` is the vendor. Status 0 means that the connection was closed without a response."""

    at: datetime
    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int
    fault: str = ""
    accounts: list[str] = []


class CallLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def record(self, call: Call, status: int, fault_description: str, account_ids: Sequence[str]) -> None:
        with self._store.transaction():
            number = self._store.get_next_number("received")
            self._store.delete(ReceivedCall, str(number - _MAX_STORED_CALLS))
            self._store.put(
                ReceivedCall(
                    id=str(number),
                    parent=call.context.vendor,
                    at=call.context.clock.now(),
                    method=call.method,
                    path=_build_logged_path(call),
                    query={name: _truncate_if_secret(name, value) for name, value in call.query.items()},
                    body=_build_logged_body(call),
                    status=status,
                    fault=fault_description,
                    accounts=list(account_ids),
                )
            )

    def list_calls(
        self, vendor: str | None, path: str | None, limit: int, account: str | None = None
    ) -> list[ReceivedCall]:
        """List calls, newest first. `path` may contain `*`; `account` is one that the token of the call belongs to."""
        received_calls = self._store.find(ReceivedCall, parent=vendor, newest_first=True)
        return [
            call
            for call in received_calls
            if (path is None or fnmatchcase(call.path, path)) and (account is None or account in call.accounts)
        ][:limit]


def truncate_secret(value: str) -> str:
    return value if len(value) <= _VISIBLE_SECRET_LENGTH else f"{value[:_VISIBLE_SECRET_LENGTH]}…"


def _build_logged_path(call: Call) -> str:
    path = call.path
    for name, value in call.path_params.items():
        if _SECRET_NAME_PATTERN.search(name):
            path = path.replace(value, truncate_secret(value))
    return path


def _build_logged_body(call: Call) -> Any:
    if call.files or call.form:
        files = {name: f"{file.name} ({file.size} bytes)" for name, file in call.files.items()}
        return _limit_length({name: _truncate_if_secret(name, value) for name, value in call.form.items()} | files)
    if call.content_type != "application/json" or not call.size:
        return f"({call.size} bytes)" if call.size else None
    try:
        return _limit_length(_truncate_secrets(call.json))
    except UnreadableInputError:
        return f"({call.size} bytes that are not JSON)"


def _truncate_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _truncate_if_secret(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_truncate_secrets(inner) for inner in value]
    return value


def _truncate_if_secret(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return truncate_secret(value) if _SECRET_NAME_PATTERN.search(name) else value
    return _truncate_secrets(value)


def _limit_length(value: Any) -> Any:
    text = msgspec.json.encode(value)
    return value if len(text) <= _MAX_BODY_LENGTH else text[:_MAX_BODY_LENGTH].decode("utf-8", "ignore") + "…"
