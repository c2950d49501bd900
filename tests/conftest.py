"""One PostgreSQL for the whole run, one service per engine and test process, a new owner for each test."""

import gc
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import httpx._transports.default
import pytest
import structlog
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from support import moved_clock
from support.accounts import disconnect_all
from support.chromium import NO_BROWSER
from support.postgres import new_database, postgres_server
from support.sandbox import Sandbox
from support.service import RUNNING, OwnerFixture, RunningService, StartService, running_service
from support.signatures import keep_signatures
from support.templates import templates
from support.watchdog import fail_on_stalls

ENGINES = ("sqlite", "postgres")
pytest_plugins = ["support.forked_workers", "support.repeated_stalls"]

_VARIABLE = "TEST_POSTGRES_URL"
_SLOWEST = 30
_BEGAN = "TEST_RUN_BEGAN_AT"
_PROCESSOR = "processor"
_STARTED_AT = pytest.StashKey[float]()
_NO_TIME = "no time is left, see `make quick`"
_WARNINGS_OF_CHANGES = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
_stack = ExitStack()

moved_clock.prepare()

# Every client of httpx would read all certificates of the machine again, which takes longer than most requests.
vars(httpx._transports.default)["create_ssl_context"] = cache(httpx.create_ssl_context)
keep_signatures()
# Hypothesis would read the constants of all loaded modules to try them as well. That takes half of the time of its
# tests, and what is tried would depend on which tests ran before.
vars(providers)["_get_local_constants"] = lambda: providers._local_constants
# How long an example takes depends on the machine.
settings.register_profile("socialgate", deadline=None)
settings.load_profile("socialgate")


def pytest_configure(config: pytest.Config) -> None:
    """Start the server once, for all processes; they find it in their environment."""
    for variable in [name for name in os.environ if name.startswith("SOCIALGATE_")]:
        del os.environ[variable]
    os.environ[_BEGAN] = str(time.time())
    for category in _WARNINGS_OF_CHANGES:
        config.addinivalue_line("filterwarnings", f"error::{category}:({'|'.join(_our_modules())})(\\.|$)")
    if _VARIABLE not in os.environ and not config.option.collectonly:
        os.environ[_VARIABLE] = _stack.enter_context(postgres_server())
        _stack.enter_context(templates(os.environ[_VARIABLE]))
    # The service logs from a thread of its own, which must not write into what pytest captures and exchanges.
    structlog.configure(
        processors=[structlog.stdlib.render_to_log_kwargs],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )


def _our_modules() -> list[str]:
    """Name the program, the folders of the tests, and every file that is imported by its own name.

    What is deeper in a folder is imported with the folder: `parity.vendors.google` is ours, and `google` is not.
    """
    root = Path(__file__).parent
    folders = {path.name for path in root.iterdir() if path.is_dir()}
    files = {path.stem for path in (*root.glob("*/*.py"), *root.rglob("test_*.py"), *root.rglob("conftest.py"))}
    return ["socialgate", "socialgate_sandbox", "benchmarks", *sorted(folders | files)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", action="store_true", help="print the slowest files, and the time of each folder")
    parser.addoption("--all-engines", action="store_true", help="run every test of the service on both engines")
    parser.addoption("--again", action="store_true", help="this repeats what failed: list what passes now at the end")
    parser.addoption("--within", type=float, metavar="SECONDS", help="begin no test later than this, and say how many")


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Build the tests that run on one engine for that one alone: thousands would be built only to be left out."""
    if "engine" not in metafunc.fixturenames or metafunc.config.option.all_engines:
        return
    if not _is_for_both_engines(metafunc.definition):
        only_first = pytest.mark.parametrize("engine", ENGINES[:1], indirect=True, scope="session")
        metafunc.definition.add_marker(only_first, append=False)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the second engine where a rule does not depend on it.

    What touches locks, time or crashes is marked `both_engines`, and so are one walk over every route and one test for
    each statement. Of the tests of such a file, and of the cases of such a test, those are marked `one_engine` that run
    no statement which the others do not run (`support.engines`).
    """
    if config.option.all_engines:
        return
    left_out = [item for item in items if _needs_no_second_engine(item)]
    if left_out:
        kept = set(items) - set(left_out)
        items[:] = [item for item in items if item in kept]
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_setup(item: pytest.Item) -> None:
    within = item.config.option.within
    if within is not None and time.time() - _began_at() > within:
        pytest.skip(_NO_TIME)


def _began_at() -> float:
    """Return when the run began: its first process says so to the others."""
    return float(os.environ[_BEGAN])


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from what is loaded by now: it stays, and is more than all that tests create."""
    gc.collect()
    gc.freeze()
    # What tests create does not live long enough to be looked for as often as in a service.
    gc.set_threshold(50_000, 20, 20)


def _needs_no_second_engine(item: pytest.Item) -> bool:
    parameters = getattr(item, "callspec", None)
    engine = None if parameters is None else parameters.params.get("engine")
    return engine == ENGINES[1] and not _is_for_both_engines(item)


def _is_for_both_engines(item: pytest.Item) -> bool:
    return item.get_closest_marker("both_engines") is not None and item.get_closest_marker("one_engine") is None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many operations were compared with SDKs, and with `--times` where the time went."""
    reports = [
        test_report
        for some in terminalreporter.stats.values()
        for test_report in some
        if isinstance(test_report, pytest.TestReport)
    ]
    pairs = [property_ for report in reports if report.when == "call" for property_ in report.user_properties]
    compared = sum(int(str(count)) for name, count in pairs if name == "parity")
    if compared:
        terminalreporter.write_line(f"{compared} operations compared with the requests of the vendors' SDKs")
    _show_missing_browser(terminalreporter)
    if config.option.times:
        _show_times(terminalreporter)
    if config.option.again:
        _show_repeated(terminalreporter)


def _show_missing_browser(terminalreporter: Any) -> None:
    """Say loudly that pages were not tried in a browser, and how to get one."""
    left_out = [report for report in terminalreporter.stats.get("skipped", ()) if NO_BROWSER in str(report.longrepr)]
    if left_out:
        terminalreporter.section("pages were not tried in a browser", red=True)
        terminalreporter.write_line(f"{len(left_out)} tests were left out: {NO_BROWSER}", red=True)


def _show_repeated(terminalreporter: Any) -> None:
    """Name the tests that failed beside the others and passed by themselves."""
    passed = sorted(report.nodeid for report in terminalreporter.stats.get("passed", ()))
    terminalreporter.section(f"{len(passed)} passed only when they ran again")
    for name in passed:
        terminalreporter.write_line(name)
    terminalreporter.write_line("Each of them has a race condition, in the test or in the service.")


def _show_times(terminalreporter: Any) -> None:
    """Show seconds of processor time and on the clock: with several processes the run itself takes less."""
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    folders: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            # The time of a subtest is part of that of its test.
            if isinstance(report, pytest.TestReport) and not isinstance(report, pytest.SubtestReport):
                path = report.nodeid.partition("::")[0]
                times = {"clock": report.duration, "processor": _processor_time(report)}
                files[path].update(times)
                folders["/".join(path.split("/")[:2])].update(times)
    whole = sum((times["processor"] for times in files.values()), 0.0)
    for title, rows, most in (("slowest files", files, _SLOWEST), ("folders", folders, len(folders))):
        terminalreporter.section(f"{title}: processor time of {whole:.1f} s, time on the clock")
        for name, seconds in sorted(rows.items(), key=lambda item: -item[1]["processor"])[:most]:
            terminalreporter.write_line(f"{seconds['processor']:8.1f} s {seconds['clock']:8.1f} s  {name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note the processor time at the start of a test, whose threads and ended processes count as well."""
    item.stash[_STARTED_AT] = _used()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown":
        item.user_properties.append((_PROCESSOR, _used() - item.stash[_STARTED_AT]))


def _used() -> float:
    return sum(os.times()[:4])


def _processor_time(report: pytest.TestReport) -> float:
    """Read what the last report of a test says."""
    noted = [float(str(value)) for name, value in report.user_properties if name == _PROCESSOR]
    return sum(noted) if report.when == "teardown" else 0.0


def pytest_unconfigure() -> None:
    _stack.close()


@pytest.fixture(scope="session")
def postgres_url() -> str:
    return os.environ[_VARIABLE]


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def start_service(engine: str, postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> StartService:
    """Give a function that starts a service of one's own, on a database of its own."""

    def start(**fields: Any) -> AbstractContextManager[RunningService]:
        data_dir: Path = tmp_path_factory.mktemp("data")
        url = new_database(postgres_url) if engine == "postgres" else None
        return running_service(data_dir, url, **fields)

    return start


@pytest.fixture(scope="session")
def service(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as running:
        running.clock.is_shared = True
        yield running


@pytest.fixture(autouse=True)
def _leave_nothing_to_do() -> Iterator[None]:
    """Disconnect the accounts of the owners that a test created. Those of longer-lived fixtures were there before."""
    before = {id(running): len(running.owners) for running in RUNNING}
    yield
    for running in RUNNING:
        created = running.owners[before.get(id(running), 0) :]
        if created:
            running.write(disconnect_all, created)
            running.service.platforms.pauses._cache.clear()


@pytest.fixture(autouse=True)
def _keep_the_loop_moving() -> Iterator[None]:
    """Fail a test during which the event loop of a service stood still (`support.watchdog`)."""
    yield
    fail_on_stalls()


@pytest.fixture
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    """Give the simulated platforms of the service."""
    with Sandbox(service) as sandbox:
        yield sandbox


@pytest.fixture
def owner(service: RunningService) -> OwnerFixture:
    return service.new_owner()


@pytest.fixture(scope="session")
def lasting_owner(service: RunningService) -> OwnerFixture:
    """Give one owner to all tests that leave nothing behind: registering takes longer than most of them."""
    return service.new_owner()


@pytest.fixture
def other_owner(service: RunningService) -> OwnerFixture:
    return service.new_owner()
