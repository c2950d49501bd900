"""What goes wrong at the provider: retried, reported in its own words, and never paid for twice by itself."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.areas.generation.jobs import GENERATION_RETENTION
from socialgate.areas.generation.progress import MAX_FAILURES
from socialgate.areas.generation.tables import generations
from socialgate.core.jobs.job_store import jobs
from socialgate.core.metering import UsageMetric, usage_months
from support.database import rows
from support.generations import PROVIDER, begin, generate, generate_failing, get_generation, wait_for_generation
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

COPY, IMAGE, SPEECH, VIDEOS = "*/chat/completions", "*/images/generations", "*/audio/speech", "*/videos"
PROMPT = "Announce our new rye bread"


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved and its provider is steered."""
    with start_service(ai_models="gpt-5.4-mini, gpt-image-2, sandbox-tts, sandbox-video, gpt-9") as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return OwnerFixture(running)


def calls(sandbox: Sandbox, path: str) -> int:
    return len(sandbox.listed("received", platform="openai", path=path, limit=2000))


def waiting(owner: OwnerFixture, created: dict[str, Any]) -> dict[str, Any]:
    """Wait until a generation has failed and is to be tried again."""

    def held_back() -> dict[str, Any] | None:
        result = get_generation(owner.session, created["id"])
        return result if result["status"] == "queued" and result["lastError"] else None

    return eventually(held_back)


def test_a_text_that_is_too_long_is_shortened_by_the_model(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("overrun", **PROVIDER)
    result = generate(owner.session, "copy", prompt=PROMPT, maxLength=120)["result"]
    (variant,) = result["variants"]
    assert variant["shortened"]
    assert len(variant["text"]) <= 120
    assert "shorten" in result["warnings"][0]


def test_a_text_that_stays_too_long_is_not_cut(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("overrun", times=2, **PROVIDER)
    before = calls(sandbox, COPY)
    result = generate(owner.session, "copy", prompt=PROMPT, maxLength=60, kinds=["threads"])["result"]
    (variant,) = result["variants"]
    assert [check["fits"] for check in variant["checks"]] == [True, False]
    assert len(variant["text"]) == variant["checks"][1]["length"] > 60
    assert "still too long" in result["warnings"][0]
    assert calls(sandbox, COPY) == before + 2


@pytest.mark.parametrize(
    ("media_type", "body"),
    [("copy", {"prompt": PROMPT}), ("image", {"prompt": PROMPT}), ("video", {"prompt": PROMPT, "seconds": 4})],
)
def test_what_the_provider_refuses_fails_with_its_reason(
    owner: OwnerFixture, sandbox: Sandbox, media_type: str, body: dict[str, Any]
) -> None:
    sandbox.control("refuse", **PROVIDER)
    error = generate_failing(owner.session, media_type, **body)
    assert (error["code"], error["category"]) == ("platform_rejected", "user_content")
    assert "content policy" in error["detail"]
    assert error["type"].endswith("/docs/errors/platform_rejected")
    assert error["platformError"]["message"]


@pytest.mark.parametrize("how", ["filter", "refusal"])
def test_a_model_refuses_in_its_own_words(owner: OwnerFixture, sandbox: Sandbox, how: str) -> None:
    sandbox.control("refuse", how=how, **PROVIDER)
    error = generate_failing(owner.session, "copy", prompt=PROMPT)
    assert (error["code"], error["category"]) == ("platform_rejected", "user_content")


def test_a_key_that_is_not_accepted_is_a_matter_of_the_operator(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("revoke", **PROVIDER)
    error = generate_failing(owner.session, "copy", prompt=PROMPT)
    assert (error["code"], error["category"]) == ("ai_account_rejected", "system_error")
    assert "SOCIALGATE_AI_API_KEY" in error["detail"]
    assert "sk-" not in str(error)
    sandbox.control("restore", **PROVIDER)
    sandbox.control("quota", **PROVIDER)
    error = generate_failing(owner.session, "copy", prompt=PROMPT)
    sandbox.control("quota", exhausted=False, **PROVIDER)
    assert "no credit" in error["detail"]


def test_a_list_of_models_that_cannot_be_read_is_an_error_and_generating_goes_on(start_service: StartService) -> None:
    """A service of its own, which has read no list yet."""
    with start_service() as running, Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        sandbox.control("fail", platform="openai", path="*/models", status=500, times=2)
        problem_of(owner.session.get("/ai/models"), 503, "platform_unavailable")
        assert begin(owner.session, "copy", prompt=PROMPT)["model"] == "gpt-5.4-mini"
        sandbox.control("revoke", **PROVIDER)
        problem_of(owner.session.get("/ai/models"), 503, "ai_account_rejected")
        sandbox.control("restore", **PROVIDER)


def test_models_are_those_that_the_operator_allows(owner: OwnerFixture, sandbox: Sandbox) -> None:
    listed = owner.session.get("/ai/models").json()["data"]
    assert {item["id"] for item in listed} == {"gpt-5.4-mini", "gpt-image-2", "sandbox-tts", "sandbox-video"}
    before = calls(sandbox, "*/models")
    owner.session.get("/ai/models")
    assert calls(sandbox, "*/models") == before
    body = {"prompt": PROMPT, "model": "gpt-6-sol"}
    problem = problem_of(owner.session.post("/ai/generate-copy", json=body), 422)
    assert (problem["errors"][0]["pointer"], problem["errors"][0]["code"]) == ("/model", "not_available")
    error = generate_failing(owner.session, "copy", prompt=PROMPT, model="gpt-9")
    assert (error["code"], error["platformError"]["code"]) == ("not_supported", "model_not_found")


def test_too_many_calls_move_the_next_one_to_when_the_provider_allows_it(
    running: RunningService, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    body = {"error": {"message": "Slow down", "type": "requests", "param": None, "code": "rate_limit_exceeded"}}
    fault = {"status": 429, "body": body, "headers": {"retry-after": "600"}, "times": 1}
    sandbox.control("fail", platform="openai", path=COPY, **fault)
    created = begin(owner.session, "copy", prompt=PROMPT)
    assert waiting(owner, created)["lastError"]["code"] == "platform_rate_limited"
    (job,) = rows(running, sa.select(jobs).where(jobs.c.id == created["id"]))
    assert timedelta(seconds=590) < job.due_at - running.clock.now() <= timedelta(seconds=720)
    # Another model has its own limit.
    generate(owner.session, "audio", text="Hello")
    running.advance_time(timedelta(seconds=721))
    result = wait_for_generation(owner.session, created)
    assert (result["status"], result["lastError"], result["error"]) == ("succeeded", None, None)


def _called(sandbox: Sandbox, number: int) -> bool:
    return calls(sandbox, IMAGE) == number


def test_a_provider_that_is_down_is_asked_again_later_and_not_for_ever(
    running: RunningService, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    down = {"error": {"message": "Sorry", "type": "server_error", "param": None, "code": None}}
    sandbox.control("fail", platform="openai", path=IMAGE, status=500, body=down, times=1)
    created = begin(owner.session, "image", prompt=PROMPT)
    detail = "OpenAI has a problem right now. The generation is retried automatically."
    assert waiting(owner, created)["lastError"]["detail"] == detail
    running.advance_time(timedelta(minutes=1))
    assert wait_for_generation(owner.session, created)["status"] == "succeeded"
    sandbox.control("fail", platform="openai", path=IMAGE, status=503, body=down, times=100)
    before = calls(sandbox, IMAGE)
    created = begin(owner.session, "image", prompt=PROMPT)
    for number in range(1, MAX_FAILURES):
        eventually(partial(_called, sandbox, before + number))
        waiting(owner, created)
        running.advance_time(timedelta(minutes=20))
    error = wait_for_generation(owner.session, created)["error"]
    assert (error["code"], error["platformError"]["status"]) == ("platform_unavailable", 503)
    assert calls(sandbox, IMAGE) == before + MAX_FAILURES


@pytest.mark.parametrize(
    ("media_type", "path", "body"), [("copy", COPY, {"prompt": PROMPT}), ("audio", SPEECH, {"text": "Hello"})]
)
def test_a_lost_response_is_asked_for_once_more(
    running: RunningService, owner: OwnerFixture, sandbox: Sandbox, media_type: str, path: str, body: dict[str, Any]
) -> None:
    for lost, status in ((1, "succeeded"), (2, "failed")):
        sandbox.control("fail", platform="openai", path=path, when="after", times=lost)
        before = calls(sandbox, path)
        created = begin(owner.session, media_type, **body)
        waiting(owner, created)
        running.advance_time(timedelta(minutes=1))
        result = wait_for_generation(owner.session, created)
        assert (result["status"], calls(sandbox, path)) == (status, before + 2)
    assert (result["error"]["code"], result["error"]["category"]) == ("outcome_unknown", "outcome_unknown")


@pytest.mark.both_engines
def test_a_video_is_ordered_at_most_once(running: RunningService, owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("outcome", seconds=0, times=2, **PROVIDER)
    sandbox.control("fail", platform="openai", path=VIDEOS, method="POST", when="after", times=1)
    before = calls(sandbox, VIDEOS)
    error = generate_failing(owner.session, "video", prompt=PROMPT)
    assert (error["code"], error["category"]) == ("outcome_unknown", "outcome_unknown")
    assert calls(sandbox, VIDEOS) == before + 1
    # What was rejected before anything was made is asked for again.
    body = {"error": {"message": "Slow down", "type": "requests", "param": None, "code": "rate_limit_exceeded"}}
    sandbox.control("fail", platform="openai", path=VIDEOS, method="POST", status=429, body=body, times=1)
    created = begin(owner.session, "video", prompt=PROMPT)
    waiting(owner, created)
    running.advance_time(timedelta(minutes=1))
    assert wait_for_generation(owner.session, created)["status"] == "succeeded"


def test_a_length_that_no_video_has_fails_with_those_that_exist(owner: OwnerFixture, sandbox: Sandbox) -> None:
    error = generate_failing(owner.session, "video", prompt=PROMPT, seconds=5)
    assert (error["code"], error["category"]) == ("platform_rejected", "user_content")
    assert error["detail"].endswith("Supported values are: '4', '8', and '12'.")
    body = {"error": {"message": "Invalid 'seconds'.", "type": "invalid_request_error", "param": "seconds"}}
    sandbox.control("fail", platform="openai", path="*/videos", status=400, body=body, times=1)
    error = generate_failing(owner.session, "video", prompt=PROMPT, seconds=5)
    assert error["detail"].endswith("Invalid 'seconds'. OpenAI's models make videos of 4, 8 or 12 seconds.")


def test_a_video_that_fails_says_why(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("outcome", result="video_generation_failed", seconds=0, **PROVIDER)
    error = generate_failing(owner.session, "video", prompt=PROMPT)
    assert (error["category"], error["platformError"]["code"]) == ("platform_error", "video_generation_failed")
    assert "try again" in error["detail"]


def test_a_download_that_breaks_off_is_repeated(running: RunningService, owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("outcome", seconds=0, **PROVIDER)
    sandbox.control("fail", platform="openai", path="*/content", when="drop", times=1)
    before = calls(sandbox, VIDEOS)
    created = begin(owner.session, "video", prompt=PROMPT)
    waiting(owner, created)
    running.advance_time(timedelta(minutes=1))
    assert wait_for_generation(owner.session, created)["status"] == "succeeded"
    assert calls(sandbox, VIDEOS) == before + 1


def _fetched(sandbox: Sandbox, path: str, number: int) -> bool:
    return len(sandbox.listed("received", platform="tiktokads", path=f"*{path}", limit=2000)) == number


def test_an_image_is_paid_for_once_however_often_its_download_fails(
    start_service: StartService, running: RunningService, sandbox: Sandbox
) -> None:
    """The sandbox stands in for a server of the operator's own, and any picture on it for what was drawn."""
    url, key = f"{sandbox.url}/openai/api.openai.com/v1", running.sandbox.keys.services["openai"].secret
    path = "/p16-ad-sg.tiktokcdn.com/cover/1.png"
    drawn = {"data": [{"url": f"{sandbox.url}/tiktokads{path}"}], "usage": {"input_tokens": 3, "output_tokens": 5}}
    with start_service(sandbox=False, ai_url=url, ai_api_key=key, ai_image_model="gpt-image-2") as own:
        owner, fetched = OwnerFixture(own), 0
        for broken, status in ((1, "succeeded"), (MAX_FAILURES, "failed")):
            sandbox.control("fail", platform="openai", path=IMAGE, status=200, body=drawn, times=1)
            sandbox.control("fail", platform="tiktokads", path=f"*{path}", when="drop", times=broken)
            before = calls(sandbox, IMAGE)
            created = begin(owner.session, "image", prompt=PROMPT)
            for _ in range(min(broken, MAX_FAILURES - 1)):
                fetched += 1
                eventually(partial(_fetched, sandbox, path, fetched))
                waiting(owner, created)
                own.advance_time(timedelta(minutes=20))
            result = wait_for_generation(owner.session, created)
            fetched += 1
            assert (result["status"], calls(sandbox, IMAGE)) == (status, before + 1)
            assert result["usage"] == {"inputTokens": 3, "outputTokens": 5}


def test_what_is_no_image_is_not_stored(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control(
        "fail", platform="openai", path=IMAGE, status=200, body={"data": [{"b64_json": "SGVsbG8="}]}, times=1
    )
    error = generate_failing(owner.session, "image", prompt=PROMPT)
    assert (error["code"], error["category"]) == ("platform_rejected", "platform_error")
    assert owner.session.get("/media").json()["data"] == []


@pytest.mark.both_engines
def test_each_generation_counts_and_is_deleted_after_a_month(running: RunningService, owner: OwnerFixture) -> None:
    used = sa.select(usage_months.c.used).where(
        usage_months.c.owner_id == owner.id, usage_months.c.metric == UsageMetric.AI_GENERATIONS
    )
    for _ in range(2):
        generate(owner.session, "copy", prompt=PROMPT)
    assert [row.used for row in rows(running, used)] == [2]
    of_owner = sa.select(generations.c.id).where(generations.c.owner_id == owner.id)
    assert len(rows(running, of_owner)) == 2
    running.advance_time(GENERATION_RETENTION + timedelta(minutes=30))
    eventually(lambda: not rows(running, of_owner))
