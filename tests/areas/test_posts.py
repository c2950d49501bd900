"""Posts on their way to the platforms: published once whatever gets lost, reported once, taken back where it can be.

The service is the module's own, because its clock is moved.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from PIL import Image

from socialgate.areas.posts.retry_policy import LOOKUP_DELAYS, MAX_STAGE_REPEATS, STAGE_REPEAT_DELAY
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import TargetRow, read_target, targets
from socialgate.core.db import Tx
from support.accounts import read_events
from support.connections import connect_accounts, connect_page
from support.engines import ONE_ENGINE, first_on_both
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.publishing import Files
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

SETTLED = {"published", "partial", "failed"}
# The call that makes a post public, and the one that a platform takes before it.
PUBLISHING_CALL = {"meta": "*/feed", "threads": "*/threads_publish"}
THREADS_CONTAINER = "*/me/threads"


class Desk:
    """An owner with a Page and a Threads profile, and a text that nobody else posts."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self.owner = running.new_owner()
        self.session = self.owner.session
        self.text = f"Fresh bread for {self.owner.id}"
        connect_accounts(sandbox, self.owner, "threads")
        connect_page(sandbox, self.owner)
        self.accounts = {row["platform"]: row for row in self.session.get("/accounts").json()["data"]}

    def account(self, platform: str) -> str:
        return str(self.accounts[platform]["id"])

    def body(self, *platforms: str, **fields: Any) -> dict[str, Any]:
        targets = [{"accountId": self.account(platform)} for platform in platforms]
        return {"profileId": self.owner.profile_id, "content": self.text, "targets": targets, **fields}

    def post(self, *platforms: str, **fields: Any) -> dict[str, Any]:
        answer = self.session.post("/posts", json=self.body(*platforms, **fields))
        assert answer.is_success, answer.text
        created: dict[str, Any] = answer.json()
        return created

    def show(self, post: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = self.session.get(f"/posts/{post['id']}").json()
        return shown

    def settled(self, post: dict[str, Any]) -> dict[str, Any]:
        eventually(lambda: self.show(post)["status"] in SETTLED)
        return self.show(post)

    def unconfirmed(self, post: dict[str, Any]) -> dict[str, Any]:
        eventually(lambda: self.show(post)["targets"][0]["status"] == "unconfirmed")
        return self.show(post)

    def feed(self, platform: str) -> list[dict[str, Any]]:
        """List what the platform shows of ours."""
        number = self.accounts[platform]["platformAccountId"]
        shown = self.sandbox.control("feed", platform=platform, account=number)["data"]
        return [item for item in shown if self.text in item["text"] and item.get("state", "published") == "published"]

    def events(self) -> list[str]:
        """Name what was reported of posts, the oldest first."""
        listed = self.session.get("/events", params={"limit": 200}).json()["data"]
        return [event["event"] for event in listed if event["event"].startswith("post.")]

    def reported(self, names: list[str]) -> bool:
        """Return whether these were reported in this order and no others. The list may follow a moment later."""
        eventually(lambda: len(self.events()) >= len(names))
        return self.events() == names

    def fail(self, platform: str, path: str, **options: Any) -> None:
        self.sandbox.control("fail", platform=platform, path=path, method="POST", **options)

    def later(self, passed: timedelta) -> None:
        """Let time pass, and have the worker notice it at once."""
        self.running.clock.offset += passed
        # What was lost is looked for by its time, so the platforms' clocks go with ours.
        self.sandbox.control("clock", advance=passed.total_seconds())
        self.running.write(_wake)

    def now(self) -> datetime:
        return self.running.clock.now()


async def _wake(tx: Tx) -> None:
    tx.wake_on_commit(PUBLISHING_WAKE_KEY)


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


def in_an_hour(desk: Desk) -> str:
    return (desk.now() + timedelta(hours=1)).isoformat()


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def desk(running: RunningService) -> Iterator[Desk]:
    with Sandbox(running) as sandbox:
        desk = Desk(running, sandbox)
        yield desk
        sandbox.http.delete("/_control/fail")


@pytest.mark.one_engine
def test_a_post_goes_to_each_account_as_it_was_written(desk: Desk) -> None:
    body = picture()
    media_id = desk.session.post("/upload", content=body).json()["id"]
    answer = desk.session.post("/posts", json=desk.body("meta", "threads", media=[{"mediaId": media_id}]))
    assert answer.status_code == 202, answer.text
    post = desk.settled(answer.json())
    assert post["status"] == "published"
    for target in post["targets"]:
        (shown,) = desk.feed(target["platform"])
        assert (shown["id"], shown["text"]) == (target["platformPostId"], desk.text)
        assert [file["sha256"] for file in shown["media"]] == [hashlib.sha256(body).hexdigest()]
        assert target["url"].startswith("https://")
        history = desk.session.get(f"/accounts/{target['accountId']}/history").json()["data"]
        assert target["platformPostId"] in {entry["id"] for entry in history}
    assert desk.reported(["post.published"])


@pytest.mark.one_engine
def test_a_scheduled_post_is_announced_and_published_when_it_is_due(desk: Desk) -> None:
    post = desk.post("meta", scheduledFor=in_an_hour(desk))
    assert post["status"] == "scheduled"
    assert desk.reported(["post.scheduled"])
    desk.later(timedelta(minutes=59))
    assert desk.settled(desk.post("threads"))["status"] == "published"
    assert desk.show(post)["status"] == "scheduled"
    desk.later(timedelta(minutes=1))
    assert desk.settled(post)["status"] == "published"
    assert len(desk.feed("meta")) == 1
    assert desk.reported(["post.scheduled", "post.published", "post.published"])


def test_a_target_that_fails_is_reported_and_tried_again_as_a_new_round(desk: Desk) -> None:
    desk.fail("threads", THREADS_CONTAINER, error="invalid")
    post = desk.settled(desk.post("meta", "threads"))
    assert (post["status"], post["round"]) == ("partial", 1)
    by_platform = {target["platform"]: target for target in post["targets"]}
    assert by_platform["meta"]["status"] == "published"
    assert by_platform["threads"]["status"] == "failed"
    assert by_platform["threads"]["error"]["detail"]
    assert desk.reported(["post.platform.failed", "post.partial"])

    assert desk.session.post(f"/posts/{post['id']}/retry").status_code == 202
    post = desk.settled(post)
    assert (post["status"], post["round"]) == ("published", 2)
    assert (len(desk.feed("meta")), len(desk.feed("threads"))) == (1, 1)
    assert desk.reported(["post.platform.failed", "post.partial", "post.published"])
    problem_of(desk.session.post(f"/posts/{post['id']}/retry"), 409, "nothing_to_retry")


@pytest.mark.one_engine
def test_a_post_that_fails_everywhere_is_reported_once_as_a_whole(desk: Desk) -> None:
    desk.fail("threads", THREADS_CONTAINER, error="invalid")
    assert desk.settled(desk.post("threads"))["status"] == "failed"
    assert desk.reported(["post.platform.failed", "post.failed"])


@ONE_ENGINE
def test_events_carry_the_kind_of_account_and_the_metadata_of_the_post(desk: Desk) -> None:
    desk.fail("threads", THREADS_CONTAINER, error="invalid")
    desk.settled(desk.post("meta", "threads", metadata={"order": 4711}))
    failed, partial = (event["data"] for event in read_events(desk.owner) if event["event"].startswith("post."))
    assert (failed["kind"], failed["metadata"]) == ("threads", {"order": 4711})
    assert {target["kind"] for target in partial["targets"]} == {"facebook_page", "threads"}
    assert partial["metadata"] == {"order": 4711}


@ONE_ENGINE
@pytest.mark.one_engine
def test_all_faults_are_named_at_once_and_nothing_is_stored(desk: Desk) -> None:
    unknown = {"mediaId": "med_01h455vb4pex5vsknk084sn02q"}
    body = desk.body("threads", "meta", "meta", content="x" * 501, media=[unknown])
    body["targets"][1]["options"] = {"surprise": 1}
    body["targets"].append({"accountId": "acc_01h455vb4pex5vsknk084sn02q"})
    refused = problem_of(desk.session.post("/posts", json=body), 422, "invalid")["errors"]
    assert {(fault["pointer"], fault["code"]) for fault in refused} >= {
        ("/media/0/mediaId", "not_found"),
        ("/targets/0/content", "too_long"),
        ("/targets/1/options/surprise", "invalid_option"),
        ("/targets/2/accountId", "duplicate"),
        ("/targets/3/accountId", "not_found"),
    }
    verdict = desk.session.post("/posts/validate", json=body).json()
    assert (verdict["valid"], verdict["errors"]) == (False, refused)
    assert desk.session.get("/posts").json()["data"] == []


@ONE_ENGINE
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"scheduledFor": "2020-01-01T00:00:00Z"}, ("/scheduledFor", "in_the_past")),
        ({"scheduledFor": "tomorrow"}, ("/scheduledFor", "invalid_time")),
        ({"scheduledFor": "20300101T000000Z"}, ("/scheduledFor", "invalid_time")),
        ({"scheduledFor": "2030-W01-1T00:00"}, ("/scheduledFor", "invalid_time")),
        ({"timezone": "Europe/Nowhere"}, ("/timezone", "unknown_timezone")),
        ({"targets": []}, ("/targets", "required")),
    ],
)
@pytest.mark.one_engine
def test_what_cannot_be_planned_is_refused(fields: dict[str, Any], fault: tuple[str, str], desk: Desk) -> None:
    assert fault_of(desk.session.post("/posts", json=desk.body("meta", **fields))) == fault


@ONE_ENGINE
@pytest.mark.one_engine
def test_what_a_platform_has_no_place_for_is_told_before(desk: Desk) -> None:
    media_id = desk.session.post("/upload", content=picture()).json()["id"]
    body = desk.body("meta", media=[{"mediaId": media_id}])
    body["targets"][0]["options"] = {"form": "story"}
    verdict = desk.session.post("/posts/validate", json=body).json()
    assert (verdict["valid"], verdict["errors"]) == (True, [])
    (warning,) = verdict["warnings"]
    assert (warning["pointer"], warning["code"]) == ("/targets/0", "left_out")
    post = desk.settled(desk.session.post("/posts", json=body).json())
    assert post["targets"][0]["warnings"] == [warning["detail"]]


@ONE_ENGINE
@pytest.mark.one_engine
def test_a_fault_of_an_option_does_not_repeat_all_of_it(desk: Desk) -> None:
    body = desk.body("meta")
    body["targets"][0]["options"] = {"x" * 20_000: 1}
    refused = desk.session.post("/posts", json=body)
    assert (refused.status_code, len(refused.content) < 2000) == (422, True)


@pytest.mark.one_engine
def test_a_draft_is_sent_on_its_way_by_a_change(desk: Desk) -> None:
    draft = desk.post("meta", draft=True)
    assert draft["status"] == "draft"
    assert desk.events() == []
    changed = desk.session.patch(f"/posts/{draft['id']}", json={"publishNow": True})
    assert changed.json()["status"] == "publishing"
    assert desk.settled(draft)["status"] == "published"
    assert len(desk.feed("meta")) == 1
    problem_of(desk.session.patch(f"/posts/{draft['id']}", json={"content": "x"}), 409, "post_not_editable")


@pytest.mark.one_engine
def test_what_is_changed_of_a_scheduled_post_is_what_is_published(desk: Desk) -> None:
    post = desk.post("meta", scheduledFor=in_an_hour(desk))
    changed = desk.session.patch(f"/posts/{post['id']}", json={"content": f"{desk.text}, at eight"})
    assert changed.json()["scheduledFor"] == post["scheduledFor"]
    desk.later(timedelta(hours=1))
    desk.settled(post)
    assert [shown["text"] for shown in desk.feed("meta")] == [f"{desk.text}, at eight"]
    assert desk.reported(["post.scheduled", "post.published"])


@pytest.mark.one_engine
def test_a_cancelled_post_is_never_published(desk: Desk) -> None:
    post = desk.post("meta", scheduledFor=in_an_hour(desk))
    assert desk.session.delete(f"/posts/{post['id']}").json()["status"] == "cancelled"
    desk.later(timedelta(hours=2))
    # It would have been taken before this one.
    later = desk.settled(desk.post("meta"))
    assert [shown["id"] for shown in desk.feed("meta")] == [later["targets"][0]["platformPostId"]]
    assert desk.show(post)["status"] == "cancelled"
    assert [item["id"] for item in desk.session.get("/posts").json()["data"]] == [later["id"]]


@pytest.mark.one_engine
def test_a_published_post_is_deleted_where_it_was_published(desk: Desk) -> None:
    post = desk.settled(desk.post("meta", "threads"))
    problem_of(desk.session.delete(f"/posts/{post['id']}"), 409, "post_is_published")
    deleted = desk.session.delete(f"/posts/{post['id']}", params={"platforms": True})
    assert deleted.status_code == 200, deleted.text
    assert [item["deleted"] for item in deleted.json()["platforms"]] == [True, True]
    assert desk.feed("meta") + desk.feed("threads") == []
    problem_of(desk.session.get(f"/posts/{post['id']}"), 404, "not_found")


@pytest.mark.one_engine
def test_our_record_alone_is_deleted_if_that_is_what_is_asked(desk: Desk) -> None:
    post = desk.settled(desk.post("meta"))
    assert desk.session.delete(f"/posts/{post['id']}", params={"platforms": False}).json()["platforms"] == []
    assert len(desk.feed("meta")) == 1


@pytest.mark.one_engine
def test_a_platform_that_says_wait_is_waited_for(desk: Desk) -> None:
    desk.fail("threads", THREADS_CONTAINER, error="rate_limited")
    post = desk.post("threads")

    def waiting() -> list[dict[str, Any]]:
        attempts = desk.show(post)["targets"][0]["attempts"]
        return [attempt for attempt in attempts if attempt["outcome"] == "platform_rate_limited"]

    (payload,) = eventually(waiting)
    assert datetime.fromisoformat(payload["nextAt"]) > desk.now() + timedelta(seconds=10)
    assert desk.show(post)["status"] == "publishing"
    desk.later(datetime.fromisoformat(payload["nextAt"]) - desk.now() + timedelta(seconds=1))
    assert desk.settled(post)["status"] == "published"
    assert len(desk.feed("threads")) == 1
    assert desk.reported(["post.published"])


@pytest.mark.one_engine
@pytest.mark.parametrize("platform", first_on_both(PUBLISHING_CALL))
def test_a_post_whose_answer_got_lost_is_found_and_not_published_again(platform: str, desk: Desk) -> None:
    desk.fail(platform, PUBLISHING_CALL[platform], when="after")
    post = desk.settled(desk.post(platform))
    assert post["status"] == "published"
    (shown,) = desk.feed(platform)
    assert shown["id"] == post["targets"][0]["platformPostId"]
    assert desk.reported(["post.published"])


def attempts(desk: Desk, post: dict[str, Any]) -> list[dict[str, Any]]:
    created: list[dict[str, Any]] = desk.show(post)["targets"][0]["attempts"]
    return created


def until_outcome(desk: Desk, post: dict[str, Any], outcome: str) -> None:
    """Wait until this is the last thing that happened to a post."""
    eventually(lambda: [attempt["outcome"] for attempt in attempts(desk, post)][-1:] == [outcome])


def last_call(desk: Desk) -> int:
    return int(desk.sandbox.listed("received", limit=1)[0]["id"])


def publishing_calls(desk: Desk, since: int) -> int:
    """Count what Threads was asked to publish after some call."""
    calls = desk.sandbox.listed("received", platform="threads", path=PUBLISHING_CALL["threads"], limit=1000)
    return sum(int(call["id"]) > since for call in calls)


@pytest.mark.one_engine
def test_a_call_that_got_lost_is_made_again_where_that_is_harmless(desk: Desk) -> None:
    since = last_call(desk)
    desk.fail("threads", PUBLISHING_CALL["threads"], when="drop")
    post = desk.post("threads")
    until_outcome(desk, post, "found_not_published")
    assert (publishing_calls(desk, since), desk.show(post)["targets"][0]["status"]) == (1, "publishing")
    desk.later(STAGE_REPEAT_DELAY)
    assert desk.settled(post)["status"] == "published"
    assert (publishing_calls(desk, since), len(desk.feed("threads"))) == (2, 1)


@pytest.mark.one_engine
def test_a_call_that_is_carried_out_late_is_not_made_again(desk: Desk) -> None:
    since = last_call(desk)
    desk.fail("threads", PUBLISHING_CALL["threads"], when="late", delay=30)
    post = desk.post("threads")
    until_outcome(desk, post, "found_not_published")
    desk.sandbox.control("clock", advance=31)
    eventually(lambda: desk.feed("threads"))
    desk.later(STAGE_REPEAT_DELAY)
    assert desk.settled(post)["status"] == "published"
    assert (publishing_calls(desk, since), len(desk.feed("threads"))) == (1, 1)


def next_look(desk: Desk, post: dict[str, Any]) -> tuple[timedelta] | None:
    """Return how long nothing happens to a post, which is 0 once it waits for a person. None while something does."""
    (target,) = desk.show(post)["targets"]
    due = target["attempts"][-1]["nextAt"] if target["attempts"] else None
    if due is None:
        return (timedelta(),) if target["status"] == "unconfirmed" else None
    left = datetime.fromisoformat(due) - desk.now()
    return (left,) if left > timedelta() else None


@pytest.mark.one_engine
def test_a_call_that_is_always_lost_is_made_a_few_times(desk: Desk) -> None:
    since = last_call(desk)
    desk.fail("threads", PUBLISHING_CALL["threads"], when="drop", times=100)
    post = desk.post("threads")
    while wait := eventually(lambda: next_look(desk, post))[0]:
        desk.later(wait)
    ends = [attempt["outcome"] for attempt in attempts(desk, post)]
    assert ends[-len(LOOKUP_DELAYS) - 1 :] == ["not_told"] * (len(LOOKUP_DELAYS) + 1)
    assert (publishing_calls(desk, since), desk.feed("threads")) == (1 + MAX_STAGE_REPEATS, [])


def disguise_attempts(desk: Desk, post: dict[str, Any]) -> None:
    """Change what only people read: when a post is tried next stays readable, for the tests."""
    shown = [{**attempt, "outcome": "waiting"} for attempt in attempts(desk, post)]
    statement = sa.update(targets).where(targets.c.owner_id == desk.owner.id, targets.c.post_id == post["id"])

    async def write(tx: Tx) -> None:
        await tx.execute(statement.values(attempts=shown))

    desk.running.write(write)


def stored_target(desk: Desk, post: dict[str, Any]) -> TargetRow:
    statement = sa.select(targets).where(targets.c.owner_id == desk.owner.id, targets.c.post_id == post["id"])

    async def read(tx: Tx) -> list[TargetRow]:
        return await tx.all_as(statement, read_target)

    (row,) = desk.running.read(read)
    existing_row: TargetRow = row
    return existing_row


def test_a_repetition_does_not_depend_on_what_people_read(desk: Desk) -> None:
    since = last_call(desk)
    desk.fail("threads", PUBLISHING_CALL["threads"], when="drop")
    post = desk.post("threads")
    until_outcome(desk, post, "found_not_published")
    disguise_attempts(desk, post)
    desk.later(STAGE_REPEAT_DELAY)
    assert desk.settled(post)["status"] == "published"
    assert (publishing_calls(desk, since), len(desk.feed("threads"))) == (2, 1)


def test_the_number_of_lookups_does_not_depend_on_what_people_read(desk: Desk) -> None:
    desk.fail("meta", PUBLISHING_CALL["meta"], when="drop")
    post = desk.unconfirmed(desk.post("meta"))
    waits = []
    while wait := eventually(lambda: next_look(desk, post))[0]:
        waits.append(wait)
        disguise_attempts(desk, post)
        desk.later(wait)
    assert len(waits) == len(LOOKUP_DELAYS)
    assert stored_target(desk, post).unclear_lookups == len(LOOKUP_DELAYS) + 1


@pytest.mark.one_engine
def test_what_a_retry_remembers_ends_with_its_cause(desk: Desk) -> None:
    desk.fail("threads", THREADS_CONTAINER, error="rate_limited", times=2)
    post = desk.post("threads")
    for number in (1, 2):

        def waits(times: int = number) -> bool:
            return stored_target(desk, post).rate_limits == times

        eventually(waits)
        disguise_attempts(desk, post)
        desk.later(datetime.fromisoformat(attempts(desk, post)[-1]["nextAt"]) - desk.now() + timedelta(seconds=1))
    assert desk.settled(post)["status"] == "published"
    row = stored_target(desk, post)
    assert (row.settles_at, row.unclear_lookups, row.rate_limits) == (None, 0, 0)


@pytest.mark.one_engine
@pytest.mark.parametrize("error", first_on_both(["invalid", "permission_missing"]))
def test_a_refusal_of_a_repetition_says_nothing_about_the_call_that_was_lost(desk: Desk, error: str) -> None:
    desk.fail("threads", PUBLISHING_CALL["threads"], when="late", delay=600)
    desk.fail("threads", PUBLISHING_CALL["threads"], error=error)
    post = desk.post("threads")
    until_outcome(desk, post, "found_not_published")
    desk.later(STAGE_REPEAT_DELAY)
    desk.unconfirmed(post)
    desk.sandbox.control("clock", advance=600)
    eventually(lambda: desk.feed("threads"))
    desk.later(LOOKUP_DELAYS[0])
    assert desk.settled(post)["status"] == "published"
    assert len(desk.feed("threads")) == 1


@pytest.mark.one_engine
def test_an_account_that_is_lost_leaves_open_what_became_of_a_call_before(desk: Desk) -> None:
    desk.fail("threads", PUBLISHING_CALL["threads"], when="late", delay=600)
    desk.fail("threads", PUBLISHING_CALL["threads"], error="token_revoked")
    post = desk.post("threads")
    until_outcome(desk, post, "found_not_published")
    desk.later(STAGE_REPEAT_DELAY)
    desk.unconfirmed(post)
    (account,) = desk.session.get("/accounts", params={"platform": "threads"}).json()["data"]
    assert account["status"] == "needs_reconnection"
    desk.sandbox.control("clock", advance=600)
    eventually(lambda: desk.feed("threads"))
    # Once the account is connected again, the platform can be asked.
    connect_accounts(desk.sandbox, desk.owner, "threads")
    assert desk.session.post(f"/posts/{post['id']}/reconcile", json={"findings": []}).is_success
    assert desk.settled(post)["status"] == "published"
    assert len(desk.feed("threads")) == 1


@ONE_ENGINE
def test_a_reel_that_is_published_after_our_patience_ended_is_out_once(start_service: StartService) -> None:
    patience, taken = 5, 8
    with start_service(platform_deadline_seconds=patience) as running, Sandbox(running) as sandbox:
        desk = Desk(running, sandbox)
        files = Files("")
        film = files.stored[files.video().id][0]
        media_id = desk.session.post("/upload", content=film).json()["id"]
        target = {"accountId": desk.account("meta"), "options": {"form": "reel"}}
        # The first of these calls begins the upload, the second publishes.
        desk.fail("meta", "*/video_reels", skip=1, delay=taken)
        post = desk.post("meta", media=[{"mediaId": media_id}], targets=[target])
        eventually(lambda: not sandbox.listed("fail"))
        # In truth we are patient for two minutes, after which nothing has happened for two minutes.
        desk.later(timedelta(seconds=100))
        eventually(lambda: [item for item in attempts(desk, post) if item["outcome"] == "outcome_unknown"])
        eventually(lambda: any(call["fault"] for call in sandbox.listed("received", path="*/video_reels")))
        while desk.show(post)["status"] not in SETTLED:
            desk.later(timedelta(seconds=30))
        assert desk.show(post)["status"] == "published"
        assert len(desk.feed("meta")) == 1


def reconcile(desk: Desk, post: dict[str, Any], **finding: Any) -> httpx.Response:
    findings = [{"accountId": desk.account("meta"), **finding}] if finding else []
    return desk.session.post(f"/posts/{post['id']}/reconcile", json={"findings": findings})


@pytest.mark.one_engine
def test_a_post_that_nobody_can_find_waits_for_a_person_and_is_not_repeated(desk: Desk) -> None:
    desk.fail("meta", PUBLISHING_CALL["meta"], when="drop")
    post = desk.unconfirmed(desk.post("meta"))
    assert post["status"] == "publishing"
    assert post["targets"][0]["error"]["code"] == "outcome_unknown"
    problem_of(desk.session.post(f"/posts/{post['id']}/retry"), 409, "nothing_to_retry")
    problem_of(desk.session.delete(f"/posts/{post['id']}"), 409, "post_publishing")
    assert (desk.feed("meta"), desk.events()) == ([], [])

    denied = reconcile(desk, post, published=False).json()
    assert (denied["status"], denied["targets"][0]["error"]["code"]) == ("failed", "not_published")
    assert desk.reported(["post.platform.failed", "post.failed"])
    problem_of(reconcile(desk, post, published=False), 409, "nothing_unconfirmed")
    assert desk.session.post(f"/posts/{post['id']}/retry").status_code == 202
    assert desk.settled(post)["status"] == "published"
    assert len(desk.feed("meta")) == 1


def test_the_word_of_a_person_settles_a_post(desk: Desk) -> None:
    desk.fail("meta", PUBLISHING_CALL["meta"], when="drop")
    post = desk.unconfirmed(desk.post("meta"))
    assert fault_of(reconcile(desk, post, published=True, url="javascript:alert(1)"))[0] == "/findings/0/url"
    twice = {"findings": [{"accountId": desk.account("meta"), "published": seen} for seen in (True, False)]}
    assert fault_of(desk.session.post(f"/posts/{post['id']}/reconcile", json=twice))[0] == "/findings/1/accountId"
    decided = reconcile(desk, post, published=True, platformPostId="17", url="https://example.com/17").json()
    (target,) = decided["targets"]
    assert (decided["status"], target["platformPostId"], target["error"]) == ("published", "17", None)
    assert desk.reported(["post.published"])
    (response,) = desk.session.delete(f"/posts/{post['id']}", params={"platforms": True}).json()["platforms"]
    assert (response["deleted"], "with the id that was given" in response["detail"]) == (False, True)


def lose(desk: Desk) -> None:
    account = desk.accounts["threads"]
    desk.sandbox.control("revoke", platform="threads", account=account["platformAccountId"])
    desk.session.get("/accounts/health", params={"refresh": True})
    lost = {"status": "needs_reconnection"}
    eventually(
        lambda: [row["id"] for row in desk.session.get("/accounts", params=lost).json()["data"]] == [account["id"]]
    )


def disconnect(desk: Desk) -> None:
    assert desk.session.delete(f"/accounts/{desk.account('threads')}").is_success


@pytest.mark.parametrize(
    ("end", "code"), first_on_both([(lose, "needs_reconnection"), (disconnect, "account_disconnected")])
)
def test_a_post_of_an_account_that_was_lost_fails_and_says_why(end: Any, code: str, desk: Desk) -> None:
    post = desk.post("threads", scheduledFor=in_an_hour(desk))
    end(desk)
    desk.later(timedelta(hours=1))
    error = desk.settled(post)["targets"][0]["error"]
    assert (error["code"], error["source"]) == (code, "user")
    assert error["detail"]
    assert desk.reported(["post.scheduled", "post.platform.failed", "post.failed"])


def test_the_same_request_sent_twice_is_one_post(desk: Desk) -> None:
    def send() -> httpx.Response:
        return desk.session.post("/posts", json=desk.body("meta"), headers={"Idempotency-Key": "bread-1"})

    first, second = send(), send()
    assert second.headers["idempotent-replayed"] == "true"
    assert (second.status_code, second.json()["id"]) == (first.status_code, first.json()["id"])
    desk.settled(first.json())
    assert len(desk.feed("meta")) == 1


@ONE_ENGINE
def test_a_platform_that_says_it_is_done_is_asked_at_once(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        desk = Desk(running, sandbox)
        connect_accounts(sandbox, desk.owner, "tiktok")
        media_id = desk.session.post("/upload", content=picture()).json()["id"]
        # Nothing becomes due by itself any more: only the word of the platform leads on.
        running.clock.stop()
        post = tiktok_post(desk, media_id, desk.now()).json()
        eventually(lambda: desk.show(post)["targets"][0]["attempts"][-1:] and _rests(desk, post))
        sandbox.control("clock", advance=30)
        assert desk.settled(post)["status"] == "published"


def _rests(desk: Desk, post: dict[str, Any]) -> bool:
    """Return whether the platform works on a post now, and nobody looks before some time has passed."""
    last = desk.show(post)["targets"][0]["attempts"][-1]
    return last["outcome"] == "waiting" and last["nextAt"] is not None


def tiktok_post(desk: Desk, media_id: str, at: datetime) -> httpx.Response:
    listed = desk.session.get("/accounts", params={"platform": "tiktok"}).json()["data"]
    target = {"accountId": listed[0]["id"], "options": {"privacyLevel": "PUBLIC_TO_EVERYONE"}}
    fields = {"targets": [target], "media": [{"mediaId": media_id}], "scheduledFor": at.isoformat()}
    return desk.session.post("/posts", json=desk.body(**fields))


def test_the_cap_of_a_platform_holds_for_posts_that_come_at_once_and_out_of_order(desk: Desk) -> None:
    connect_accounts(desk.sandbox, desk.owner, "tiktok")
    media_id = desk.session.post("/upload", content=picture()).json()["id"]
    evening = desk.now() + timedelta(hours=20)
    answers = run_simultaneously(20, lambda _: tiktok_post(desk, media_id, evening))
    taken = [answer.status_code for answer in answers]
    assert (taken.count(201), taken.count(422)) == (15, 5)
    refused = next(answer for answer in answers if answer.status_code == 422)
    assert "post 16 of 15" in refused.json()["errors"][0]["detail"]
    # What comes hours before would be one of the same day.
    earlier = tiktok_post(desk, media_id, evening - timedelta(hours=3))
    assert fault_of(earlier) == ("/targets/0/accountId", "quota_exhausted")
    assert tiktok_post(desk, media_id, evening + timedelta(hours=25)).status_code == 201


@pytest.mark.one_engine
def test_the_posts_of_another_owner_are_not_seen(desk: Desk, running: RunningService) -> None:
    post = desk.post("meta", draft=True)
    other = running.new_owner().session
    assert other.get("/posts").json()["data"] == []
    problem_of(other.get(f"/posts/{post['id']}"), 404, "not_found")
    assert datetime.fromisoformat(post["createdAt"]) <= datetime.now(UTC) + running.clock.offset


@pytest.mark.one_engine
def test_a_file_of_another_owner_cannot_be_posted(desk: Desk, running: RunningService) -> None:
    """It belongs to no profile: only its owner tells it from one of ours."""
    theirs = running.new_owner().session.post("/upload", content=picture()).json()["id"]
    refused = desk.session.post("/posts", json=desk.body("meta", media=[{"mediaId": theirs}]))
    assert fault_of(refused) == ("/media/0/mediaId", "not_found")


def test_posts_are_found_by_each_filter_and_by_all_of_them(desk: Desk) -> None:
    later = desk.now() + timedelta(days=3)
    both = desk.post("threads", "meta", draft=True, content="100% rye")
    page = desk.post("meta", scheduledFor=later.isoformat(), content="100 rolls")
    cancelled = desk.post("threads", scheduledFor=later.isoformat())
    assert desk.session.delete(f"/posts/{cancelled['id']}").is_success

    def found(**params: Any) -> list[str]:
        answer = desk.session.get("/posts", params=params)
        assert answer.status_code == 200, answer.text
        return [post["id"] for post in answer.json()["data"]]

    threads, facebook = desk.accounts["threads"], desk.accounts["meta"]
    assert found() == [page["id"], both["id"]]
    assert found(status="cancelled") == [cancelled["id"]]
    assert found(status="draft") == [both["id"]]
    assert found(accountId=facebook["id"]) == [page["id"], both["id"]]
    assert found(accountId=threads["id"]) == [both["id"]]
    assert found(platform="threads") == [both["id"]]
    # One target has both: the account is not on this platform.
    assert found(accountId=facebook["id"], platform="threads") == []
    assert found(accountId=threads["id"], platform="threads") == [both["id"]]
    assert found(text="100% RYE") == [both["id"]]
    assert found(text="100") == [page["id"], both["id"]]
    assert found(**{"from": (later - timedelta(hours=1)).isoformat()}) == [page["id"]]
    assert found(to=(later - timedelta(hours=1)).isoformat()) == [both["id"]]
    assert found(profileId=desk.owner.profile_id, text="rye", platform="meta", status="draft") == [both["id"]]
    first = desk.session.get("/posts", params={"limit": 1, "text": "100"}).json()
    assert found(cursor=first["nextCursor"], text="100") == [both["id"]]
