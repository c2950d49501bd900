"""Addresses of pages: below `/docs` in the service, and relative to each other as files."""

from posixpath import relpath
from typing import Protocol

from socialgate.docs_site.assets import get_docs_asset_version

DOCS_PATH = "/docs"
HOME = ""
SEARCH_INDEX = "search.json"


class SiteLinks(Protocol):
    """How a page refers to others."""

    def build_page_url(self, page: str, anchor: str = "") -> str: ...

    def build_asset_url(self, name: str) -> str: ...

    def build_file_url(self, name: str) -> str:
        """Return the address of a document for programs, such as `openapi.json`."""
        ...

    def build_search_url(self) -> str:
        """Return the address of the index of the search."""
        ...


class ServedLinks:
    """Addresses in the service."""

    def build_page_url(self, page: str, anchor: str = "") -> str:
        return f"{DOCS_PATH}/{page}".rstrip("/") + (f"#{anchor}" if anchor else "")

    def build_asset_url(self, name: str) -> str:
        return f"{DOCS_PATH}/assets/{get_docs_asset_version()}/{name}"

    def build_file_url(self, name: str) -> str:
        return f"/{name}"

    def build_search_url(self) -> str:
        return f"{DOCS_PATH}/{SEARCH_INDEX}"


class FileLinks:
    """Addresses from one file to another, which work in any folder of any server, and without one."""

    def __init__(self, page: str) -> None:
        self._folder = get_file_name(page).rpartition("/")[0] or "."

    def build_page_url(self, page: str, anchor: str = "") -> str:
        return self._relate(get_file_name(page)) + (f"#{anchor}" if anchor else "")

    def build_asset_url(self, name: str) -> str:
        return self._relate(f"assets/{get_docs_asset_version()}/{name}")

    def build_file_url(self, name: str) -> str:
        return self._relate(name)

    def build_search_url(self) -> str:
        return self._relate(SEARCH_INDEX)

    def _relate(self, path: str) -> str:
        return relpath(path, self._folder)


def get_file_name(page: str) -> str:
    """Return the file that a page is written to."""
    return "index.html" if page == HOME else f"{page}.html"
