"""Measures the service against its budgets. `python -m benchmarks [--quick] [FIGURE ...]`"""

import argparse
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks import (
    automations,
    backlog,
    deliveries,
    inbound,
    isolation,
    large,
    latency,
    leads,
    messages,
    posts,
    read,
    schedule,
    start,
)
from benchmarks.harness import Bench, Figure, machine
from benchmarks.report import print_table, write_file

FIGURES: dict[str, Callable[[Bench], list[Figure]]] = {
    "start": start.measure,
    "read": read.measure,
    "inbound": inbound.measure,
    "automations": automations.measure,
    "deliveries": deliveries.measure,
    "latency": latency.measure,
    "messages": messages.measure,
    "leads": leads.measure,
    "isolation": isolation.measure,
    "backlog": backlog.measure,
    "posts": posts.measure,
    "schedule": schedule.measure,
    "large": large.measure,
}
FILE = Path("build") / "bench.json"
_QUIET_CORES = 0.3


def main() -> int:
    """Measure, print, write. A missed bar is a finding and no failure of the run; what cannot be measured is."""
    wanted = _arguments()
    # Ending in order also ends the processes that this one started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    figures: list[Figure] = []
    failures: dict[str, str] = {}
    busy: dict[str, float] = {}
    with ExitStack() as stack:
        bench = Bench(stack, quick=wanted.quick)
        described = machine(bench.folder)
        for name in wanted.figures or FIGURES:
            bench.say(f"[bold]{name}[/bold]: {sys.modules[FIGURES[name].__module__].__doc__}")
            busy[name] = round(bench.busy_cores(), 2)
            try:
                figures += FIGURES[name](bench)
            except Exception:  # noqa: BLE001 - one figure that cannot be measured must not hide the others
                failures[name] = traceback.format_exc()
                bench.say(failures[name].replace("[", r"\["))
        seconds = bench.seconds
    print_table(figures, failures)
    described["busyCoresBefore"] = busy
    write_file(
        FILE,
        figures,
        failures,
        machine=described,
        parameters=bench.parameters,
        quick=wanted.quick,
        seconds=seconds,
    )
    print(f"{len(figures)} figures in {seconds:.0f} s, also in {FILE}")
    if max(busy.values()) > _QUIET_CORES:
        print(f"Others kept up to {max(busy.values()):.1f} cores busy: times are not to be trusted, ratios with care.")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure against the budgets.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=f"some of: {', '.join(FIGURES)}")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: to see that it runs, not to compare")
    wanted = parser.parse_args()
    if unknown := set(wanted.figures) - FIGURES.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    return wanted


if __name__ == "__main__":
    sys.exit(main())
