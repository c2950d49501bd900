"""Shared by the commands that call a service from outside, with an API key and without its database."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

import msgspec

from socialgate.core.egress import SendError, parse_request_url
from socialgate.core.settings import SettingsError

EXIT_FAILED = 1
CHECK_URL_HINT = "Check that --url is the URL of a Socialgate service."

PrintLine: TypeAlias = Callable[[str], None]
T = TypeVar("T")


class CommandError(Exception):
    """A retry cannot help. The text is one line that says how to fix it."""


def check_url(option: str, url: str) -> None:
    try:
        parse_request_url(url)
    except SendError as failure:
        raise SettingsError(f"{option}: {failure.detail}") from None


def require_api_key(key: str | None) -> None:
    if not key:
        raise SettingsError(
            "An API key is required. Pass --key or set SOCIALGATE_API_KEY; create one with POST /api-keys."
        )


async def run_until_signal(job: Coroutine[Any, Any, T]) -> T | None:
    """Run a job until it ends or a signal arrives, in which case None is returned."""
    signalled = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, signalled.set)
    running = asyncio.create_task(job)
    running.add_done_callback(lambda _: signalled.set())
    await signalled.wait()
    # The HTTP client loses a cancellation that arrives at the same moment as a response, so one may not be enough.
    while not running.done():
        running.cancel()
        await asyncio.wait({running}, timeout=0.1)
    return None if running.cancelled() else running.result()


class _ProblemResponse(msgspec.Struct):
    detail: str = ""


def read_problem_detail(body: bytes) -> str:
    """Read the service's error message. Empty if the response is not one of our problems."""
    try:
        return msgspec.json.decode(body, type=_ProblemResponse).detail
    except msgspec.MsgspecError:
        return ""
