"""One service for all tests of the console, which can deliver to a receiver on loopback."""

from collections.abc import Iterator

import pytest

from console.browser import Browser, signed_in
from support.receiver import Receiver
from support.service import OwnerFixture, RunningService, StartService


@pytest.fixture(scope="session")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with Receiver(tmp_path_factory.mktemp("receiver")) as running:
        yield running


@pytest.fixture(scope="session")
def service(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as running:
        yield running


@pytest.fixture(scope="session")
def lasting_owner(service: RunningService) -> OwnerFixture:
    """Give one of this service: pytest would give the one of all others to these tests, or this one to all others."""
    return service.new_owner()


@pytest.fixture
def browser(owner: OwnerFixture) -> Browser:
    return signed_in(owner)
