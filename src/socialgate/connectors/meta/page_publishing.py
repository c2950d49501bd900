"""Publishing to a Facebook Page.

A text is one call. Photos are uploaded unpublished, then attached to the post. A video is uploaded with its own id,
then finished. If a response is lost, objects with such an id are looked up by it; a text only by its words and time.
What is not found stays open: Facebook never says that a call will not be executed, and nowhere promises that a video or
photo that is finished twice creates one post.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.errors import Said
from socialgate.connectors.graph.dialect import Rows, when
from socialgate.connectors.graph.posts import HIDDEN, SILENT
from socialgate.connectors.graph.publishing import SLOW_SECONDS, Job, Machine, Seen, pace
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.message_checks import same_text
from socialgate.connectors.meta.comments import PageComments
from socialgate.connectors.meta.errors import TABLE, UNUSABLE_VIDEO
from socialgate.connectors.meta.forms import Form, left_out, page_faults, page_form
from socialgate.connectors.meta.posts import PagePost
from socialgate.connectors.meta.uploads import Finished, Session, Started, Uploads, Video, VideoStatus
from socialgate.connectors.meta.wire import VIDEOS, Graph, stories
from socialgate.connectors.stages import PART, Stage
from socialgate.contracts import failures
from socialgate.contracts.failures import Duplicate, PlatformFailure, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, LookupResult, Progress, Step

# Where the videos of each form are uploaded. Anything else starts with its photos, or has none.
_EDGES = {Form.VIDEO: "videos", Form.REEL: "video_reels", Form.VIDEO_STORY: "video_stories"}
_MOST_POLLS = 30
_OK = 200
_SITE = "https://www.facebook.com"
# Meta's clock and ours may differ.
_SKEW = timedelta(minutes=5)
_RECENT = 25
_RECENT_FIELDS = "id,message,created_time,attachments{target,subattachments}"
_COVER = "Facebook chose the preview image itself: yours was left out."


class PagePublishing(Machine):
    vendor = "Facebook"
    seen_fields = "permalink_url,created_time"
    faults = staticmethod(page_faults)
    form_of = staticmethod(page_form)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.of, graph.wire.clock, PageComments(graph))
        self._uploads = Uploads(graph)

    def _build_stages(self) -> Mapping[str, Stage[Job]]:
        return {
            "photo": Stage(self.on_photo),
            "prepare": Stage(self.on_prepare),
            "start": Stage(self.on_start),
            "transfer": Stage(self.on_transfer),
            "upload": Stage(self.on_upload),
            "publish": Stage(self.on_publish, self._look),
            "processing": Stage(self.on_processing),
            "confirm": Stage(self.on_confirm),
            "comment": Stage(self.on_comment, self._look_for_comment),
        }

    def left_out(self, content: Content) -> Sequence[str]:
        return left_out(self.vendor, page_form(content), content, _COVER)

    def begin(self, content: Content) -> Progress:
        if page_form(content) in _EDGES:
            return Progress(stage="start")
        return Progress(stage="photo" if content.media else "prepare")

    async def _look(self, job: Job) -> LookupResult:
        if job.form.is_story:
            return await self._look_for_story(job)
        return await (self._look_for_video(job) if job.form in _EDGES else self._look_for_post(job))

    async def _seen(self, job: Job) -> Seen:
        if not job.form.is_story:
            return await super()._seen(job)
        shown = await stories(job.api)
        return Seen(permalink=next((story.url for story in shown if str(story.post_id) == job.state.id), None))

    async def on_photo(self, job: Job) -> Step:
        """Upload the next photo, which nobody sees before a post uses it."""
        file = job.content.media[len(job.state.parts)]
        alt = None if job.form.is_story else file.alt
        params = {"url": file.url, "published": "false", "alt_text_custom": alt}
        parts = (*job.state.parts, await job.make("{}/photos", params, repeatable=True))
        if len(parts) < len(job.content.media):
            return job.go("photo", parts=parts)
        return job.go("publish" if job.form.is_story else "prepare", parts=parts)

    async def on_prepare(self, job: Job) -> Step:
        """Record which posts with this text already exist: what is found later must be a different one."""
        posts = await _recent_posts(job)
        known = tuple(str(post.id) for post in posts if same_text(post.message, job.content.text))
        return job.go("publish", known=known, began=self._clock.now())

    async def on_start(self, job: Job) -> Step:
        path = _edge(job, _EDGES[job.form])
        if job.form is not Form.VIDEO:
            started = await job.api.post(path, Started, {"upload_phase": "start"}, repeatable=True)
            return job.go("upload", video=str(started.video_id), upload_url=started.upload_url)
        params = {"upload_phase": "start", "file_size": job.content.media[0].size}
        begun = await job.api.post(path, Session, params, repeatable=True)
        video, session = str(begun.video_id), str(begun.upload_session_id)
        return job.go("transfer", video=video, session=session, offset=begun.start_offset, end=begun.end_offset)

    async def on_transfer(self, job: Job) -> Step:
        """Upload the next part. Facebook says which it wants, even after a lost response."""
        start, end = job.state.offset, min(job.state.end, job.state.offset + PART)
        if start >= end:
            return job.go("publish", began=self._clock.now())
        chunk = await job.read(job.content.media[0], start, end - start)
        wanted = await self._uploads.send_chunk(job.api, job.state.session, start, chunk)
        return job.go("transfer", offset=wanted.start_offset, end=wanted.end_offset)

    async def on_upload(self, job: Job) -> Step:
        """Have Facebook fetch the video. An error is only trusted if it does not have the video already."""
        try:
            await self._uploads.have_fetched(job.api, job.state.upload_url, job.content.media[0].url)
        except (*SILENT, Duplicate):
            if not (await _status(job)).is_uploaded:
                raise
        return job.go("publish", began=self._clock.now())

    async def on_publish(self, job: Job) -> Step:
        """Publish. An error is only trusted if Facebook is not already processing the video."""
        if job.form in {Form.TEXT, Form.PHOTOS}:
            photos = [{"media_fbid": photo} for photo in job.state.parts]
            params = {"message": job.content.text or None, "attached_media": photos or None}
            params["link"] = job.content.options.get("link")
            post = await job.make("{}/feed", params, repeatable=False)
            return job.go("confirm", id=post, url=f"{_SITE}/{post}")
        if job.form is Form.PHOTO_STORY:
            (photo,) = job.state.parts
            return job.go("confirm", id=await _finish(job, "photo_stories", {"photo_id": photo}) or photo)
        if job.form is Form.VIDEO_STORY:
            story = await _finish(job, _EDGES[job.form], finish_params(job))
            return job.go("confirm", id=story or job.state.video)
        try:
            await _finish(job, _EDGES[job.form], finish_params(job))
        except (PlatformNotFound, Rejected, Duplicate):
            if not is_taken(job, await _status(job)):
                raise
        return _on_its_way(job)

    async def on_processing(self, job: Job) -> Step:
        """Wait until Facebook shows the video. Only an error of its own means that it will not appear."""
        try:
            status = await _status(job)
        except PlatformFailure:
            status = VideoStatus()
        if status.failed:
            said = Said(status=_OK, codes=(UNUSABLE_VIDEO,), code=None, message=status.why)
            raise TABLE.verdict(said, repeatable=True).failure
        if status.ready:
            return job.go("confirm")
        if job.state.polls < _MOST_POLLS:
            return job.go("processing", wait=pace(job.state.polls), polls=job.state.polls + 1)
        late = "Facebook accepted the video and is still processing it: it appears when it is ready."
        return job.go("confirm", warnings=(late,))

    async def _look_for_post(self, job: Job) -> LookupResult:
        found = ours(await _recent_posts(job), job)
        if len(found) == 1:
            return job.go("confirm", id=found[0], url=f"{_SITE}/{found[0]}")
        if found:
            return CannotTell("Facebook shows several posts with this text since then. Check the Page.")
        return CannotTell("Facebook does not show the post, which may take a while. Check the Page.")

    async def _look_for_video(self, job: Job) -> LookupResult:
        """Ask about the video itself."""
        if is_taken(job, await _status(job)):
            return _on_its_way(job)
        return CannotTell("Facebook does not show that it is publishing the video, which may take a while.")

    async def _look_for_story(self, job: Job) -> LookupResult:
        media = {job.state.video, *job.state.parts}
        for story in await stories(job.api):
            if str(story.media_id) in media and story.post_id is not None:
                return job.go("confirm", id=str(story.post_id))
        return CannotTell("Facebook does not show the story, which may take a while. Check the Page.")


def _edge(job: Job, edge: str) -> str:
    return f"{VIDEOS}/{job.account}/{edge}" if edge == _EDGES[Form.VIDEO] else f"{job.account}/{edge}"


async def _finish(job: Job, edge: str, params: Mapping[str, Any]) -> str | None:
    """Publish what was uploaded, and return the post's id if Facebook reports it."""
    path, spends = _edge(job, edge), "reels" if edge == _EDGES[Form.REEL] else None
    done = await job.api.post(path, Finished, params, repeatable=False, deadline=SLOW_SECONDS, spends=spends)
    if not done.success and done.post_id is None:
        detail = "Facebook does not say whether it published this. Check there."
        raise failures.OutcomeUnknown(detail, platform=Platform.META)
    return None if done.post_id is None else str(done.post_id)


async def _status(job: Job) -> VideoStatus:
    """Read the status of a video. Facebook does not always show immediately what it has just created."""
    try:
        return (await job.api.get(job.state.video, Video, fields="status")).status
    except HIDDEN:
        return VideoStatus()


async def _recent_posts(job: Job) -> Sequence[PagePost]:
    path = f"{job.account}/published_posts"
    return (await job.api.get(path, Rows[PagePost], fields=_RECENT_FIELDS, limit=_RECENT)).data


def finish_params(job: Job) -> Mapping[str, Any]:
    if job.form is Form.VIDEO_STORY:
        return {"upload_phase": "finish", "video_id": job.state.video}
    options, text = job.content.options, job.content.text or None
    fields = {"upload_phase": "finish", "description": text, "title": options.get("title")}
    if job.form is Form.VIDEO:
        return {**fields, "upload_session_id": job.state.session}
    return {**fields, "video_id": job.state.video, "video_state": "PUBLISHED", "place": options.get("placeId")}


def is_taken(job: Job, status: VideoStatus) -> bool:
    """Return whether Facebook is publishing a video. It reports older ones only as ready, but a reel is ready as soon
    as it is uploaded.
    """
    silent = not status.publishing_phase.status and job.form is Form.VIDEO
    return status.is_taken or (silent and status.video_status == "ready")


def ours(posts: Sequence[PagePost], job: Job) -> list[str]:
    """Find the post by its photos, which no other can have; otherwise by its text, after the attempt started."""
    photos = frozenset(job.state.parts)
    marked = [str(post.id) for post in posts if any(text_at(part, "target", "id") in photos for part in post.parts)]
    if marked or not job.content.text.strip():
        return marked
    earliest = job.state.began - _SKEW if job.state.began is not None else None
    return [
        str(post.id)
        for post in posts
        if same_text(post.message, job.content.text)
        and str(post.id) not in job.state.known
        and (earliest is None or (when(post.created_time) or earliest) >= earliest)
    ]


def _on_its_way(job: Job) -> Step:
    video = job.state.video
    url = f"{_SITE}/reel/{video}" if job.form is Form.REEL else f"{_SITE}/{video}"
    return job.go("processing", id=video, url=url, wait=pace(0))
