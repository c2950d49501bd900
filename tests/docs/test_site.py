"""The documentation site: complete, connected, found by the search, the same as files, and nothing from elsewhere."""

import html
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any
from urllib.parse import urldefrag

import pytest
from click.testing import CliRunner

from socialgate.__main__ import cli
from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import list_error_types
from socialgate.core.events import EVENT_TYPES
from socialgate.core.settings import get_env_variable, get_setting_types
from socialgate.docs_site.assets import load_docs_assets
from socialgate.docs_site.search_index import split_words
from socialgate.docs_site.sources import PROJECT_PAGES, DocsSources
from socialgate.entry.docs_files import write_docs
from support.node import NODE
from support.problems import problem_of
from support.routes import routes
from support.service import RunningService

ROOT = Path(__file__).parents[2]
SEARCH_MODULE = ROOT / "src" / "socialgate" / "docs_site" / "static" / "search.js"
BROWSER = {"Accept": "text/html"}
# With the stylesheet and the scripts, and without pictures. Compressed, as browsers ask for it.
MAX_FIRST_LOAD_BYTES = 100 * 1024
# What people type, and where they should come to, at the latest as the third result.
QUESTIONS = {
    "how do I schedule a post": {"posts", "api/posts"},
    "verify webhook signature": {"hooks"},
    "resume an upload after a break": {"media", "cli", "clients/python", "clients/typescript"},
    "rotate encryption key": {"keys"},
    "needs_reconnection": {"errors/needs_reconnection", "reference/events"},
    "migrate from ayrshare": {"migrate/ayrshare"},
    "behind nginx proxy": {"connections", "deployment"},
    "SOCIALGATE_RATE_LIMIT": {"reference/settings"},
    "createPost": {"api/posts"},
    "telegram bot token": {"platforms/telegram", "connecting", "api/connect"},
    "how do I publish the same post with another text on TikTok": {"posts"},
    "how do I restore a backup without posting twice": {"backup"},
    "which image formats does Instagram accept": {"platforms/meta"},
    "how do I get an api key": {"concepts"},
    "post to instagram and tiktok at the same time": {"posts"},
    "upload a large video": {"media"},
    "reply to a comment": {"comments"},
    "webhook is not arriving": {"hooks"},
    "rate limit exceeded 429": {"conventions"},
    "test without a real account": {"sandbox"},
    "run with postgres in production": {"deployment"},
    "how many requests per second can one node handle": {"scale"},
    "python sdk install": {"clients/python", "clients"},
    "CORS in the browser": {"clients/typescript"},
}


class PageParser(HTMLParser):
    """Collects what a page links, loads and names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.tags: set[str] = set()
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        for name, value in attrs:
            if name == "href":
                (self.links if tag == "a" else self.loaded).append(value or "")
            elif name in {"src", "srcset", "poster"}:
                self.loaded.append(value or "")
            elif name == "id":
                self.ids.append(value or "")
            elif name == "style" or name.startswith("on"):
                self.inline.append(name)


@cache
def parse_page(text: str) -> PageParser:
    """Parse each page once for all tests."""
    return PageParser(text)


@pytest.fixture(scope="module")
def pages(service: RunningService) -> dict[str, str]:
    """Follow every link from the first page, and give each page by its path."""
    client = service.client()
    texts: dict[str, str] = {}
    waiting = ["/docs"]
    while waiting:
        path = waiting.pop()
        if path in texts:
            continue
        response = client.get(path, headers=BROWSER)
        assert response.status_code == 200, path
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        texts[path] = response.text
        links = [urldefrag(link).url for link in parse_page(response.text).links]
        waiting += [link for link in links if link == "/docs" or link.startswith("/docs/")]
    return texts


@pytest.fixture(scope="module")
def index(service: RunningService) -> dict[str, Any]:
    result: dict[str, Any] = service.client().get("/docs/search.json").json()
    return result


def test_every_page_can_be_reached_from_the_first(service: RunningService, pages: dict[str, str]) -> None:
    guides = {f"/docs/{page}" for page in DocsSources().paths}
    errors = {f"/docs/errors/{kind.code}" for kind in list_error_types()}
    tags = {f"/docs/api/{re.sub(r'[^a-z]+', '-', operation.spec.tag.lower())}" for operation in routes(service)}
    assert guides | errors | tags <= pages.keys()


def test_no_link_and_no_anchor_is_dead(pages: dict[str, str]) -> None:
    anchors = {path: set(parse_page(text).ids) for path, text in pages.items()}
    dead = []
    for path, text in pages.items():
        for link in parse_page(text).links:
            target, anchor = urldefrag(link)
            if re.match(r"https?:|mailto:", link):
                continue
            known = anchors.get(target or path)
            if known is None:
                assert target in {"/openapi.json", "/llms.txt"}, (path, link)
            elif anchor and anchor not in known:
                dead.append((path, link))
    assert dead == []


def test_pages_are_well_formed(pages: dict[str, str]) -> None:
    for path, text in pages.items():
        page = parse_page(text)
        assert page.headings.count(1) == 1, path
        assert page.headings[0] == 1, path
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(below <= above + 1 for above, below in steps), path
        assert len(page.ids) == len(set(page.ids)), path
        assert re.search(r"<title>[^<]+</title>", text), path
        assert {"main", "nav", "header"} <= page.tags


def test_long_names_break_between_their_words(pages: dict[str, str]) -> None:
    contents = pages["/docs/reference/settings"].partition('<nav class="toc"')[2]
    assert "SOCIALGATE_<wbr>RATE_<wbr>LIMIT</a>" in contents


def test_every_declaration_is_on_a_page(service: RunningService, pages: dict[str, str]) -> None:
    for operation in routes(service):
        tag = re.sub(r"[^a-z]+", "-", operation.spec.tag.lower())
        assert f'<section class="operation" id="{operation.name}">' in pages[f"/docs/api/{tag}"]
        assert html.escape(operation.path) in pages["/docs/api"].replace("<wbr>", "")
    assert [name for name in EVENT_TYPES if f"<code>{name}</code>" not in pages["/docs/reference/events"]] == []
    settings = [get_env_variable(name) for name in get_setting_types()]
    assert [name for name in settings if name not in pages["/docs/reference/settings"]] == []
    for kind in list_error_types():
        assert kind.code in pages["/docs/reference/errors"]
        assert html.escape(kind.title, quote=False).replace("'", "&#39;") in pages[f"/docs/errors/{kind.code}"]
    assert {platform.value for platform in Platform} <= {path.rpartition("/")[2] for path in pages}
    # Options are part of the type of a target, one form for each kind that has any.
    assert all(
        f"<code>{kind}</code>" in pages["/docs/api/posts"] for kind in (Kind.INSTAGRAM, Kind.TIKTOK, Kind.YOUTUBE)
    )


def test_every_declaration_is_in_the_index(service: RunningService, index: dict[str, Any]) -> None:
    places = {(page, anchor) for page, anchor, *_ in index["sections"]}
    anchors = {anchor for _, anchor in places}
    assert {operation.name for operation in routes(service)} <= anchors
    assert {name.replace(".", "") for name in EVENT_TYPES} <= anchors
    assert {(f"errors/{kind.code}", "") for kind in list_error_types()} <= places
    assert {get_env_variable(name).lower() for name in get_setting_types()} <= anchors
    assert {(f"platforms/{platform}", "") for platform in Platform} <= places
    assert {page for page, _ in places} >= set(PROJECT_PAGES)


def test_what_the_index_lists_exists(pages: dict[str, str], index: dict[str, Any]) -> None:
    anchors = {path: set(parse_page(text).ids) for path, text in pages.items()}
    for page, anchor, *_ in index["sections"]:
        assert f"/docs/{page}" in anchors, page
        assert not anchor or anchor in anchors[f"/docs/{page}"], (page, anchor)


def test_the_search_answers_typical_questions(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "index.json").write_bytes(service.client().get("/docs/search.json").content)
    (tmp_path / "search.mjs").write_bytes(SEARCH_MODULE.read_bytes())
    program = """
import { readFileSync } from "node:fs";
import { rank, splitWords } from "./search.mjs";
const index = JSON.parse(readFileSync("index.json", "utf8"));
const questions = JSON.parse(process.argv[2]);
const found = questions.map((question) => rank(index, question).map(({ page }) => page));
console.log(JSON.stringify({ found, words: questions.map(splitWords) }));
"""
    (tmp_path / "ask.mjs").write_text(program)
    command = [NODE, "ask.mjs", json.dumps([*QUESTIONS, "zzzzzz", "constructor __proto__"])]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    answer = json.loads(printed)
    for (question, expected), result, words in zip(QUESTIONS.items(), answer["found"], answer["words"], strict=False):
        assert expected & set(result[:3]), (question, result[:5])
        # Both languages split words alike, or nothing would be found.
        assert words == split_words(question)
    assert answer["found"][len(QUESTIONS)] == []


def test_the_command_writes_every_page(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["docs", "build", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    written = sorted((tmp_path / "site").rglob("*.html"))
    assert done.output == f"{len(written)} pages in {tmp_path / 'site'}\n"
    assert {f"errors/{kind.code}.html" for kind in list_error_types()} <= {
        path.relative_to(tmp_path / "site").as_posix() for path in written
    }


def test_the_files_are_the_pages_that_are_served(
    service: RunningService, pages: dict[str, str], tmp_path: Path
) -> None:
    count = write_docs(tmp_path, service.service.container.get(ApiDocuments))
    files = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    for path, text in pages.items():
        name = path.removeprefix("/docs").strip("/")
        file = f"{name}.html" if name else "index.html"
        written = files[file].read_text(encoding="utf-8")
        assert _with_absolute_links(written, PurePosixPath(file)) == text, path
    assert count == len(pages) + 1
    # A file refers to nothing that is not there.
    for name, written_file in files.items():
        if name.endswith(".html"):
            page = parse_page(written_file.read_text(encoding="utf-8"))
            for link in (*page.links, *page.loaded):
                target = urldefrag(link).url
                if target and not re.match(r"[a-z]+:", target):
                    assert normpath(PurePosixPath(name).parent / target) in files, (name, link)
    assert {"404.html", "search.json", "openapi.json", "llms.txt"} <= files.keys()


def _with_absolute_links(text: str, file: PurePosixPath) -> str:
    """Write the links of a file as the service does."""

    def absolute(match: re.Match[str]) -> str:
        target, anchor = urldefrag(html.unescape(match[2]))
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = normpath(file.parent / target)
        if path in {"openapi.json", "llms.txt"}:
            link = f"/{path}"
        else:
            link = f"/docs/{path.removesuffix('.html').removesuffix('index')}".rstrip("/")
        return f'{match[1]}="{link}{f"#{anchor}" if anchor else ""}"'

    return re.sub(r'(href|src|data-index|data-home|data-pages)="([^"]*)"', absolute, text)


def test_pages_load_only_our_own_files_and_run_nothing_inline(service: RunningService, pages: dict[str, str]) -> None:
    answer = service.client().get("/docs", headers=BROWSER)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    for path, text in pages.items():
        page = parse_page(text)
        assert all(address.startswith("/docs/assets/") for address in page.loaded), path
        assert not page.tags & {"iframe", "object", "embed", "style"}, path
        assert page.inline == [], path
        assert not re.search(r"<script(?![^>]* src=)", text), path
    stylesheet = load_docs_assets()["docs.css"].decode()
    assert not re.search(r"@import|url\(", stylesheet)


def test_the_first_load_is_small(service: RunningService, pages: dict[str, str]) -> None:
    client = service.client()
    assets = {
        address
        for text in pages.values()
        for address in parse_page(text).loaded
        if not address.endswith((".png", ".jpg"))
    }
    loaded = sum(len(client.get(address).content) for address in assets)
    for path in pages:
        with client.stream("GET", path, headers={**BROWSER, "Accept-Encoding": "gzip"}) as response:
            assert response.headers["content-encoding"] == "gzip"
            size = sum(len(part) for part in response.iter_raw())
        assert size + loaded <= MAX_FIRST_LOAD_BYTES, path


def test_browsers_keep_files_and_ask_for_pages_again(service: RunningService, pages: dict[str, str]) -> None:
    client = service.client()
    for address in parse_page(pages["/docs"]).loaded:
        asset = client.get(address)
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        version = address.split("/")[3]
        assert client.get(address.replace(version, "old")).headers["cache-control"] == "public, max-age=60"
    page = client.get("/docs/posts", headers=BROWSER)
    assert page.headers["cache-control"] == "no-cache"
    again = client.get("/docs/posts", headers={**BROWSER, "If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = client.get("/docs/posts", headers={**BROWSER, "Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == page.text


@pytest.mark.parametrize("path", ["/docs/nothing", "/docs/api/nothing", "/docs/errors/nothing", "/docs/errors"])
def test_a_page_that_does_not_exist_helps(service: RunningService, path: str) -> None:
    answer = service.client().get(path, headers=BROWSER)
    assert answer.status_code == 404
    assert "<h1>" in answer.text
    assert 'href="/docs' in answer.text
    problem_of(service.client().get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/docs/posts.md", "/docs/posts"),
        ("/docs/platforms/meta.md", "/docs/platforms/meta"),
        ("/docs/reference/routes.md", "/docs/api"),
        ("/docs/reference/events.md", "/docs/reference/events"),
        ("/docs/receivers/README.md", "/docs/receivers"),
        ("/docs/README.md", "/docs"),
        ("/docs/posts.html", "/docs/posts"),
    ],
)
def test_addresses_of_the_repository_lead_to_their_pages(service: RunningService, old: str, new: str) -> None:
    answer = service.client().get(old, headers=BROWSER)
    assert (answer.status_code, answer.headers["location"]) == (301, new)
    assert service.client().get(new).status_code == 200


def test_unknown_parameters_are_ignored(service: RunningService) -> None:
    for path in ("/docs", "/docs/posts", "/docs/errors/not_found", "/docs/search.json"):
        assert service.client().get(f"{path}?utm_source=newsletter").status_code == 200


def test_an_error_page_explains_it_and_leads_back(pages: dict[str, str]) -> None:
    page = pages["/docs/errors/not_found"]
    assert "<h1>Not found</h1>" in page
    assert "Check the path and the id" in page
    assert "/docs/reference/errors" in parse_page(page).links


def test_guides_have_their_examples_in_three_languages(pages: dict[str, str]) -> None:
    for guide in ("posts", "hooks", "comments", "messages", "leads", "migrate/zernio"):
        page = pages[f"/docs/{guide}"]
        assert all(f'data-panel="{name}"' in page for name in ("curl", "python", "typescript")), guide
    shown = re.sub(r"<[^>]+>", "", pages["/docs/hooks"])
    assert "client.hooks.update(hook, active=True)" in html.unescape(shown)
    assert "await client.hooks.update(hook, { active: true })" in html.unescape(shown)


def _list_guides() -> Iterator[str]:
    for section in DocsSources().navigation:
        yield from (entry.page for entry in section.entries)


def test_the_menu_is_the_index_of_the_repository() -> None:
    listed = list(_list_guides())
    assert len(listed) == len(set(listed))
    # Code of receivers, decisions and the index of the sandbox are linked from other pages.
    others = {page for page in DocsSources().paths if re.match(r"decisions/|receivers/", page)}
    assert set(DocsSources().paths) - others <= set(listed)
