from collections.abc import Iterator

import pytest

from sandbox.graph_media import MediaHost, media_host
from sandbox.graph_support import Platform, running_platform, start_anew
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads import VENDOR


@pytest.fixture(scope="session")
def threads_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with running_platform(tmp_path_factory.mktemp("threads"), VENDOR) as platform:
        yield platform


@pytest.fixture
def threads(threads_platform: Platform) -> Threads:
    return Threads(start_anew(threads_platform))


@pytest.fixture
def host() -> Iterator[MediaHost]:
    with media_host() as opened:
        yield opened
