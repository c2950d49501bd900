"""Publishing on a Business Profile: one call creates the post, and Google then reviews it.

    check ─ create* ─ confirm

We cannot choose the name of a local post. So the existing posts with the same text are recorded first: a new one with
the same text afterwards is ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

import msgspec

from socialgate.connectors import stages
from socialgate.connectors.forms import given, left_out, misplaced
from socialgate.connectors.google.posts import LocalPosts
from socialgate.connectors.google.shapes import LocalPost
from socialgate.connectors.stages import Stage, Stages, build_job, leads_to
from socialgate.contracts.failures import PlatformFailure, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, Continue, Done, LookupResult, Progress, Step
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

_SKEW = timedelta(minutes=1)
_LONGEST_CHECK = timedelta(minutes=10)
_CHECK_SECONDS = 20
_REFUSED = "Google rejected the content. Change the text or the photo; phone numbers in the text are a common reason."
_UNCHECKED = "Google has not finished reviewing the post, and may still reject it."
_SEVERAL = "The location has several new posts with this text. Check in the Business Profile which one it is."
_NOT_SHOWN = "Google does not show the post. Check in the Business Profile."


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next. `known` lists the posts with the same text that existed before."""

    began: datetime
    known: tuple[str, ...] = ()
    name: str = ""
    confirmed_since: datetime | None = None


Job: TypeAlias = stages.Job[State]


def faults(content: Content) -> Iterator[Fault]:
    form, options = _form(content), content.options
    if not content.text and not content.media and form == "standard":
        yield Fault("/content", "required", "The post is empty. Add a text or a photo.")
    if form != "offer":
        yield from misplaced(options, ("offer",), "the form offer")
    else:
        yield from misplaced(options, ("callToAction",), "posts of other forms")
    if form == "standard":
        yield from misplaced(options, ("event",), "the forms event and offer")
    if "url" in options.get("callToAction", {}) and options["callToAction"].get("actionType") == "CALL":
        yield Fault(
            "/options/callToAction/url", "option_not_applicable", "The button calls the location. Remove `url`."
        )
    yield from _schedule_faults(options.get("event", {}).get("schedule", {}))


def _schedule_faults(schedule: Mapping[str, Any]) -> Iterator[Fault]:
    ends: dict[str, tuple[Any, ...]] = {}
    for name in ("start", "end"):
        day = schedule.get(f"{name}Date")
        if day is None:
            continue
        try:
            ends[name] = (date(**day), *_clock_time(schedule, name))
        except ValueError:
            detail = "This date does not exist. Choose another."
            yield Fault(f"/options/event/schedule/{name}Date", "out_of_range", detail)
    if ends.keys() == {"start", "end"} and ends["end"] < ends["start"]:
        detail = "It ends before it starts. Choose a later end."
        yield Fault("/options/event/schedule/endDate", "out_of_range", detail)


def _clock_time(schedule: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Return hours, minutes and seconds. A day without an end lasts until midnight."""
    time = schedule.get(f"{name}Time") or ({"hours": 24} if name == "end" else {})
    return tuple(time.get(part, 0) for part in ("hours", "minutes", "seconds"))


def resource(content: Content) -> dict[str, Any]:
    said = {
        "summary": content.text or None,
        "topicType": _form(content).upper(),
        "media": [{"mediaFormat": "PHOTO", "sourceUrl": file.url} for file in content.media] or None,
    }
    return given(said | {name: value for name, value in content.options.items() if name != "form"})


def _form(content: Content) -> str:
    form: str = content.options.get("form", "standard")
    return form


class LocalPostPublishing(Stages[Job]):
    def __init__(self, posts: LocalPosts, clock: Clock) -> None:
        super().__init__(
            partial(build_job, State),
            {
                "check": Stage(self._check),
                "create": Stage(self._create, self._look_create),
                "confirm": Stage(self._confirm),
            },
        )
        self._posts = posts
        self._clock = clock

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(faults(content))

    def left_out(self, content: Content) -> Sequence[str]:
        return left_out("Business Profile", content)

    def begin(self, content: Content) -> Progress:  # noqa: ARG002 - all begin alike
        return leads_to("check", State(began=self._clock.now())).progress

    async def _check(self, job: Job) -> Step:
        posts = (await self._posts.page(job.held)).local_posts
        known = tuple(post.name for post in posts if _says_the_same(post, job.content))
        return leads_to("create", job.state, known=known, began=self._clock.now())

    async def _create(self, job: Job) -> Step:
        return self._judge(job, await self._posts.create(job.held, resource(job.content)))

    async def _confirm(self, job: Job) -> Step:
        try:
            post = await self._posts.read(job.held, job.state.name)
        except PlatformFailure as failure:
            if failure.category == "auth_expired":
                raise
            if failure.retryable and not self._is_late(job.state):
                return self._later(job.state)
            # It was created, so if we may not read it, that is not a failure.
            return _done(LocalPost(name=job.state.name), job.content, _UNCHECKED)
        return self._judge(job, post)

    def _judge(self, job: Job, post: LocalPost) -> Step:
        if post.state == "REJECTED":
            raise Rejected(_REFUSED, platform=Platform.GOOGLE, category="user_content")
        if post.state == "LIVE":
            return _done(post, job.content)
        if self._is_late(job.state):
            return _done(post, job.content, _UNCHECKED)
        return self._later(msgspec.structs.replace(job.state, name=post.name))

    def _later(self, state: State) -> Continue:
        since = state.confirmed_since or self._clock.now()
        return leads_to("confirm", state, _CHECK_SECONDS, handed_over=True, confirmed_since=since)

    def _is_late(self, state: State) -> bool:
        since = state.confirmed_since
        return since is not None and self._clock.now() - since > _LONGEST_CHECK

    async def _look_create(self, job: Job) -> LookupResult:
        posts = (await self._posts.page(job.held)).local_posts
        ours = [post for post in posts if _is_ours(post, job)]
        if len(ours) == 1:
            return leads_to("confirm", job.state, handed_over=True, name=ours[0].name)
        return CannotTell(_SEVERAL if ours else _NOT_SHOWN)


def _is_ours(post: LocalPost, job: Job) -> bool:
    if post.name in job.state.known or (post.create_time and post.create_time < job.state.began - _SKEW):
        return False
    return _says_the_same(post, job.content)


def _says_the_same(post: LocalPost, content: Content) -> bool:
    return (post.summary.strip(), post.topic_type) == (content.text.strip(), _form(content).upper())


def _done(post: LocalPost, content: Content, *warnings: str) -> Done:
    return Done(
        platform_post_id=post.id,
        url=post.search_url,
        published_at=post.create_time,
        warnings=(*warnings, *left_out("Business Profile", content)),
    )
