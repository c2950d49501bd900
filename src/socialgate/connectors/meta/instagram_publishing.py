"""Publishing to Instagram: what its containers consist of, and what Instagram reports about them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.errors import VendorError
from socialgate.connectors.graph.dialect import GraphPage
from socialgate.connectors.graph.posts import NOT_VISIBLE_ERRORS, GraphPost
from socialgate.connectors.graph.publishing import (
    ContainerPublisher,
    GraphStageContext,
    MediaContainer,
    find_closest_post_id,
)
from socialgate.connectors.meta.api import fetch_publishing_limits
from socialgate.connectors.meta.errors import ERROR_TABLE
from socialgate.connectors.meta.post_formats import (
    PostFormat,
    get_instagram_post_format,
    list_omission_warnings,
    validate_instagram_post,
)
from socialgate.connectors.publishing_stages import Stage
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import MediaFile, PostContent

_OK_STATUS = 200
_MAX_RECENT_POSTS = 25
_REASON_CODE_PATTERN = re.compile(r"\b2207\d{3}\b")
_COVER_OMITTED_WARNING = "Instagram only supports a preview image for a reel: it was left out."


def build_container_failure(container: MediaContainer) -> PlatformFailure:
    """Translate Instagram's report about a container, a text that contains the number of the reason."""
    number = _REASON_CODE_PATTERN.search(container.status)
    vendor_error = VendorError(status=_OK_STATUS, codes=(number.group() if number else "-1",), message=container.status)
    return ERROR_TABLE.translate(vendor_error, repeatable=True).failure


def match_published_post(posts: Sequence[GraphPost], job: GraphStageContext) -> str | None:
    """Stories have no caption."""
    return find_closest_post_id(posts, job, None if job.form.is_story else job.content.text)


def build_child_params(content: PostContent, index: int) -> Mapping[str, Any]:
    file = content.media[index]
    video = {"media_type": "VIDEO"} if file.type == "video" else {}
    return {
        "is_carousel_item": "true",
        **video,
        **_build_media_params(file),
        "user_tags": _build_user_tags(content, index),
    }


def build_container_params(content: PostContent, form: PostFormat, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    if form.is_story:
        return {
            "media_type": "STORIES",
            **_build_media_params(content.media[0]),
            "alt_text": None,
            "user_tags": _build_user_tags(content, 0),
        }
    fields = {
        "caption": content.text or None,
        "location_id": options.get("locationId"),
        "collaborators": options.get("collaborators") or None,
        "is_ai_generated": _encode_flag(options.get("isAiGenerated")),
    }
    if form is PostFormat.CAROUSEL:
        return {**fields, "media_type": "CAROUSEL", "children": ",".join(children)}
    fields |= {**_build_media_params(content.media[0]), "user_tags": _build_user_tags(content, 0)}
    return {**fields, **_build_reel_params(content)} if form is PostFormat.REEL else fields


def _build_reel_params(content: PostContent) -> Mapping[str, Any]:
    options, cover = content.options, content.media[0].thumbnail
    trial = options.get("trialReel")
    return {
        "media_type": "REELS",
        "share_to_feed": _encode_flag(options.get("shareToFeed")),
        "cover_url": cover.url if cover is not None else None,
        "thumb_offset": options.get("thumbOffset") if cover is None else None,
        "audio_name": options.get("audioName"),
        "trial_params": {"graduation_strategy": trial} if trial else None,
    }


def _build_media_params(file: MediaFile) -> dict[str, Any]:
    return {"video_url": file.url} if file.type == "video" else {"image_url": file.url, "alt_text": file.alt}


def _build_user_tags(content: PostContent, index: int) -> list[Any] | None:
    tags = [
        {name: value for name, value in tag.items() if name != "mediaIndex"}
        for tag in content.options.get("userTags", ())
        if tag.get("mediaIndex", 0) == index
    ]
    return tags or None


def _encode_flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


class InstagramPublishing(ContainerPublisher):
    platform = Platform.META
    vendor = "Instagram"
    create_container_path = "{}/media"
    container_quota = "containers"
    publish_path = "{}/media_publish"
    fields = "status_code,status"
    not_visible_errors = NOT_VISIBLE_ERRORS
    permalink_fields = "permalink,timestamp"

    validate_content = staticmethod(validate_instagram_post)
    build_form = staticmethod(get_instagram_post_format)
    read_limits = staticmethod(fetch_publishing_limits)
    build_child_params = staticmethod(build_child_params)
    explain_failed_container = staticmethod(build_container_failure)

    def _build_stages(self) -> Mapping[str, Stage[GraphStageContext]]:
        return {**super()._build_stages(), "comment": Stage(self.on_comment, self._look_up_comment)}

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        form = get_instagram_post_format(content)
        return list_omission_warnings(
            self.vendor, form, content, None if form is PostFormat.REEL else _COVER_OMITTED_WARNING
        )

    def get_quota_costs(self, job: GraphStageContext) -> Mapping[str, int]:
        del job
        return {"posts": 1}

    def build_current_container_params(self, job: GraphStageContext) -> Mapping[str, Any]:
        return build_container_params(job.content, job.form, job.state.parts)

    async def find_published_post(self, job: GraphStageContext) -> str | None:
        path = f"{job.account_id}/{'stories' if job.form.is_story else 'media'}"
        rows = await job.api.get(
            path, GraphPage[GraphPost], fields="id,caption,permalink,timestamp", limit=_MAX_RECENT_POSTS
        )
        return match_published_post(rows.data, job)
