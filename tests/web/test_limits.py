import asyncio
import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from socialgate.core.errors import RateLimited
from socialgate.core.metrics import Metrics
from socialgate.web.rate_limits import RateLimiter, RateLimitPolicy, purge_rate_windows
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

LIMIT = 20
MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def strict(start_service: StartService) -> Iterator[RunningService]:
    """A service that takes 20 requests a minute, whose time stands still unless it is moved."""
    with start_service(rate_limit=LIMIT) as running:
        running.clock.stop()
        yield running


@pytest.fixture
def key(strict: RunningService) -> httpx.Client:
    """Give a credential that has used up nothing yet."""
    return strict.new_owner().key()


def shown(answer: httpx.Response) -> tuple[int, int, int, int]:
    """Read the headers: the limit and its seconds, what remains and for how long."""
    policy = re.fullmatch(r'"default";q=(\d+);w=(\d+)', answer.headers["ratelimit-policy"])
    state = re.fullmatch(r'"default";r=(\d+);t=(\d+)', answer.headers["ratelimit"])
    assert policy is not None
    assert state is not None
    quota, seconds, remaining, resets = (int(part) for part in (*policy.groups(), *state.groups()))
    return quota, seconds, remaining, resets


def statuses(client: httpx.Client, times: int) -> list[int]:
    return [client.get("/profiles").status_code for _ in range(times)]


def test_as_many_as_the_limit_says_get_through(key: httpx.Client) -> None:
    assert statuses(key, LIMIT + 5) == [200] * LIMIT + [429] * 5


@pytest.mark.one_engine
def test_every_answer_tells_what_is_left(strict: RunningService, key: httpx.Client) -> None:
    answers = [key.get("/profiles") for _ in range(LIMIT + 1)]
    result = [shown(answer) for answer in answers]
    resets = 60 - int(strict.clock.now().timestamp()) % 60
    assert result == [(LIMIT, 60, left, resets) for left in (*range(LIMIT - 1, -1, -1), 0)]


def test_failures_tell_what_is_left_too(key: httpx.Client) -> None:
    refused = [
        key.get("/api-keys"),
        key.get("/profiles?surprise=1"),
        key.post("/profiles", json={}),
        key.patch("/profiles/unknown", json={"name": "x"}),
    ]
    assert [answer.status_code for answer in refused] == [403, 422, 422, 404]
    assert [shown(answer)[2] for answer in refused] == [LIMIT - 1, LIMIT - 2, LIMIT - 3, LIMIT - 4]


@pytest.mark.one_engine
def test_a_refusal_says_when_to_come_back(strict: RunningService, key: httpx.Client) -> None:
    statuses(key, LIMIT)
    answer = key.get("/profiles")
    wait = problem_of(answer, 429, "rate_limited")["retryAfter"]
    assert answer.headers["retry-after"] == str(wait)
    strict.clock.offset += timedelta(seconds=wait - 1)
    assert key.get("/profiles").status_code == 429
    strict.clock.offset += timedelta(seconds=1)
    assert statuses(key, LIMIT + 1) == [200] * LIMIT + [429]


@pytest.mark.one_engine
def test_each_credential_has_its_own(strict: RunningService) -> None:
    owner = strict.new_owner()
    first, second = owner.key(), owner.key()
    assert statuses(first, LIMIT + 1)[-1] == 429
    assert second.get("/profiles").status_code == 200
    assert owner.session.get("/profiles").status_code == 200


@pytest.mark.one_engine
def test_public_routes_and_refused_credentials_are_not_counted(strict: RunningService) -> None:
    for path in ("/health", "/llms.txt"):
        answers = [strict.client().get(path) for _ in range(LIMIT + 1)]
        assert {answer.status_code for answer in answers} == {200}
        assert not any("ratelimit" in answer.headers for answer in answers)
    refused = [strict.client("nonsense").get("/profiles") for _ in range(LIMIT + 1)]
    assert {answer.status_code for answer in refused} == {401}


@pytest.mark.parametrize("threads", [5, 40])
def test_at_once_exactly_as_many_get_through(key: httpx.Client, threads: int) -> None:
    numbers = [
        status for part in run_simultaneously(threads, lambda _: statuses(key, 60 // threads + 1)) for status in part
    ]
    assert numbers.count(200) == LIMIT
    assert numbers.count(429) == len(numbers) - LIMIT


def test_a_limit_of_zero_is_none(owner: OwnerFixture) -> None:
    answers = [owner.session.get("/profiles") for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert not any({"ratelimit", "ratelimit-policy"} & answer.headers.keys() for answer in answers)


def nodes(running: RunningService, count: int, policy: RateLimitPolicy) -> list[RateLimiter]:
    """Give limiters that share nothing but the database, as processes do."""
    db = running.service.db
    return [RateLimiter(db, running.clock, Metrics(), {policy.name: policy}) for _ in range(count)]


async def taken(limiter: RateLimiter, subject: str, times: int) -> int:
    """Ask so many times at once, and tell how many were let through."""
    request = [limiter.use_allowance(subject) for _ in range(times)]
    answers = await asyncio.gather(*request, return_exceptions=True)
    assert all(isinstance(answer, RateLimited) or not isinstance(answer, BaseException) for answer in answers)
    return sum(not isinstance(answer, RateLimited) for answer in answers)


@settings(max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    limit=st.integers(1, 40),
    exact=st.booleans(),
    rounds=st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_nodes_together_never_let_more_through(
    strict: RunningService, limit: int, exact: bool, rounds: list[list[int]]
) -> None:
    three = nodes(strict, 3, RateLimitPolicy("default", limit, 60, exact=exact))
    subject = uuid4().hex

    async def rush() -> int:
        through = 0
        for numbers in rounds:
            parts = [taken(node, subject, times) for node, times in zip(three, numbers, strict=True)]
            through += sum(await asyncio.gather(*parts))
        return through

    through, number = strict.run(rush()), sum(map(sum, rounds))
    assert through <= min(limit, number)
    if exact:
        assert through == min(limit, number)


def test_one_busy_node_gets_all_that_idle_ones_did_not_take(strict: RunningService) -> None:
    busy, idle = nodes(strict, 2, RateLimitPolicy("default", 100, 60))
    subject = uuid4().hex
    assert strict.run(taken(idle, subject, 1)) == 1
    assert strict.run(taken(busy, subject, 200)) == 99


def test_only_windows_that_have_ended_are_swept_away(strict: RunningService) -> None:
    subject = uuid4().hex
    first, second = nodes(strict, 2, RateLimitPolicy("default", 2, 60))
    assert strict.run(taken(first, subject, 2)) == 2
    strict.write(purge_rate_windows, strict.clock.now())
    assert strict.run(taken(second, subject, 1)) == 0
    strict.clock.offset += 2 * MINUTE
    assert strict.write(purge_rate_windows, strict.clock.now()) >= 1
    assert strict.write(purge_rate_windows, strict.clock.now()) == 0
