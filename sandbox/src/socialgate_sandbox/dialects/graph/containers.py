"""Containers, with which Instagram and Threads publish: a container, some processing time, and the publish call."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from socialgate_sandbox.dialects.graph.given import words
from socialgate_sandbox.dialects.graph.media import LARGEST_VIDEO
from socialgate_sandbox.kit import Call, Refused, Thing, World, digits
from socialgate_sandbox.kit.lifecycle import processing, stage
from socialgate_sandbox.kit.media import Media, download

_DAY = 86400
_FEWEST_SLIDES = 2
_STATUSES = {"waiting": "IN_PROGRESS", "processing": "IN_PROGRESS", "failed": "ERROR", "ready": "FINISHED"}


class Container(Thing, kw_only=True):
    """A post of an account (the parent) before it is published. `failure` is the code that processing ends with.

    It has no time at which it is `ready` as long as its bytes are missing.
    """

    media_type: str
    made: datetime
    ready: datetime | None
    text: str = ""
    media: Media | None = None
    children: list[str] = []
    is_item: bool = False
    failure: str = ""
    published: str = ""


C = TypeVar("C", bound=Container)


def status(world: World, container: Container) -> str:
    if container.published:
        return "PUBLISHED"
    if world.clock.since(container.made) >= _DAY:
        return "EXPIRED"
    return _STATUSES[stage(world, container.ready, container.failure)]


def add_container(
    world: World, kind: type[C], account: str, seconds: float, *, slides: Sequence[C] = (), **content: Any
) -> C:
    """Create a container. A carousel is ready when all of its slides are, and fails with the first that fails."""
    ready, fated = processing(world, account, seconds)
    times = [slide.ready for slide in slides]
    failures = (fated, content.pop("failure", ""), *(slide.failure for slide in slides))
    container = kind(
        id=digits(17),
        parent=account,
        made=world.clock.now(),
        ready=None if None in times else max([ready, *filter(None, times)]),
        failure=next(filter(None, failures), ""),
        children=[slide.id for slide in slides],
        **content,
    )
    return world.store.put(container)


def slides_given(
    call: Call, kind: type[C], account: str, most: int, wrong_number: Refused, unknown: Refused
) -> list[C]:
    """Find the items that a carousel is made of."""
    keys = words(call.params.get("children"))
    if not _FEWEST_SLIDES <= len(keys) <= most:
        raise wrong_number
    found = call.world.store.get_all(kind, keys)
    slides = [slide for slide in found if slide.parent == account and slide.is_item]
    if len(slides) < len(keys):
        raise unknown
    return slides


async def fetch_video(world: World, url: str, missing: str, unreadable: str) -> tuple[Media, str]:
    """Fetch a video, and return the code with which its processing will fail."""
    media = await download(world, url, "video/mp4", LARGEST_VIDEO)
    if media is None:
        return Media(content_type="", source=url), missing
    return media, "" if media.is_video and media.size <= LARGEST_VIDEO else unreadable


def waiting(world: World, kind: type[C], account: str) -> list[C]:
    """List what is being published, newest first."""
    return [one for one in world.store.find(kind, parent=account, newest_first=True) if not one.published]
