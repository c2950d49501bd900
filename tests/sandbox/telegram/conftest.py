from collections.abc import Iterator

import pytest

from sandbox.telegram.client import Telegram
from socialgate_sandbox.vendors.telegram import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture(scope="session")
def telegram_gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def telegram_sandbox(
    tmp_path_factory: pytest.TempPathFactory, telegram_gateway: WebhookReceiver
) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("telegram"), [VENDOR], telegram_gateway.url) as running:
        yield running


@pytest.fixture
def telegram(
    telegram_sandbox: RunningSandbox, telegram_gateway: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> Telegram:
    # The library warns until one asks for the durations of its next version.
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    telegram_sandbox.reset(telegram_gateway)
    return Telegram(telegram_sandbox, telegram_gateway)
