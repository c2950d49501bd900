"""Measures the service against its budgets. `python -m benchmarks [--quick] [FIGURE ...]`"""

import argparse
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks import (
    automations,
    backlog,
    deliveries,
    inbound,
    isolation,
    kills,
    large,
    latency,
    leads,
    messages,
    pages,
    posts,
    read,
    renditions,
    schedule,
    start,
)
from benchmarks.harness import Bench, machine
from benchmarks.report import print_table, write_file
from benchmarks.runner import Measure, measure_all

FIGURES: dict[str, Measure] = {
    "start": start.measure,
    "read": read.measure,
    "pages": pages.measure,
    "inbound": inbound.measure,
    "automations": automations.measure,
    "deliveries": deliveries.measure,
    "latency": latency.measure,
    "messages": messages.measure,
    "leads": leads.measure,
    "isolation": isolation.measure,
    "kills": kills.measure,
    "backlog": backlog.measure,
    "posts": posts.measure,
    "schedule": schedule.measure,
    "large": large.measure,
    "renditions": renditions.measure,
}
FILE = Path("build") / "bench.json"
_QUIET_CORES = 0.3


def main() -> int:
    """Measure, print, write. A missed bar is a finding and no failure of the run; what cannot be measured is."""
    namespace = _arguments()
    # Ending in order also ends the processes that this one started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with ExitStack() as stack:
        bench = Bench(stack, quick=namespace.quick)
        described = machine(bench.folder)
        results = measure_all(bench, {name: FIGURES[name] for name in namespace.figures or FIGURES})
        seconds = bench.seconds
    print_table(results)
    described["busyCoresBefore"] = results.busy_cores
    write_file(
        FILE,
        results,
        machine=described,
        parameters=bench.parameters,
        quick=namespace.quick,
        seconds=seconds,
    )
    print(f"{len(results.figures)} figures in {seconds:.0f} s, also in {FILE}")
    busiest = max(results.busy_cores.values())
    if busiest > _QUIET_CORES:
        print(f"Others kept up to {busiest:.1f} cores busy: times are not to be trusted, ratios with care.")
    if results.failures:
        print(f"Could not be measured: {', '.join(results.failures)}.")
    return 1 if results.failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure against the budgets.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=f"some of: {', '.join(FIGURES)}")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: to see that it runs, not to compare")
    namespace = parser.parse_args()
    if unknown := set(namespace.figures) - FIGURES.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    return namespace


if __name__ == "__main__":
    sys.exit(main())
