"""What healthy hooks notice of others that accept a connection and never answer."""

import asyncio

import msgspec
from benchmarks.harness import ENGINES, Bench, Engine, Figure, median, percentile, rounded
from benchmarks.latency import Plan, accepting
from benchmarks.receiver import HANG, Customer
from benchmarks.sites import Site

HOOKS = 100
HANGING = 20
# Far from all that a worker can do: there, whoever hangs would only make room for the others.
RATE = 50


def measure(bench: Bench) -> list[Figure]:
    rounds = bench.sized(5, 1)
    # The healthy hooks get as much either way. With the others it takes longer than the deadline of a delivery,
    # so that some run out of time and are tried again.
    without = Plan(RATE * (HOOKS - HANGING) // HOOKS, bench.sized(10, 6))
    beside = Plan(RATE, bench.sized(17, 8))
    bench.uses("isolation", hooks=HOOKS, hanging=HANGING, plans=msgspec.to_builtins([without, beside]), rounds=rounds)
    folder = bench.folder / "isolation"
    folder.mkdir()
    taken: dict[Engine, list[tuple[float, float]]] = {engine: [] for engine in ENGINES}
    with Customer(folder, HOOKS) as customer:
        for number in range(rounds):
            for engine in ENGINES:
                pair = (_p99(bench, engine, customer, without), _p99(bench, engine, customer, beside))
                bench.say(
                    f"round {number + 1} of {rounds}, {engine}: p99 {pair[0]:.1f} ms, beside them {pair[1]:.1f} ms"
                )
                taken[engine].append(pair)
    return [_figure(engine, taken[engine]) for engine in ENGINES]


def _p99(bench: Bench, engine: Engine, customer: Customer, plan: Plan) -> float:
    """Measure the healthy hooks; at the full rate the hanging ones get events too."""
    site = Site(bench, engine, customer)
    asyncio.run(site.prepare(HOOKS, HANGING))
    hooks = [hook for hook in site.hooks if plan.rate == RATE or HANG not in hook.url]
    try:
        with accepting(site, customer, hooks) as flow:
            return percentile(flow.run(plan, seed=1), 99)
    finally:
        site.remove()


def _figure(engine: Engine, taken: list[tuple[float, float]]) -> Figure:
    """Compare the quietest round of each kind."""
    without, beside = (min(values) for values in zip(*taken, strict=True))
    ratios = [beside / without for without, beside in taken]
    return Figure(
        name=f"healthy hooks while {HANGING} of {HOOKS} hang, p99, {engine}",
        measured=beside / without,
        usual=median(ratios),
        unit="x",
        bar=1.5,
        note=f"{beside:.1f} ms against {without:.1f} ms at {RATE} events/s",
        detail={
            "ratios": rounded(ratios),
            "millisecondsWithoutAndWith": taken,
        },
    )
