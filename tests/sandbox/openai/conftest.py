from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.openai.client import Service
from socialgate_sandbox.vendors.openai import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: Gateway) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("openai")
    with running_sandbox(folder, [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def service(opened: RunningSandbox, gateway: Gateway) -> Iterator[Service]:
    opened.start_anew(gateway)
    service = Service(opened)
    yield service
    service.close()
