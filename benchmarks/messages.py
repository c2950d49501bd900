"""How long a message takes from the platform's webhook to the signed delivery on a customer's hook, in one process."""

import asyncio
import hashlib
import hmac
import math
import random
import time
from collections.abc import Callable, Sequence

import msgspec
from benchmarks.accounts import add_account
from benchmarks.harness import Bench, Figure, percentile, quietest, rounded
from benchmarks.processes import Handlers, Helper, cpu_seconds
from benchmarks.receiver import Customer, mark
from benchmarks.sites import Hook, Site
from benchmarks.start import started

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.encryption import load_keyring

# Of each owner one Page, to which several people write.
PAGES = 20
PEOPLE = 10
RATE = 100
BARS = {50: 40.0, 99: 150.0}
SECRET = "a secret that only benchmarks have"  # noqa: S105 - it opens nothing
_CONNECTIONS = 32
WARM_UP_SECONDS = 2
_LATE_SECONDS = 30.0

# The body of a webhook: for which Page, from which person, and when it was about to be sent.
BodyOf = Callable[[str, int, int], bytes]


def measure(bench: Bench) -> list[Figure]:
    """The embedded service alone: it takes webhooks, works on them and delivers, all in one process."""
    rounds, seconds = bench.sized(5, 1), bench.sized(6, 4)
    bench.uses("messages", pages=PAGES, people=PEOPLE, rate=RATE, seconds=seconds, rounds=rounds)
    folder = bench.folder / "messages"
    folder.mkdir()
    taken = []
    with Customer(folder, PAGES) as customer:
        site = Site(bench, "sqlite", customer)
        site.fields |= {"meta_app_id": "benchmark", "meta_app_secret": SECRET, "sandbox": False}
        pages = asyncio.run(prepare(site))
        settings = {name: value for name, value in site.fields.items() if name != "port"}
        with started(site.folder, **settings) as (running, port, _), Helper(platform_role, port, message) as platform:
            # Opens the connections, and begins the conversations.
            send(customer, platform, pages, WARM_UP_SECONDS, running.check)
            used = -cpu_seconds(running.process)
            for number in range(rounds):
                taken.append(send(customer, platform, pages, seconds, running.check))
                p50, p99 = (percentile(taken[-1], percent) for percent in BARS)
                bench.say(f"round {number + 1} of {rounds}: p50 {p50:.1f} ms, p99 {p99:.1f} ms of {len(taken[-1])}")
            used += cpu_seconds(running.process)
        site.remove()
    return figures("message", RATE, taken, used)


def figures(label: str, rate: int, taken: list[list[float]], used: float, note: str = "") -> list[Figure]:
    """Compare what was taken in each round, and the seconds of the processor that were used, with the bars."""
    each = used / sum(map(len, taken)) * 1000
    figures = []
    for percent, bar in BARS.items():
        rounds = [percentile(values, percent) for values in taken]
        spread = f"{min(rounds):.1f} to {max(rounds):.1f} ms in {len(rounds)} rounds"
        figure = quietest(
            f"inbound {label} to signed delivery at {rate}/s, p{percent}, embedded",
            rounds,
            unit="ms",
            bar=bar,
            note=f"{spread}; {each:.1f} ms of the processor each{note}",
            detail={"rounds": rounded(rounds, 2)},
        )
        figures.append(figure)
    return figures


def send(
    customer: Customer,
    platform: Helper,
    pages: Sequence[str],
    seconds: int,
    check: Callable[[], None],
    rate: int = RATE,
) -> list[float]:
    """Let people write for a while; give the milliseconds that each message took to its hook. None may be missing.

    One that was refused is never delivered: it took for ever.
    """
    customer.reset()
    accepted, refused = platform.ask("write", pages, rate, seconds)
    seen = customer.wait_until(lambda seen: seen.answered >= accepted, _LATE_SECONDS, check)
    if seen.answered < accepted:
        raise RuntimeError(f"{accepted - seen.answered} of {accepted} events were not delivered.")
    return customer.latencies() + [math.inf] * refused


async def prepare(site: Site) -> list[str]:
    """Give each hook a Page of its own, in a profile that no other hook reaches. Gives the ids of the Pages."""
    await site.prepare(PAGES)
    vault = CredentialCipher(load_keyring(site.settings))
    db = await site.open()
    try:
        return [await db.write(_add_page, vault, hook, number) for number, hook in enumerate(site.hooks)]
    finally:
        await db.close()


async def _add_page(tx: Tx, vault: CredentialCipher, hook: Hook, number: int) -> str:
    page = str(104_857_600_000_000 + number)
    await add_account(tx, vault, Kind.FACEBOOK_PAGE, page, owner_id=hook.owner_id, profile_id=hook.own_profile)
    return page


async def platform_role(port: int, body_of: BodyOf) -> Handlers:
    platform = _Platform(port, body_of)
    return {"write": platform.write}


class _Platform:
    """Meta's side: a webhook for each message, over connections that stay open."""

    def __init__(self, port: int, body_of: BodyOf) -> None:
        self._port = port
        self._body_of = body_of
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._slots = asyncio.Semaphore(_CONNECTIONS)
        self._chance = random.Random(1)  # noqa: S311 - the same choice in every run, not a secret

    async def write(self, pages: Sequence[str], rate: int, seconds: int) -> tuple[int, int]:
        """Send on a schedule that waits for nothing. Tell how many were accepted, and how many were refused."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        sending = []
        for number in range(rate * seconds):
            await asyncio.sleep(began + (number + self._chance.random()) / rate - loop.time())
            sending.append(asyncio.create_task(self._post(self._chance.choice(pages))))
        taken = await asyncio.gather(*sending)
        return sum(taken), len(taken) - sum(taken)

    async def _post(self, page: str) -> bool:
        # Before it waits for a connection: whoever is slow to take webhooks must not look quick for it.
        body = self._body_of(page, self._chance.randrange(PEOPLE), time.monotonic_ns())
        async with self._slots:
            if not self._idle:
                self._idle.append(await asyncio.open_connection("127.0.0.1", self._port))
            reader, writer = self._idle.pop()
            writer.write(_request(self._port, body))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]))
            self._idle.append((reader, writer))
        return head.startswith(b"HTTP/1.1 200 ")


def message(page: str, person: int, nanoseconds: int) -> bytes:
    event = {
        "sender": {"id": f"7{person:015}"},
        "recipient": {"id": page},
        "timestamp": int(time.time() * 1000),
        "message": {"mid": mark(nanoseconds), "text": "Are you open today?"},
    }
    return msgspec.json.encode({"object": "page", "entry": [{"id": page, "time": 0, "messaging": [event]}]})


def _request(port: int, body: bytes) -> bytes:
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    lines = [
        "POST /webhooks/meta HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"x-hub-signature-256: sha256={signature}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
