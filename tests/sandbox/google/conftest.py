from collections.abc import Iterator

import pytest

from sandbox.google.client import Google
from sandbox.media_host import MediaHost
from socialgate.sandbox.vendors.google import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def google_gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def google_sandbox(tmp_path_factory: pytest.TempPathFactory, google_gateway: Gateway) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("google"), [VENDOR], google_gateway.url) as running:
        yield running


@pytest.fixture
def gateway(google_gateway: Gateway) -> Gateway:
    google_gateway.answers.clear()
    google_gateway.arrived.clear()
    return google_gateway


@pytest.fixture
def sandbox(google_sandbox: RunningSandbox, gateway: Gateway) -> RunningSandbox:
    google_sandbox.start_anew(gateway)
    return google_sandbox


@pytest.fixture
def google(sandbox: RunningSandbox, gateway: Gateway) -> Google:
    return Google(sandbox, gateway)


@pytest.fixture
def media() -> Iterator[MediaHost]:
    opened = MediaHost()
    yield opened
    opened.close()
