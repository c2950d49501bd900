"""The examples in the READMEs of the clients, which are pages of the documentation too, against a running service."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from socialgate.contracts.platforms import Platform
from socialgate_client import Socialgate
from support.ads_api import AdsClient
from support.client_packages import QUIET, run_node
from support.factories import account_on
from support.guide_examples import GuideStep, join_typescript, list_readme_steps
from support.node import NODE
from support.post_files import file_of
from support.publishing import mp4
from support.sandbox import Sandbox
from support.service import RunningService
from support.waiting import eventually

HERE = Path(__file__).parent
SECRET = "whsec_" + "c2VjcmV0" * 4
PRODUCTS = """id,title,description,availability,condition,price,link,image_link,brand
cake,Cake,For eight.,in stock,new,9.50 SEK,https://bakery.example.com/cake,https://bakery.example.com/cake.jpg,Ada
"""
# What a reader has defined before. Only the program that follows events is stopped, when it shows the first.
TYPESCRIPT = """import { openAsBlob } from "node:fs";
const mark = (number: number, follows: boolean): void => {
  console.log = follows ? () => process.exit(0) : () => {};
  console.error(`== ${number}`);
};
const known = JSON.parse(process.argv[2] ?? "");
const { csv, body, headers, secret }: Record<string, any> = known;
let lastSeen: string = known.lastSeen;
"""


@pytest.fixture
def agency(service: RunningService, sandbox: Sandbox) -> AdsClient:
    return AdsClient(service, sandbox, "meta")


@pytest.fixture
def ids(agency: AdsClient) -> Sequence[str]:
    """Give what the examples leave open, in their order."""
    catalog = agency.create("/commerce/catalogs", name=f"Cakes {uuid4().hex}")
    accounts = [account_on(agency.owner, platform) for platform in (Platform.THREADS, Platform.TIKTOK)]
    return [*accounts, agency.account_id, catalog["id"]]


@pytest.fixture
def known(agency: AdsClient, sandbox: Sandbox) -> Mapping[str, Any]:
    """Give what programs got elsewhere: a position before a message, a delivery, and a table."""
    session = agency.owner.session
    position = session.get("/events", params={"limit": 200}).json()["nextCursor"]
    assert agency.page_id
    sandbox.control("message", platform="meta", account="104857600000101", text="Are you open?")
    query = {"event": "message.received", "after": position}
    eventually(lambda: session.get("/events", params=query).json()["data"], "a message")
    body = json.dumps({"event": "webhook.test", "ownerId": "own_1", "profileId": "prf_1", "data": {"hookId": "hook_1"}})
    with Socialgate(base_url=agency.running.address, api_key="unused") as client:
        headers = client.webhooks.sign(body, SECRET, event="webhook.test", event_id="evt_1", delivery_id="dlv_1")
    return {"lastSeen": position, "csv": PRODUCTS, "body": body, "headers": headers, "secret": SECRET}


def write_files(folder: Path) -> None:
    (folder / "oven.jpg").write_bytes(file_of("image/jpeg"))
    (folder / "film.mp4").write_bytes(mp4(4))
    (folder / "products.csv").write_text(PRODUCTS)


def run_steps(command: Sequence[str], steps: Sequence[GuideStep], agency: AdsClient, folder: Path, **more: str) -> None:
    access = {"SOCIALGATE_URL": agency.running.address, "SOCIALGATE_API_KEY": agency.owner.key_value()}
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **QUIET, **access, **more}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "!!" not in done.stderr, done.stderr
    assert done.stderr.count("== ") == len(steps), done.stderr


def test_the_readme_of_the_python_client(
    agency: AdsClient, ids: Sequence[str], known: Mapping[str, Any], python_client: Path, tmp_path: Path
) -> None:
    steps = list_readme_steps("clients/python", "python", ids)
    assert len(steps) >= 7
    write_files(tmp_path)
    names = {"last_seen" if name == "lastSeen" else name: value for name, value in known.items()}
    before = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    codes = [before + steps[0].code, *(step.code for step in steps[1:])]
    listed = [
        {"page": step.page, "number": step.number, "code": code, "follows": step.follows_events}
        for step, code in zip(steps, codes, strict=True)
    ]
    (tmp_path / "readme.json").write_text(json.dumps(listed))
    command = [sys.executable, str(HERE / "python" / "guides.py"), "readme.json"]
    run_steps(command, steps, agency, tmp_path, PYTHONPATH=str(python_client))


def test_the_readme_of_the_typescript_client(
    agency: AdsClient, ids: Sequence[str], known: Mapping[str, Any], node_folder: Path
) -> None:
    steps = list_readme_steps("clients/typescript", "ts", ids)
    assert len(steps) >= 6
    write_files(node_folder)
    # The program ends with the example that follows events.
    ordered = sorted(steps, key=lambda step: step.follows_events)
    (node_folder / "readme.mts").write_text(TYPESCRIPT + join_typescript(ordered, "mark({number}, {follows});\n"))
    for name in ("tsconfig.json", "node.d.ts"):
        (node_folder / name).write_bytes((HERE / "typescript" / name).read_bytes())
    run_node("typescript/bin/tsc", "--project", "tsconfig.json", folder=node_folder)
    run_steps([NODE, "readme.mts", json.dumps(known)], steps, agency, node_folder)
