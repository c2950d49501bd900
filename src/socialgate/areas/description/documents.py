"""The documents of the interface, made once when the service starts."""

import re
from importlib import resources
from inspect import cleandoc

import jinja2
import msgspec
from litestar import Litestar
from markupsafe import Markup, escape

from socialgate import __version__
from socialgate.core.errors import NotFound, error_catalogue
from socialgate.web import describe
from socialgate.web.llms import llms_text
from socialgate.web.openapi import ABOUT, openapi_document

_CODE = re.compile(r"`([^`]+)`")


class Documents:
    """Holds the documents. They describe all routes, so they are filled when the app with its routes exists."""

    def __init__(self, public_url: str) -> None:
        self._public_url = public_url
        self._pages = _templates()
        self.openapi = b""
        self.llms = ""
        self.reference = ""

    def describe(self, app: Litestar) -> None:
        operations = describe.operations_of(app)
        self.openapi = msgspec.json.encode(openapi_document(operations, self._public_url))
        self.llms = llms_text(operations, self._public_url)
        groups: dict[str, list[describe.Operation]] = {}
        for operation in operations:
            groups.setdefault(operation.spec.tag, []).append(operation)
        self.reference = self._pages.get_template("reference.html").render(
            about=ABOUT,
            base=self._public_url,
            errors=error_catalogue(),
            groups=groups,
            version=__version__,
            words=describe,
            encode=_pretty,
        )

    def error_page(self, code: str) -> str:
        for kind in error_catalogue():
            if kind.code == code:
                text = cleandoc(kind.__doc__ or "")
                return self._pages.get_template("error.html").render(kind=kind, text=text, version=__version__)
        raise NotFound("There is no error with this code. /docs lists them all.")


def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files("socialgate.web") / "templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["prose"] = _prose
    return environment


def _prose(text: str) -> Markup:
    """Show `code` as code and blank lines as paragraphs."""
    escaped = str(escape(text))
    marked = _CODE.sub(r"<code>\1</code>", escaped)
    paragraphs = "".join(f"<p>{part}</p>" for part in marked.split("\n\n"))
    return Markup(paragraphs)  # noqa: S704 - the text was escaped two lines above


def _pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
