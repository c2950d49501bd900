"""Publishing to a Facebook Page.

A text is one call. Photos are uploaded unpublished, then attached to the post. A video is uploaded with its own id,
then finished. If a response is lost, objects with such an id are looked up by it; a text only by its words and time.
What is not found stays open: Facebook never says that a call will not be executed, and nowhere promises that a video or
photo that is finished twice creates one post.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.errors import VendorError
from socialgate.connectors.graph.dialect import GraphPage, parse_time
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS, NOT_VISIBLE_ERRORS
from socialgate.connectors.graph.publishing import (
    PUBLISH_TIMEOUT_SECONDS,
    GraphPublisher,
    GraphStageContext,
    PostPermalink,
    compute_poll_delay_seconds,
)
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.message_validation import is_same_text
from socialgate.connectors.meta.api import VIDEO_API_URL, MetaApi, list_stories
from socialgate.connectors.meta.comments import PageComments
from socialgate.connectors.meta.errors import ERROR_TABLE, UNUSABLE_VIDEO_CODE
from socialgate.connectors.meta.post_formats import (
    PostFormat,
    get_page_post_format,
    list_omission_warnings,
    validate_page_post,
)
from socialgate.connectors.meta.posts import PagePost
from socialgate.connectors.meta.uploads import (
    UploadedVideo,
    UploadFinishResponse,
    UploadSession,
    UploadStartResponse,
    VideoStatus,
    VideoUploader,
)
from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES, Stage
from socialgate.contracts import failures
from socialgate.contracts.failures import (
    PlatformDuplicateError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Inconclusive, LookupResult, PostContent, PublishingProgress, StageResult

# Where the videos of each form are uploaded. Anything else starts with its photos, or has none.
_VIDEO_EDGES = {PostFormat.VIDEO: "videos", PostFormat.REEL: "video_reels", PostFormat.VIDEO_STORY: "video_stories"}
_MAX_POLLS = 30
_OK_STATUS = 200
_FACEBOOK_URL = "https://www.facebook.com"
# Meta's clock and ours may differ.
_MAX_CLOCK_SKEW = timedelta(minutes=5)
_MAX_RECENT_POSTS = 25
_RECENT_POST_FIELDS = "id,message,created_time,attachments{target,subattachments}"
_COVER_OMITTED_WARNING = "Facebook chose the preview image itself: yours was left out."


class PagePublishing(GraphPublisher):
    vendor = "Facebook"
    permalink_fields = "permalink_url,created_time"
    validate_content = staticmethod(validate_page_post)
    build_form = staticmethod(get_page_post_format)

    def __init__(self, graph: MetaApi) -> None:
        super().__init__(graph.for_account, graph.wire.clock, PageComments(graph))
        self._uploads = VideoUploader(graph)

    def _build_stages(self) -> Mapping[str, Stage[GraphStageContext]]:
        return {
            "photo": Stage(self.on_photo),
            "prepare": Stage(self.on_prepare),
            "start": Stage(self.on_start),
            "transfer": Stage(self.on_transfer),
            "upload": Stage(self.on_upload),
            "publish": Stage(self.on_publish, self._look_up),
            "processing": Stage(self.on_processing),
            "confirm": Stage(self.on_confirm),
            "comment": Stage(self.on_comment, self._look_up_comment),
        }

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        return list_omission_warnings(self.vendor, get_page_post_format(content), content, _COVER_OMITTED_WARNING)

    def create_progress(self, content: PostContent) -> PublishingProgress:
        if get_page_post_format(content) in _VIDEO_EDGES:
            return PublishingProgress(stage="start")
        return PublishingProgress(stage="photo" if content.media else "prepare")

    async def _look_up(self, job: GraphStageContext) -> LookupResult:
        if job.form.is_story:
            return await self._look_up_story(job)
        return await (self._look_up_video(job) if job.form in _VIDEO_EDGES else self._look_up_post(job))

    async def _read_permalink(self, job: GraphStageContext) -> PostPermalink:
        if not job.form.is_story:
            return await super()._read_permalink(job)
        shown = await list_stories(job.api)
        return PostPermalink(permalink=next((story.url for story in shown if str(story.post_id) == job.state.id), None))

    async def on_photo(self, job: GraphStageContext) -> StageResult:
        """Upload the next photo, which nobody sees before a post uses it."""
        file = job.content.media[len(job.state.parts)]
        alt = None if job.form.is_story else file.alt
        params = {"url": file.url, "published": "false", "alt_text_custom": alt}
        parts = (*job.state.parts, await job.create_object("{}/photos", params, repeatable=True))
        if len(parts) < len(job.content.media):
            return job.continue_with("photo", parts=parts)
        return job.continue_with("publish" if job.form.is_story else "prepare", parts=parts)

    async def on_prepare(self, job: GraphStageContext) -> StageResult:
        """Record which posts with this text already exist: what is found later must be a different one."""
        posts = await _list_recent_posts(job)
        known = tuple(str(post.id) for post in posts if is_same_text(post.message, job.content.text))
        return job.continue_with("publish", known=known, began=self._clock.now())

    async def on_start(self, job: GraphStageContext) -> StageResult:
        path = _build_edge_path(job, _VIDEO_EDGES[job.form])
        if job.form is not PostFormat.VIDEO:
            started = await job.api.post(path, UploadStartResponse, {"upload_phase": "start"}, repeatable=True)
            return job.continue_with("upload", video=str(started.video_id), upload_url=started.upload_url)
        params = {"upload_phase": "start", "file_size": job.content.media[0].size}
        begun = await job.api.post(path, UploadSession, params, repeatable=True)
        video, session = str(begun.video_id), str(begun.upload_session_id)
        return job.continue_with(
            "transfer", video=video, session=session, offset=begun.start_offset, end=begun.end_offset
        )

    async def on_transfer(self, job: GraphStageContext) -> StageResult:
        """Upload the next part. Facebook says which it wants, even after a lost response."""
        start, end = job.state.offset, min(job.state.end, job.state.offset + UPLOAD_PART_BYTES)
        if start >= end:
            return job.continue_with("publish", began=self._clock.now())
        chunk = await job.read(job.content.media[0], start, end - start)
        upload_range = await self._uploads.send_chunk(job.api, job.state.session, start, chunk)
        return job.continue_with("transfer", offset=upload_range.start_offset, end=upload_range.end_offset)

    async def on_upload(self, job: GraphStageContext) -> StageResult:
        """Have Facebook fetch the video. An error is only trusted if it does not have the video already."""
        try:
            await self._uploads.request_fetch(job.api, job.state.upload_url, job.content.media[0].url)
        except (*NO_ANSWER_ERRORS, PlatformDuplicateError):
            if not (await _fetch_video_status(job)).is_uploaded:
                raise
        return job.continue_with("publish", began=self._clock.now())

    async def on_publish(self, job: GraphStageContext) -> StageResult:
        """Publish. An error is only trusted if Facebook is not already processing the video."""
        if job.form in {PostFormat.TEXT, PostFormat.PHOTOS}:
            photos = [{"media_fbid": photo} for photo in job.state.parts]
            params = {"message": job.content.text or None, "attached_media": photos or None}
            params["link"] = job.content.options.get("link")
            post = await job.create_object("{}/feed", params, repeatable=False)
            return job.continue_with("confirm", id=post, url=f"{_FACEBOOK_URL}/{post}")
        if job.form is PostFormat.PHOTO_STORY:
            (photo,) = job.state.parts
            return job.continue_with(
                "confirm", id=await _finish_upload(job, "photo_stories", {"photo_id": photo}) or photo
            )
        if job.form is PostFormat.VIDEO_STORY:
            story = await _finish_upload(job, _VIDEO_EDGES[job.form], build_finish_params(job))
            return job.continue_with("confirm", id=story or job.state.video)
        try:
            await _finish_upload(job, _VIDEO_EDGES[job.form], build_finish_params(job))
        except (PlatformNotFoundError, PlatformRejectedError, PlatformDuplicateError):
            if not is_being_published(job, await _fetch_video_status(job)):
                raise
        return _continue_processing(job)

    async def on_processing(self, job: GraphStageContext) -> StageResult:
        """Wait until Facebook shows the video. Only an error of its own means that it will not appear."""
        try:
            status = await _fetch_video_status(job)
        except PlatformFailure:
            status = VideoStatus()
        if status.has_failed:
            vendor_error = VendorError(
                status=_OK_STATUS, codes=(UNUSABLE_VIDEO_CODE,), code=None, message=status.error_message
            )
            raise ERROR_TABLE.translate(vendor_error, repeatable=True).failure
        if status.is_ready:
            return job.continue_with("confirm")
        if job.state.polls < _MAX_POLLS:
            return job.continue_with(
                "processing", wait=compute_poll_delay_seconds(job.state.polls), polls=job.state.polls + 1
            )
        late = "Facebook accepted the video and is still processing it: it appears when it is ready."
        return job.continue_with("confirm", warnings=(late,))

    async def _look_up_post(self, job: GraphStageContext) -> LookupResult:
        result = match_published_posts(await _list_recent_posts(job), job)
        if len(result) == 1:
            return job.continue_with("confirm", id=result[0], url=f"{_FACEBOOK_URL}/{result[0]}")
        if result:
            return Inconclusive("Facebook shows several posts with this text since then. Check the Page.")
        return Inconclusive("Facebook does not show the post, which may take a while. Check the Page.")

    async def _look_up_video(self, job: GraphStageContext) -> LookupResult:
        """Ask about the video itself."""
        if is_being_published(job, await _fetch_video_status(job)):
            return _continue_processing(job)
        return Inconclusive("Facebook does not show that it is publishing the video, which may take a while.")

    async def _look_up_story(self, job: GraphStageContext) -> LookupResult:
        media = {job.state.video, *job.state.parts}
        for story in await list_stories(job.api):
            if str(story.media_id) in media and story.post_id is not None:
                return job.continue_with("confirm", id=str(story.post_id))
        return Inconclusive("Facebook does not show the story, which may take a while. Check the Page.")


def _build_edge_path(job: GraphStageContext, edge: str) -> str:
    return (
        f"{VIDEO_API_URL}/{job.account_id}/{edge}"
        if edge == _VIDEO_EDGES[PostFormat.VIDEO]
        else f"{job.account_id}/{edge}"
    )


async def _finish_upload(job: GraphStageContext, edge: str, params: Mapping[str, Any]) -> str | None:
    """Publish what was uploaded, and return the post's id if Facebook reports it."""
    path, spends = _build_edge_path(job, edge), "reels" if edge == _VIDEO_EDGES[PostFormat.REEL] else None
    done = await job.api.post(
        path, UploadFinishResponse, params, repeatable=False, deadline=PUBLISH_TIMEOUT_SECONDS, spends=spends
    )
    if not done.success and done.post_id is None:
        detail = "Facebook does not say whether it published this. Check there."
        raise failures.OutcomeUnknownError(detail, platform=Platform.META)
    return None if done.post_id is None else str(done.post_id)


async def _fetch_video_status(job: GraphStageContext) -> VideoStatus:
    """Read the status of a video. Facebook does not always show immediately what it has just created."""
    try:
        return (await job.api.get(job.state.video, UploadedVideo, fields="status")).status
    except NOT_VISIBLE_ERRORS:
        return VideoStatus()


async def _list_recent_posts(job: GraphStageContext) -> Sequence[PagePost]:
    path = f"{job.account_id}/published_posts"
    return (await job.api.get(path, GraphPage[PagePost], fields=_RECENT_POST_FIELDS, limit=_MAX_RECENT_POSTS)).data


def build_finish_params(job: GraphStageContext) -> Mapping[str, Any]:
    if job.form is PostFormat.VIDEO_STORY:
        return {"upload_phase": "finish", "video_id": job.state.video}
    options, text = job.content.options, job.content.text or None
    fields = {"upload_phase": "finish", "description": text, "title": options.get("title")}
    if job.form is PostFormat.VIDEO:
        return {**fields, "upload_session_id": job.state.session}
    return {**fields, "video_id": job.state.video, "video_state": "PUBLISHED", "place": options.get("placeId")}


def is_being_published(job: GraphStageContext, status: VideoStatus) -> bool:
    """Return whether Facebook is publishing a video. It reports older ones only as ready, but a reel is ready as soon
    as it is uploaded.
    """
    silent = not status.publishing_phase.status and job.form is PostFormat.VIDEO
    return status.is_publish_decided or (silent and status.video_status == "ready")


def match_published_posts(posts: Sequence[PagePost], job: GraphStageContext) -> list[str]:
    """Find the post by its photos, which no other can have; otherwise by its text, after the attempt started."""
    photos = frozenset(job.state.parts)
    marked = [
        str(post.id)
        for post in posts
        if any(get_text_or_number(part, "target", "id") in photos for part in post.attachment_parts)
    ]
    if marked or not job.content.text.strip():
        return marked
    earliest = job.state.began - _MAX_CLOCK_SKEW if job.state.began is not None else None
    return [
        str(post.id)
        for post in posts
        if is_same_text(post.message, job.content.text)
        and str(post.id) not in job.state.known
        and (earliest is None or (parse_time(post.created_time) or earliest) >= earliest)
    ]


def _continue_processing(job: GraphStageContext) -> StageResult:
    video = job.state.video
    url = f"{_FACEBOOK_URL}/reel/{video}" if job.form is PostFormat.REEL else f"{_FACEBOOK_URL}/{video}"
    return job.continue_with("processing", id=video, url=url, wait=compute_poll_delay_seconds(0))
