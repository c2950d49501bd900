"""What healthy hooks notice of others that accept a connection and never answer."""

import asyncio

from benchmarks.harness import ENGINES, Bench, Engine, Figure, median, percentile, rounded
from benchmarks.latency import Plan, accepting
from benchmarks.receiver import Customer
from benchmarks.sites import Site

HOOKS = 100
HANGING = 20
# Half of what a worker must bear: when it has all it can do, whoever hangs makes room for the others.
RATE = 100


def measure(bench: Bench) -> list[Figure]:
    rounds = bench.sized(2, 1)
    # Long enough that deliveries to hanging hooks also run out of time and are tried again.
    plans = {0: Plan(RATE, bench.sized(8, 5)), HANGING: Plan(RATE, bench.sized(18, 8))}
    folder = bench.folder / "isolation"
    folder.mkdir()
    with Customer(folder, HOOKS) as customer:
        taken: dict[Engine, dict[int, list[float]]] = {engine: {hanging: [] for hanging in plans} for engine in ENGINES}
        for number in range(rounds):
            for engine in ENGINES:
                for hanging, plan in plans.items():
                    value = _p99(bench, engine, customer, hanging, plan)
                    taken[engine][hanging].append(value)
                    bench.say(f"round {number + 1} of {rounds}, {engine}, {hanging} hang: p99 {value:.1f} ms")
    return [_figure(engine, taken[engine][0], taken[engine][HANGING]) for engine in ENGINES]


def _p99(bench: Bench, engine: Engine, customer: Customer, hanging: int, plan: Plan) -> float:
    site = Site(bench, engine, customer)
    asyncio.run(site.prepare(HOOKS, hanging))
    try:
        with accepting(site, customer) as flow:
            return percentile(flow.run(plan, seed=1), 99)
    finally:
        site.remove()


def _figure(engine: Engine, alone: list[float], beside: list[float]) -> Figure:
    ratios = [with_hanging / without for without, with_hanging in zip(alone, beside, strict=True)]
    return Figure(
        name=f"healthy hooks while {HANGING} of {HOOKS} hang, p99, {engine}",
        measured=median(ratios),
        unit="x",
        bar=1.5,
        note=f"{median(beside):.1f} ms against {median(alone):.1f} ms at {RATE} events/s",
        detail={"ratios": rounded(ratios), "without": rounded(alone, 1), "with": rounded(beside, 1)},
    )
