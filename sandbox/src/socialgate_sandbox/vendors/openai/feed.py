"""What was generated, for people to see: prompt, model, texts and files."""

from collections.abc import Iterator

from socialgate_sandbox.kit import PostView, VendorContext
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.vendors.openai.state import Generation, Video
from socialgate_sandbox.vendors.openai.videos import get_status


def read_feed(context: VendorContext, organization: str) -> Iterator[PostView]:
    for generation in context.store.find(Generation, parent=organization, newest_first=True):
        yield PostView(
            id=generation.id,
            kind=generation.kind,
            at=generation.at,
            state=_get_state(context, generation),
            title=generation.prompt,
            text=generation.text,
            media=[
                build_media_view(file, alt=generation.prompt if generation.kind == "picture" else "")
                for file in generation.media
            ],
            facts={"model": generation.model, **generation.facts},
        )


def _get_state(context: VendorContext, generation: Generation) -> str:
    if generation.kind != "video":
        return "published"
    video = context.store.get(Video, generation.id)
    status = "deleted" if video is None else get_status(context, video)[0]
    return "published" if status == "completed" else status
