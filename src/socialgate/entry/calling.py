"""What commands share that call a service from outside, with an API key, and know nothing of its database."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

import msgspec

from socialgate.core.egress import SendFailed, parse_target
from socialgate.core.settings import SettingsError

REFUSED = 1

Say: TypeAlias = Callable[[str], None]
T = TypeVar("T")


class Refused(Exception):
    """Trying again cannot help. The text is one line that says how to mend it."""


def check_url(option: str, url: str) -> None:
    try:
        parse_target(url)
    except SendFailed as failure:
        raise SettingsError(f"{option}: {failure.detail}") from None


def check_key(key: str | None) -> None:
    if not key:
        raise SettingsError("An API key is needed. Give --key or set SOCIALGATE_API_KEY; POST /api-keys makes one.")


async def until_signal(job: Coroutine[Any, Any, T]) -> T | None:
    """Run a job until it ends or a signal comes, for which None stands."""
    signalled = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, signalled.set)
    running = asyncio.create_task(job)
    running.add_done_callback(lambda _: signalled.set())
    await signalled.wait()
    # The HTTP client loses a cancellation that comes in the same moment as an answer, so one may not be enough.
    while not running.done():
        running.cancel()
        await asyncio.wait({running}, timeout=0.1)
    return None if running.cancelled() else running.result()


class _Problem(msgspec.Struct):
    detail: str = ""


def detail_in(body: bytes) -> str:
    """Read what the service says of a failure. What is no problem of ours says nothing."""
    try:
        return msgspec.json.decode(body, type=_Problem).detail
    except msgspec.MsgspecError:
        return ""
