"""How a post gets onto Instagram: containers that nobody sees, which Instagram fills, then one call that publishes.

A container stands for one post: it is ready to be published (FINISHED), or was (PUBLISHED), or never will be (ERROR,
EXPIRED), and says so. A lost answer is looked up there, and one that is still ready can be published again.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.dialects.graph import Rows, when
from socialgate.connectors.errors import Said
from socialgate.connectors.meta.comments import InstagramComments
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.meta.forms import Form, instagram_faults, instagram_form
from socialgate.connectors.meta.publishing import CONFIRM, PUBLISH, Job, Machine, State, pace
from socialgate.connectors.meta.shapes import Container, InstagramPost, same_text
from socialgate.connectors.meta.wire import HIDDEN, Graph, publishing_limit
from socialgate.connectors.stages import leads_to
from socialgate.contracts.failures import (
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    CannotTell,
    Content,
    Continue,
    LookupResult,
    MediaFile,
    NotThere,
    Progress,
    Step,
)
from socialgate.core.errors import Fault

_PREPARE = "prepare"
_CONTAINERS = "containers"
_CHILD = "child"
_CHILDREN = "children"
_CONTAINER = "container"
_CHECK = "check"
_FIND = "find"
_MOST_POLLS = 20
_MOST_TRIES = 5
_MOST_FINDS = 6
_MOST_RESTARTS = 2
_OK = 200
_RECENT = 25
_HOUR = 60 * 60
# Meta's clock and ours need not agree.
_SKEW = timedelta(minutes=2)
_REASON = re.compile(r"\b2207\d{3}\b")
_SPOILED = frozenset({"ERROR", "EXPIRED"})


class InstagramPublishing(Machine):
    vendor = "Instagram"
    seen_fields = "permalink,timestamp"
    covered = frozenset({Form.REEL})
    no_cover = "Instagram takes a preview picture for a reel only: the one given was left out."
    form_of = staticmethod(instagram_form)

    def __init__(self, graph: Graph) -> None:
        stages = {
            _PREPARE: self._prepare,
            _CHILD: self._child,
            _CHILDREN: self._children,
            _CONTAINER: self._container,
            _CHECK: self._check,
            PUBLISH: self._publish,
            _FIND: self._find,
        }
        super().__init__(graph, InstagramComments(graph), stages)

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(instagram_faults(content))

    def begin(self, content: Content) -> Progress:
        del content
        return Progress(stage=_PREPARE)

    async def _look(self, job: Job) -> LookupResult:
        try:
            container = await _container_of(job)
        except HIDDEN:
            return CannotTell("Instagram does not show what became of it. Look at the account.")
        if container.status_code == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        return NotThere() if container.status_code == "FINISHED" else job.go(_CHECK, lost=True)

    async def _prepare(self, job: Job) -> Step:
        """See first whether the account may post: how often a day, only Instagram itself knows."""
        limit = await publishing_limit(job.api)
        total = limit.config.quota_total
        if total is not None and (limit.quota_usage or 0) >= total:
            raise PlatformRateLimited(
                f"This account has used up its {total} posts for the last 24 hours. It goes on when one of them is a "
                "day old.",
                platform=Platform.META,
                category="quota_exhausted",
                retry_after=_HOUR,
            )
        return job.go(_CHILD if job.form is Form.CAROUSEL else _CONTAINER)

    async def _child(self, job: Job) -> Step:
        child = await job.make(
            "media", child_params(job.content, len(job.state.parts)), repeatable=True, spends=_CONTAINERS
        )
        parts = (*job.state.parts, child)
        return job.go(_CHILD if len(parts) < len(job.content.media) else _CHILDREN, parts=parts)

    async def _children(self, job: Job) -> Step:
        for child in job.state.parts:
            seen = await _seen(job, child)
            if seen.status_code != "FINISHED":
                return _unready(job, _CHILDREN, seen)
        return job.go(_CONTAINER)

    async def _container(self, job: Job) -> Step:
        # Nobody sees a container before it is published: one too many does no harm.
        params = container_params(job.content, job.form, job.state.parts)
        return job.go(_CHECK, container=await job.make("media", params, repeatable=True, spends=_CONTAINERS), polls=0)

    async def _check(self, job: Job) -> Step:
        seen = await _seen(job)
        if seen.status_code == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        if seen.status_code == "FINISHED":
            return job.go(PUBLISH, polls=0, began=job.state.began or self._clock.now())
        return _unready(job, _CHECK, seen)

    async def _publish(self, job: Job) -> Step:
        try:
            post = await job.make("media_publish", {"creation_id": job.state.container}, repeatable=False)
        except (TemporarilyUnavailable, PlatformNotFound, Rejected) as failure:
            return await self._refused(job, failure)
        return job.go(CONFIRM, id=post, tries=0)

    async def _refused(self, job: Job, failure: PlatformFailure) -> Step:
        """Ask the container before the refusal is believed: a call whose answer was lost may have published it."""
        if failure.platform_error is None:
            raise failure
        seen = await _seen(job)
        if seen.status_code == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        if seen.status_code in _SPOILED:
            return _unready(job, _CHECK, seen)
        if not failure.retryable or job.state.tries >= _MOST_TRIES:
            raise failure
        return job.go(_CHECK, wait=failure.retry_after or pace(job.state.tries), tries=job.state.tries + 1)

    async def _find(self, job: Job) -> Step:
        """Find the id of what is certainly published: it differs from the container's."""
        path = f"{job.account}/{'stories' if job.form.is_story else 'media'}"
        fields = "id,caption,permalink,timestamp"
        try:
            found = ours((await job.api.get(path, Rows[InstagramPost], fields=fields, limit=_RECENT)).data, job)
        except PlatformFailure:
            found = None
        if found is not None:
            return job.go(CONFIRM, id=found, tries=0)
        if job.state.polls < _MOST_FINDS:
            return job.go(_FIND, wait=pace(job.state.polls), polls=job.state.polls + 1)
        return job.having(id=job.state.container).done(
            "Instagram says that it is published, but not under which id: its address is not known."
        )


async def _container_of(job: Job, container: str = "") -> Container:
    return await job.api.get(container or job.state.container, Container, fields="status_code,status")


async def _seen(job: Job, container: str = "") -> Container:
    """Read a container. Instagram does not always show at once what it has just made."""
    try:
        return await _container_of(job, container)
    except HIDDEN:
        return Container()


def _unready(job: Job, stage: str, seen: Container) -> Continue:
    if seen.status_code in _SPOILED:
        # No call can publish it any more, whatever became of the one that was lost.
        return job.go(_CHECK, lost=False) if job.state.lost else _anew(job, seen)
    if job.state.polls >= _MOST_POLLS:
        raise _never("Instagram did not finish with the media within a quarter of an hour.")
    return job.go(stage, wait=pace(job.state.polls), polls=job.state.polls + 1)


def _anew(job: Job, seen: Container) -> Continue:
    """Begin again with new containers, where the old ones are certain to have published nothing and never will."""
    expired = seen.status_code == "EXPIRED"
    failure = why_spoiled(seen)
    passing = expired or (failure.retryable and job.state.began is None)
    if passing and job.state.restarts < _MOST_RESTARTS:
        return leads_to(_PREPARE, State(restarts=job.state.restarts + 1), 30)
    raise _never(failure.detail) if failure.retryable else failure


def why_spoiled(seen: Container) -> PlatformFailure:
    """Translate what Instagram says of a container, in a text that holds the number of the reason."""
    number = _REASON.search(seen.status)
    said = Said(status=_OK, codes=(number.group() if number else "-1",), message=seen.status)
    return TABLE.verdict(said, repeatable=True).failure


def _never(why: str) -> Rejected:
    return Rejected(
        f"{why} Publish it again, with another file if it stays so.", platform=Platform.META, category="platform_error"
    )


def ours(posts: Sequence[InstagramPost], job: Job) -> str | None:
    """Find what has this caption and was published nearest to the attempt. Stories have no caption."""
    began = job.state.began
    found = [
        (abs(at - began), str(post.id))
        for post in posts
        if (job.form.is_story or same_text(post.caption, job.content.text))
        and (at := when(post.timestamp)) is not None
        and began is not None
        and at >= began - _SKEW
    ]
    return min(found)[1] if found else None


def child_params(content: Content, index: int) -> Mapping[str, Any]:
    file = content.media[index]
    video = {"media_type": "VIDEO"} if file.type == "video" else {}
    return {"is_carousel_item": "true", **video, **_source(file), "user_tags": _tags(content, index)}


def container_params(content: Content, form: Form, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    if form.is_story:
        return {"media_type": "STORIES", **_source(content.media[0]), "alt_text": None, "user_tags": _tags(content, 0)}
    told = {
        "caption": content.text or None,
        "location_id": options.get("locationId"),
        "collaborators": options.get("collaborators") or None,
        "is_ai_generated": _flag(options.get("isAiGenerated")),
    }
    if form is Form.CAROUSEL:
        return {**told, "media_type": "CAROUSEL", "children": ",".join(children)}
    told |= {**_source(content.media[0]), "user_tags": _tags(content, 0)}
    return {**told, **_reel(content)} if form is Form.REEL else told


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
