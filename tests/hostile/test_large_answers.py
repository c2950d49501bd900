"""Lists of the largest rows there can be: neither the answer nor the process grows with them."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from support.factories import get_or_create_id
from support.large import MIB, add_deliveries, add_events, add_posts
from support.memory import monitor_memory
from support.service import OwnerFixture

pytestmark = pytest.mark.both_engines

ROWS = 60
# Room for one page in each of its forms: rows, views, JSON, and what the client of this process makes of it.
MAX_GROWTH_MIB = 64


def drafts(owner: OwnerFixture) -> str:
    add_posts(owner, ROWS, metadata={"text": "x" * MIB})
    return "/posts"


def deliveries(owner: OwnerFixture) -> str:
    hook_id = get_or_create_id(owner, "hookId")
    add_deliveries(owner, hook_id, ROWS, MIB)
    return f"/hooks/{hook_id}/deliveries"


def growth(look: Callable[[], Any]) -> float:
    """Return by how many MiB this process grew at most meanwhile; the service runs in a thread of it."""
    with monitor_memory(os.getpid()) as [process]:
        before = process.peak
        look()
    return process.peak - before


@pytest.mark.parametrize("make", [drafts, deliveries])
def test_a_page_of_large_rows_takes_no_more_memory_than_a_page(
    owner: OwnerFixture, make: Callable[[OwnerFixture], str]
) -> None:
    path = make(owner)
    owner.session.get(path, params={"limit": 1})
    assert growth(lambda: owner.session.get(path, params={"limit": 200})) < MAX_GROWTH_MIB


def test_a_page_of_large_events_takes_no_more_memory_than_a_page(owner: OwnerFixture) -> None:
    add_events(owner, ROWS, MIB)
    owner.session.get("/events", params={"limit": 1})
    assert growth(lambda: owner.session.get("/events", params={"limit": 200})) < MAX_GROWTH_MIB
