"""Posts of every form on many accounts of simulated platforms, whose answers get lost, and what came of each.

A first run of each form tells which calls it makes. Then each post is disturbed at one of them. Many posts are on their
way at once, each on an account of its own.
"""

import logging
import re
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from itertools import count
from typing import Any

import httpx
import msgspec
import sqlalchemy as sa
from PIL import Image

from socialgate.areas.posts.tables import targets
from socialgate.contracts.platforms import Kind
from socialgate.core.outbox import events
from support.crash_deployment import PLATFORMS, CrashDeployment
from support.many_accounts import SimulatedAccount
from support.parallel import in_parallel
from support.processes import DEADLINE_SECONDS
from support.publishing import Files

log = logging.getLogger(__name__)

MIB = 1024 * 1024
# How long platforms work on media. Their time moves by more with each step of ours, so that one look is too early and
# the next is not, however fast the machine is.
PROCESSING = timedelta(minutes=1)
# How many posts are on their way at once, by kind: a worker has room for a hundred.
ACCOUNTS = {
    Kind.FACEBOOK_PAGE: 16,
    Kind.INSTAGRAM: 15,
    Kind.THREADS: 19,
    Kind.TIKTOK: 8,
    Kind.YOUTUBE: 7,
    Kind.GOOGLE_BUSINESS: 4,
    Kind.TELEGRAM_BOT: 6,
}


class PostVariant(msgspec.Struct, frozen=True, kw_only=True):
    """A form of post. `visible_count` is how many things the platform shows of one.

    `unverifiable_call` are calls of which the platform never says that it was not made; only Telegram does not say it
    of any.
    """

    kind: Kind
    name: str
    media: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    comment: bool = False
    thumbnail: bool = False
    visible_count: int = 1
    unverifiable_call: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def forms(kind: Kind, **named: Mapping[str, Any]) -> list[PostVariant]:
    return [PostVariant(kind=kind, name=name.replace("_", " "), **fields) for name, fields in named.items()]


_PUBLIC = {"privacyLevel": "PUBLIC_TO_EVERYONE"}
_DAYS = {"startDate": {"year": 2031, "month": 5, "day": 1}, "endDate": {"year": 2031, "month": 5, "day": 2}}
FORMS = [
    *forms(
        Kind.FACEBOOK_PAGE,
        text={"comment": True, "unverifiable_call": "/feed"},
        photo={"media": ("photo",), "unverifiable_call": "/feed"},
        album={"media": ("photo", "other photo", "photo"), "unverifiable_call": "/feed"},
        video={"media": ("film",), "comment": True, "unverifiable_call": "/videos"},
        long_video={"media": ("long film",), "unverifiable_call": "/videos"},
        reel={"media": ("film",), "options": {"form": "reel"}, "unverifiable_call": "/video_reels"},
        photo_story={"media": ("photo",), "options": {"form": "story"}, "unverifiable_call": "/photo_stories"},
        video_story={"media": ("film",), "options": {"form": "story"}, "unverifiable_call": "/video_stories"},
    ),
    *forms(
        Kind.INSTAGRAM,
        photo={"media": ("photo",), "comment": True},
        carousel={"media": ("photo", "film")},
        reel={"media": ("film",)},
        photo_story={"media": ("photo",), "options": {"form": "story"}},
        video_story={"media": ("film",), "options": {"form": "story"}},
    ),
    *forms(
        Kind.THREADS,
        text={},
        photo={"media": ("photo",)},
        video={"media": ("film",)},
        carousel={"media": ("photo", "film")},
        thread={"options": {"thread": ["And then", "The end"]}, "comment": True, "visible_count": 4},
    ),
    *forms(
        Kind.TIKTOK,
        upload={"media": ("film",), "options": _PUBLIC},
        upload_in_parts={"media": ("very long film",), "options": _PUBLIC},
        pull={"media": ("film",), "options": {**_PUBLIC, "source": "url"}, "unverifiable_call": "/video/init/"},
        photos={"media": ("photo", "other photo"), "options": _PUBLIC, "unverifiable_call": "/content/init/"},
        draft={"media": ("film",), "options": {"mode": "draft"}},
    ),
    *forms(
        Kind.YOUTUBE,
        video={"media": ("film",), "comment": True, "thumbnail": True},
        upload_in_parts={"media": ("long film",)},
    ),
    *forms(
        Kind.GOOGLE_BUSINESS,
        text={"unverifiable_call": "/localPosts"},
        photo={"media": ("photo",), "unverifiable_call": "/localPosts"},
        event={
            "options": {"form": "event", "event": {"title": "Bread", "schedule": _DAYS}},
            "unverifiable_call": "/localPosts",
        },
    ),
    *forms(
        Kind.TELEGRAM_BOT,
        text={"unverifiable_call": "/sendMessage"},
        photo={"media": ("photo",), "unverifiable_call": "/sendPhoto"},
        video={"media": ("film",), "unverifiable_call": "/sendVideo"},
        album={"media": ("photo", "other photo", "film"), "visible_count": 3, "unverifiable_call": "/sendMediaGroup"},
        document={"media": ("document",), "unverifiable_call": "/sendDocument"},
    ),
]


class Point(msgspec.Struct, frozen=True):
    """A call at which a post is disturbed, and how. `number` counts all its calls, `nth` those of this name."""

    form: PostVariant
    number: int
    nth: int
    call: str
    when: str

    def __str__(self) -> str:
        return f"{self.form}, {self.when} call {self.number}: {self.call}"

    @property
    def is_verifiable(self) -> bool:
        """Whether the platform says afterwards what became of the call."""
        silent = self.when not in {"after", "late"} or self.form.kind is Kind.TELEGRAM_BOT
        return not (silent and self.form.unverifiable_call and self.call.endswith(self.form.unverifiable_call))


class Case(msgspec.Struct, frozen=True):
    """One post on one account, and what the platform showed there before it."""

    form: PostVariant
    member: SimulatedAccount
    post_id: str
    before: frozenset[str]
    point: Point | None = None
    fault: str | None = None


class PublishFaultTester(ABC):
    """Makes posts of every form, lets time pass for them, and sees what came of them."""

    def __init__(self, stage: CrashDeployment, members: Sequence[SimulatedAccount]) -> None:
        self.stage = stage
        self._members = members
        self._accounts = stage.connect(members)
        self._files = {
            name: str(stage.send_request("POST", "/upload", content=body)["id"]) for name, body in files().items()
        }
        self._numbers = count()
        # What the platforms show on each account; at first that is nothing.
        self._shown: dict[str, frozenset[str]] = defaultdict(frozenset)
        self._bell = self._create_wakeup_post()
        stage.postpone_checks()
        stage.clocks.stop()
        for member in members:
            if PLATFORMS[member.kind] in {"meta", "threads"}:
                order = {"account": member.id, "seconds": PROCESSING.total_seconds(), "times": 1000}
                stage.sandbox.control("process", platform=PLATFORMS[member.kind], **order)

    def free(self) -> dict[Kind, list[SimulatedAccount]]:
        return {kind: [member for member in self._members if member.kind is kind] for kind in ACCOUNTS}

    def post_all(self, requested: Sequence[tuple[PostVariant, SimulatedAccount, Point | None]]) -> list[Case]:
        return in_parallel(lambda item: self._post(*item), requested)

    def _post(self, form: PostVariant, member: SimulatedAccount, point: Point | None) -> Case:
        fault = None if point is None else self.inject_fault(member, point)
        created = self.stage.send_request("POST", "/posts", json=self._body(form, member))
        return Case(form, member, created["id"], self._shown[member.id], point, fault)

    @abstractmethod
    def inject_fault(self, member: SimulatedAccount, point: Point) -> str | None:
        """Have a call of an account disturbed. Gives the id of what keeps it from being answered, if anything does."""

    def _body(self, form: PostVariant, member: SimulatedAccount) -> dict[str, Any]:
        number = next(self._numbers)
        text = f"Fresh bread {number}"
        options = dict(form.options)
        if form.kind is Kind.TELEGRAM_BOT:
            options["chatId"] = member.channel
        if form.kind is Kind.YOUTUBE:
            options["title"] = text
        media = [{"mediaId": self._files[name]} for name in form.media]
        if form.thumbnail:
            media[0]["thumbnailMediaId"] = self._files["photo"]
        return {
            "profileId": self.stage.profile_id,
            "content": text,
            "media": media,
            "targets": [{"accountId": self._accounts[member.id], "options": options}],
            **({"firstComment": f"Come in {number}"} if form.comment else {}),
        }

    def _create_wakeup_post(self) -> str:
        """Make a post that is never due: changing it tells the worker to look at the time."""
        text = next(form for form in FORMS if form.kind is Kind.TELEGRAM_BOT)
        body = self._body(text, self.free()[text.kind][0]) | {"scheduledFor": self._in_years()}
        return str(self.stage.send_request("POST", "/posts", json=body)["id"])

    def _in_years(self) -> str:
        return (self.stage.clocks.now() + timedelta(days=1000)).isoformat()

    def advance_time(self, passed: timedelta) -> None:
        self.stage.clocks.advance(passed, platforms=PROCESSING)
        self.stage.send_request("PATCH", f"/posts/{self._bell}", json={"scheduledFor": self._in_years()})

    def rows(self, cases: Sequence[Case], *columns: sa.Column[Any]) -> list[sa.Row[Any]]:
        """Give the targets of these posts, in their order, or some columns of them."""
        select = sa.select(targets.c.post_id, *columns) if columns else sa.select(targets)
        result = self.stage.read(select.where(targets.c.post_id.in_([case.post_id for case in cases])))
        by_post = {row.post_id: row for row in result}
        return [by_post[case.post_id] for case in cases]

    def settle(self, cases: Sequence[Case]) -> list[sa.Row[Any]]:
        """Let time pass until nobody has anything more to do for these, and no look is left."""
        while (wait := self.when_idle(cases)) is not None:
            self.advance_time(wait)
        return self.rows(cases)

    def when_idle(self, cases: Sequence[Case]) -> timedelta | None:
        """Wait until nobody works on these posts but for calls that are held. Gives the time until all are due."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while True:
            stored, now = self.list_hanging_calls(), self.stage.clocks.now()
            rows = [
                row
                for case, row in zip(cases, self.rows(cases, targets.c.due_at, targets.c.claim_id), strict=True)
                if row.due_at is not None and case.fault not in stored
            ]
            if not rows:
                return None
            busy = [row for row in rows if row.claim_id is not None or row.due_at <= now]
            if not busy:
                latest: datetime = max(row.due_at for row in rows)
                return latest - now
            assert time.monotonic() < deadline, f"nobody goes on with {[row._mapping for row in busy[:3]]}"
            time.sleep(0.05)

    def list_hanging_calls(self) -> dict[str | None, str]:
        """Return which faults hold a call now, and which call it is."""
        return {item["fault"]: normalize_call(item) for item in self.stage.sandbox.look("fail")["hanging"]}

    def calls(self, since: int) -> list[dict[str, Any]]:
        """List what the platforms were asked after a call, the oldest first."""
        result = self.stage.sandbox.look("received", limit=2000)["data"]
        return [call for call in reversed(result) if int(call["id"]) > since]

    def last_call(self) -> int:
        (result,) = self.stage.sandbox.look("received", limit=1)["data"]
        return int(result["id"])

    def check(self, cases: Sequence[Case], rows: Sequence[sa.Row[Any]], since: int) -> None:
        """Compare what is said of each post with what its platform shows."""
        result = in_parallel(lambda case: frozenset(shown(self.stage, case.member)), cases)
        self._shown |= {case.member.id: item for case, item in zip(cases, result, strict=True)}
        comments = Counter(account for call in self.calls(since) if is_comment(call) for account in call["accounts"])
        wrong = [
            f"{case.point or case.form}: {fault}. {row.status}, {row.error}, {row.warnings}, {row.attempts}"
            for case, row in zip(cases, rows, strict=True)
            for fault in faults_of(case, row, self._shown[case.member.id], comments[case.member.id])
        ]
        assert not wrong, "\n".join(wrong)

    def is_visible(self, case: Case) -> bool:
        """Return whether the platform showed a post when it was last looked at."""
        return bool(self._shown[case.member.id] - case.before)

    def check_events(self, outcomes: Mapping[str, str]) -> None:
        """See that each post was reported once if it is out or has failed, and not at all as long as nobody knows."""
        rows = self.stage.read(sa.select(events.c.name, events.c.body).where(events.c.name.like("post.%")))
        counts = Counter((row.name, msgspec.json.decode(row.body)["data"]["postId"]) for row in rows)
        del counts["post.scheduled", self._bell]
        names = {"published": ("post.published",), "failed": ("post.failed", "post.platform.failed")}
        assert counts == Counter((name, post) for post, status in outcomes.items() for name in names.get(status, ()))


def files() -> dict[str, bytes]:
    files = Files("")

    def body(file: Any) -> bytes:
        return files.stored[file.id][0]

    document = BytesIO()
    Image.new("RGB", (64, 64), "navy").save(document, "PDF")
    return {
        "photo": body(files.image(640, 640)),
        "other photo": body(files.image(640, 640, color="navy")),
        "film": body(files.video()),
        "long film": body(files.video(size=9 * MIB)),
        "very long film": body(files.video(size=17 * MIB)),
        "document": document.getvalue(),
    }


def normalize_call(call: Mapping[str, Any]) -> str:
    """Name a call without what is different each time."""
    path = "/".join("#" if re.search(r"\d{3}", part) else part for part in call["path"].split("/"))
    return f"{call['method']} {path}"


def shown(stage: CrashDeployment, member: SimulatedAccount) -> list[str]:
    """Name all that a platform shows on an account."""
    platform = PLATFORMS[member.kind]
    feed = stage.sandbox.control("feed", platform=platform, account=member.channel or member.id)
    if platform == "telegram":
        return [str(item["messageId"]) for item in feed["data"]]
    if platform == "tiktok":
        return [item["id"] for item in feed["posts"]] + [item["publishId"] for item in feed["drafts"]]
    if platform == "google":
        return [item["id"] for item in [*feed["videos"], *feed["posts"]]]
    return [item["id"] for item in feed["data"] if item.get("state", "published") == "published"]


def is_comment(call: Mapping[str, Any]) -> bool:
    """Return whether a call has written a comment."""
    created = call["status"] == httpx.codes.OK or call["fault"] in {"hung after", "answer lost"}
    return created and bool(re.fullmatch("POST .*/(comments|commentThreads)", normalize_call(call)))


def faults_of(case: Case, row: sa.Row[Any], now_shown: frozenset[str], comments: int) -> Iterator[str]:
    new = len(now_shown - case.before)
    numbers = {"published": {case.form.visible_count}, "unconfirmed": {0, case.form.visible_count}}.get(row.status, {0})
    if row.status not in {"published", "unconfirmed"} and not (case.point is not None and case.point.when == "slow"):
        yield "What was done to it must not fail it"
    if row.status == "unconfirmed" and (
        case.point.is_verifiable if case.point is not None else not case.form.unverifiable_call
    ):
        yield "The platform would have told"
    if row.status == "unconfirmed" and not row.error["detail"]:
        yield "It gives no reason"
    if new not in numbers:
        yield f"The platform shows {new} in place of {numbers}"
    # On Threads a comment is a post like others, and was counted as such.
    wanted_comments = case.form.comment and case.form.kind is not Kind.THREADS and not row.warnings
    if comments > 1 or (row.status == "published" and wanted_comments and not comments):
        yield f"There are {comments} first comments"


class OutcomeCounts:
    """How posts ended."""

    def __init__(self) -> None:
        self.ends: dict[str, str] = {}
        self._by_kind: Counter[tuple[str, str]] = Counter()
        self._began = time.monotonic()

    def add(self, cases: Sequence[Case], rows: Sequence[sa.Row[Any]]) -> None:
        for case, row in zip(cases, rows, strict=True):
            self.ends[row.post_id] = row.status
            self._by_kind[case.form.kind, row.status] += 1

    def tell(self, name: str, kills: int) -> None:
        ended = ", ".join(f"{kind} {status} {number}" for (kind, status), number in sorted(self._by_kind.items()))
        took = time.monotonic() - self._began
        log.info("%s: %d posts, %d kills, %.0f s: %s", name, len(self.ends), kills, took, ended)


def list_fault_points(bench: PublishFaultTester, figures: OutcomeCounts, moments: Sequence[str]) -> list[Point]:
    """Publish each form once, undisturbed, and name each call that this took as some moments to disturb it at."""
    since, free = bench.last_call(), bench.free()
    cases = bench.post_all([(form, free[form.kind].pop(), None) for form in FORMS])
    rows = bench.settle(cases)
    bench.check(cases, rows, since)
    assert {row.status for row in rows} == {"published"}
    figures.add(cases, rows)
    calls = bench.calls(since)
    return [
        Point(case.form, number, nth, name, when)
        for case in cases
        for number, nth, name in _numbered(normalize_call(call) for call in calls if case.member.id in call["accounts"])
        for when in moments
    ]


def _numbered(names: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Number names, all of them and those that are the same."""
    seen: Counter[str] = Counter()
    for number, name in enumerate(names):
        yield number, seen[name], name
        seen[name] += 1
