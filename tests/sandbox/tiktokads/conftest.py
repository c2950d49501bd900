from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.tiktokads.client import TikTokAds
from socialgate_sandbox.vendors.tiktokads import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture
def sandbox(tmp_path: Path, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path, [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def ads(sandbox: RunningSandbox, gateway: WebhookReceiver) -> Iterator[TikTokAds]:
    opened = TikTokAds(sandbox, gateway)
    yield opened
    opened.close()
