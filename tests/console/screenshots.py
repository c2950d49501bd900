"""Takes every page of the console, in both themes and three widths, into build/screenshots: `make screenshots`.

Each is taken with no data, with some of everything, and of an owner with 1,000 accounts and 10,000 posts whose names
are as long as names may be, or written from right to left. It also writes the pictures of the documentation.
With names of pages, such as `python -m console.screenshots agenda crowd-event crowd-`, it only takes these; `docs`
stands for the pictures of the documentation.
"""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Literal

import sqlalchemy as sa
from PIL import Image
from playwright.sync_api import Browser, BrowserContext

from console.crowd import TEXTS, crowd
from console.sample import fill
from socialgate.console.pages import PAGES
from socialgate.core.db import Tx, metadata
from support.browser import flaws_of, open_browser
from support.connect_links import create_link
from support.receiver import Receiver
from support.service import OwnerFixture, RunningService, running_service

FOLDER = Path(__file__).parents[2] / "build" / "screenshots"
# The pictures of the documentation, which are at most a megabyte together: a page, and the theme it is shown in.
DOCS_FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
DOCS_PICTURES = {
    "home": "light",
    "compose-draft": "light",
    "calendar-week": "dark",
    "conversation": "light",
    "analytics": "dark",
}
_DOCS_SIZE = (1280, 800)
_DOCS_COLORS = 256
WIDTHS = (390, 768, 1440)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_HEIGHT = 900
# Pages that are about something in their address. The sample names what there is of each.
_NEED_MORE = (
    "/console/accounts/connected",
    "/console/catalogs/products",
    "/console/catalogs/product",
    "/console/catalogs/import",
    "/console/catalogs/result",
)
_TIMEOUT_MS = 300_000
# There is one thing to do next, except where each component is shown. Dialogs are closed.
_COMPONENTS = "components"
_MAIN_BUTTONS = """() => {
  const shown = [...document.querySelectorAll(".button.main")].filter(one => one.checkVisibility());
  return shown.length > 1 ? [`several main buttons: ${shown.map(one => one.innerText).join(", ")}`] : [];
}"""
_COPIES = 1000
_POSTS_PER_HOUR = 7


def list_pages(owner: OwnerFixture, samples: dict[str, str]) -> dict[str, str]:
    """Name every page that has an address of its own, and the details in `samples`."""
    listed = {
        page.path.removeprefix("/console").strip("/").replace("/", "-") or "home": page.path
        for page in PAGES
        if "{" not in page.path and page.path not in _NEED_MORE
    }
    forms = {
        "connect-form": "/console/accounts/connect/whatsapp_cloud",
        "ad-accounts": "/console/accounts?show=ads",
        "not-found": "/console/nowhere",
    }
    return {name: _choose_profile(path, owner) for name, path in {**listed, **forms, **samples}.items()}


def _choose_profile(path: str, owner: OwnerFixture) -> str:
    return f"{path}{'&' if '?' in path else '?'}profile={owner.profile_id}"


def take(browser: Browser, owner: OwnerFixture, pages: dict[str, str], prefix: str) -> list[str]:
    """Take each page in each width and theme, and return what keeps people from using one."""
    chosen = tuple(sys.argv[1:]) or ("",)
    flaws: list[str] = []
    errors: list[str] = []
    for width in WIDTHS:
        context = _open(browser, owner, THEMES[0], width, _HEIGHT)
        context.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        for name, path in pages.items():
            if not name.startswith(chosen) and not f"{prefix}{name}".startswith(chosen):
                continue
            # A window that reloads itself, such as that of a code, must not do so when the next page is opened.
            page = context.new_page()
            page.goto(owner.running.address + path, wait_until="load")
            page_flaws = [*flaws_of(page), *(page.evaluate(_MAIN_BUTTONS) if name != _COMPONENTS else ())]
            flaws += [f"{prefix}{name} at {width} px: {flaw}" for flaw in page_flaws]
            # Themes differ in their colors alone, so the page need not be loaded again.
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.screenshot(path=FOLDER / f"{prefix}{name}-{width}-{theme}.png", full_page=True)
            page.close()
        context.close()
    # The page that does not exist is one of them.
    return flaws + [error for error in errors if "404" not in error]


def take_for_docs(browser: Browser, owner: OwnerFixture, pages: dict[str, str]) -> None:
    """Take what the documentation shows: the upper part of some pages, with few colors so that the files are small."""
    DOCS_FOLDER.mkdir(exist_ok=True)
    for name, theme in DOCS_PICTURES.items():
        context = _open(browser, owner, theme, *_DOCS_SIZE)
        page = context.new_page()
        page.goto(owner.running.address + pages[name], wait_until="load")
        file = DOCS_FOLDER / f"console-{name}.png"
        page.screenshot(path=file)
        _reduce_colors(file)
        context.close()


def _reduce_colors(file: Path) -> None:
    """Keep the colors that are used most. Computed palettes change those of which there is little, such as red dots."""
    picture = Image.open(file).convert("RGB")
    # The type of a color depends on the mode of a picture. In this one, it is a byte for each of three parts.
    used: Any = picture.getcolors(picture.width * picture.height)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in sorted(used, reverse=True)[:_DOCS_COLORS] for part in color])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)


def _open(browser: Browser, owner: OwnerFixture, theme: str, width: int, height: int) -> BrowserContext:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type] # one of two words
    cookie = {"name": "sg_session", "value": owner.session_token, "url": owner.running.address}
    context.add_cookies([cookie])  # type: ignore[list-item] # a dictionary with the keys of its type
    # However busy the machine is, a picture of every page is worth the time.
    context.set_default_timeout(_TIMEOUT_MS)
    return context


def fill_owner(running: RunningService, receiver: Receiver) -> tuple[OwnerFixture, dict[str, str]]:
    """Return an owner with something on every page, and the addresses of these pages."""
    owner = running.new_owner()
    hosted = create_link(owner)["url"].removeprefix(running.url)
    return owner, list_pages(owner, {**fill(owner, receiver.url()), "hosted": hosted})


async def list_media(tx: Tx, owner_id: str) -> list[str]:
    media = metadata.tables["media"]
    rows = await tx.all(sa.select(media.c.id).where(media.c.owner_id == owner_id).order_by(media.c.id))
    return [str(row.id) for row in rows]


def copy_file(folder: Path, media_ids: Sequence[str]) -> None:
    """Give the copies of the first file what is in it."""
    for media_id in media_ids:
        if not (folder / media_id).exists():
            (folder / media_id).hardlink_to(folder / media_ids[0])


def report(flaws: list[str]) -> None:
    for flaw in dict.fromkeys(flaws):
        print(flaw, file=sys.stderr)  # noqa: T201 - the output of a command


def main() -> None:
    """Take all pages, or those whose names begin with the words of the command line."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    began = monotonic()
    with TemporaryDirectory() as folder, Receiver(Path(folder)) as receiver, open_browser() as browser:
        data, nets = Path(folder) / "data", "127.0.0.0/8"
        with running_service(data, hook_allow_nets=nets, hook_ca_file=receiver.ca_file) as running:
            newcomer = running.new_owner()
            report(take(browser, newcomer, list_pages(newcomer, {"login": "/console/login"}), "empty-"))
            owner, pages = fill_owner(running, receiver)
            report(take(browser, owner, pages, ""))
            if not sys.argv[1:] or "docs" in sys.argv:
                take_for_docs(browser, owner, pages)
            if sys.argv[1:] == ["docs"]:
                return
            busy, crowded = fill_owner(running, receiver)
            grow = partial(crowd, copies=_COPIES, posts_per_hour=_POSTS_PER_HOUR, texts=TEXTS)
            running.write(grow, busy.id)
            copy_file(data / "media" / busy.id, running.write(list_media, busy.id))
            report(take(browser, busy, crowded, "crowd-"))
    pictures = len(list(FOLDER.glob("*.png")))
    print(f"{pictures} pictures in {FOLDER} after {monotonic() - began:.0f} s")  # noqa: T201 - see above


if __name__ == "__main__":
    main()
