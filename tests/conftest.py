"""One PostgreSQL for the whole run, one service per engine and test process, a new owner for each test."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from support.postgres import new_database, postgres_server
from support.sandbox import Sandbox
from support.service import OwnerOf, RunningService, StartService, running_service

ENGINES = ("sqlite", "postgres")
_VARIABLE = "TEST_POSTGRES_URL"
_stack = ExitStack()


def pytest_configure(config: pytest.Config) -> None:
    """Start the server once, in the process that commands the others; they find it in their environment."""
    for variable in [name for name in os.environ if name.startswith("SOCIALGATE_")]:
        del os.environ[variable]
    if not hasattr(config, "workerinput") and _VARIABLE not in os.environ and not config.option.collectonly:
        os.environ[_VARIABLE] = _stack.enter_context(postgres_server())
    # The service logs from a thread of its own, which must not write into what pytest captures and exchanges.
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.stdlib.render_to_log_kwargs],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests wait for a good part of their time."""
    return (os.cpu_count() or 1) + 1


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
        yield running


@pytest.fixture
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    """Give the simulated platforms of the service."""
    with Sandbox(service) as found:
        yield found


@pytest.fixture
def owner(service: RunningService) -> OwnerOf:
    return service.new_owner()


@pytest.fixture(scope="session")
def lasting_owner(service: RunningService) -> OwnerOf:
    """Give one owner to all tests that leave nothing behind: registering takes longer than most of them."""
    return service.new_owner()


@pytest.fixture
def other_owner(service: RunningService) -> OwnerOf:
    return service.new_owner()
