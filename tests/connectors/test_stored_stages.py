"""What is stored of a post on its way: stages and states, by the names with which earlier versions wrote them.

A post can be on its way for days, and a process of any later version continues it. The names here are those in
databases: a field in the code may be called differently, if it is stored by its old name.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import msgspec
import pytest

from socialgate.connectors.google import local_post_publishing, youtube_publishing
from socialgate.connectors.graph import publishing as graph
from socialgate.connectors.publishing_stages import StageRunner, continue_with, decode_state
from socialgate.connectors.registry import MANIFESTS
from socialgate.connectors.telegram import publishing as telegram
from socialgate.connectors.tiktok import publishing as tiktok
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY, PublishingProgress
from support.connectors import connector_of
from support.service import RunningService, running_service

# The stages of each kind. Those that must not run twice are marked.
STAGES: Mapping[Kind, str] = {
    Kind.FACEBOOK_PAGE: "photo prepare start transfer upload publish* processing confirm comment*",
    Kind.INSTAGRAM: "prepare child children container check publish* find confirm comment*",
    Kind.THREADS: "prepare child children container check publish* find confirm",
    Kind.TIKTOK: "check open upload finish* pull* watch*",
    Kind.YOUTUBE: "start upload finish* thumbnail process comment*",
    Kind.GOOGLE_BUSINESS: "check create* confirm",
    Kind.TELEGRAM_BOT: "check send*",
}
AT = "2026-01-01T10:00:00Z"
GRAPH = {
    "parts": ["1", "2"],
    "container": "3",
    "video": "4",
    "session": "5",
    "upload_url": "https://example.com/6",
    "offset": 7,
    "end": 8,
    "began": AT,
    "known": ["9"],
    "polls": 10,
    "tries": 11,
    "restarts": 2,
    "lost": True,
    "part": 1,
    "id": "12",
    "last": "13",
    "url": "https://example.com/14",
    "at": AT,
    "warnings": ["It was left out."],
}
# A whole state of each connector, as it was stored by version 0032 of the schema.
STATES: Mapping[str, tuple[type[msgspec.Struct], Mapping[str, Any]]] = {
    "graph": (graph.PublishingState, GRAPH),
    "tiktok": (
        tiktok.PublishingState,
        {
            "began": 1767261600,
            "username": "bakery",
            "closed": ["comment", "duet"],
            "publish_id": "v_pub_1",
            "upload_url": "https://example.com/2",
            "offset": 3,
            "restarts": 1,
            "watched_since": 1767261601,
            "complete_since": 1767261602,
        },
    ),
    "youtube": (
        youtube_publishing.PublishingState,
        {
            "began": AT,
            "session": "https://example.com/1",
            "finishing": True,
            "restarts": 1,
            "tries": 2,
            "video": "video-1",
            "published_at": AT,
            "processing_since": AT,
            "warnings": ["It was left out."],
        },
    ),
    "google business": (
        local_post_publishing.PublishingState,
        {"began": AT, "known": ["posts/1"], "name": "posts/2", "confirmed_since": AT},
    ),
    "telegram": (telegram.PublishingState, {"chat": -1001, "username": "bakery"}),
}
# The least that each connector stored, at its first stage.
FIRST_STATES: Mapping[str, Mapping[str, Any]] = {
    "graph": {},
    "tiktok": {"began": 1767261600},
    "youtube": {"began": AT},
    "google business": {"began": AT},
    "telegram": {},
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), worker="separate") as service:
        yield service


def test_every_stage_is_known_by_the_name_with_which_it_was_stored(running: RunningService) -> None:
    result: dict[Kind, str] = {}
    with ExitStack() as stack:
        for platform in Platform:
            connector = stack.enter_context(connector_of(running, platform))
            for kind in MANIFESTS[platform].kinds:
                part = connector.find_adapter(kind.kind, PUBLISH_POST_CAPABILITY)
                if part is not None:
                    assert isinstance(part, StageRunner)
                    result[kind.kind] = " ".join(
                        f"{name}*" if name in part.non_repeatable_stages else name for name in part.stages
                    )
    assert result == STAGES


@pytest.mark.parametrize("name", STATES)
def test_a_state_of_an_earlier_version_is_read_whole_and_written_alike(name: str) -> None:
    state_type, whole = STATES[name]
    for stored in (whole, FIRST_STATES[name]):
        state = decode_state(PublishingProgress(stage="any", data=stored), state_type)
        assert msgspec.json.decode(msgspec.json.encode(continue_with("any", state).progress.data)) == stored
    assert len(whole) == len(state_type.__struct_fields__), "a field is missing here, or was never stored before"
