"""Messages that come in while an owner has 200 automations: what it adds to storing each of them."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from benchmarks.harness import ENGINES, Bench, Engine, Figure, median, percentile
from benchmarks.posts import Bot, add_bots
from benchmarks.receiver import Customer
from benchmarks.sites import Site

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.automations.schemas import NewAutomation
from socialgate.areas.automations.service import AutomationService
from socialgate.areas.inbox.recorder import MessageRecorder
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.messages import Contact, MessageItem, MessageType
from socialgate.core.caller import Caller
from socialgate.core.clock import SystemClock
from socialgate.core.encryption import load_keyring
from socialgate.entry.deployment import Deployment

AUTOMATIONS = 200
# One message of so many sets off an automation.
_MATCHING = 100
# Enough for two owners.
_HOOKS = 40
_WARM_UP = 50
_TEXT = "Hello, I saw your post this morning and would like to know whether you also deliver to the other side of town"


def measure(bench: Bench) -> Iterator[Figure]:
    messages = bench.sized(10_000, 500)
    bench.uses("automations", messages=messages, automations=AUTOMATIONS, matching=f"1 of {_MATCHING}")
    folder = bench.folder / "automations"
    folder.mkdir()
    with Customer(folder, _HOOKS) as customer:
        for engine in ENGINES:
            site = Site(bench, engine, customer)
            site.fields |= {"sandbox": False}
            bench.say(f"{engine}: {messages:,} messages to an owner with automations, and to one without")
            yield from _figures(engine, *asyncio.run(_measure(site, messages)))
            site.remove()


def _figures(engine: Engine, plain: list[float], decided: list[float]) -> list[Figure]:
    middle, late = median(decided), percentile(decided, 99)
    note = f"{middle:.2f} ms against {median(plain):.2f} ms without automations"
    return [
        Figure(
            name=f"storing a message with {AUTOMATIONS} automations, p50, {engine}",
            measured=middle,
            unit="ms",
            bar=40.0,
            note=note,
        ),
        Figure(
            name=f"storing a message with {AUTOMATIONS} automations, p99, {engine}",
            measured=late,
            unit="ms",
            bar=150.0,
            note=f"{percentile(plain, 99):.2f} ms without automations; one message of {_MATCHING} begins a run",
        ),
    ]


async def _measure(site: Site, messages: int) -> tuple[list[float], list[float]]:
    """Alternate between the two owners, so that noise hits both."""
    await site.prepare(_HOOKS)
    owners = sorted({(hook.owner_id, hook.shared_profile) for hook in site.hooks})
    deployment = Deployment(site.settings, SystemClock())
    vault, db = CredentialCipher(load_keyring(site.settings)), deployment.db
    try:
        bots = [bot for owner in owners[:2] for bot in await db.write(add_bots, vault, *owner, 1)]
        await _automate(deployment, bots[1])
        ledger = deployment.container.get(MessageRecorder)
        rows = [await db.read(accounts.find_account, bot.owner_id, bot.account_id) for bot in bots]
        taken: tuple[list[float], list[float]] = ([], [])
        for number in range(_WARM_UP + messages):
            for row, times in zip(rows, taken, strict=True):
                times.append(await _timed(deployment, ledger, row, number))
    finally:
        await deployment.close()
    return taken[0][_WARM_UP:], taken[1][_WARM_UP:]


async def _automate(deployment: Deployment, bot: Bot) -> None:
    """Give an owner automations of every kind of keyword, each with ten of them."""
    automations = deployment.container.get(AutomationService)
    caller = Caller(owner_id=bot.owner_id, credential_id="bench")
    for number in range(AUTOMATIONS):
        match = ("exact", "word", "contains", "fuzzy")[number % 4]
        words = [f"keyword{number}x{place}" for place in range(9)]
        body: dict[str, Any] = {
            "profileId": bot.profile_id,
            "name": f"Robot {number}",
            "trigger": {"type": "message.received"},
            "conditions": [{"type": "keyword", "any": [f"wanted{number}", *words], "match": match}],
            "actions": [{"type": "reply", "text": "Hello {{contact.name}}"}],
        }
        await deployment.db.write(automations.create, caller, msgspec.convert(body, NewAutomation))


async def _timed(deployment: Deployment, ledger: MessageRecorder, account: AccountRow | None, number: int) -> float:
    assert account is not None, "it was added before"
    expected = f" wanted{1 + 4 * (number % 50)}" if number % _MATCHING == 0 else ""
    contact = Contact(id=str(number), name="Ana")
    item = MessageItem(
        id=f"m{number}", contact=contact, type=MessageType.TEXT, sent_at=datetime.now(UTC), text=f"{_TEXT}{expected}"
    )
    began = time.perf_counter()
    await deployment.db.write(ledger.record_message, account, item)
    return (time.perf_counter() - began) * 1000
