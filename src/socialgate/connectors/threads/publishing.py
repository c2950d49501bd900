"""Publishing to Threads: what its containers consist of, and what Threads reports about them.

The texts of `thread` and the first comment are replies that are published the same way after the post: `part` says
which is next. Once the post itself is public, nothing that follows can fail it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.errors import Said
from socialgate.connectors.graph.posts import SILENT
from socialgate.connectors.graph.publishing import Container, Containers, Job, State, nearest
from socialgate.connectors.stages import leads_to
from socialgate.connectors.threads.errors import TABLE, UNUSABLE
from socialgate.connectors.threads.faults import faults
from socialgate.connectors.threads.wire import listed, publishing_limit
from socialgate.contracts import failures
from socialgate.contracts import publishing as contract
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, MediaFile, MediaReader, NotThere, Progress, Step

_OK = 200
_RECENT = 25
_UNKNOWN = "It is unknown whether {} was published. Check the profile."
_NO_COVER = "Threads chose the preview image itself: yours was left out."


def _replies(job: Job) -> Sequence[str]:
    comment = [job.content.first_comment] if job.content.first_comment else []
    return [*job.content.options.get("thread", ()), *comment]


def _text(job: Job) -> str:
    return _replies(job)[job.state.part - 1] if job.state.part else job.content.text


def _is_comment(job: Job) -> bool:
    return job.state.part > len(job.content.options.get("thread", ()))


def _is_reply(job: Job) -> bool:
    return bool(job.state.part) or "replyToId" in job.content.options


def _missing(job: Job, sentence: str) -> str:
    what = "the first comment" if _is_comment(job) else f"part {job.state.part + 1} of the thread"
    text = sentence.format(what)
    return text[0].upper() + text[1:]


def child_params(content: Content, index: int) -> Mapping[str, Any]:
    return {**_source(content.media[index]), "is_carousel_item": "true"}


def reply_params(text: str, reply_to: str, picture: MediaFile | None = None) -> Mapping[str, Any]:
    body = {"media_type": "TEXT"} if picture is None else _source(picture)
    return {**body, "text": text or None, "reply_to_id": reply_to}


def container_params(content: Content, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    spoilers = [{"entity_type": "SPOILER", **place} for place in options.get("spoilers", ())]
    countries = options.get("countries")
    return {
        **_body(content, children),
        "text": content.text or None,
        "reply_control": options.get("replyControl"),
        "topic_tag": options.get("topicTag"),
        "location_id": options.get("locationId"),
        "reply_to_id": options.get("replyToId"),
        "quote_post_id": options.get("quotePostId"),
        "text_entities": _json(spoilers),
        "allowlisted_country_codes": ",".join(countries) if countries else None,
        "is_spoiler_media": "true" if options.get("isSpoilerMedia") else None,
    }


def why_spoiled(seen: Container) -> failures.PlatformFailure:
    """Translate why Threads could not fill a container."""
    reason = "UNKNOWN" if seen.status == "EXPIRED" else seen.error_message or "UNKNOWN"
    said = Said(status=_OK, codes=(reason, UNUSABLE), code=seen.error_message)
    return TABLE.verdict(said, repeatable=True).failure


def _body(content: Content, children: Sequence[str]) -> Mapping[str, Any]:
    if children:
        return {"media_type": "CAROUSEL", "children": ",".join(children)}
    if content.media:
        return _source(content.media[0])
    options = content.options
    poll = dict(zip(("option_a", "option_b", "option_c", "option_d"), options.get("poll", ()), strict=False))
    attachment, gif = options.get("textAttachment", {}), options.get("gif", {})
    return {
        "media_type": "TEXT",
        "link_attachment": options.get("linkAttachment"),
        "poll_attachment": _json(poll),
        "text_attachment": _json(_renamed(attachment, linkAttachmentUrl="link_attachment_url")),
        "gif_attachment": _json(_renamed(gif, gifId="gif_id")),
        "is_ghost_post": "true" if options.get("isGhostPost") else None,
    }


def _source(file: MediaFile) -> Mapping[str, Any]:
    if file.type == "video":
        return {"media_type": "VIDEO", "video_url": file.url, "alt_text": file.alt}
    return {"media_type": "IMAGE", "image_url": file.url, "alt_text": file.alt}


def _renamed(given: Mapping[str, Any], **names: str) -> Mapping[str, Any]:
    return {names.get(name, name): value for name, value in given.items()}


def _json(value: Any) -> str | None:
    return msgspec.json.encode(value).decode() if value else None


class ThreadsPublishing(Containers):
    platform = Platform.THREADS
    vendor = "Threads"
    adding = "me/threads"
    publishing = "me/threads_publish"
    fields = "id,status,error_message"
    hidden = SILENT
    seen_fields = "id,permalink,timestamp"

    faults = staticmethod(faults)
    limits = staticmethod(publishing_limit)
    child = staticmethod(child_params)
    why_spoiled = staticmethod(why_spoiled)

    def left_out(self, content: Content) -> Sequence[str]:
        return [_NO_COVER] if any(file.thumbnail for file in content.media) else []

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        try:
            return await super().run(held, content, progress, media)
        except failures.OutcomeUnknown:
            raise
        except failures.PlatformFailure as failure:
            job = self._job(held, content, progress)
            if not job.state.id:
                raise
            text = _UNKNOWN if job.state.lost else "{} was not published, and neither was what follows it."
            stage = "check" if progress.stage == "publish" else progress.stage
            return job.again(stage, failure, _missing(job, text))

    async def _look(self, job: Job) -> contract.LookupResult:
        """Ask the container. A reply is retried only once: the post is live, and must not wait for it."""
        sight = await super()._look(job)
        unclear = isinstance(sight, CannotTell) or (isinstance(sight, NotThere) and job.state.lost)
        return job.done(_missing(job, _UNKNOWN)) if job.state.id and unclear else sight

    def uses(self, job: Job) -> Mapping[str, int]:
        answers = "replyToId" in job.content.options
        return {"posts": not answers, "replies": len(_replies(job)) + answers}

    def spends(self, job: Job) -> str:
        return "replies" if _is_reply(job) else "posts"

    def params(self, job: Job) -> Mapping[str, Any]:
        if job.state.part:
            return reply_params(_text(job), job.state.id if _is_comment(job) else job.state.last)
        return container_params(job.content, job.state.parts)

    async def find(self, job: Job) -> str | None:
        path = "me/replies" if _is_reply(job) else "me/threads"
        return nearest((await listed(job.api, path, "id,text,permalink,timestamp", _RECENT)).data, job, _text(job))

    def published(self, job: Job, post: str) -> Step:
        return self._next(job.now(last=post)) if job.state.part else super().published(job, post)

    def nameless(self, job: Job) -> Step:
        if job.state.id:
            return job.done(_missing(job, "Threads published {}, but did not report its id: nothing follows it."))
        return super().nameless(job)

    def _next(self, job: Job) -> Step:
        """Continue with the next reply; each starts with only the id of the previous one."""
        state = job.state
        if state.part >= len(_replies(job)):
            return job.done()
        kept = State(part=state.part + 1, id=state.id, last=state.last, url=state.url, at=state.at)
        return leads_to("container", kept, handed_over=True)
