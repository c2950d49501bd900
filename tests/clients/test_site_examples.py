"""Every example of the documentation does the same with curl, Python and TypeScript.

The examples of routes are run against a server that records what arrives, and the example of the first page against the
service and the sandbox. `test_guides.py` runs those of the guides; `make soak` also compares the requests that they
send.
"""

import hashlib
import json
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
import pytest

from socialgate.contracts.platforms import Platform
from socialgate.docs_site.api_calls import PREAMBLES, ApiMethod, add_preamble, build_example_call
from socialgate.docs_site.markdown import find_first_example
from socialgate.docs_site.page_renderer import Description, PageRenderer
from socialgate.docs_site.service import DocsSite
from socialgate.docs_site.shell_examples import GuideExamples
from socialgate.docs_site.sources import DocsSources
from support.client_packages import run, run_node
from support.factories import account_on
from support.guide_examples import Guides, join_typescript
from support.node import NODE
from support.service import RunningService
from support.soak import LONG, SOAK

HERE = Path(__file__).parent
_MARK = "/mark/"
_BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Z_]+))")
_GIVEN = {"SOCIALGATE_URL", "SOCIALGATE_API_KEY", "AUTH", "JSON"}
_ID = "01h455vb4pex5vsknk084sn02q"
# As many blocks of the guides are converted at least: fewer would mean that the conversion broke.
_MIN_CONVERTED = 45


class Sent(msgspec.Struct, frozen=True):
    """A request as the recorder saw it."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    body: Any


class Recorder(BaseHTTPRequestHandler):
    """Answers each route with its example, and remembers what was sent since the last mark."""

    methods: Sequence[ApiMethod] = ()
    seen: Mapping[str, list[Sent]] = {}
    mark = ""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    def _answer(self) -> None:
        address = urlsplit(self.path)
        content = self._read_body()
        if address.path.startswith(_MARK):
            type(self).mark = unquote(address.path.removeprefix(_MARK))
            self._send(200, b"{}", "application/json")
            return
        is_json = self.headers.get("content-type", "").startswith("application/json")
        body = json.loads(content) if content and is_json else None
        sent = Sent(self.command, unquote(address.path), parse_qs(address.query, keep_blank_values=True), body)
        self.seen.setdefault(self.mark, []).append(sent)  # type: ignore[attr-defined] # a dictionary
        self._send(*self._find_answer(address.path, content))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - the names of the base class

    def _read_body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _find_answer(self, path: str, content: bytes) -> tuple[int, bytes, str]:
        for method in sorted(self.methods, key=lambda method: method.path.count("{")):
            pattern = re.sub(r"{\w+}", "[^/]+", method.path)
            if method.http == self.command and re.fullmatch(pattern, path):
                status = next(code for code in method.operation["responses"] if code.startswith("2"))
                if "text/event-stream" in method.operation["responses"][status].get("content", {}):
                    event = {"event": "webhook.test", "ownerId": "own_1", "profileId": "prf_1", "data": {"hookId": "h"}}
                    return 200, f"id: 1\ndata: {json.dumps(event)}\n\n".encode(), "text/event-stream"
                example = method.response_example
                if method.cursor is not None and isinstance(example, dict):
                    example = {**example, "nextCursor": None}
                if example is None and method.returns is not None:
                    example = {"data": [], "nextCursor": None}
                if isinstance(example, dict) and "sha256" in example:
                    # Clients compare it with the file that they sent.
                    example = {**example, "sha256": hashlib.sha256(content).hexdigest()}
                return (
                    int(status),
                    b"" if example is None else json.dumps(example, separators=(",", ":")).encode(),
                    "application/json",
                )
        return 404, b"{}", "application/problem+json"

    def _send(self, status: int, body: bytes, media_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)


@contextmanager
def recording(methods: Sequence[ApiMethod]) -> Iterator[tuple[str, dict[str, list[Sent]]]]:
    seen: dict[str, list[Sent]] = {}
    kind = type("OwnRecorder", (Recorder,), {"methods": methods, "seen": seen, "mark": ""})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def renderer(service: RunningService) -> PageRenderer:
    return service.service.container.get(DocsSite).renderer


@pytest.fixture(scope="module")
def description(renderer: PageRenderer) -> Description:
    return renderer.describe()


class Programs:
    """Runs examples by name in each language, each in a process of its own that runs them all."""

    def __init__(self, python_client: Path, folder: Path) -> None:
        self._python_client = python_client
        self._folder = folder
        for name in ("oven.jpg", "cake.jpg", "cake.mp4"):
            (folder / name).write_bytes(b"bytes")

    def run_curl(self, url: str, examples: Mapping[str, str]) -> None:
        marked = [f"curl -s {url}{_MARK}{name} > /dev/null\n{code}" for name, code in examples.items()]
        run("bash", "-uc", "\n".join(marked), folder=self._folder, **self._access(url))

    def run_python(self, url: str, examples: Mapping[str, str]) -> None:
        program = """
import json, sys, urllib.request
class Done(Exception): pass
def done(*_): raise Done
url, examples = sys.argv[1], json.load(open(sys.argv[2]))
for name, code in examples.items():
    urllib.request.urlopen(url + name).read()
    lines = {} if "~all" in name else {"print": done}
    try:
        exec(compile(code, name, "exec"), lines)
    except Done:
        pass
"""
        (self._folder / "examples.json").write_text(json.dumps(examples))
        run(
            *(sys.executable, "-c", program, url + _MARK, "examples.json"),
            folder=self._folder,
            PYTHONPATH=str(self._python_client),
            **self._access(url),
        )

    def run_typescript(self, url: str, examples: Mapping[str, str]) -> None:
        folder = self._folder / "examples"
        folder.mkdir()
        for number, code in enumerate(examples.values()):
            (folder / f"example{number}.mts").write_text(code)
        program = """
const names = JSON.parse(process.argv[3]);
const done = Symbol("done");
const log = console.log;
for (const [number, name] of names.entries()) {
  await fetch(process.argv[2] + name);
  console.log = name.includes("~all") ? () => {} : () => { throw done; };
  try {
    await import(`./examples/example${number}.mts`);
  } catch (error) {
    if (error !== done) { log(name, error); process.exit(1); }
  }
}
process.exit(0);
"""
        (self._folder / "all.mjs").write_text(program)
        run(NODE, "all.mjs", url + _MARK, json.dumps(list(examples)), folder=self._folder, **self._access(url))

    def _access(self, url: str) -> dict[str, str]:
        return {"SOCIALGATE_URL": url, "SOCIALGATE_API_KEY": "sg_example"}


@pytest.fixture
def programs(python_client: Path, node_folder: Path) -> Programs:
    return Programs(python_client, node_folder)


def test_the_examples_of_routes_send_what_is_declared(
    renderer: PageRenderer, description: Description, programs: Programs
) -> None:
    views = renderer.build_operation_views(description)
    named = [method for method in description.methods if method.sdk_name is not None]
    # Each is written by the same converter. In every run, one in four shows that it works.
    methods = {str(method.operation["operationId"]): method for method in (named if SOAK else named[::4])}
    examples = {name: views.build_examples(method) for name, method in methods.items()}
    by_language = {language: {name: codes[language] for name, codes in examples.items()} for language in PREAMBLES}
    results = {}
    for language, codes in by_language.items():
        with recording(description.methods) as (url, seen):
            getattr(programs, f"run_{language}")(url, codes)
        results[language] = seen
    for name, method in methods.items():
        call = build_example_call(method, renderer._documents.query_examples.get(name, {}))
        path = re.sub(r"{\w+}", "{}", method.path).format(*call.path_values)
        query = {key: [_to_text(value)] for key, value in call.query.items()}
        for language, seen in results.items():
            (sent, *_) = seen[name]
            assert (sent.method, sent.path) == (method.http, path), (language, name)
            if call.file_name is None:
                assert (sent.query, sent.body) == (query, call.body), (language, name)


def test_typescript_accepts_every_example_and_program(
    renderer: PageRenderer, description: Description, node_folder: Path
) -> None:
    views = renderer.build_operation_views(description)
    named = [method for method in description.methods if method.sdk_name is not None]
    examples = [views.build_examples(method)["typescript"] for method in named]
    pages = groupby(Guides(description).list_steps("typescript"), lambda step: step.page)
    modules = [*examples, *(join_typescript(list(steps)) for _, steps in pages)]
    shutil.copytree(HERE / "typescript", node_folder, dirs_exist_ok=True)
    for number, code in enumerate(modules):
        (node_folder / f"example{number}.mts").write_text(f"{code}\nexport {{}};\n")
    run_node("typescript/bin/tsc", "--project", "tsconfig.json", folder=node_folder)


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@LONG[0]
@LONG[1]
def test_the_examples_of_guides_send_the_same_in_every_language(description: Description, programs: Programs) -> None:
    converter = GuideExamples(description.methods, description.schemas)
    examples: dict[str, dict[str, str]] = {language: {} for language in PREAMBLES}
    for page in DocsSources().paths:
        for number, block in enumerate(_BLOCK.findall(DocsSources().read_text(page))):
            others = converter.convert(block) if "SOCIALGATE_" in block else None
            # One without a call only gives names to values, and some machines lack jq.
            if others is None or "curl" not in block or ("jq" in block and shutil.which("jq") is None):
                continue
            # All calls of a block are made. One that follows events would never end, and stops at the first.
            name = f"{page.replace('/', '-')}-{number}{'' if '/stream' in block else '~all'}"
            for language, code in _complete(block, others).items():
                examples[language][name] = code
    assert len(examples["curl"]) >= _MIN_CONVERTED - 15
    results = {}
    for language, codes in examples.items():
        with recording(description.methods) as (url, seen):
            getattr(programs, f"run_{language}")(url, codes)
        results[language] = seen
    for name, sent in results["curl"].items():
        for language in ("python", "typescript"):
            assert [_simplify(part) for part in results[language][name]] == [_simplify(part) for part in sent], (
                language,
                name,
            )


def _simplify(sent: Sent) -> tuple[Any, ...]:
    # A file is sent in another format by the clients, with its name in the query.
    return (sent.method, sent.path) if sent.path == "/upload" else (sent.method, sent.path, sent.query, sent.body)


def _complete(block: str, others: Mapping[str, str]) -> dict[str, str]:
    """Add what an earlier block of the page gave a name to."""
    assigned = set(re.findall(r"^([A-Z_]+)=", block, re.MULTILINE))
    used = {first or second for first, second in _SHELL_VARIABLE.findall(block)}
    names = sorted(used - assigned - _GIVEN)
    values = {name: f"{name.lower().replace('_', '')}_{_ID}" for name in names}
    curl = "".join(f"{name}={value}\n" for name, value in values.items())
    python = "".join(f'{name.lower()} = "{value}"\n' for name, value in values.items())
    camel = {name: re.sub(r"_([a-z])", lambda match: match[1].upper(), name.lower()) for name in names}
    script = "".join(f'const {camel[name]} = "{value}";\n' for name, value in values.items())
    setup = 'AUTH="Authorization: Bearer $SOCIALGATE_API_KEY"\nJSON="Content-Type: application/json"\n'
    starts = "AUTH=" in block
    return {
        "curl": f"{setup}{curl}{block}",
        "python": python + (others["python"] if starts else add_preamble("python", others["python"])),
        "typescript": script + (others["typescript"] if starts else add_preamble("typescript", others["typescript"])),
    }


def test_the_first_example_works_against_the_sandbox(
    service: RunningService, python_client: Path, node_folder: Path
) -> None:
    examples = find_first_example(DocsSources().read_text("start"))
    printed = {}
    for language, code in examples.items():
        assert len(code.splitlines()) <= 20
        owner = service.new_owner()
        account_on(owner, Platform.THREADS)
        known = {"SOCIALGATE_URL": service.address, "SOCIALGATE_API_KEY": owner.key_value()}
        if language == "curl":
            printed[language] = run("bash", "-euc", code, folder=node_folder, **known)
        elif language == "python":
            printed[language] = run(
                sys.executable, "-c", code, folder=node_folder, PYTHONPATH=str(python_client), **known
            )
        else:
            (node_folder / "start.mts").write_text(code)
            printed[language] = run(NODE, "start.mts", folder=node_folder, **known)
    first, second, fault = printed["python"].splitlines()
    assert re.fullmatch(r"post_\w+ \w+", first)
    assert second.startswith("Fresh out of the oven ")
    assert fault.startswith("/")
    assert printed["typescript"].splitlines()[2] == fault
    assert all(word in printed["curl"] for word in ("Fresh out of the oven", '"code":"invalid"', '"status":'))
