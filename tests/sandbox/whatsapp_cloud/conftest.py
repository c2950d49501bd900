from collections.abc import Iterator

import pytest

from sandbox.graph_support import Platform, running_platform, start_anew
from sandbox.whatsapp_cloud.calling import Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud import VENDOR


@pytest.fixture(scope="session")
def whatsapp_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with running_platform(tmp_path_factory.mktemp("whatsapp"), VENDOR) as platform:
        yield platform


@pytest.fixture
def whatsapp(whatsapp_platform: Platform) -> Whatsapp:
    return Whatsapp(start_anew(whatsapp_platform))
