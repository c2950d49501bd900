"""What a worker that is killed in the middle of a drain sends twice, and how soon it goes on."""

import asyncio
import time
from collections.abc import Iterator

import msgspec
from benchmarks.deliveries import fill
from benchmarks.harness import ENGINES, Bench, Engine, Figure, median, rounded
from benchmarks.receiver import Customer
from benchmarks.sites import BODY_BYTES, Site

# How many deliveries may be repeated, by the number of hooks.
BARS = {100: 400, 10: 60}
_RESUMED_SECONDS = 5.0
_GIVE_UP_SECONDS = 90.0


class Killed(msgspec.Struct, frozen=True, kw_only=True):
    """What came twice, and when the next and the last delivery had arrived, in seconds from the kill."""

    twins: int
    resumed: float
    complete: float
    rate: float


def measure(bench: Bench) -> Iterator[Figure]:
    total, rounds = bench.sized(12_000, 4_000), bench.sized(5, 1)
    bench.uses("kills", deliveries=total, bodyBytes=BODY_BYTES, rounds=rounds)
    for hooks, bar in BARS.items():
        folder = bench.folder / f"kills-{hooks}"
        folder.mkdir()
        with Customer(folder, hooks) as customer:
            for engine in ENGINES:
                yield from _figures(engine, hooks, bar, _rounds(bench, engine, customer, hooks, total, rounds))


def _rounds(bench: Bench, engine: Engine, customer: Customer, hooks: int, total: int, rounds: int) -> list[Killed]:
    template = Site(bench, engine, customer)
    asyncio.run(fill(template, hooks, total // hooks))
    killed = []
    for number in range(rounds):
        with template.copied() as site:
            killed.append(_kill(customer, site, total))
        bench.say(f"round {number + 1} of {rounds}, {engine}, {hooks} hooks: {_words(killed[-1])}")
    template.remove()
    return killed


def _kill(customer: Customer, site: Site, total: int) -> Killed:
    """Kill what delivers when a third has arrived, start it again at once, and wait for all of it."""
    customer.reset()
    with site.worker() as worker:
        before = customer.wait_until(lambda seen: seen.distinct >= total // 3, _GIVE_UP_SECONDS, worker.check)
        worker.kill()
        killed_at = time.monotonic_ns()
    left_over = customer.seen().count
    with site.worker() as worker:
        customer.wait_until(lambda seen: seen.count > left_over, _GIVE_UP_SECONDS, worker.check)
        resumed_at = time.monotonic_ns()
        seen = customer.wait_until(lambda seen: seen.distinct >= total, _GIVE_UP_SECONDS, worker.check)
    if seen.distinct != total:
        raise RuntimeError(f"{seen.distinct} of {total} deliveries came.")
    if left := site.pending():
        raise RuntimeError(f"{left} deliveries came and are not recorded.")
    # Also what came while the restarted one was ending.
    seen = customer.seen()
    return Killed(
        twins=seen.count - seen.distinct,
        resumed=(resumed_at - killed_at) / 1e9,
        complete=(seen.last_ns - killed_at) / 1e9,
        rate=before.rate,
    )


def _figures(engine: Engine, hooks: int, bar: int, kills: list[Killed]) -> Iterator[Figure]:
    twins, resumed, complete = zip(*((killed.twins, killed.resumed, killed.complete) for killed in kills), strict=True)
    yield Figure(
        name=f"repeated after a kill -9, {hooks} hooks, {engine}",
        measured=max(twins),
        usual=median(twins),
        unit="deliveries",
        bar=bar,
        note=f"at {median([killed.rate for killed in kills]):.0f}/s",
        detail={"twins": list(twins)},
    )
    yield Figure(
        name=f"resumed after a kill -9, {hooks} hooks, {engine}",
        measured=median(resumed),
        unit="s",
        bar=_RESUMED_SECONDS,
        note=f"with the start of the next process; complete after {median(complete):.1f} s",
        detail={"resumedSeconds": rounded(resumed, 2), "completeSeconds": rounded(complete, 2)},
    )


def _words(killed: Killed) -> str:
    return (
        f"{killed.twins} twice, resumed after {killed.resumed:.1f} s, complete after {killed.complete:.1f} s, "
        f"{killed.rate:.0f}/s before"
    )
