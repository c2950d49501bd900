"""Publishing to Threads: what its containers consist of, and what Threads reports about them.

The texts of `thread` and the first comment are replies that are published the same way after the post: `part` says
which is next. Once the post itself is public, nothing that follows can fail it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.errors import VendorError
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS
from socialgate.connectors.graph.publishing import (
    ContainerPublisher,
    GraphStageContext,
    MediaContainer,
    PublishingState,
    find_closest_post_id,
)
from socialgate.connectors.publishing_stages import continue_with
from socialgate.connectors.threads.api import fetch_publishing_limits, list_posts
from socialgate.connectors.threads.errors import ERROR_TABLE, UNUSABLE_MEDIA_CODE
from socialgate.connectors.threads.post_formats import validate_content
from socialgate.contracts import failures
from socialgate.contracts import publishing as contract
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    MediaFile,
    MediaReader,
    PostContent,
    PublishingProgress,
    SafeToRetry,
    StageResult,
)

_OK_STATUS = 200
_MAX_RECENT_POSTS = 25
_OUTCOME_UNKNOWN_DETAIL = "It is unknown whether {} was published. Check the profile."
_COVER_OMITTED_WARNING = "Threads chose the preview image itself: yours was left out."


def _list_reply_texts(job: GraphStageContext) -> Sequence[str]:
    comment = [job.content.first_comment] if job.content.first_comment else []
    return [*job.content.options.get("thread", ()), *comment]


def _get_current_text(job: GraphStageContext) -> str:
    return _list_reply_texts(job)[job.state.part - 1] if job.state.part else job.content.text


def _is_first_comment(job: GraphStageContext) -> bool:
    return job.state.part > len(job.content.options.get("thread", ()))


def _is_reply(job: GraphStageContext) -> bool:
    return bool(job.state.part) or "replyToId" in job.content.options


def _build_part_warning(job: GraphStageContext, sentence: str) -> str:
    label = "the first comment" if _is_first_comment(job) else f"part {job.state.part + 1} of the thread"
    text = sentence.format(label)
    return text[0].upper() + text[1:]


def build_child_params(content: PostContent, index: int) -> Mapping[str, Any]:
    return {**_build_media_params(content.media[index]), "is_carousel_item": "true"}


def build_reply_params(text: str, reply_to: str, picture: MediaFile | None = None) -> Mapping[str, Any]:
    body = {"media_type": "TEXT"} if picture is None else _build_media_params(picture)
    return {**body, "text": text or None, "reply_to_id": reply_to}


def build_container_params(content: PostContent, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    spoilers = [{"entity_type": "SPOILER", **place} for place in options.get("spoilers", ())]
    countries = options.get("countries")
    return {
        **_build_media_or_text_params(content, children),
        "text": content.text or None,
        "reply_control": options.get("replyControl"),
        "topic_tag": options.get("topicTag"),
        "location_id": options.get("locationId"),
        "reply_to_id": options.get("replyToId"),
        "quote_post_id": options.get("quotePostId"),
        "text_entities": _encode_json(spoilers),
        "allowlisted_country_codes": ",".join(countries) if countries else None,
        "is_spoiler_media": "true" if options.get("isSpoilerMedia") else None,
    }


def build_container_failure(container: MediaContainer) -> failures.PlatformFailure:
    """Translate why Threads could not fill a container."""
    reason = "UNKNOWN" if container.status == "EXPIRED" else container.error_message or "UNKNOWN"
    vendor_error = VendorError(status=_OK_STATUS, codes=(reason, UNUSABLE_MEDIA_CODE), code=container.error_message)
    return ERROR_TABLE.translate(vendor_error, repeatable=True).failure


def _build_media_or_text_params(content: PostContent, children: Sequence[str]) -> Mapping[str, Any]:
    if children:
        return {"media_type": "CAROUSEL", "children": ",".join(children)}
    if content.media:
        return _build_media_params(content.media[0])
    options = content.options
    poll = dict(zip(("option_a", "option_b", "option_c", "option_d"), options.get("poll", ()), strict=False))
    attachment, gif = options.get("textAttachment", {}), options.get("gif", {})
    return {
        "media_type": "TEXT",
        "link_attachment": options.get("linkAttachment"),
        "poll_attachment": _encode_json(poll),
        "text_attachment": _encode_json(_rename_keys(attachment, linkAttachmentUrl="link_attachment_url")),
        "gif_attachment": _encode_json(_rename_keys(gif, gifId="gif_id")),
        "is_ghost_post": "true" if options.get("isGhostPost") else None,
    }


def _build_media_params(file: MediaFile) -> Mapping[str, Any]:
    if file.type == "video":
        return {"media_type": "VIDEO", "video_url": file.url, "alt_text": file.alt}
    return {"media_type": "IMAGE", "image_url": file.url, "alt_text": file.alt}


def _rename_keys(params: Mapping[str, Any], **names: str) -> Mapping[str, Any]:
    return {names.get(name, name): value for name, value in params.items()}


def _encode_json(value: Any) -> str | None:
    return msgspec.json.encode(value).decode() if value else None


class ThreadsPublishing(ContainerPublisher):
    platform = Platform.THREADS
    vendor = "Threads"
    create_container_path = "me/threads"
    publish_path = "me/threads_publish"
    fields = "id,status,error_message"
    not_visible_errors = NO_ANSWER_ERRORS
    permalink_fields = "id,permalink,timestamp"

    validate_content = staticmethod(validate_content)
    read_limits = staticmethod(fetch_publishing_limits)
    build_child_params = staticmethod(build_child_params)
    explain_failed_container = staticmethod(build_container_failure)

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        return [_COVER_OMITTED_WARNING] if any(file.thumbnail for file in content.media) else []

    async def run_stage(
        self,
        credentials: AccountCredentials,
        content: PostContent,
        progress: PublishingProgress,
        media_reader: MediaReader,
    ) -> StageResult:
        try:
            return await super().run_stage(credentials, content, progress, media_reader)
        except failures.OutcomeUnknownError:
            raise
        except failures.PlatformFailure as failure:
            job = self._build_context(credentials, content, progress)
            if not job.state.id:
                raise
            text = (
                _OUTCOME_UNKNOWN_DETAIL if job.state.lost else "{} was not published, and neither was what follows it."
            )
            stage = "check" if progress.stage == "publish" else progress.stage
            return job.retry_or_finish(stage, failure, _build_part_warning(job, text))

    async def _look_up_post(self, job: GraphStageContext) -> contract.LookupResult:
        """Ask the container. A reply is retried only once: the post is live, and must not wait for it."""
        sight = await super()._look_up_post(job)
        unclear = isinstance(sight, Inconclusive) or (isinstance(sight, SafeToRetry) and job.state.lost)
        return job.finish_post(_build_part_warning(job, _OUTCOME_UNKNOWN_DETAIL)) if job.state.id and unclear else sight

    def get_quota_costs(self, job: GraphStageContext) -> Mapping[str, int]:
        answers = "replyToId" in job.content.options
        return {"posts": not answers, "replies": len(_list_reply_texts(job)) + answers}

    def get_publish_quota(self, job: GraphStageContext) -> str:
        return "replies" if _is_reply(job) else "posts"

    def build_current_container_params(self, job: GraphStageContext) -> Mapping[str, Any]:
        if job.state.part:
            return build_reply_params(
                _get_current_text(job), job.state.id if _is_first_comment(job) else job.state.last
            )
        return build_container_params(job.content, job.state.parts)

    async def find_published_post(self, job: GraphStageContext) -> str | None:
        path = "me/replies" if _is_reply(job) else "me/threads"
        return find_closest_post_id(
            (await list_posts(job.api, path, "id,text,permalink,timestamp", _MAX_RECENT_POSTS)).data,
            job,
            _get_current_text(job),
        )

    def continue_to_confirm(self, job: GraphStageContext, post: str) -> StageResult:
        return (
            self._after_confirm(job.with_state(last=post)) if job.state.part else super().continue_to_confirm(job, post)
        )

    def finish_without_id(self, job: GraphStageContext) -> StageResult:
        if job.state.id:
            return job.finish_post(
                _build_part_warning(job, "Threads published {}, but did not report its id: nothing follows it.")
            )
        return super().finish_without_id(job)

    def _after_confirm(self, job: GraphStageContext) -> StageResult:
        """Continue with the next reply; each starts with only the id of the previous one."""
        state = job.state
        if state.part >= len(_list_reply_texts(job)):
            return job.finish_post()
        kept = PublishingState(part=state.part + 1, id=state.id, last=state.last, url=state.url, at=state.at)
        return continue_with("container", kept, handed_over=True)
