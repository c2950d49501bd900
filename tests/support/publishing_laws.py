"""One form of post on one account of a simulated platform, disturbed at one of its calls: what came of it.

The forms are those of `support.publish_faults`, which disturbs whole processes. Here a connector is driven alone, which
is quick enough to disturb every call of every form in each run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import msgspec

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.contracts.publishing import (
    PUBLISH_POST_CAPABILITY,
    MediaFile,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
    StageResult,
)
from support.publish_faults import FORMS, MIB, PostVariant, normalize_call
from support.publishing import ConnectorDriver, Files, OutcomeUnclearError, desk_with
from support.simulation import RunningSandbox
from support.waiting import eventually

_KINDS = [(platform, kind) for platform, manifest in MANIFESTS.items() for kind in manifest.kinds]
POSTING: dict[Kind, KindManifest] = {
    kind.kind: kind for _, kind in _KINDS if PUBLISH_POST_CAPABILITY in kind.capabilities
}
PLATFORM_OF: dict[Kind, Platform] = {kind.kind: platform for platform, kind in _KINDS}
BOT, CHANNEL = "7100000001", "-1002000000001"
# Longer than every platform of the sandbox works on media, or has a call wait. Stories are gone after a day.
_HOURS = timedelta(hours=6).total_seconds()


class CallPoint(msgspec.Struct, frozen=True):
    """A call of an undisturbed post: the `nth` of this name, and so many before it are `within` the same stage.

    It `decides` whether something becomes public.
    """

    stage: str
    name: str
    nth: int
    within: int
    decides: bool

    def __str__(self) -> str:
        return f"{self.stage}, call {self.nth} of {self.name}"

    @property
    def method(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.name.partition(" ")[2].replace("#", "*")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the connector says of a post (nothing, if a person must look), and what the platform has of it.

    `unused` is how many of the calls that were to be disturbed were never made.
    """

    done: PublishedPost | None
    shown: Sequence[str]
    comments: int
    unused: int


class Publication:
    """A post that is about to be published on an account that shows nothing yet."""

    def __init__(self, desk: ConnectorDriver, form: PostVariant, content: PostContent) -> None:
        self.desk = desk
        self.form = form
        self.content = content
        self.account = account_of(desk, form.kind)
        self.once = desk.publishing(form.kind).non_repeatable_stages

    def disturb(self, point: CallPoint, when: str = "before", **fields: Any) -> None:
        self.desk.fail(point.path, when, method=point.method, skip=point.nth, **fields)

    def finish(self, *, dying: bool = False) -> Outcome:
        """Drive it to its end as an engine does, and let the platform finish what it does late."""
        begun = self.desk.begin(self.account, self.content)
        try:
            done = self.desk.continue_publishing(self.account, self.content, begun, crashes=dying, patient=True)
        except OutcomeUnclearError:
            done = None
        unused = len(self.desk.sandbox.look("fail")["data"])
        self.desk.rest(_HOURS)
        eventually(lambda: not self.desk.sandbox.look("fail")["hanging"])
        return Outcome(done=done, shown=self.shown(), comments=self.comments(), unused=unused)

    def answers_to(
        self, point: CallPoint, answers: Sequence[Mapping[str, Any]]
    ) -> Iterator[PlatformFailure | StageResult]:
        """Bring it to a call, and give what each of these answers to it leads to."""
        progress = self._until(point)
        for answer in answers:
            self.desk.fail(point.path, method=point.method, skip=point.within, **answer)
            try:
                yield self.desk.run(self.account, self.content, progress)
            except PlatformFailure as failure:
                yield failure

    def _until(self, point: CallPoint) -> PublishingProgress:
        step: StageResult = self.desk.begin(self.account, self.content)
        passed = 0
        while isinstance(step, NextStage):
            self.desk.rest(step.wait)
            before = self.last_call()
            if step.progress.stage == point.stage and passed == point.nth - point.within:
                return step.progress
            step = self.desk.run(self.account, self.content, step.progress)
            passed += [normalize_call(call) for call in self.calls(before)].count(point.name)
        raise AssertionError(f"it never came to {point}")

    def walk(self) -> tuple[list[CallPoint], list[PublishingProgress], PublishedPost]:
        """Publish it undisturbed: each call with its stage, each position, and the result."""
        positions, names = [], []
        step: StageResult = self.desk.begin(self.account, self.content)
        while isinstance(step, NextStage):
            self.desk.rest(step.wait)
            positions.append(step.progress)
            before = self.last_call()
            step = self.desk.run(self.account, self.content, step.progress)
            names.append([normalize_call(call) for call in self.calls(before)])
        return list(self._points([position.stage for position in positions], names)), positions, step

    def _points(self, stages: Sequence[str], names: Sequence[Sequence[str]]) -> Iterator[CallPoint]:
        seen: Counter[str] = Counter()
        for stage, created in zip(stages, names, strict=True):
            changes = [number for number, name in enumerate(created) if not name.startswith("GET ")]
            for number, name in enumerate(created):
                decides = stage in self.once and [number] == changes[-1:]
                yield CallPoint(stage, name, seen[name], created[:number].count(name), decides)
                seen[name] += 1

    def shown(self) -> list[str]:
        """Name all that the platform shows on the account, the oldest first."""
        return [post["id"] for post in self.posts()]

    def posts(self) -> list[dict[str, Any]]:
        """List all that the platform shows on the account, the oldest first: its `id` and the `files` it has."""
        platform = PLATFORM_OF[self.form.kind]
        named = CHANNEL if platform is Platform.TELEGRAM else self.account.platform_account_id
        feed = self.desk.sandbox.control("feed", platform=platform, account=named)
        return [*_POSTS[platform](feed)][::-1]

    def last_call(self) -> int:
        return max((int(call["id"]) for call in self.desk.sandbox.look("received", limit=1)["data"]), default=0)

    def calls(self, since: int = 0) -> list[dict[str, Any]]:
        """List the calls that reached the platform, the oldest first."""
        return [call for call in reversed(self.desk.calls("*")) if int(call["id"]) > since]

    def comments(self) -> int:
        """Count the first comments that the platform was asked to write."""
        return sum(normalize_call(call).endswith(("/comments", "/commentThreads")) for call in _changes(self.calls()))


def account_of(desk: ConnectorDriver, kind: Kind) -> AccountCredentials:
    if kind is Kind.TELEGRAM_BOT:
        return desk.connect_with_secret(
            botToken=desk.sandbox.control("token", platform="telegram", account=BOT)["token"]
        )
    return desk.sign_in(kind)[0]


@contextmanager
def publication(
    sandbox: RunningSandbox, files: Files, form: PostVariant, content: PostContent
) -> Iterator[Publication]:
    """Give a post on a platform that was just reset, and a connector that knows of nothing before."""
    sandbox.control("reset")
    sandbox.control("clock", reset=True)
    with desk_with(files, PLATFORM_OF[form.kind], sandbox) as desk:
        yield Publication(desk, form, content)


def content_of(files: Files, form: PostVariant, text: str = "Fresh bread", alt: str | None = None) -> PostContent:
    media = [msgspec.structs.replace(_FILES[name](files), alt=alt) for name in form.media]
    if form.thumbnail:
        media[0] = msgspec.structs.replace(media[0], thumbnail=_FILES["photo"](files))
    options = {**form.options, **_OPTIONS.get(form.kind, {})}
    return PostContent(
        text=text, media=tuple(media), options=options, first_comment="Come in" if form.comment else None
    )


def first_forms() -> list[PostVariant]:
    """Give one form of each kind."""
    return [next(form for form in FORMS if form.kind is kind) for kind in POSTING]


_OPTIONS: Mapping[Kind, Mapping[str, Any]] = {
    Kind.TELEGRAM_BOT: {"chatId": CHANNEL},
    Kind.YOUTUBE: {"title": "Bread"},
}
_FILES = {
    "photo": lambda files: files.image(640, 640),
    "other photo": lambda files: files.image(640, 640, color="navy"),
    "film": lambda files: files.video(),
    "long film": lambda files: files.video(size=9 * MIB),
    "very long film": lambda files: files.video(size=17 * MIB),
    "document": lambda files: files.file(b"%PDF-1.4", "document", "application/pdf"),
}


def _graph_posts(feed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for post in feed["data"]:
        if post.get("state", "published") == "published":
            yield {"id": post["id"], "files": post["media"]}


def _tiktok_posts(feed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for post in feed["posts"]:
        yield {"id": post["id"], "files": post["files"]}
    for draft in feed["drafts"]:
        yield {"id": draft["publishId"], "files": draft["files"]}


def _google_posts(feed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for video in feed["videos"]:
        yield {"id": video["id"], "files": [video["file"]]}
    for post in feed["posts"]:
        yield {"id": post["id"], "files": post["files"]}


def _telegram_posts(feed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in feed["data"]:
        yield {"id": f"{CHANNEL}:{message['messageId']}", "files": message["files"]}


_POSTS = {
    Platform.META: _graph_posts,
    Platform.THREADS: _graph_posts,
    Platform.TIKTOK: _tiktok_posts,
    Platform.GOOGLE: _google_posts,
    Platform.TELEGRAM: _telegram_posts,
}


def _changes(calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what only reads, and what the platform never got."""
    return [call for call in calls if call["method"] != "GET" and call["fault"] != "call lost"]


def checksums(media: Sequence[MediaFile]) -> list[str]:
    return [file.sha256 for file in media]
