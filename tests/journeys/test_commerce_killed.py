"""A batch of products whose process is killed at each kind of call: no row is lost, and none is done twice.

The batch is held before a platform has taken a chunk, after it has taken it, and while it is asked what became of it.
Each time the process is shot, and the batch goes on once its lease is over.
"""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from socialgate.core.jobs.service import JOB_LEASE
from socialgate_sandbox.vendors import meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY_CATALOG
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.memory import monitor_memory
from support.postgres import new_database
from support.seeded_vendors import connect_ads
from support.soak import LONG, SOAK
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

BATCH, STATUS = "*/items_batch", "*/check_batch_request_status"
# Each engine is killed at two of them in every run, at all in the soak: the last is within the second chunk.
POINTS = [(BATCH, "before"), (BATCH, "after"), (STATUS, "after"), (BATCH, "after")]
HEADING = ["id", "title", "description", "availability", "condition", "price", "link", "image_link", "brand", "method"]
# What a batch of 10,000 products may take beside what the service takes anyway: a chunk of it, and not all of it.
MAX_MIB = 80
FIRST = 5


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[CrashDeployment]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(folder, url, (), [meta.VENDOR]) as stage:
        stage.sign_in("meta", ADA)
        connect_ads(stage)
        stage.postpone_checks()
        yield stage
        for process in stage.processes:
            process.require_alive()


def table(count: int) -> tuple[bytes, set[int], set[str]]:
    """Write a CSV of upserts, updates and deletions. Gives the numbers of wrong rows, and which products must be there
    afterwards.
    """
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(HEADING)
    wrong: set[int] = set()
    there: set[str] = {f"old-{number}" for number in range(FIRST)}
    link = "https://bakery.example.com/cake"
    for number in range(1, count + 1):
        bad, price, image = number % 33 == 0, f"{number}.50 SEK", f"{link}.jpg"
        if bad:
            wrong.add(number)
            # One half is found out here, the other half by the platform.
            price, image = (price, "https://pictures.invalid/x.jpg") if number % 2 else ("1.999 SEK", image)
        else:
            there.add(f"cake-{number}")
        row = [f"cake-{number}", f"Cake {number}", "Big", "in stock", "new", price, link, image, "Ada", "upsert"]
        rows.writerow(row)
    for number in range(FIRST):
        rows.writerow([f"old-{number}", "", "", "", "", "7.00 SEK", "", "", "", "update"])
        rows.writerow([f"gone-{number}", *[""] * 8, "delete"])
    return written.getvalue().encode(), wrong, there


class Batch:
    def __init__(self, stage: CrashDeployment, count: int) -> None:
        self.stage = stage
        (account,) = stage.send_request("GET", "/adaccounts")["data"]
        self.place = {"adAccountId": account["id"], "catalogId": BAKERY_CATALOG}
        self.body, self.wrong, self.there = table(count)

    def prepare(self) -> None:
        """Put the products there that the batch changes and deletes."""
        names = [f"{word}-{number}" for word in ("old", "gone") for number in range(FIRST)]
        link = "https://bakery.example.com/x"
        words = {"title": "Old", "description": "Old", "availability": "inStock", "condition": "new", "brand": "Ada"}
        more = {"price": {"amount": 100, "currency": "SEK"}, "url": link, "imageUrl": f"{link}.jpg"}
        items = [{"retailerId": name, **words, **more} for name in names]
        created = self.stage.send_request("POST", "/commerce/products/batch", json={**self.place, "items": items})
        assert eventually(lambda: self.ended(created["id"]))["result"]["succeeded"] == len(names)

    def begin(self) -> str:
        headers = {"Content-Type": "text/csv", "Idempotency-Key": "one"}
        path = "/commerce/products/batch"
        created = self.stage.send_request("POST", path, params=self.place, content=self.body, headers=headers)
        return str(created["id"])

    def ended(self, task_id: str) -> dict[str, Any] | None:
        task: dict[str, Any] = self.stage.send_request("GET", f"/tasks/{task_id}")
        return task if task["finishedAt"] else None

    def products(self) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = []
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            query = {**self.place, "limit": 100, **cursor}
            page = self.stage.send_request("GET", "/commerce/products", params=query)
            result += page["data"]
            cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
        return result

    def check(self, task_id: str) -> None:
        task = self.ended(task_id)
        assert task is not None
        result = task["result"]
        assert {error["row"] for error in result["errors"]} == self.wrong
        assert all(error["detail"] for error in result["errors"])
        total = result["rows"]
        assert (result["succeeded"], result["failed"], result["unconfirmed"]) == (
            total - len(self.wrong),
            len(self.wrong),
            0,
        )
        existing_result = self.products()
        names = [item["retailerId"] for item in existing_result]
        assert len(names) == len(set(names))
        assert set(names) == self.there
        prices = {item["retailerId"]: item["price"]["amount"] for item in existing_result}
        assert prices["cake-1"] == 150
        assert prices["old-0"] == 700


def held(stage: CrashDeployment) -> set[str]:
    return {item["fault"] for item in stage.sandbox.look("fail")["hanging"]}


def hang(stage: CrashDeployment, call: str, when: str) -> str:
    """Have the next such call hang."""
    order = {"platform": "meta", "path": call, "when": when, "hang": True}
    return str(stage.sandbox.control("fail", **order)["id"])


def kill_when(stage: CrashDeployment, fault: str) -> None:
    """Shoot the process that works on the batch, once its call hangs."""
    eventually(lambda: fault in held(stage))
    stage.victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    stage.victim.start_again()
    stage.victim.wait_until_ready()


@pytest.mark.parametrize("count", [pytest.param(100, id="small"), pytest.param(10_000, id="large", marks=LONG)])
def test_a_batch_goes_on_wherever_its_process_dies(engine: str, tmp_path: Path, postgres_url: str, count: int) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        batch = Batch(stage, count)
        batch.prepare()
        stage.clocks.stop()
        points = POINTS if SOAK else POINTS[engine == "postgres" :: 2]
        # The first fault is there before the batch: nothing of it can be done by then.
        first = hang(stage, *points[0])
        task_id = batch.begin()
        kill_when(stage, first)
        for point in points[1:]:
            fault = hang(stage, *point)
            stage.clocks.advance(JOB_LEASE + timedelta(seconds=1), platforms=timedelta(0))
            kill_when(stage, fault)
        stage.clocks.advance(JOB_LEASE + timedelta(seconds=1), platforms=timedelta(0))
        eventually(lambda: batch.ended(task_id), seconds=600)
        batch.check(task_id)


@pytest.mark.parametrize("count", [pytest.param(10_000, marks=LONG)])
def test_memory_does_not_grow_with_a_batch(engine: str, tmp_path: Path, postgres_url: str, count: int) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        batch = Batch(stage, count)
        batch.prepare()
        pids = [process._running.pid for process in stage.processes]
        with monitor_memory(*pids) as seen:
            before = [memory_monitor.peak for memory_monitor in seen]
            task_id = batch.begin()
            eventually(lambda: batch.ended(task_id), seconds=600)
        grown = [memory_monitor.peak - start for memory_monitor, start in zip(seen, before, strict=True)]
        assert max(grown) < MAX_MIB, f"MiB before: {before}, more: {grown}"
        batch.check(task_id)
