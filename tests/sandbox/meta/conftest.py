from collections.abc import Iterator

import pytest

from sandbox.graph_media import MediaHost, media_host
from sandbox.graph_support import Platform, running_platform, start_anew
from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta import VENDOR


@pytest.fixture(scope="session")
def meta_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with running_platform(tmp_path_factory.mktemp("meta"), VENDOR) as platform:
        yield platform


@pytest.fixture
def meta(meta_platform: Platform) -> Meta:
    return Meta(start_anew(meta_platform))


@pytest.fixture
def host() -> Iterator[MediaHost]:
    with media_host() as opened:
        yield opened


@pytest.fixture
def sdk(meta: Meta) -> Iterator[Sdk]:
    opened = Sdk(meta)
    yield opened
    opened.close()
