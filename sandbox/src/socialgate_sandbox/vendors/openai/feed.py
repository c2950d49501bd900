"""What was generated, for people to see: prompt, model, texts and files."""

from collections.abc import Iterator

from socialgate_sandbox.kit import ShownPost, World
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.vendors.openai.state import Generation, Video
from socialgate_sandbox.vendors.openai.videos import status_of


def generations(world: World, organization: str) -> Iterator[ShownPost]:
    for one in world.store.find(Generation, parent=organization, newest_first=True):
        yield ShownPost(
            id=one.id,
            kind=one.kind,
            at=one.at,
            state=_state(world, one),
            title=one.prompt,
            text=one.text,
            media=[shown(file, alt=one.prompt if one.kind == "picture" else "") for file in one.media],
            facts={"model": one.model, **one.facts},
        )


def _state(world: World, one: Generation) -> str:
    if one.kind != "video":
        return "published"
    video = world.store.get(Video, one.id)
    status = "deleted" if video is None else status_of(world, video)[0]
    return "published" if status == "completed" else status
