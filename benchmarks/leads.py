"""How long a lead takes from Meta's webhook, over reading the lead from Meta, to the signed delivery on a hook.

The webhook names the lead and nothing else: a job reads it. Meta's side answers at once here, so what is measured is
the service's own share; over the internet the time of one call comes on top. Each lead takes twice the work of a
message, so the rate is one that one process keeps up with: 72,000 leads an hour.
"""

import asyncio
import time

import msgspec
from benchmarks.bot_api import LeanConnection
from benchmarks.harness import Bench, Figure, percentile
from benchmarks.messages import BARS, PAGES, SECRET, WARM_UP_SECONDS, figures, platform_role, prepare, send
from benchmarks.processes import Handlers, Helper, cpu_seconds
from benchmarks.receiver import Customer, mark
from benchmarks.sites import Site
from benchmarks.start import started

RATE = 20
_FORM = "1060000000000"
_DIGITS = 20
_NOTE = "; Meta is asked for each lead, and answers at once"


def measure(bench: Bench) -> list[Figure]:
    rounds, seconds = bench.sized(5, 1), bench.sized(6, 4)
    bench.uses("leads", pages=PAGES, rate=RATE, seconds=seconds, rounds=rounds)
    folder = bench.folder / "leads"
    folder.mkdir()
    taken = []
    with Customer(folder, PAGES) as customer, Helper(_graph_role) as graph:
        site = Site(bench, "sqlite", customer)
        site.fields |= {"meta_app_id": "benchmark", "meta_app_secret": SECRET, "sandbox": False}
        site.fields["meta_url"] = f"http://127.0.0.1:{graph.ask('port')}"
        pages = asyncio.run(prepare(site))
        settings = {name: value for name, value in site.fields.items() if name != "port"}
        with started(site.folder, **settings) as (running, port, _), Helper(platform_role, port, lead) as platform:
            # Opens the connections, and learns the names of the forms.
            send(customer, platform, pages, WARM_UP_SECONDS, running.check, RATE)
            used = -cpu_seconds(running.process)
            for number in range(rounds):
                taken.append(send(customer, platform, pages, seconds, running.check, RATE))
                p50, p99 = (percentile(taken[-1], percent) for percent in BARS)
                bench.say(f"round {number + 1} of {rounds}: p50 {p50:.1f} ms, p99 {p99:.1f} ms of {len(taken[-1])}")
            used += cpu_seconds(running.process)
        site.remove()
    return figures("lead", RATE, taken, used, _NOTE)


def lead(page: str, person: int, nanoseconds: int) -> bytes:
    """Name a lead. Its id says when that was and on which Page: Meta's side knows nothing else of it."""
    del person
    lead_id = f"{nanoseconds:0{_DIGITS}}{page}"
    value = {"leadgen_id": lead_id, "page_id": page, "form_id": f"{_FORM}{page}", "created_time": 0}
    change = {"field": "leadgen", "value": value}
    return msgspec.json.encode({"object": "page", "entry": [{"id": page, "time": 0, "changes": [change]}]})


async def _graph_role() -> Handlers:
    server = await asyncio.get_running_loop().create_server(lambda: LeanConnection(_told), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    return {"port": lambda: port}


def _told(path: bytes, body: bytes) -> bytes:
    """Say as much of the Graph API as reading a lead needs."""
    del body
    node = path.partition(b"?")[0].decode()
    if not node.isdecimal():
        return b'{"data":[]}'
    if node.startswith(_FORM):
        return msgspec.json.encode({"id": node, "name": "Order a cake", "page_id": node.removeprefix(_FORM)})
    moment, page = node[:_DIGITS], node[_DIGITS:]
    answer = {"name": "email", "values": [mark(int(moment))]}
    created = time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime())
    payload = {"id": node, "created_time": created, "form_id": f"{_FORM}{page}", "field_data": [answer]}
    return msgspec.json.encode(payload)
