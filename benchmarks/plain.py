"""The same client without a database: the loop that deliveries are compared with."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.processes import Handlers
from benchmarks.sites import Hook

from socialgate.core.events import MessageReceived
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings
from socialgate.delivery.sender import HookClient
from socialgate.delivery.signing import HookSigner
from socialgate.entry.customer_egress import build_customer_egress

_DEADLINE_SECONDS = 15.0
_READ_LIMIT = 64 * 1024


async def loop_role(hook_ca_file: Path, hook_allow_nets: str) -> Handlers:
    outgoing = build_customer_egress(Settings(hook_ca_file=hook_ca_file, hook_allow_nets=hook_allow_nets))
    return {"send": partial(_send_all, outgoing.hook_client)}


async def _send_all(client: HookClient, hooks: Sequence[Hook], body: bytes, per_hook: int, at_once: int) -> None:
    """Send to every hook as often, with so many requests in flight for each."""
    senders = []
    for hook in hooks:
        jobs = iter([(new_id("evt"), new_id("dlv")) for _ in range(per_hook)])
        senders += [_sender(client, hook, body, jobs) for _ in range(at_once)]
    await asyncio.gather(*senders)


async def _sender(client: HookClient, hook: Hook, body: bytes, jobs: Iterator[tuple[str, str]]) -> None:
    signer = HookSigner([hook.secret])
    for event_id, delivery_id in jobs:
        headers = signer.build_headers(
            event=MessageReceived.event,
            event_id=event_id,
            delivery_id=delivery_id,
            timestamp=int(time.time()),
            body=body,
        )
        headers["Content-Type"] = "application/json"
        answer = await client.send(
            "POST", hook.url, deadline=_DEADLINE_SECONDS, read_limit=_READ_LIMIT, headers=headers, body=body
        )
        assert answer.status == 200, answer.status
