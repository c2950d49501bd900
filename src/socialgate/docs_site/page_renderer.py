"""Renders any page of the documentation by its name."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from socialgate import __version__
from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.core.errors import NotFound, ServiceError, list_error_types
from socialgate.core.field_error_codes import FIELD_ERROR_CODES
from socialgate.docs_site.api_calls import ApiMethod, read_methods
from socialgate.docs_site.api_pages import OperationViews, build_event_views
from socialgate.docs_site.links import HOME, SiteLinks
from socialgate.docs_site.markdown import (
    Heading,
    LinkTarget,
    MarkdownRenderer,
    allow_breaks,
    find_first_example,
    render_code,
    render_tabs,
    slugify,
)
from socialgate.docs_site.schema_tree import SchemaTrees
from socialgate.docs_site.search_index import SearchSection, build_search_index, split_guide
from socialgate.docs_site.shell_examples import GuideExamples
from socialgate.docs_site.sources import DocsSources, NavEntry, NavSection

if TYPE_CHECKING:
    import jinja2

API_PAGE, EVENTS_PAGE, ERRORS_PAGE, MISSING_PAGE = "api", "reference/events", "reference/errors", "404"
# Its first example, in three languages, is also the first thing on the home page.
_START_PAGE = "start"
_API_SECTION = "API reference"
_API_INTRODUCTION = (
    "Every route, by what it is about. OpenAPI, llms.txt and the clients come from the same declarations."
)
# Reasons for the design are for people who change the code: they are found last. What the simulated platforms can do is
# found after the guides, which use the same words.
_BOOSTS = {
    "decisions": 0.2,
    "reference": 0.8,
    "api": 0.9,
    "errors": 0.6,
    "changelog": 0.2,
    "migrate": 0.6,
    "sandbox/guide": 0.5,
}
_GUIDE_BOOST = 1.2
_MAX_TOC_LEVEL = 3
_LIVE_TITLES = {API_PAGE: _API_SECTION, EVENTS_PAGE: "Events", ERRORS_PAGE: "Errors"}
_VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """The OpenAPI document as pages need it. It is large, and is not kept."""

    document: Mapping[str, Any]
    schemas: SchemaTrees
    methods: Sequence[ApiMethod]

    def list_methods(self, tag: str) -> list[ApiMethod]:
        """List the routes of a tag: first those below the path of the same name, and each path in the usual order."""
        methods = [method for method in self.methods if method.operation["tags"] == [tag]]
        own = f"/{slugify(tag)}"
        return sorted(
            methods,
            key=lambda method: (not method.path.startswith(own), method.path, _VERBS.index(method.http)),
        )


class PageRenderer:
    """Knows every page and how to render it. The links decide where the pages are."""

    def __init__(self, documents: ApiDocuments, sources: DocsSources) -> None:
        self._documents = documents
        self._sources = sources

    @cached_property
    def tags(self) -> Mapping[str, str]:
        """The tags of routes by the name of their page."""
        return {f"{API_PAGE}/{slugify(tag)}": tag for tag in self._documents.tags}

    def list_pages(self) -> list[str]:
        """List the names of all pages."""
        errors = [f"errors/{kind.code}" for kind in list_error_types()]
        return [HOME, *self._sources.paths, API_PAGE, *self.tags, EVENTS_PAGE, ERRORS_PAGE, *errors]

    def render(self, page: str, links: SiteLinks) -> str:
        """Render a page, or say that there is none."""
        if page == HOME:
            examples = find_first_example(self._sources.read_text(_START_PAGE))
            return self._render_template("home.html", page, "Documentation", links, examples=examples)
        if page in self.tags:
            return self._render_tag(page, links)
        if page.startswith("errors/"):
            return self._render_error(page, links)
        special: Mapping[str, Callable[[SiteLinks], str]] = {
            API_PAGE: self._render_api_index,
            EVENTS_PAGE: self._render_events,
            ERRORS_PAGE: self._render_errors,
            MISSING_PAGE: self.render_missing,
        }
        if page in special:
            return special[page](links)
        if page in self._sources.paths:
            return self._render_guide(page, links)
        raise NotFound("There is no such page in the documentation. /docs lists them all, and searches them.")

    def render_missing(self, links: SiteLinks) -> str:
        return self._render_template("missing.html", MISSING_PAGE, "Not found", links)

    def build_search_index(self) -> bytes:
        """Build the index of everything that pages show."""
        sections = [section for page in self._sources.paths for section in self._split_guide(page)]
        return build_search_index([*sections, *self._list_reference_sections()])

    def describe(self) -> Description:
        document = msgspec.json.decode(self._documents.openapi)
        return Description(document=document, schemas=SchemaTrees(document), methods=read_methods(document))

    def build_operation_views(self, description: Description) -> OperationViews:
        return OperationViews(description.schemas, self._documents.query_examples)

    def _render_guide(self, page: str, links: SiteLinks) -> str:
        text = self._sources.read_text(page)
        examples: list[GuideExamples] = []

        def convert(block: str) -> Mapping[str, str] | None:
            if "SOCIALGATE_" not in block:
                return None  # The document is large, and is only read for pages that need it.
            if not examples:
                description = self.describe()
                examples.append(GuideExamples(description.methods, description.schemas))
            return examples[0].convert(block)

        rendered = self._markdown.render(
            text, lambda link: self._resolve_link(page, link, links), convert, links.build_asset_url
        )
        return self._render_template(
            "guide.html",
            page,
            self._sources.read_title(page),
            links,
            content=rendered.html,
            headings=[heading for heading in rendered.headings if 1 < heading.level <= _MAX_TOC_LEVEL],
        )

    def _resolve_link(self, page: str, link: str, links: SiteLinks) -> LinkTarget | None:
        target, _, anchor = link.partition("#")
        if not target or "://" in link or link.startswith("mailto:"):
            return LinkTarget(link, "")
        linked = self._sources.find_page(page, target)
        if linked is None:
            return None
        title = self._sources.read_title(linked) if linked in self._sources.paths else _LIVE_TITLES.get(linked, "")
        return LinkTarget(links.build_page_url(linked, anchor), title)

    def _render_tag(self, page: str, links: SiteLinks) -> str:
        description = self.describe()
        views = self.build_operation_views(description)
        operations = [views.build(method) for method in description.list_methods(self.tags[page])]
        about = next(tag["description"] for tag in description.document["tags"] if tag["name"] == self.tags[page])
        headings = [Heading(2, f"{view.http} {view.path}", view.id) for view in operations]
        return self._render_template(
            "operations.html", page, self.tags[page], links, operations=operations, about=about, headings=headings
        )

    def _render_api_index(self, links: SiteLinks) -> str:
        description = self.describe()
        groups = {page: description.list_methods(tag) for page, tag in self.tags.items()}
        headings = [Heading(2, tag, slugify(tag)) for tag in self.tags.values()]
        return self._render_template(
            "api_index.html", API_PAGE, _API_SECTION, links, groups=groups, about=_API_INTRODUCTION, headings=headings
        )

    def _render_events(self, links: SiteLinks) -> str:
        description = self.describe()
        events = build_event_views(description.document, description.schemas)
        headings = [Heading(2, event.name, slugify(event.name)) for event in events]
        return self._render_template("events.html", EVENTS_PAGE, "Events", links, events=events, headings=headings)

    def _render_errors(self, links: SiteLinks) -> str:
        return self._render_template(
            "errors.html",
            ERRORS_PAGE,
            "Errors",
            links,
            errors=list_error_types(),
            faults=FIELD_ERROR_CODES,
            headings=[Heading(2, "Codes", "codes"), Heading(2, "Faults", "faults")],
        )

    def _render_error(self, page: str, links: SiteLinks) -> str:
        for kind in list_error_types():
            if page == f"errors/{kind.code}":
                return self._render_template(
                    "error.html", page, kind.title, links, kind=kind, text=describe_error(kind)
                )
        raise NotFound("There is no error with this code. /docs/reference/errors lists them all.")

    def _render_template(self, template: str, page: str, title: str, links: SiteLinks, **values: Any) -> str:
        order = [entry.page for section in self._navigation for entry in section.entries]
        # What the menu does not list belongs to a page that it lists.
        parent = ERRORS_PAGE if page.startswith("errors/") else page.partition("/")[0]
        place = order.index(page) if page in order else -1
        entries = {entry.page: entry for section in self._navigation for entry in section.entries}
        return self._environment.get_template(template).render(
            page=page,
            current=page if page in order else parent,
            title=title,
            url=links.build_page_url,
            asset=links.build_asset_url,
            file=links.build_file_url,
            search=links.build_search_url(),
            navigation=self._navigation,
            previous=entries[order[place - 1]] if place > 0 else None,
            next=entries[order[place + 1]] if 0 <= place < len(order) - 1 else None,
            **{"headings": [], **values},
        )

    @cached_property
    def _navigation(self) -> Sequence[NavSection]:
        about = self._documents.tags
        routes = [NavEntry(page=API_PAGE, label="All routes", description=_API_INTRODUCTION)]
        routes += [NavEntry(page=page, label=tag, description=about[tag]) for page, tag in self.tags.items()]
        sections = [_without_routes(section) for section in self._sources.navigation]
        # Before what the README lists as reference: settings, metrics, events and errors.
        place = next((number for number, part in enumerate(sections) if part.title == "Reference"), len(sections))
        return [*sections[:place], NavSection(title=_API_SECTION, entries=routes), *sections[place:]]

    def _split_guide(self, page: str) -> Sequence[SearchSection]:
        boost = _BOOSTS.get(page) or _BOOSTS.get(page.split("/", maxsplit=1)[0], _GUIDE_BOOST)
        title, text = self._sources.read_title(page), self._sources.read_text(page)
        return list(split_guide(page, title, text, boost, self._abouts.get(page, "")))

    @cached_property
    def _abouts(self) -> Mapping[str, str]:
        """What the menu says about each page."""
        entries = [entry for section in self._sources.navigation for entry in section.entries]
        return {entry.page: f"{entry.label} {entry.description}" for entry in entries}

    def _list_reference_sections(self) -> list[SearchSection]:
        description = self.describe()
        sections = [
            SearchSection(
                page=page,
                title=f"{tag} API",
                heading=f"{method.http} {method.path}",
                anchor=method.operation["operationId"],
                text=_gather_words(method),
                keywords=f"{method.operation['operationId']} {method.sdk_name or ''}",
                boost=_BOOSTS["api"],
            )
            for page, tag in self.tags.items()
            for method in description.list_methods(tag)
        ]
        for event in build_event_views(description.document, description.schemas):
            text = f"{event.description} {' '.join(field.name for field in event.fields)}"
            anchor = slugify(event.name)
            sections.append(
                SearchSection(page=EVENTS_PAGE, title="Events", heading=event.name, anchor=anchor, text=text)
            )
        for kind in list_error_types():
            text = f"{kind.title}. {describe_error(kind)}"
            sections.append(
                SearchSection(page=f"errors/{kind.code}", title="Errors", heading=kind.code, anchor="", text=text)
            )
        return sections

    @cached_property
    def _markdown(self) -> MarkdownRenderer:
        return MarkdownRenderer()

    @cached_property
    def _environment(self) -> "jinja2.Environment":
        import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(resources.files("socialgate") / "docs_site" / "templates")),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        environment.filters |= {
            "breakable": allow_breaks,
            "line": self._markdown.render_line,
            "slug": slugify,
            "paragraphs": self._render_text,
        }
        environment.globals |= {"tabs": render_tabs, "code": render_code, "version": __version__}
        return environment

    def _render_text(self, text: str) -> Markup:
        """Render a text of a declaration, with its paragraphs."""
        rendered = self._markdown.render(text, lambda link: LinkTarget(link, ""), lambda _block: None, str)
        return rendered.html


def _without_routes(section: NavSection) -> NavSection:
    """Leave out the page of all routes, which is in a section of its own."""
    entries = [entry for entry in section.entries if entry.page != API_PAGE]
    return NavSection(title=section.title, entries=entries)


def describe_error(kind: type[ServiceError]) -> str:
    """Return what an error means, and how to fix it."""
    return cleandoc(kind.__doc__ or "")


def _gather_words(method: ApiMethod) -> str:
    """Return what a route can be found by: its sentences, and the names of its parameters and fields."""
    names = [item["name"] for item in method.parameters if item["in"] != "header"]
    example = method.operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    names += list(example) if isinstance(example, Mapping) else []
    return f"{method.operation['summary']} {method.operation['description']} {' '.join(names)}"
