"""The sandbox runs in the process of the API: a huge body for it takes neither the memory nor the time of both."""

import os
import ssl
from collections.abc import Iterator

import httpx
import pytest

from socialgate_sandbox.kernel.hook_receiver import MAX_BODY_BYTES
from socialgate_sandbox.kernel.request_reader import MAX_FORM_BYTES
from support.memory import MIB, monitor_memory
from support.service import RunningService

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HUGE = 100


def of_pieces(first: bytes, number: int) -> Iterator[bytes]:
    """Give a body of so many MiB without holding it: this process is the one that is watched."""
    yield first
    yield from [b"a" * MIB] * number


@pytest.fixture(name="receiver")
def client_of_receiver(guarded: RunningService) -> Iterator[httpx.Client]:
    sandbox = guarded.sandbox
    trust = ssl.create_default_context(cafile=sandbox.ca_file)
    with httpx.Client(base_url=f"https://127.0.0.1:{sandbox.receiver_port}", verify=trust, timeout=60) as client:
        yield client


def test_the_receiver_takes_no_body_that_no_delivery_has(receiver: httpx.Client) -> None:
    with monitor_memory(os.getpid()) as [process]:
        before = process.peak
        assert receiver.post("/hook", content=of_pieces(b"", HUGE)).status_code == 413
    assert process.peak - before < HUGE / 2
    assert receiver.post("/hook", content=b"a" * MAX_BODY_BYTES).status_code == 200


def test_a_simulated_platform_takes_no_form_that_would_stop_the_process(guarded: RunningService) -> None:
    with httpx.Client(base_url=guarded.sandbox.url, timeout=60) as client:
        path = "/telegram/bot7100000001:unknown/sendMessage"
        with monitor_memory(os.getpid()) as [process]:
            before = process.peak
            answer = client.post(path, content=of_pieces(b"text=", HUGE), headers=FORM)
        assert answer.status_code == 400, answer.text
        assert process.peak - before < HUGE / 2
        # What it can read gets as far as the token.
        text = b"text=" + b"a" * (MAX_FORM_BYTES - 5)
        assert client.post(path, content=text, headers=FORM).status_code == 401
