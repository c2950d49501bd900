"""Comments and reviews as events: each once, none of the account's own, however the platform makes them known."""

import json
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from socialgate.areas.comments.jobs import COMMENT_SWEEP_JOB
from socialgate.areas.comments.store import purge_received_comments
from socialgate.core.jobs.job_store import jobs
from support.accounts import read_events
from support.analytics_fixture import PLATFORMS, AnalyticsFixture
from support.connections import connect_page
from support.database import rows
from support.publishing import mp4
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import Google, sign_as_meta

pytestmark = pytest.mark.both_engines

# A place that nobody has reviewed: on the first one, every customer has.
PLACE = "15283746510293847002"
HOURS = timedelta(hours=2)


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own: people of other tests must not comment, and time passes."""
    with start_service() as own:
        yield own


@pytest.fixture
def grown(running: RunningService) -> Iterator[AnalyticsFixture]:
    with AnalyticsFixture(running) as analytics:
        yield analytics


def received(owner: OwnerFixture, name: str = "comment.received") -> list[dict[str, Any]]:
    return [event["data"] for event in read_events(owner) if event["event"] == name]


def swept(grown: AnalyticsFixture, account: dict[str, Any]) -> None:
    """Let time pass until comments are looked for, and wait until that is done."""
    mine = jobs.c.owner_id == grown.owner.id, jobs.c.type == COMMENT_SWEEP_JOB, jobs.c.job_key == account["id"]

    def due() -> Any:
        (row,) = rows(grown.running, sa.select(jobs.c.due_at, jobs.c.claim_id).where(*mine))
        return None if row.claim_id is not None else row.due_at

    before = eventually(due)
    grown.let_pass(HOURS)
    eventually(lambda: (now := due()) is not None and now > before)


@pytest.mark.one_engine
@pytest.mark.parametrize("kind", ["facebook_page", "instagram", "threads"])
def test_a_comment_is_reported_within_seconds_and_the_answer_to_it_is_not(grown: AnalyticsFixture, kind: str) -> None:
    account = grown.connect_only(kind)
    object_id = grown.publish(account)["targets"][0]["platformPostId"]
    path = f"/accounts/{account['id']}/comments"
    text = f"Is it fresh? {uuid4().hex}"
    order = {"platform": PLATFORMS[kind], "objectId": object_id, "person": "dario"}
    comment_id = str(grown.sandbox.control("comment", **order, text=text)["id"])
    (event,) = eventually(lambda: received(grown.owner))
    assert (event["accountId"], event["platform"], event["kind"]) == (account["id"], PLATFORMS[kind], kind)
    comment = event["comment"]
    assert (comment["id"], comment["objectId"], comment["text"]) == (comment_id, object_id, text)
    assert comment["author"]["name"] or comment["author"]["username"]
    answer = grown.owner.session.post(path, json={"postId": object_id, "parentId": comment_id, "text": "Of course."})
    assert answer.status_code == 201, answer.text
    own = grown.owner.session.post(path, json={"postId": object_id, "text": "We are open until eight."})
    assert own.status_code == 201, own.text
    # What comes after the account's own comments is reported alone.
    grown.sandbox.control("comment", **order, text="Thanks!")
    eventually(lambda: len(received(grown.owner)) == 2)
    assert [item["comment"]["text"] for item in received(grown.owner)] == [text, "Thanks!"]


@pytest.mark.one_engine
def test_a_comment_is_reported_once_however_often_meta_reports_it(running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        page = owner.session.get(f"/accounts/{connect_page(sandbox, owner)}").json()["platformAccountId"]
    comment = f"{page}_1_{uuid4().int % 10**12}"

    def report(at: int, verb: str = "add", **more: Any) -> None:
        value: dict[str, Any] = {
            "item": "comment",
            "verb": verb,
            "comment_id": comment,
            "post_id": f"{page}_1",
            "message": "Hi",
        }
        value |= {"from": {"id": "6512", "name": "Ana Souza"}, "created_time": at, **more}
        body = {"object": "page", "entry": [{"id": page, "time": at, "changes": [{"field": "feed", "value": value}]}]}
        assert sign_as_meta("meta")(json.dumps(body).encode()).send(running.client()).status_code == 200

    # The time differs, so these are different reports.
    for second in range(3):
        report(1_794_000_000 + second)
    report(1_794_000_009, "edited", message="Hello")
    report(1_794_000_020, comment_id=f"{comment}9", message="The last")
    eventually(lambda: [item for item in received(owner) if item["comment"]["text"] == "The last"])
    assert [item["comment"]["text"] for item in received(owner)] == ["Hi", "The last"]


@pytest.mark.one_engine
def test_comments_on_youtube_are_looked_for(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("youtube")
    object_id = grown.publish(account, mp4(4), options={"title": "Bread"})["targets"][0]["platformPostId"]
    payload = {"platform": "google", "post": object_id}
    first = grown.sandbox.control("comment", **payload, text="Yum")["comment"]
    swept(grown, account)
    (event,) = received(grown.owner)
    assert (event["kind"], event["comment"]["id"], event["comment"]["text"]) == ("youtube", first, "Yum")
    path = f"/accounts/{account['id']}/comments"
    mine = grown.owner.session.post(path, json={"postId": object_id, "parentId": first, "text": "Thank you!"})
    assert mine.status_code == 201, mine.text
    grown.sandbox.control("comment", **payload, replyTo=first, text="Yum again")
    swept(grown, account)
    swept(grown, account)
    assert [item["comment"]["text"] for item in received(grown.owner)] == ["Yum", "Yum again"]
    assert received(grown.owner)[1]["comment"]["parentId"] == first


def test_reviews_are_reported_when_google_says_so_and_looked_for_besides(grown: AnalyticsFixture) -> None:
    grown.sandbox.control("review", platform="google", account=PLACE, stars=1, text="Before", person="dario")
    grown.let_pass(HOURS)
    place = next(item for item in connected_places(grown) if item["platformAccountId"].endswith(PLACE))
    payload = {"platform": "google", "account": PLACE}
    grown.sandbox.control("review", **payload, stars=2, text="Too salty", person="elif")
    push(grown, "NEW_REVIEW")
    (event,) = eventually(lambda: received(grown.owner, "review.received"))
    review = event["review"]
    assert (event["accountId"], review["rating"], review["text"]) == (place["id"], 2, "Too salty")
    assert review["author"]["name"]
    # Without a push, and the first one once more.
    grown.sandbox.control("review", **payload, stars=5, text="Lovely", person="finn")
    push(grown, "UPDATED_REVIEW")
    swept(grown, place)
    assert [item["review"]["text"] for item in received(grown.owner, "review.received")] == ["Too salty", "Lovely"]
    assert received(grown.owner) == []


def connected_places(grown: AnalyticsFixture) -> list[dict[str, Any]]:
    grown.connect("google_business")
    result: list[dict[str, Any]] = grown.owner.session.get("/accounts", params={"limit": 200}).json()["data"]
    return result


def push(grown: AnalyticsFixture, kind: str) -> None:
    payload = {"notificationType": kind, "reviewName": f"accounts/1/locations/{PLACE}/reviews/abc{uuid4().hex}"}
    message = {"data": b64encode(json.dumps(payload).encode()).decode(), "messageId": uuid4().hex}
    expires = grown.now + timedelta(hours=1)
    sent = Google(grown.sandbox).push(json.dumps({"message": message}).encode(), expires.timestamp())
    assert sent.send(grown.running.client()).is_success


@pytest.mark.one_engine
def test_what_was_reported_is_forgotten_after_a_month(running: RunningService) -> None:
    now = running.clock.now()
    running.write(purge_received_comments, now + timedelta(days=40))
    assert running.write(purge_received_comments, now + timedelta(days=40)) == 0
