"""Serves pages. Each is rendered when it is first read, and kept compressed: all of them take about a megabyte."""

import gzip
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.docs_site.links import ServedLinks

if TYPE_CHECKING:
    from socialgate.docs_site.page_renderer import PageRenderer


class StoredPage(msgspec.Struct, frozen=True):
    """A page as it is sent."""

    compressed: bytes
    etag: str

    @property
    def text(self) -> bytes:
        return gzip.decompress(self.compressed)


class DocsSite:
    """Holds the pages. Reading one takes a while the first time: read it in a thread."""

    def __init__(self, documents: ApiDocuments) -> None:
        self._documents = documents
        self._links = ServedLinks()
        self._pages: dict[str, StoredPage] = {}
        self._missing: StoredPage | None = None
        self._search_index: StoredPage | None = None

    @cached_property
    def renderer(self) -> "PageRenderer":
        from socialgate.docs_site.page_renderer import PageRenderer  # noqa: PLC0415 - not every process shows a page
        from socialgate.docs_site.sources import DocsSources  # noqa: PLC0415 - see above

        return PageRenderer(self._documents, DocsSources())

    def get_page(self, name: str) -> StoredPage:
        """Return a page, or raise that there is none."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = _store(self.renderer.render(name, self._links).encode())
        return page

    def get_missing_page(self) -> StoredPage:
        """Return the page for names that do not exist."""
        if self._missing is None:
            self._missing = _store(self.renderer.render_missing(self._links).encode())
        return self._missing

    def get_search_index(self) -> StoredPage:
        if self._search_index is None:
            self._search_index = _store(self.renderer.build_search_index())
        return self._search_index


def _store(content: bytes) -> StoredPage:
    digest = blake2b(content, digest_size=12).hexdigest()
    return StoredPage(gzip.compress(content, 9, mtime=0), f'"{digest}"')
