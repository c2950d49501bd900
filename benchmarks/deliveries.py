"""Durable deliveries over TLS from a backlog, against the same client in a loop without a database."""

import asyncio
from functools import partial

import msgspec
from benchmarks.harness import ENGINES, Bench, Engine, Figure, against, median
from benchmarks.plain import loop_role
from benchmarks.processes import Helper, cpu_seconds
from benchmarks.receiver import Customer, Seen
from benchmarks.sites import BODY_BYTES, Site, message, padding

from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.events import encode_event

HOOKS = 100
_EVENTS_PER_UNIT = 50
_GIVE_UP_SECONDS = 150
# With one request in flight per hook the loop opens the fewest connections, and was seen to be fastest.
_LEANEST = 1


class Drained(msgspec.Struct, frozen=True, kw_only=True):
    """How one backlog was delivered, and what each side took for it."""

    rate: float
    twins: int
    in_flight_per_hook: int
    receiver_ceiling: float
    sender_ceiling: float


def measure(bench: Bench) -> list[Figure]:
    per_hook, rounds = bench.sized(400, 40), bench.sized(9, 1)
    bench.uses("deliveries", hooks=HOOKS, perHook=per_hook, bodyBytes=BODY_BYTES, rounds=rounds)
    folder = bench.folder / "deliveries"
    folder.mkdir()
    with Customer(folder, HOOKS) as customer:
        sites = {engine: _site(bench, engine, customer, per_hook) for engine in ENGINES}
        drained: dict[Engine, list[Drained]] = {engine: [] for engine in ENGINES}
        loops: dict[Engine, list[Drained]] = {engine: [] for engine in ENGINES}
        beside: dict[Engine, list[float]] = {engine: [] for engine in ENGINES}
        leanest = [bench.repeat(partial(_loop, customer, sites["sqlite"], per_hook, _LEANEST))]
        before: Drained | None = None
        for number in range(rounds):
            for engine in ENGINES:
                done = bench.repeat(partial(_drain, customer, sites[engine], per_hook))
                loop = bench.repeat(partial(_loop, customer, sites[engine], per_hook, done.in_flight_per_hook))
                bench.say(f"round {number + 1} of {rounds}, {engine}: {done.rate:.0f}/s, the loop {loop.rate:.0f}/s")
                drained[engine].append(done)
                loops[engine].append(loop)
                # A machine that others use changes its speed within seconds: compare with the loops on both sides.
                beside[engine].append(((before or loop).rate + loop.rate) / 2)
                before = loop
        leanest.append(bench.repeat(partial(_loop, customer, sites["sqlite"], per_hook, _LEANEST)))
        return [_figure(engine, drained[engine], loops[engine], beside[engine], leanest) for engine in ENGINES]


def _figure(
    engine: Engine, drained: list[Drained], loops: list[Drained], beside: list[float], leanest: list[Drained]
) -> Figure:
    rates = [drained.rate for drained in drained]
    best = max(drained.rate for drained in leanest)
    in_flight = median([drained.in_flight_per_hook for drained in drained])
    by_processor = median([drained.sender_ceiling for drained in drained]) / median(
        [loop.sender_ceiling for loop in loops]
    )
    return against(
        f"deliveries over {HOOKS} hooks, {engine}, against a loop",
        rates,
        beside,
        bar=0.6,
        note=f"{median(rates):.0f}/s against {median(beside):.0f}/s with {in_flight:.0f} in flight per hook, "
        f"{by_processor:.2f} x by processor time; "
        f"{median(rates) / best:.2f} x of the loop at its best, {best:.0f}/s; "
        f"the receiver alone takes {max(drained.receiver_ceiling for drained in leanest):.0f}/s",
        detail={
            "deliveries": msgspec.to_builtins(drained),
            "loop": msgspec.to_builtins(loops),
            "loopAtItsBest": msgspec.to_builtins(leanest),
        },
    )


def _site(bench: Bench, engine: Engine, customer: Customer, per_hook: int) -> Site:
    bench.say(f"emitting {per_hook * HOOKS} deliveries on {engine}")
    site = Site(bench, engine, customer)
    asyncio.run(fill(site, HOOKS, per_hook))
    return site


async def fill(site: Site, hooks: int, per_hook: int) -> None:
    """Emit each event to all hooks of its owner, with nobody there to deliver it."""
    await site.prepare(hooks)
    owners = {hook.owner_id: hook.shared_profile for hook in site.hooks}
    db = await site.open()
    try:
        for owner_id, profile_id in owners.items():
            for begin in range(0, per_hook, _EVENTS_PER_UNIT):
                count = min(_EVENTS_PER_UNIT, per_hook - begin)
                await db.write(_emit_some, owner_id, profile_id, count)
    finally:
        await db.close()


async def _emit_some(tx: Tx, owner_id: str, profile_id: str, count: int) -> None:
    text = padding()
    for _ in range(count):
        await outbox.emit_event(tx, owner_id, profile_id, message(text))


def _drain(customer: Customer, template: Site, per_hook: int) -> Drained:
    """Start what delivers on a copy of the backlog, and wait for the last delivery to arrive and be recorded."""
    expected = per_hook * HOOKS
    with template.copied() as site:
        customer.reset()
        before = customer.helper.cpu_seconds
        with site.worker() as worker:
            customer.wait_until(lambda seen: seen.count > 0, _GIVE_UP_SECONDS, worker.check)
            used = -cpu_seconds(worker.process)
            seen = customer.wait_until(lambda seen: seen.distinct >= expected, _GIVE_UP_SECONDS, worker.check)
            used += cpu_seconds(worker.process)
            if seen.distinct != expected:
                raise RuntimeError(f"{seen.distinct} of {expected} deliveries came.\n{worker.log[-3000:]}")
        left = site.pending()
        if left:
            raise RuntimeError(f"{left} deliveries came and are not recorded.")
    return _drained(customer, seen, before, used)


def _loop(customer: Customer, site: Site, per_hook: int, at_once: int) -> Drained:
    body = encode_event(site.hooks[0].owner_id, site.hooks[0].own_profile, message(padding()))
    with Helper(loop_role, site.fields["hook_ca_file"], site.fields["hook_allow_nets"]) as helper:
        customer.reset()
        before, used = customer.helper.cpu_seconds, -helper.cpu_seconds
        helper.ask("send", site.hooks, body, per_hook, at_once)
        return _drained(customer, customer.seen(), before, used + helper.cpu_seconds)


def _drained(customer: Customer, seen: Seen, receiver_before: float, sender_seconds: float) -> Drained:
    """Ceilings are per second of processor time: what that side could do with a core of its own."""
    return Drained(
        rate=seen.rate,
        twins=seen.count - seen.distinct,
        in_flight_per_hook=max(1, round(seen.peak_connections / HOOKS)),
        receiver_ceiling=seen.count / (customer.helper.cpu_seconds - receiver_before),
        sender_ceiling=seen.count / sender_seconds,
    )
