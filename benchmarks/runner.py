"""Measures one group of figures after the other. One that fails is repeated, and never hides the others."""

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping

import msgspec
from benchmarks.harness import Bench, Figure
from rich.markup import escape

Measure = Callable[[Bench], Iterable[Figure]]
# One lost connection in half an hour is chance. What fails twice is a defect, which a third attempt would only repeat.
MAX_ATTEMPTS = 2


class Results(msgspec.Struct):
    """What was measured, what could not be, and how busy others kept the machine before each group."""

    figures: list[Figure] = []
    # The last error of each group of which a figure is missing.
    failures: dict[str, str] = {}
    # Groups that needed another attempt, with the error of the one before.
    repeats: dict[str, str] = {}
    busy_cores: dict[str, float] = {}


def measure_all(bench: Bench, groups: Mapping[str, Measure]) -> Results:
    results = Results()
    for name, measure in groups.items():
        bench.say(f"[bold]{name}[/bold]: {sys.modules[measure.__module__].__doc__}")
        results.busy_cores[name] = round(bench.busy_cores(), 2)
        results.figures += _measure(bench, name, measure, results)
    return results


def _measure(bench: Bench, name: str, measure: Measure, results: Results) -> Iterable[Figure]:
    """Give the figures of the last attempt, and of those before it only what the last one did not get to."""
    figures: dict[str, Figure] = {}
    for attempt in range(1, MAX_ATTEMPTS + 1):
        bench.enter_folder(f"{name}-{attempt}")
        try:
            for figure in measure(bench):
                figures[figure.name] = figure
        except Exception:  # noqa: BLE001 - one figure that cannot be measured must not hide the others
            error = traceback.format_exc()
            bench.say(escape(error))
            (results.repeats if attempt < MAX_ATTEMPTS else results.failures)[name] = error
        else:
            break
    return figures.values()
