"""The texts that pages are made of: the guides, and a few files of the repository that are installed with them."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

import msgspec

from socialgate.docs_site.links import HOME
from socialgate.mcp.guides import find_guides_folder

# Files outside of `docs` that are pages too, by the name of the page. The wheel has them in `project`.
PROJECT_PAGES: Final[Mapping[str, str]] = {
    "changelog": "CHANGELOG.md",
    "security": "SECURITY.md",
    "clients/python": "clients/python/README.md",
    "clients/typescript": "clients/typescript/README.md",
    "clients/n8n": "clients/n8n/README.md",
    "sandbox/guide": "sandbox/docs/guide.md",
}
# Written from the declarations by this package, with fields that unfold, and so not from their files.
LIVE_PAGES: Final[Mapping[str, str]] = {
    "reference/routes": "api",
    "reference/events": "reference/events",
    "reference/errors": "reference/errors",
}
_CODE_SUFFIXES = {".py": "python", ".mjs": "js", ".go": "go", ".php": "php"}
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_SECTION = re.compile(r"^## (.+)$")
_ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \| (.+) \|$")


class NavEntry(msgspec.Struct, frozen=True, kw_only=True):
    page: str
    label: str
    description: str


class NavSection(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    entries: Sequence[NavEntry]


class DocsSources:
    """Finds texts by the name of their page, such as `posts` or `platforms/tiktok`."""

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """The file of each page."""
        pages = {
            _name_page(path.relative_to(self._docs)): path
            for path in sorted(self._docs.rglob("*"))
            if path.suffix == ".md" or path.suffix in _CODE_SUFFIXES
        }
        for name in (HOME, *LIVE_PAGES):
            pages.pop(name, None)
        project = {name: self._project / path for name, path in PROJECT_PAGES.items()}
        return {**pages, **{name: path for name, path in project.items() if path.is_file()}}

    @cached_property
    def navigation(self) -> Sequence[NavSection]:
        """The sections of docs/README.md, each with its pages. What it lists is what people find."""
        sections: list[NavSection] = []
        entries: list[NavEntry] = []
        for line in (self._docs / "README.md").read_text(encoding="utf-8").splitlines():
            if heading := _SECTION.match(line):
                entries = []
                sections.append(NavSection(title=heading[1], entries=entries))
            elif row := _ROW.match(line):
                page = self.find_page(HOME, row[2])
                if page is not None:
                    entries.append(NavEntry(page=page, label=row[1], description=row[3]))
        return [section for section in sections if section.entries]

    def read_text(self, page: str) -> str:
        """Return the text of a page, without comments. A file of code is a page with that code."""
        path = self.paths[page]
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            return _COMMENT.sub("", text)
        return f"# {page}\n\n```{_CODE_SUFFIXES[path.suffix]}\n{text}```\n"

    def read_title(self, page: str) -> str:
        title = _TITLE.search(self.read_text(page))
        return title[1].replace("`", "") if title else page

    def find_page(self, page: str, link: str) -> str | None:
        """Find the page that a link in the text of another one leads to, or None if it is no page."""
        path = self.paths.get(page)
        place = self._locate(path) if path is not None else PurePosixPath("docs/README.md")
        target = normpath(place.parent / link)
        for name, known in PROJECT_PAGES.items():
            if target == known:
                return name if name in self.paths else None
        if target in {"README.md", "docs", "docs/README.md"}:
            return HOME
        if not target.startswith("docs/"):
            return None
        name = _name_page(PurePosixPath(target.removeprefix("docs/")))
        return LIVE_PAGES.get(name) or (name if name in self.paths else None)

    def _locate(self, path: Path) -> PurePosixPath:
        """Return where a file is in the repository."""
        if path.is_relative_to(self._docs):
            return PurePosixPath("docs") / path.relative_to(self._docs).as_posix()
        return PurePosixPath(path.relative_to(self._project).as_posix())

    @cached_property
    def _docs(self) -> Path:
        return find_guides_folder()

    @cached_property
    def _project(self) -> Path:
        installed = Path(str(files("socialgate"))) / "project"
        return installed if installed.is_dir() else self._docs.parent


def _name_page(path: Path | PurePosixPath) -> str:
    """Name a page after its file. `README.md` is the page of its folder."""
    text = path.as_posix().removesuffix(".md")
    return text.removesuffix("README").rstrip("/") if text.endswith("README") else text
