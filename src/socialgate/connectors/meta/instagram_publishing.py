"""Publishing to Instagram: what its containers consist of, and what Instagram reports about them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.errors import Said
from socialgate.connectors.graph.dialect import Rows
from socialgate.connectors.graph.posts import HIDDEN, Post
from socialgate.connectors.graph.publishing import Container, Containers, Job, nearest
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.meta.forms import Form, instagram_faults, instagram_form, left_out
from socialgate.connectors.meta.wire import publishing_limit
from socialgate.connectors.stages import Stage
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Content, MediaFile

_OK = 200
_RECENT = 25
_REASON = re.compile(r"\b2207\d{3}\b")
_COVER = "Instagram only supports a preview image for a reel: it was left out."


def why_spoiled(seen: Container) -> PlatformFailure:
    """Translate Instagram's report about a container, a text that contains the number of the reason."""
    number = _REASON.search(seen.status)
    said = Said(status=_OK, codes=(number.group() if number else "-1",), message=seen.status)
    return TABLE.verdict(said, repeatable=True).failure


def ours(posts: Sequence[Post], job: Job) -> str | None:
    """Stories have no caption."""
    return nearest(posts, job, None if job.form.is_story else job.content.text)


def child_params(content: Content, index: int) -> Mapping[str, Any]:
    file = content.media[index]
    video = {"media_type": "VIDEO"} if file.type == "video" else {}
    return {"is_carousel_item": "true", **video, **_source(file), "user_tags": _tags(content, index)}


def container_params(content: Content, form: Form, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    if form.is_story:
        return {"media_type": "STORIES", **_source(content.media[0]), "alt_text": None, "user_tags": _tags(content, 0)}
    fields = {
        "caption": content.text or None,
        "location_id": options.get("locationId"),
        "collaborators": options.get("collaborators") or None,
        "is_ai_generated": _flag(options.get("isAiGenerated")),
    }
    if form is Form.CAROUSEL:
        return {**fields, "media_type": "CAROUSEL", "children": ",".join(children)}
    fields |= {**_source(content.media[0]), "user_tags": _tags(content, 0)}
    return {**fields, **_reel(content)} if form is Form.REEL else fields


def _reel(content: Content) -> Mapping[str, Any]:
    options, cover = content.options, content.media[0].thumbnail
    trial = options.get("trialReel")
    return {
        "media_type": "REELS",
        "share_to_feed": _flag(options.get("shareToFeed")),
        "cover_url": cover.url if cover is not None else None,
        "thumb_offset": options.get("thumbOffset") if cover is None else None,
        "audio_name": options.get("audioName"),
        "trial_params": {"graduation_strategy": trial} if trial else None,
    }


def _source(file: MediaFile) -> dict[str, Any]:
    return {"video_url": file.url} if file.type == "video" else {"image_url": file.url, "alt_text": file.alt}


def _tags(content: Content, index: int) -> list[Any] | None:
    tags = [
        {name: value for name, value in tag.items() if name != "mediaIndex"}
        for tag in content.options.get("userTags", ())
        if tag.get("mediaIndex", 0) == index
    ]
    return tags or None


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


class InstagramPublishing(Containers):
    platform = Platform.META
    vendor = "Instagram"
    adding = "{}/media"
    filling = "containers"
    publishing = "{}/media_publish"
    fields = "status_code,status"
    hidden = HIDDEN
    seen_fields = "permalink,timestamp"

    faults = staticmethod(instagram_faults)
    form_of = staticmethod(instagram_form)
    limits = staticmethod(publishing_limit)
    child = staticmethod(child_params)
    why_spoiled = staticmethod(why_spoiled)

    def _build_stages(self) -> Mapping[str, Stage[Job]]:
        return {**super()._build_stages(), "comment": Stage(self.on_comment, self._look_for_comment)}

    def left_out(self, content: Content) -> Sequence[str]:
        form = instagram_form(content)
        return left_out(self.vendor, form, content, None if form is Form.REEL else _COVER)

    def uses(self, job: Job) -> Mapping[str, int]:
        del job
        return {"posts": 1}

    def params(self, job: Job) -> Mapping[str, Any]:
        return container_params(job.content, job.form, job.state.parts)

    async def find(self, job: Job) -> str | None:
        path = f"{job.account}/{'stories' if job.form.is_story else 'media'}"
        rows = await job.api.get(path, Rows[Post], fields="id,caption,permalink,timestamp", limit=_RECENT)
        return ours(rows.data, job)
