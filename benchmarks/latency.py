"""How long an event takes from just before it is accepted until its receiver has it, from idle to busy."""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import msgspec
from benchmarks.harness import ENGINES, Bench, Engine, Figure, percentile, quietest, rounded
from benchmarks.processes import Helper
from benchmarks.producer import producer_role
from benchmarks.receiver import Customer
from benchmarks.sites import BODY_BYTES, Hook, Site

HOOKS = 100
# The longest times in milliseconds, by the events per second and the percentile.
BARS = {
    1: {50: 15.0, 99: 50.0},
    20: {50: 3.0, 99: 6.0},
    200: {50: 2.5, 99: 5.0},
    1000: {50: 15.0, 99: 50.0},
}
_LATE_SECONDS = 20.0


class Plan(msgspec.Struct, frozen=True):
    """At which rate events come, in events per second, and for how long."""

    rate: int
    seconds: int


def measure(bench: Bench) -> Iterator[Figure]:
    rounds = bench.sized(5, 1)
    seconds = bench.sized(4, 3)
    plans = [Plan(1, bench.sized(8, 5)), Plan(20, seconds), Plan(200, seconds), Plan(1000, seconds)]
    bench.uses("latency", hooks=HOOKS, plans=msgspec.to_builtins(plans), bodyBytes=BODY_BYTES, rounds=rounds)
    folder = bench.folder / "latency"
    folder.mkdir()
    with Customer(folder, HOOKS) as customer:
        for engine in ENGINES:
            site = Site(bench, engine, customer)
            asyncio.run(site.prepare(HOOKS))
            taken: dict[int, list[list[float]]] = {plan.rate: [] for plan in plans}
            with accepting(site, customer, site.hooks) as flow:
                for number in range(rounds):
                    for plan in plans:
                        values = flow.run(plan, number)
                        taken[plan.rate].append(values)
                        bench.say(f"round {number + 1} of {rounds}, {engine}, {plan.rate}/s: {_words(values)}")
            site.remove()
            for rate, of_rate in taken.items():
                yield from [_figure(engine, rate, percent, of_rate) for percent in BARS[rate]]


def _figure(engine: Engine, rate: int, percent: int, rounds: list[list[float]]) -> Figure:
    """Give the quietest round."""
    values = [percentile(taken, percent) for taken in rounds]
    return quietest(
        f"accepted to received at {rate}/s, p{percent}, {engine}",
        values,
        unit="ms",
        bar=BARS[rate][percent],
        detail={"rounds": rounded(values, 2)},
    )


def _words(values: list[float]) -> str:
    return f"p50 {percentile(values, 50):.1f} ms, p99 {percentile(values, 99):.1f} ms of {len(values)}"


class Flow:
    """Events on their way from a producer to the receiver."""

    def __init__(self, hooks: Sequence[Hook], customer: Customer, producer: Helper, check: Callable[[], None]) -> None:
        self._hooks = hooks
        self._customer = customer
        self._producer = producer
        self._check = check

    def run(self, plan: Plan, seed: int) -> list[float]:
        """Emit by the plan; give the milliseconds that each event took to a hook that answers.

        None may be missing. One that was refused never arrives: it took for ever.
        """
        self._customer.reset()
        expected, refused = self._producer.ask("emit", self._hooks, plan.rate, plan.seconds, seed)
        seen = self._customer.wait_until(lambda seen: seen.answered >= expected, _LATE_SECONDS, self._check)
        if seen.answered < expected:
            raise RuntimeError(f"{expected - seen.answered} of {expected} events did not arrive.")
        return self._customer.latencies() + [math.inf] * refused

    def warm_up(self) -> None:
        """Send one event to each hook: clients and connections are there, and the worker has found its way."""
        self._customer.reset()
        self._producer.ask("emit_each", self._hooks)
        everyone = len(self._hooks)
        self._customer.wait_until(lambda seen: seen.distinct >= everyone, _LATE_SECONDS, self._check)


@contextmanager
def accepting(site: Site, customer: Customer, hooks: Sequence[Hook]) -> Iterator[Flow]:
    """Start what delivers, and a producer of events for these hooks.

    On SQLite both are one process, as they are in `serve`.
    """
    with ExitStack() as stack:
        check = stack.enter_context(site.worker(hurried=True)).check if site.engine == "postgres" else _nothing
        producer = stack.enter_context(Helper(producer_role, site.fields))
        flow = Flow(hooks, customer, producer, check)
        flow.warm_up()
        yield flow


def _nothing() -> None:
    """Nobody else to look after."""
