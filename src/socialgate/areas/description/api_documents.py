"""The API documentation, generated on first use: startup must not wait for it."""

import re
from functools import cached_property
from importlib import resources
from inspect import cleandoc
from typing import TYPE_CHECKING

import msgspec
from litestar import Litestar
from markupsafe import Markup, escape

from socialgate import __version__
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.errors import NotFound, list_error_types
from socialgate.web import api_description
from socialgate.web.api_description import ApiOperation
from socialgate.web.llms import LlmsTexts, llms_texts
from socialgate.web.openapi import API_DESCRIPTION, KindOptions, TaskResults, build_openapi_document

if TYPE_CHECKING:
    import jinja2

_INLINE_CODE_PATTERN = re.compile(r"`([^`]+)`")


class ApiDocuments:
    """Holds the documents. They describe all routes, so they are generated from the app when first read.

    That takes up to a second: read them in a thread, so that nobody else waits.
    """

    def __init__(
        self, public_url: str, catalogue: ConnectorRegistry, unions: api_description.Unions, results: TaskResults
    ) -> None:
        self._public_url = public_url
        self._catalogue = catalogue
        self._unions = unions
        self._results = results
        self._app: Litestar | None = None

    def attach_app(self, app: Litestar) -> None:
        self._app = app

    @cached_property
    def openapi(self) -> bytes:
        document = build_openapi_document(
            self._operations, self._public_url, self._options_by_schema, self._unions, self._results
        )
        return msgspec.json.encode(document)

    @cached_property
    def llms_text(self) -> LlmsTexts:
        return llms_texts(self._operations, self._public_url, self._unions)

    def get_area_llms_text(self, file_name: str) -> str:
        """Return the text about one area."""
        result = self.llms_text.areas.get(file_name)
        if result is None:
            raise NotFound(f"There is no such file. GET /llms.txt links these: {', '.join(self.llms_text.areas)}.")
        return result

    @cached_property
    def reference_html(self) -> str:
        return self._environment.get_template("reference.html").render(
            about=API_DESCRIPTION,
            base=self._public_url,
            errors=list_error_types(),
            groups=api_description.group_by_tag(self._operations),
            unions=self._unions,
            version=__version__,
            words=api_description,
            encode=_format_json,
        )

    def render_error_page(self, code: str) -> str:
        for kind in list_error_types():
            if kind.code == code:
                text = cleandoc(kind.__doc__ or "")
                return self._environment.get_template("error.html").render(kind=kind, text=text, version=__version__)
        raise NotFound("There is no error with this code. /docs lists them all.")

    @property
    def _options_by_schema(self) -> KindOptions:
        kinds = [kind for manifest in self._catalogue.manifests.values() for kind in manifest.kinds]
        return {
            "NewTarget": ("Options", {kind.kind: kind.options for kind in kinds}),
            "NewMessageBody": ("MessageOptions", {kind.kind: kind.message_options for kind in kinds}),
        }

    @cached_property
    def _operations(self) -> list[ApiOperation]:
        assert self._app is not None, "nobody reads of an app before it exists"
        return api_description.list_operations(self._app)

    @cached_property
    def _environment(self) -> "jinja2.Environment":
        return _build_environment()


def _build_environment() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - takes a while, and not every process shows a page

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files("socialgate.web") / "templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["prose"] = _render_prose
    return environment


def _render_prose(text: str) -> Markup:
    """Render `code` as code and blank lines as paragraphs."""
    escaped = str(escape(text))
    marked = _INLINE_CODE_PATTERN.sub(r"<code>\1</code>", escaped)
    paragraphs = "".join(f"<p>{part}</p>" for part in marked.split("\n\n"))
    return Markup(paragraphs)  # noqa: S704 - the text was escaped two lines above


def _format_json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
