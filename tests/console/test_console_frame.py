"""What every page shares: files that browsers keep, themes, components, and the one way in which pages are written."""

import re
from itertools import product

import pytest
import sqlalchemy as sa

from console.browser import Browser, location, signed_in
from console.loading import count_loaded_bytes
from socialgate.areas.profiles.store import profiles
from socialgate.console import charts, formatting
from socialgate.console.assets import build_asset_url, get_asset_version, load_assets
from socialgate.console.pages import PAGES
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.web.pagination import MAX_PAGE_LIMIT
from support.service import OwnerFixture, RunningService, StartService

_COLOR = re.compile(r"--([\w-]+):light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\);")
# Text on what it is written on.
_WRITTEN_ON = [
    *product(["text", "muted", "faint", "accent", "bad", "good", "warn"], ["bg", "panel", "raised"]),
    *product(["text", "muted"], ["sunken"]),
    *((tone, f"{tone}-soft") for tone in ("good", "warn", "bad", "accent")),
    ("on-accent", "accent"),
    ("panel", "bad"),
    ("bg", "text"),
]


def luminance(color: str) -> float:
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_has_enough_contrast_in_both_themes(subtests: pytest.Subtests) -> None:
    colors = {name: (light, dark) for name, light, dark in _COLOR.findall(load_assets()["console.css"].decode())}
    for (text, ground), theme in product(_WRITTEN_ON, (0, 1)):
        with subtests.test(f"{text} on {ground} {theme}"):
            low, high = sorted(luminance(colors[name][theme]) for name in (text, ground))
            assert (high + 0.05) / (low + 0.05) >= 4.5


def test_files_are_kept_until_their_content_changes(service: RunningService) -> None:
    client = service.client()
    for name, content in load_assets().items():
        answer = client.get(build_asset_url(name))
        assert answer.headers["content-encoding"] == "gzip"
        plain = client.get(build_asset_url(name), headers={"Accept-Encoding": "identity"})
        assert (plain.content, plain.headers.get("content-encoding")) == (content, None)
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    older = client.get(build_asset_url("console.css").replace(get_asset_version(), "older"))
    assert (older.status_code, older.headers["cache-control"]) == (200, "public, max-age=60")
    for name in ("nothing.css", "..%2Fassets.py", "styles"):
        assert client.get(f"/console/static/{get_asset_version()}/{name}").status_code == 404


def test_the_first_load_of_every_page_is_small(browser: Browser, subtests: pytest.Subtests) -> None:
    # The page of all components is for contributors, and only on their machines.
    for path in [page.path for page in PAGES if "{" not in page.path and page.path != "/console/components"]:
        with subtests.test(path):
            assert count_loaded_bytes(browser.get(path)) <= 100 * 1024


def test_a_theme_is_chosen_and_remembered(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    assert '<html lang="en">' in browser.get("/console").text
    chosen = browser.press("/console/theme", theme="dark", next="/console/keys?profile=x")
    assert location(chosen) == "/console/keys?profile=x"
    assert '<html lang="en" data-theme="dark">' in browser.get("/console/hooks").text
    assert '<html lang="en" data-theme="dark">' in browser.get("/console/login").text
    assert location(browser.press("/console/theme", theme="system", next="https://evil.example")) == "/console"
    assert '<html lang="en">' in browser.get("/console").text
    assert browser.press("/console/theme", theme="pink").status_code == 422


def test_components_are_shown_to_developers_only(browser: Browser, start_service: StartService) -> None:
    shown = browser.get("/console/components")
    assert shown.status_code == 200
    wrong = browser.press("/console/components/try", name="")
    assert (wrong.status_code, "This cannot be left empty." in wrong.text) == (422, True)
    assert location(browser.press("/console/components/try", name="<b>It</b>")) == "/console/components"
    assert "&lt;b&gt;It&lt;/b&gt; was saved." in browser.get("/console/components").text
    with start_service(base_url="https://gate.example.com") as public:
        hidden = signed_in(public.new_owner())
        assert hidden.get("/console/components").status_code == 404
        assert hidden.press("/console/components/try", name="x").status_code == 404


def test_a_message_that_others_made_up_is_not_shown(browser: Browser) -> None:
    for value in ("nonsense", "e30", "eyJ0b25lIjoxfQ", "%00"):
        browser.client.cookies.set("sg_flash", value)
        assert 'class="flash' not in browser.get("/console").text


def test_each_entry_of_the_sidebar_leads_to_a_page(browser: Browser) -> None:
    text = browser.get("/console").text
    links = re.findall(r'<a href="(/console[^"]*)" data-go="(\w)"', text)
    assert [(path, key) for path, key in links] == [
        (page.entry.path, page.entry.key) for page in PAGES if page.entry is not None
    ]
    for path, _ in links:
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert f'<a href="{path}"' in answer.text


@pytest.mark.parametrize(
    ("number", "short"),
    [
        (0, "0"),
        (9999, "9,999"),
        (18204, "18.2 k"),
        (92_137, "92.1 k"),
        (1_000_000, "1 M"),
        (2.5, "2.5"),
        (-20_000, "-20 k"),
    ],
)
def test_large_numbers_are_short(number: float, short: str) -> None:
    assert formatting.short_number(number).replace("\u00a0", " ") == short


def test_values_have_words() -> None:
    assert formatting.words("readInsights") == "Read insights"
    assert formatting.status_word("needs_reconnection") == "Reconnect needed"
    assert formatting.status_word("something_new") == "Something new"
    assert formatting.initials("@ada.bakes") == "A"
    assert formatting.initials("María de Silva") == "MD"
    assert formatting.initials("🙂") == "?"


def test_charts_stay_inside_their_frame() -> None:
    assert charts.build_sparkline([1]) is None
    long = charts.build_sparkline(list(range(90)))
    assert long is not None
    # A place, and 30 steps of a few units to the right.
    assert len(re.findall(r"\d+[ -]\d+", long.line)) == 31
    flat = charts.build_sparkline([5, 5, 5])
    assert flat is not None
    assert flat.line == "M0 20l50 0 50 0"
    drawn = charts.build_line_chart([0, 37, 12], ["a", "b", "c"], [1, 2, 3])
    assert drawn is not None
    assert [line.value for line in drawn.grid] == [0, 12.5, 25, 37.5, 50]
    assert all(0 <= point.y <= drawn.bottom and 0 <= point.left <= drawn.width for point in drawn.points)
    assert [charts.get_meter_width(*use) for use in ((1, 2), (3, 2), (1, 0), (-1, 2))] == [50, 100, 0, 0]


def test_lists_name_profiles_that_no_menu_has_room_for(service: RunningService) -> None:
    owner = service.new_owner()
    owner.session.patch(f"/profiles/{owner.profile_id}", json={"name": "The oldest bakery"})
    body = {"profileId": owner.profile_id, "content": "A loaf", "draft": True}
    post_id = owner.session.post("/posts", json=body).json()["id"]
    service.write(add_profiles, owner.id)
    for page in ("posts", f"posts/{post_id}"):
        text = signed_in(owner).get(f"/console/{page}").text
        assert "The oldest bakery</" in text
        assert f">{owner.profile_id}<" not in text


async def add_profiles(tx: Tx, owner_id: str) -> None:
    """Add more than the menu of profiles has room for."""
    shared = {"owner_id": owner_id, "timezone": "UTC", "account_count": 0, "created_at": tx.now, "updated_at": tx.now}
    rows = [{**shared, "id": new_id("prf"), "name": f"Bakery {number}"} for number in range(MAX_PAGE_LIMIT)]
    await tx.execute(sa.insert(profiles), rows)
