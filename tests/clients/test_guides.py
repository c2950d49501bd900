"""The examples of all guides, in every language, against a running service with its sandbox.

For each language there is an owner with what the guides assume. Its ids are put in where the text shows `acc_...`, as a
reader does it, and then the examples run in the order of their pages: in one shell, in one Python, and in one Node.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from socialgate.contracts.platforms import Platform
from socialgate.docs_site.api_calls import PREAMBLES
from socialgate.docs_site.service import DocsSite
from socialgate.docs_site.sources import DocsSources
from support.ads_api import AdsClient
from support.client_packages import QUIET
from support.connections import get_connect_fields, sign_in
from support.factories import FIXED_PARAMETERS, account_on, calendar_of
from support.guide_examples import Guides, GuideStep, join_typescript
from support.node import NODE
from support.post_files import file_of
from support.publishing import mp4
from support.sandbox import Sandbox
from support.service import PASSWORD, OwnerFixture, RunningService, StartService
from support.waiting import eventually

HERE = Path(__file__).parent
# As many examples are there at least: fewer would mean that the conversion broke.
MIN_EXAMPLES = 60
# Pages whose example shows how a refusal looks.
REFUSED = {"start": "422", "clients": "422"}
PAGE = "104857600000101"
_CSV = re.compile(r"^```csv\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Writes the status of each call, and stops following events after the first.
SHELL = """
set -u
curl() {
  if [[ "$*" == */events/stream* ]]; then
    exec {events}< <(exec "$(type -P curl)" "$@")
    local follower=$!
    while read -r line <&"$events"; do [[ $line == data:* ]] && break; done
    kill $follower
    [[ ${line-} == data:* ]] && echo "200 GET /events/stream" >&2
  else
    command curl "$@" -w '%{stderr}%{http_code} %{method} %{url_effective}\\n'
  fi
}
mark() { echo "== $*" >&2; }
"""

NODE_SETUP = """
const show = console.log;
const stop = Symbol();
const mark = (page, number, follows) => {
  console.log = follows ? () => { throw stop; } : () => {};
  console.error(`== ${page} ${number} ${follows}`);
};
const say = (error) => error === stop || console.error("!!", String(error?.stack ?? error).replace(/\\s+/g, " "));
"""


class Workspace:
    """An owner with everything that the guides begin with."""

    def __init__(self, service: RunningService, sandbox: Sandbox, files: str, language: str) -> None:
        self._sandbox = sandbox
        self.owner = owner = service.new_owner()
        self._session = owner.session
        agency = AdsClient(service, sandbox, "meta", owner)
        shop = AdsClient(service, sandbox, "tiktokads", owner)
        account_on(owner, Platform.THREADS)
        tiktok, whatsapp = (account_on(owner, platform) for platform in (Platform.TIKTOK, Platform.WHATSAPP_CLOUD))
        page, instagram = self._connect_meta()
        post = publish_post(owner, page)
        self.key = owner.key_value()
        accounts = {"ACCOUNT": page, "PAGE": page, "FACEBOOK": page, "INSTAGRAM": instagram, "TIKTOK": tiktok}
        self.values = {
            "": {
                **accounts,
                "PROFILE": owner.profile_id,
                "WHATSAPP": whatsapp,
                "AD_ACCOUNT": agency.account_id,
                "TIKTOK_ADS": shop.account_id,
                "POST": post["id"],
                "COMMENT": self._write_comment(post),
                "CONVERSATION": self._write_message(page),
                "LEAD": self._create(f"/accounts/{page}/lead-forms/{FIXED_PARAMETERS['formId']}/test-webhook"),
                "HOOK": self._create("/hooks", url="https://hooks.example.com/in", events=["post.published"]),
                "https://example.com/": files,
                "7100000001:...": get_connect_fields(sandbox, "telegram")["botToken"],
                # Names that are unique on the platform, on which the owners have the same accounts.
                '"Cakes"': f'"Cakes {language}"',
                '"Order a wedding cake"': f'"Order a wedding cake {language}"',
            },
            "calendar": {"ACCOUNT": calendar_of(owner)},
        }
        # What can be connected is listed after somebody has signed in.
        sign_in(sandbox, owner, "meta")

    def send_message(self) -> None:
        self._sandbox.control("message", platform="meta", account=PAGE, text="Are you open?")

    def _connect_meta(self) -> tuple[str, str]:
        sign_in(self._sandbox, self.owner, "meta")
        path = f"/profiles/{self.owner.profile_id}/connect/meta"
        rows = self._session.get(f"{path}/available").json()["data"]
        instagram = next(row["id"] for row in rows if row["kind"] == "instagram")
        chosen = self._session.post(path, json={"ids": [PAGE, instagram]})
        assert chosen.status_code == 201, chosen.text
        ids = {row["kind"]: str(row["id"]) for row in chosen.json()["data"]}
        return ids["facebook_page"], ids["instagram"]

    def _create(self, path: str, **body: Any) -> str:
        answer = self._session.post(path, json=body or None)
        assert answer.is_success, answer.text
        return str(answer.json()["id"])

    def _write_comment(self, post: dict[str, Any]) -> str:
        object_id = post["targets"][0]["platformPostId"]
        written = self._sandbox.control("comment", platform="meta", objectId=object_id, text="Any left?")
        return str(written["id"])

    def _write_message(self, page: str) -> str:
        self.send_message()
        path = f"/accounts/{page}/conversations"
        return str(eventually(lambda: self._session.get(path).json()["data"], "a conversation")[0]["id"])


def publish_post(owner: OwnerFixture, page: str) -> dict[str, Any]:
    """Publish a post, and give it."""
    body = {"profileId": owner.profile_id, "content": "Buns!", "targets": [{"accountId": page}]}
    answer = owner.session.post("/posts", json=body)
    assert answer.is_success, answer.text

    def look() -> dict[str, Any] | None:
        post: dict[str, Any] = owner.session.get(f"/posts/{answer.json()['id']}").json()
        return post if post["status"] == "published" else None

    return eventually(look, "a published post")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of somebody who reads the guides, with the files that they name."""
    folder = tmp_path_factory.mktemp("reader")
    for name in ("oven.jpg", "cake.jpg", "bread.jpg"):
        (folder / name).write_bytes(file_of("image/jpeg"))
    for name in ("cake.mp4", "bread.mp4"):
        (folder / name).write_bytes(mp4(6))
    (table,) = _CSV.findall(DocsSources().read_text("commerce"))
    (folder / "products.csv").write_text(table)
    return folder


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def website(folder: Path) -> Iterator[str]:
    """Give the website from which posts fetch their files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service that may fetch files from this machine."""
    with start_service(media_allow_nets="127.0.0.0/8") as own:
        yield own


def write_shell(steps: Sequence[GuideStep]) -> str:
    """Write one script. The examples of a page share their variables."""
    parts = [SHELL]
    for page, own in groupby(steps, lambda step: step.page):
        parts.append("(\n")
        parts += [f"mark {page} {step.number} {str(step.follows_events).lower()}\n{step.code}\n" for step in own]
        parts.append(f") || echo '!! the shell gave up {page}' >&2\n")
    return "".join(parts)


def write_modules(steps: Sequence[GuideStep], folder: Path) -> None:
    """Write a module for each page, and one that runs them all."""
    lines = ["for (const name of [\n"]
    for number, (_, own) in enumerate(groupby(steps, lambda step: step.page)):
        code = join_typescript(list(own), 'mark("{page}", {number}, {follows});\n')
        (folder / f"page{number}.mts").write_text(f'import {{ mark }} from "./setup.mjs";\n{code}\nexport {{}};\n')
        lines.append(f'  "./page{number}.mts",\n')
    lines.append("]) await import(name).catch(say);\nprocess.exit(0);\n")
    (folder / "setup.mjs").write_text(f"{NODE_SETUP}\nexport {{ mark, say }};\n")
    (folder / "all.mjs").write_text('import { say } from "./setup.mjs";\n' + "".join(lines))


@contextmanager
def messages(workspace: Workspace) -> Iterator[None]:
    """Let somebody write again and again, until the program that follows events has seen it."""
    done = threading.Event()

    def send() -> None:
        while not done.wait(0.1):
            workspace.send_message()

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def run_marked(command: Sequence[str], workspace: Workspace, folder: Path, **variables: str) -> dict[str, list[str]]:
    """Run a program, and give what it wrote to stderr by the example that was running."""
    seen: dict[str, list[str]] = {}
    current: list[str] = []
    access = {"SOCIALGATE_URL": workspace.owner.running.address, "SOCIALGATE_API_KEY": workspace.key}
    login = {"SOCIALGATE_EMAIL": workspace.owner.email, "SOCIALGATE_PASSWORD": PASSWORD}
    with (
        ExitStack() as writing,
        subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **QUIET, **access, **login, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            if not line.startswith("== "):
                current.append(line.rstrip())
                continue
            writing.close()
            _, page, number, follows = line.split()
            current = seen[f"{page} {number}"] = []
            if follows == "true":
                writing.enter_context(messages(workspace))
    if process.returncode:
        current.append(f"The program ended with {process.returncode}.")
    return seen


def name_all(steps: Sequence[GuideStep]) -> set[str]:
    return {f"{step.page} {step.number}" for step in steps}


def find_faults(seen: dict[str, list[str]], language: str) -> list[str]:
    """Find what failed: an error that was raised, or a status that is neither a success nor announced."""
    faults = []
    for name, lines in seen.items():
        announced = REFUSED.get(name.split()[0])
        for line in lines:
            is_announced = announced is not None and line.startswith(announced)
            if not is_announced and not re.match(r"2\d\d ", line):
                faults.append(f"{language}, {name}: {line}")
    return faults


def test_the_examples_of_the_guides_work_in_every_language(
    running: RunningService, python_client: Path, node_folder: Path, folder: Path, website: str
) -> None:
    guides = Guides(running.service.container.get(DocsSite).renderer.describe())
    faults: list[str] = []
    with Sandbox(running) as sandbox:
        for language in PREAMBLES:
            workspace = Workspace(running, sandbox, website, language)
            steps = guides.list_steps(language, workspace.values)
            assert len(steps) >= MIN_EXAMPLES
            faults += [f"{step.page} {step.number} has a gap: {step.code}" for step in steps if "_..." in step.code]
            if language == "curl":
                (folder / "guides.sh").write_text(write_shell(steps))
                seen = run_marked(["bash", "guides.sh"], workspace, folder)
            elif language == "python":
                listed = [
                    {"page": s.page, "number": s.number, "code": s.code, "follows": s.follows_events} for s in steps
                ]
                (folder / "guides.json").write_text(json.dumps(listed))
                command = [sys.executable, str(HERE / "python" / "guides.py"), "guides.json"]
                seen = run_marked(command, workspace, folder, PYTHONPATH=str(python_client))
            else:
                write_modules(steps, node_folder)
                for path in (*folder.glob("*.jpg"), *folder.glob("*.mp4"), *folder.glob("*.csv")):
                    (node_folder / path.name).write_bytes(path.read_bytes())
                seen = run_marked([NODE, "all.mjs"], workspace, node_folder)
            faults += find_faults(seen, language)
            faults += [f"{language}, {name} was not run" for name in name_all(steps) - seen.keys()]
    assert not faults, "\n".join(faults)
