"""What holds for every page, with something on it: anybody can use it, it is small, and what is stored stays text."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from html.parser import HTMLParser
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, BrowserContext, Page

from console.browser import signed_in
from console.crowd import TEXTS, crowd
from console.loading import count_loaded_bytes
from console.sample import fill
from console.screenshots import list_pages
from socialgate.console.pages import PAGES
from socialgate.core.db import Tx, metadata
from support.browser import open_browser
from support.connect_links import create_link
from support.node import npm_packages
from support.query_plans import list_scans, statements_of
from support.receiver import Receiver
from support.service import OwnerFixture, RunningService
from support.soak import SOAK

_TIMEOUT_MS = 300_000
# What axe calls a rule that keeps people from using a page, or makes it hard.
_GRAVE = ("serious", "critical")
_EVERY_RULE = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# Themes differ in their colors alone.
_CONTRAST = {"type": "rule", "values": ["color-contrast"]}
_RUN = """async (rules) => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ["violations"]});
  return found.violations.map(rule => ({
    rule: rule.id, impact: rule.impact,
    nodes: rule.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")),
  }));
}"""
# What a person can press or fill in must be reached with Tab, and show that it has the focus.
_UNREACHABLE = """() => {
  const shown = one => one.checkVisibility({visibilityProperty: true}) && !one.disabled && !one.closest("[inert]");
  const names = ["outlineStyle", "boxShadow", "borderColor", "backgroundColor"];
  const style = one => { const now = getComputedStyle(one); return names.map(name => now[name]).join(); };
  const selector = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const pressed = [...document.querySelectorAll(selector)];
  return pressed.filter(shown).flatMap(one => {
    if (one.tabIndex < 0 && !one.matches("[aria-hidden=true]")) return [`not reached: ${one.outerHTML.slice(0, 160)}`];
    const marked = one.closest("label, .cover, li, .field") ?? one;
    document.activeElement.blur();
    const before = style(one) + style(marked);
    one.focus({focusVisible: true, preventScroll: true});
    const now = getComputedStyle(one), isRinged = now.outlineStyle !== "none" || now.boxShadow !== "none";
    const visible = isRinged || style(one) + style(marked) !== before;
    return document.activeElement === one && !visible ? [`no visible focus: ${one.outerHTML.slice(0, 160)}`] : [];
  });
}"""

# It ends in Hebrew letters, to see where text would get its direction from what is around it.
_HEBREW = "\u05d0\u05d1"
EVIL = f"\"><script>alert(1)</script>'<img src=x onerror=alert(2)>{_HEBREW}"
# The columns in which there is what somebody wrote.
_WRITTEN = {"name", "title", "content", "description", "text", "note", "first_comment", "username", "file_name"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def axe() -> str:
    return (npm_packages() / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def filled(service: RunningService, receiver: Receiver) -> tuple[OwnerFixture, Mapping[str, str]]:
    """Give an owner with something on every page, and the addresses of these pages."""
    owner = service.new_owner()
    samples = fill(owner, receiver.url())
    assert len(samples) > 20
    return owner, list_pages(owner, {**samples, "hosted": create_link(owner)["url"].removeprefix(service.url)})


def test_axe_finds_nothing_serious(
    chromium: Browser,
    axe: str,
    filled: tuple[OwnerFixture, Mapping[str, str]],
    subtests: pytest.Subtests,
) -> None:
    owner, pages = filled
    with _open(chromium, owner, "light") as context:
        page = context.new_page()
        for name, path in pages.items():
            with subtests.test(name):
                page.goto(owner.running.address + path)
                assert _find_violations(page, axe, _EVERY_RULE) == []
                assert page.evaluate(_UNREACHABLE) == []


@pytest.mark.soak
def test_axe_finds_nothing_serious_where_there_is_nothing(
    chromium: Browser, axe: str, service: RunningService, subtests: pytest.Subtests
) -> None:
    newcomer = service.new_owner()
    pages = list_pages(newcomer, {"login": "/console/login"})
    with _open(chromium, newcomer, "light") as context:
        page = context.new_page()
        for name, path in pages.items() if SOAK else _take_some(pages):
            with subtests.test(name):
                page.goto(service.address + path)
                assert _find_violations(page, axe, _EVERY_RULE) == []


@pytest.mark.soak
def test_dark_pages_have_enough_contrast(
    chromium: Browser, axe: str, filled: tuple[OwnerFixture, Mapping[str, str]], subtests: pytest.Subtests
) -> None:
    owner, pages = filled
    with _open(chromium, owner, "dark") as context:
        page = context.new_page()
        for name, path in pages.items() if SOAK else _take_some(pages):
            with subtests.test(name):
                page.goto(owner.running.address + path)
                assert _find_violations(page, axe, _CONTRAST) == []


def _take_some(pages: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pages share their colors and components, so one in four shows nearly all of them. `make soak` opens each."""
    return list(pages.items())[::4]


def _open(chromium: Browser, owner: OwnerFixture, theme: str) -> BrowserContext:
    options: dict[str, Any] = {"color_scheme": theme, "viewport": {"width": 1440, "height": 900}}
    # The policy of the pages would not let axe in.
    context = chromium.new_context(bypass_csp=True, **options)
    context.set_default_timeout(_TIMEOUT_MS)
    cookie: dict[str, Any] = {"name": "sg_session", "value": owner.session_token, "url": owner.running.address}
    # The page of a code looks by itself whether it was scanned, and would go away meanwhile.
    context.route("**/*looked=*", lambda route: route.abort())
    context.add_cookies([cookie])  # type: ignore[list-item] # a dictionary with the keys of its type
    return context


def _find_violations(page: Page, axe: str, rules: Mapping[str, object]) -> list[dict[str, Any]]:
    page.evaluate(axe)
    violations: list[dict[str, Any]] = page.evaluate(_RUN, rules)
    return [violation for violation in violations if violation["impact"] in _GRAVE]


def test_the_first_load_of_a_page_is_small(
    filled: tuple[OwnerFixture, Mapping[str, str]], subtests: pytest.Subtests
) -> None:
    owner, pages = filled
    browser = signed_in(owner)
    for name, path in pages.items():
        with subtests.test(name):
            assert count_loaded_bytes(browser.get(path)) <= 100 * 1024


def test_no_page_scans_a_table(filled: tuple[OwnerFixture, Mapping[str, str]], subtests: pytest.Subtests) -> None:
    owner, pages = filled
    browser = signed_in(owner)
    for name, path in pages.items():
        with subtests.test(name):
            with statements_of(owner.running) as statements:
                browser.get(path)
            scanned = {text: scans for text in set(statements) if (scans := list_scans(owner.running, text))}
            assert scanned == {}


def test_what_is_stored_stays_text(filled: tuple[OwnerFixture, Mapping[str, str]], subtests: pytest.Subtests) -> None:
    """Replace what people wrote in every table, and open every page: nothing is readable afterwards.

    It is also written from right to left there, without an effect on the order of what is around it.
    """
    owner, pages = filled
    browser = signed_in(owner)
    changed = [owner.running.write(_put_markup, owner.id, column) for column in _list_columns()]
    assert sum(count > 0 for count in changed) > len(_WRITTEN)
    escaped = 0
    for name, path in pages.items():
        with subtests.test(name):
            text = browser.get(path).text
            assert "<script>" not in text
            assert "<img src=x" not in text
            assert _find_undirected(text) == []
            escaped += "&lt;script&gt;alert(1)" in text
    assert escaped > len(pages) / 2


def test_the_first_load_of_a_page_is_small_however_much_there_is(
    filled: tuple[OwnerFixture, Mapping[str, str]], subtests: pytest.Subtests
) -> None:
    """It comes last: with hundreds of everything, each page takes much longer."""
    owner, pages = filled
    owner.running.write(partial(crowd, texts=TEXTS), owner.id)
    browser = signed_in(owner)
    everything = {f"{page.path}, all profiles": page.path for page in PAGES if page.entry is not None}
    views = {f"{view}, all profiles": f"/console/calendar?view={view}" for view in ("week", "list")}
    longest = {"analytics, 90 days": f"/console/analytics?period=90d&profile={owner.profile_id}"}
    for name, path in {**pages, **everything, **views, **longest}.items():
        with subtests.test(name):
            answer = browser.get(path)
            assert answer.status_code == (404 if name == "not-found" else 200)
            assert count_loaded_bytes(answer) <= 100 * 1024
    # The accounts that an ad can come from are older than those of the first list.
    assert 'name="accountId"' in browser.get(pages["ads-new-3"]).text
    # Accounts that are older than a page of the newest, all of one kind, can still be chosen.
    assert {'aria-label="All platforms"', 'aria-label="All accounts"'} <= set(
        re.findall(r'aria-label="All [a-z]+"', browser.get("/console/inbox").text)
    )
    assert "Numbers of the 50 accounts that were connected first." in browser.get("/console/analytics").text
    # The chosen profile is older than those that are listed.
    assert f'value="{owner.profile_id}" selected' in browser.get(pages["media"]).text


class _DirectionFinder(HTMLParser):
    """Collects text and fields in Hebrew that neither have a direction of their own nor an element around them has."""

    # What shows text as it is, or cannot contain other elements, or is a sentence with a name in it.
    _EXEMPT = frozenset({"title", "option", "pre", "code", "dialog"})
    _VOID = frozenset({"input", "br", "hr", "img", "link", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in self._VOID:
            self._open.append((tag, "dir" in values or tag == "bdi" or tag in self._EXEMPT))
        elif _HEBREW in (values.get("value") or "") and values.get("type") != "hidden" and "dir" not in values:
            self.found.append(str(values))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        # The page itself is written from left to right.
        if _HEBREW in data and not any(is_directed for _, is_directed in self._open):
            self.found.append(f"{data.strip()} in {' '.join(tag for tag, _ in self._open[-3:])}")


def _find_undirected(text: str) -> list[str]:
    finder = _DirectionFinder()
    finder.feed(text)
    return finder.found


def _list_columns() -> list[sa.Column[Any]]:
    """List the columns of owners' tables in which there is what somebody wrote."""
    tables = [table for table in metadata.sorted_tables if "owner_id" in table.columns]
    return [column for table in tables for column in table.columns if column.name in _WRITTEN and _is_free_text(column)]


async def _put_markup(tx: Tx, owner_id: str, column: sa.Column[Any]) -> int:
    mine = sa.and_(column.table.c.owner_id == owner_id, column.is_not(None))
    return await tx.execute_and_count(sa.update(column.table).where(mine).values({column.name: EVIL}))


def _is_free_text(column: sa.Column[Any]) -> bool:
    return isinstance(column.type, sa.String) and (column.type.length or len(EVIL)) >= len(EVIL)
