"""How a post gets onto a Facebook Page.

A text is one call. Photos are uploaded unseen, then named by the post. A video is uploaded under an id of its own,
then finished. What has such an id is looked up by it when an answer is lost; of a text only words and time can tell.
What is not found stays open: Facebook never says that a call will not be carried out, and nowhere promises that a video
or a photo which is finished twice makes one post.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.dialects.graph import Rows, when
from socialgate.connectors.meta.comments import PageComments
from socialgate.connectors.meta.forms import Form, page_faults, page_form
from socialgate.connectors.meta.publishing import CONFIRM, PUBLISH, Job, Machine, pace
from socialgate.connectors.meta.shapes import Finished, PagePost, Seen, Session, Started, Video, VideoStatus, same_text
from socialgate.connectors.meta.uploads import SLOW_SECONDS, Uploads
from socialgate.connectors.meta.wire import HIDDEN, Graph, stories
from socialgate.connectors.stages import PART, read_part
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    Duplicate,
    OutcomeUnknown,
    PermissionMissing,
    PlatformError,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, LookupResult, MediaReader, Progress, Step
from socialgate.core.errors import Fault

_PHOTO = "photo"
_PREPARE = "prepare"
_START = "start"
_TRANSFER = "transfer"
_UPLOAD = "upload"
_PROCESSING = "processing"
_FIRST = {
    Form.TEXT: _PREPARE,
    Form.PHOTOS: _PHOTO,
    Form.PHOTO_STORY: _PHOTO,
    Form.VIDEO: _START,
    Form.REEL: _START,
    Form.VIDEO_STORY: _START,
}
_EDGES = {Form.VIDEO: "videos", Form.REEL: "video_reels", Form.VIDEO_STORY: "video_stories"}
_MOST_POLLS = 30
# Meta's clock and ours need not agree.
_SKEW = timedelta(minutes=5)
_RECENT = 25
_RECENT_FIELDS = "id,message,created_time,attachments{target,subattachments}"


class PagePublishing(Machine):
    vendor = "Facebook"
    seen_fields = "permalink_url,created_time"
    no_cover = "Facebook chose the preview picture itself: the one given was left out."
    form_of = staticmethod(page_form)

    def __init__(self, graph: Graph) -> None:
        stages = {
            _PHOTO: self._photo,
            _PREPARE: self._prepare,
            _START: self._start,
            _UPLOAD: self._upload,
            PUBLISH: self._publish,
            _PROCESSING: self._processing,
        }
        super().__init__(graph, PageComments(graph), stages)
        self._uploads = Uploads(graph)

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(page_faults(content))

    def begin(self, content: Content) -> Progress:
        return Progress(stage=_FIRST[page_form(content)])

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        if progress.stage == _TRANSFER:
            return await self._transfer(self._job(held, content, progress), media)
        return await super().run(held, content, progress, media)

    async def _look(self, job: Job) -> LookupResult:
        if job.form in {Form.VIDEO, Form.REEL}:
            return await self._look_for_video(job)
        return await (self._look_for_story(job) if job.form.is_story else self._look_for_post(job))

    async def _seen(self, job: Job) -> Seen:
        if not job.form.is_story:
            return await super()._seen(job)
        shown = await stories(job.api)
        return Seen(permalink=next((story.url for story in shown if str(story.post_id) == job.state.id), None))

    async def _photo(self, job: Job) -> Step:
        """Upload the next photo, which nobody sees before a post names it."""
        file = job.content.media[len(job.state.parts)]
        alt = None if job.form.is_story else file.alt
        params = {"url": file.url, "published": "false", "alt_text_custom": alt}
        parts = (*job.state.parts, await job.make("photos", params, repeatable=True))
        if len(parts) < len(job.content.media):
            return job.go(_PHOTO, parts=parts)
        return job.go(PUBLISH if job.form.is_story else _PREPARE, parts=parts)

    async def _prepare(self, job: Job) -> Step:
        """Note which posts with this text there are already: what is found later must be another one."""
        posts = await _recent_posts(job)
        known = tuple(str(post.id) for post in posts if same_text(post.message, job.content.text))
        return job.go(PUBLISH, known=known, began=self._clock.now())

    async def _start(self, job: Job) -> Step:
        file = job.content.media[0]
        if job.form is Form.VIDEO:
            params = {"upload_phase": "start", "file_size": file.size}
            session = await job.api.post(f"{job.account}/videos", Session, params, repeatable=True)
            return job.go(
                _TRANSFER,
                video=str(session.video_id),
                session=str(session.upload_session_id),
                offset=session.start_offset,
                end=session.end_offset,
            )
        path, params = f"{job.account}/{_EDGES[job.form]}", {"upload_phase": "start"}
        started = await job.api.post(path, Started, params, repeatable=True)
        return job.go(_UPLOAD, video=str(started.video_id), upload_url=started.upload_url)

    async def _transfer(self, job: Job, media: MediaReader) -> Step:
        """Upload the next part. Facebook says which it wants, also after an answer was lost."""
        start, end = job.state.offset, min(job.state.end, job.state.offset + PART)
        if start >= end:
            return job.go(PUBLISH, began=self._clock.now())
        chunk = await read_part(media, job.content.media[0].id, start, end - start)
        wanted = await self._uploads.send_chunk(job.api, job.state.session, start, chunk)
        return job.go(_TRANSFER, offset=wanted.start_offset, end=wanted.end_offset)

    async def _upload(self, job: Job) -> Step:
        """Have Facebook fetch the video. A refusal is believed only of one that it has not got already."""
        try:
            await self._uploads.have_fetched(job.api, job.state.upload_url, job.content.media[0].url)
        except (PermissionMissing, PlatformNotFound, Rejected, Duplicate):
            if not (await _status(job)).is_uploaded:
                raise
        return job.go(PUBLISH, began=self._clock.now())

    async def _publish(self, job: Job) -> Step:
        if job.form in {Form.TEXT, Form.PHOTOS}:
            post = await job.make("feed", feed_params(job), repeatable=False)
            return job.go(CONFIRM, id=post, url=_address(post))
        if job.form is Form.PHOTO_STORY:
            (photo,) = job.state.parts
            return job.go(CONFIRM, id=await _finish(job, "photo_stories", {"photo_id": photo}) or photo)
        return await self._finish_video(job)

    async def _finish_video(self, job: Job) -> Step:
        """Publish an uploaded video. A refusal is believed only of one that Facebook does not work on already."""
        try:
            story = await _finish(job, _EDGES[job.form], finish_params(job))
        except (PlatformNotFound, Rejected, Duplicate):
            if job.form is Form.VIDEO_STORY or not is_taken(job, await _status(job)):
                raise
            return _on_its_way(job)
        return job.go(CONFIRM, id=story or job.state.video) if job.form is Form.VIDEO_STORY else _on_its_way(job)

    async def _processing(self, job: Job) -> Step:
        """Wait until Facebook shows the video. It was taken: only an error of its own means that it will not."""
        try:
            status = await _status(job)
        except PlatformFailure:
            status = VideoStatus()
        if status.failed:
            raise _unusable(status.why)
        if status.ready:
            return job.go(CONFIRM)
        if job.state.polls < _MOST_POLLS:
            return job.go(_PROCESSING, wait=pace(job.state.polls), polls=job.state.polls + 1)
        return job.go(
            CONFIRM, warnings=("Facebook took the video, and still works on it: it appears when it is ready.",)
        )

    async def _look_for_post(self, job: Job) -> LookupResult:
        posts = await _recent_posts(job)
        found = ours(posts, job)
        if len(found) == 1:
            return job.go(CONFIRM, id=found[0], url=_address(found[0]))
        if found:
            return CannotTell("Facebook shows several posts with this text since then. Look at the Page.")
        return CannotTell("Facebook does not show the post, which may take it a while. Look at the Page.")

    async def _look_for_video(self, job: Job) -> LookupResult:
        """Ask after the video itself."""
        if is_taken(job, await _status(job)):
            return _on_its_way(job)
        return CannotTell("Facebook does not show that it publishes the video, which may take it a while.")

    async def _look_for_story(self, job: Job) -> LookupResult:
        media = {job.state.video, *job.state.parts}
        for story in await stories(job.api):
            if str(story.media_id) in media and story.post_id is not None:
                return job.go(CONFIRM, id=str(story.post_id))
        return CannotTell("Facebook does not show the story, which may take it a while. Look at the Page.")


async def _finish(job: Job, edge: str, params: Mapping[str, Any]) -> str | None:
    """Make public what was uploaded, and give the post's id where Facebook tells it."""
    path, spends = f"{job.account}/{edge}", "reels" if edge == _EDGES[Form.REEL] else None
    done = await job.api.post(path, Finished, params, repeatable=False, deadline=SLOW_SECONDS, spends=spends)
    if not done.success and done.post_id is None:
        raise OutcomeUnknown("Facebook does not say whether it published this. Look there.", platform=Platform.META)
    return None if done.post_id is None else str(done.post_id)


async def _status(job: Job) -> VideoStatus:
    """Read how a video fares. Facebook does not always show at once what it has just made."""
    try:
        return (await job.api.get(job.state.video, Video, fields="status")).status
    except HIDDEN:
        return VideoStatus()


async def _recent_posts(job: Job) -> Sequence[PagePost]:
    path = f"{job.account}/published_posts"
    return (await job.api.get(path, Rows[PagePost], fields=_RECENT_FIELDS, limit=_RECENT)).data


def feed_params(job: Job) -> Mapping[str, Any]:
    photos = [{"media_fbid": photo} for photo in job.state.parts]
    return {
        "message": job.content.text or None,
        "link": job.content.options.get("link"),
        "attached_media": photos or None,
    }


def finish_params(job: Job) -> Mapping[str, Any]:
    if job.form is Form.VIDEO_STORY:
        return {"upload_phase": "finish", "video_id": job.state.video}
    told = {
        "upload_phase": "finish",
        "description": job.content.text or None,
        "title": job.content.options.get("title"),
    }
    if job.form is Form.VIDEO:
        return {**told, "upload_session_id": job.state.session}
    place = job.content.options.get("placeId")
    return {**told, "video_id": job.state.video, "video_state": "PUBLISHED", "place": place}


def is_taken(job: Job, status: VideoStatus) -> bool:
    """Tell whether Facebook publishes a video. Of older ones it says only that they are ready, but a reel is that as
    soon as it is uploaded.
    """
    silent = not status.publishing_phase.status and job.form is Form.VIDEO
    return status.is_taken or (silent and status.video_status == "ready")


def ours(posts: Sequence[PagePost], job: Job) -> list[str]:
    """Find the post by its photos, which no other can have; else by its text, after the attempt began."""
    photos = frozenset(job.state.parts)
    marked = [
        str(post.id)
        for post in posts
        if any(part.target is not None and str(part.target.id) in photos for part in post.parts)
    ]
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
    url = f"https://www.facebook.com/reel/{video}" if job.form is Form.REEL else f"https://www.facebook.com/{video}"
    return job.go(_PROCESSING, id=video, url=url, wait=pace(0))


def _address(post: str) -> str:
    return f"https://www.facebook.com/{post}"


def _unusable(why: str) -> Rejected:
    return Rejected(
        "Facebook could not use the video. Use MP4 with H.264 and AAC.",
        platform=Platform.META,
        error=PlatformError(message=why[:500] or None),
        category="user_content",
        field="media",
    )
