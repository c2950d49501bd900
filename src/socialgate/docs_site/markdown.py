"""Guides as HTML: anchors at headings, links between pages, code with colors, and examples in three languages."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
from markupsafe import Markup, escape

from socialgate.docs_site.api_calls import HIGHLIGHTED_AS, LANGUAGES
from socialgate.docs_site.highlight import highlight_code

if TYPE_CHECKING:
    from markdown_it.token import Token

_SHELLS = {"sh", "bash"}
_LANGUAGE_OF_FENCE = {"sh": "curl", "bash": "curl", "python": "python", "ts": "typescript"}
_MIN_TABS = 2
# Names in the narrow cells of tables break between their words, not within one.
_CODE_IN_CELL = re.compile(r"(?<=<code>)[^<]+(?=</code>.*</td>)")
_WORD_END = re.compile(r"((?<=[\w}])[_/](?=[A-Za-z{])|\]\.(?=[a-z]))")
# A block of commands in other languages, or None if there is no equivalent.
BlockConverter = Callable[[str], Mapping[str, str] | None]


class LinkTarget(msgspec.Struct, frozen=True):
    """Where a link leads, and the title of that page."""

    address: str
    title: str


# Returns None for what is no page of this site.
LinkResolver = Callable[[str], LinkTarget | None]
# Returns the address of a picture, by the name of its file.
PictureResolver = Callable[[str], str]


class Heading(msgspec.Struct, frozen=True):
    level: int
    text: str
    anchor: str


class RenderedText(msgspec.Struct, frozen=True):
    html: Markup
    headings: Sequence[Heading]


class MarkdownRenderer:
    """Renders texts of this repository. Raw HTML in them is shown as text."""

    def __init__(self) -> None:
        from markdown_it import MarkdownIt  # noqa: PLC0415 - takes a while, and not every process shows a page

        self._parser: MarkdownIt = MarkdownIt("commonmark", {"html": False}).enable("table")

    def render(
        self, text: str, resolve: LinkResolver, convert: BlockConverter, find_picture: PictureResolver
    ) -> RenderedText:
        """Render a page."""
        tokens = self._parser.parse(text)
        headings = _add_anchors(tokens)
        _rewrite_links(tokens, resolve)
        _rewrite_pictures(tokens, find_picture)
        parts = [self._render_part(part, convert) for part in _group_fences(tokens)]
        return RenderedText(Markup("").join(parts), headings)

    def list_examples(self, text: str, convert: BlockConverter) -> list[Mapping[str, str]]:
        """List what a page shows in several languages, in the order of the page."""
        groups = [part for part in _group_fences(self._parser.parse(text)) if part[0].type == "fence"]
        return [example for part in groups if (example := _read_examples(part, convert)) is not None]

    def render_line(self, text: str) -> Markup:
        """Render a sentence of a declaration, which has no links and no blocks."""
        html = self._parser.renderInline(text)
        return Markup(html)  # noqa: S704 - the parser escapes everything that it does not understand

    def _render_part(self, tokens: Sequence["Token"], convert: BlockConverter) -> Markup:
        if tokens[0].type == "fence":
            return _render_fences(tokens, convert)
        html = self._parser.renderer.render(tokens, self._parser.options, {})
        wrapped = html.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        wrapped = _CODE_IN_CELL.sub(lambda match: _WORD_END.sub(r"\1<wbr>", match[0]), wrapped)
        return Markup(wrapped)  # noqa: S704 - see above


def find_first_example(text: str) -> Mapping[str, str]:
    """Return the first example of a text that is written in every language."""
    names = {language: name for name, language in _LANGUAGE_OF_FENCE.items() if name != "bash"}
    pattern = r"\n+".join(rf"^```{names[language]}\n(.*?)^```" for language in LANGUAGES)
    match = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    return {} if match is None else dict(zip(LANGUAGES, match.groups(), strict=True))


def allow_breaks(text: str) -> Markup:
    """Let a long name such as `SOCIALGATE_AI_URL` be broken between its words, and nowhere else."""
    return Markup(_WORD_END.sub(r"\1<wbr>", str(escape(text))))  # noqa: S704 - it was escaped


def slugify(heading: str) -> str:
    """Return the anchor of a heading, as renderers of Markdown do."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def render_code(code: str, language: str) -> Markup:
    """Show code that can be copied."""
    return Markup('<div class="code"><pre tabindex="0"><code>{}</code></pre></div>').format(
        highlight_code(code, language)
    )


def render_tabs(examples: Mapping[str, str]) -> Markup:
    """Show the same example in several languages. Without scripts, all are shown."""
    if len(examples) < _MIN_TABS:
        return Markup("").join(render_code(code, HIGHLIGHTED_AS[name]) for name, code in examples.items())
    buttons = Markup("").join(
        Markup('<button type="button" data-language="{}">{}</button>').format(name, LANGUAGES[name])
        for name in examples
    )
    panels = Markup("").join(
        Markup('<div class="panel" data-panel="{}"><p class="language">{}</p>{}</div>').format(
            name, LANGUAGES[name], render_code(code, HIGHLIGHTED_AS[name])
        )
        for name, code in examples.items()
    )
    return Markup(
        '<div class="tabs"><div class="languages" role="group" aria-label="Language">{}</div>{}</div>'
    ).format(buttons, panels)


def _add_anchors(tokens: Sequence["Token"]) -> list[Heading]:
    headings: list[Heading] = []
    taken: dict[str, int] = {}
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            text = _get_text(content)
            slug = slugify(text)
            count = taken[slug] = taken.get(slug, -1) + 1
            anchor = f"{slug}-{count}" if count else slug
            opening.attrSet("id", anchor)
            headings.append(Heading(int(opening.tag[1:]), text, anchor))
    return headings


def _get_text(token: "Token") -> str:
    return "".join(child.content for child in token.children or ())


def _rewrite_links(tokens: Sequence["Token"], resolve: LinkResolver) -> None:
    for token in tokens:
        for child, content in pairwise(token.children or ()):
            if child.type != "link_open":
                continue
            target = resolve(str(child.attrs["href"]))
            if target is None:
                # A file of the repository that is no page: only its name is shown.
                child.tag, child.attrs = "span", {}
                _close_as_text(token, child)
                continue
            child.attrs["href"] = target.address
            if content.content.endswith(".md") and target.title:
                # Files have names in the repository, and pages have titles.
                content.content = target.title


def _rewrite_pictures(tokens: Sequence["Token"], find_picture: PictureResolver) -> None:
    for token in tokens:
        for child in token.children or ():
            if child.type == "image":
                child.attrs["src"] = find_picture(str(child.attrs["src"]).rpartition("/")[2])
                child.attrs["loading"] = "lazy"


def _close_as_text(inline: "Token", opening: "Token") -> None:
    children = inline.children or []
    start = next(number for number, child in enumerate(children) if child is opening)
    closing = next(child for child in children[start:] if child.type == "link_close")
    closing.tag = "span"


def _group_fences(tokens: Sequence["Token"]) -> list[list["Token"]]:
    """Put blocks of code that follow each other in different languages together, and everything else between them."""
    groups: list[list[Token]] = []
    for token in tokens:
        if token.type == "fence" and token.level == 0:
            if groups and groups[-1][0].type == "fence" and _continues(groups[-1], token):
                groups[-1].append(token)
            else:
                groups.append([token])
        elif groups and groups[-1][0].type != "fence":
            groups[-1].append(token)
        else:
            groups.append([token])
    return groups


def _continues(group: Sequence["Token"], token: "Token") -> bool:
    """Return whether a block is the same example in another language: curl, then Python, then TypeScript."""
    if group[0].info in _SHELLS and "curl " not in group[0].content:
        return False  # Commands that install something come before an example, and are not another way to write it.
    languages = [_LANGUAGE_OF_FENCE.get(part.info) for part in (*group, token)]
    order = [list(LANGUAGES).index(language) for language in languages if language is not None]
    return None not in languages and order == sorted(set(order))


def _render_fences(tokens: Sequence["Token"], convert: BlockConverter) -> Markup:
    examples = _read_examples(tokens, convert)
    return render_code(tokens[0].content, tokens[0].info) if examples is None else render_tabs(examples)


def _read_examples(tokens: Sequence["Token"], convert: BlockConverter) -> Mapping[str, str] | None:
    """Return the same example in several languages, or None if there is only one."""
    first = tokens[0]
    if len(tokens) > 1:
        return {_LANGUAGE_OF_FENCE[token.info]: token.content for token in tokens}
    others = convert(first.content) if first.info in _SHELLS else None
    return None if others is None else {"curl": first.content, **others}
