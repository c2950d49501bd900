from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.media_host import MediaHost
from sandbox.tiktok.client import TikTok
from socialgate_sandbox.vendors.tiktok import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture
def sandbox(tmp_path: Path, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path, [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def tiktok(sandbox: RunningSandbox, gateway: WebhookReceiver) -> TikTok:
    return TikTok(sandbox, gateway)


@pytest.fixture
def media() -> Iterator[MediaHost]:
    opened = MediaHost()
    yield opened
    opened.close()
