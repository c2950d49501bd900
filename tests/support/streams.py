"""Streams of events as a customer reads them, line by line."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from support.service import RunningService

# A stream that has nothing to say still shows that it lives: a reader would wait for ever.
_PATIENCE_SECONDS = 60


@contextmanager
def lines_of(running: RunningService, token: str, **params: str) -> Iterator[Iterator[str]]:
    """Read a stream, but for its first block, which tells where it begins."""
    headers = {"Authorization": f"Bearer {token}"}
    with (
        httpx.Client(base_url=running.address, headers=headers, timeout=_PATIENCE_SECONDS) as client,
        client.stream("GET", "/events/stream", params=params) as answer,
    ):
        lines = _within(answer.iter_lines())
        assert next(lines).startswith("id: ")
        assert not next(lines)
        yield lines


@contextmanager
def frames_of_tasks(running: RunningService, token: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Read the frames that show how tasks stand. None of them has an id."""
    with lines_of(running, token) as lines:
        yield _frames(lines)


def _frames(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if fields.get("event") == "task.progress":
            assert "id" not in fields
            shown = json.loads(fields["data"])
            assert shown.keys() == {"id", "type", "status", "progress"}
            yield shown
        fields = {}


def _within(lines: Iterator[str]) -> Iterator[str]:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for line in lines:
        assert time.monotonic() < deadline, "what was waited for did not come"
        yield line
