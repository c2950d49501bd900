"""Runs a test again during which an event loop stood still, and believes it when it does so each time.

A host that takes the processor away from a virtual machine looks like a callback that computes for half a second, in
whatever the loop happened to do. It does not do so three times in the same test; code that blocks the loop does.
"""

import pytest
from _pytest.runner import runtestprotocol

from support.watchdog import LoopStoodStill

_MAX_RUNS = 3
_STALLED_REPORTS = pytest.StashKey[list[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _run_until_it_moves(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _run_until_it_moves(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Return the reports of the first run without a stall, or of the last one."""
    reports: list[pytest.TestReport] = []
    for _ in range(_MAX_RUNS):
        item.stash[_STALLED_REPORTS] = []
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        failed = [report.when for report in reports if report.failed]
        if not failed or failed != item.stash[_STALLED_REPORTS]:
            break
    return reports


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note the phases that failed for this reason and no other."""
    if call.excinfo is not None and isinstance(call.excinfo.value, LoopStoodStill):
        item.stash[_STALLED_REPORTS].append(call.when)
