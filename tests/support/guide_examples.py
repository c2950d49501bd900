"""The examples of the guides, page by page, with what a reader puts in the place of ids and keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

import msgspec

from socialgate.docs_site.api_calls import PREAMBLES, to_camel, to_snake
from socialgate.docs_site.markdown import MarkdownRenderer
from socialgate.docs_site.page_renderer import Description
from socialgate.docs_site.shell_examples import GuideExamples
from socialgate.docs_site.sources import DocsSources

# The day on which the examples are read.
_DAY = date(2026, 11, 17)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# What a page has in the place of an id: `acc_...`, or the id of a platform.
_PLACEHOLDER = r"(?:[a-z]+_\.\.\.|\d{10,})"
_NEW_NAME = re.compile(r"^const (\w+)(?= = )", re.MULTILINE)
_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The commands for the sandbox are about what no client does; `tests/journeys/test_readme.py` runs them.
_OTHER_PAGES = {"sandbox", "sandbox/guide"}


class GuideStep(msgspec.Struct, frozen=True, kw_only=True):
    """An example in one language."""

    page: str
    number: int
    code: str

    @property
    def follows_events(self) -> bool:
        return "/events/stream" in self.code or "events.stream(" in self.code


class Guides:
    """Reads the examples as the pages show them."""

    def __init__(self, description: Description) -> None:
        self._converter = GuideExamples(description.methods, description.schemas)
        self._markdown = MarkdownRenderer()
        self._sources = DocsSources()

    def list_steps(self, language: str, values: Mapping[str, Mapping[str, str]] | None = None) -> list[GuideStep]:
        """List the examples in a language. `values` are put in for each page (`""` is every page)."""
        return list(self._list_steps(language, values or {}))

    def _list_steps(self, language: str, values: Mapping[str, Mapping[str, str]]) -> Iterator[GuideStep]:
        for page, path in self._sources.paths.items():
            if path.suffix != ".md" or page in _OTHER_PAGES:
                continue
            text = put_in(self._sources.read_text(page), {**values.get("", {}), **values.get(page, {})})
            for number, example in enumerate(self._markdown.list_examples(text, self._converter.convert)):
                assert example.keys() == PREAMBLES.keys(), f"{page}, example {number}: {sorted(example)}"
                yield GuideStep(page=page, number=number, code=example[language])


def list_readme_steps(page: str, language: str, ids: Sequence[str]) -> list[GuideStep]:
    """List the examples of a page that is about one client, with one id after the other where it has `…`."""
    left = iter(ids)
    codes = [code for fence, code in _FENCE.findall(DocsSources().read_text(page)) if fence == language]
    codes = [re.sub(r'"(?:[a-z]+_)?…"', lambda _: f'"{next(left)}"', code) for code in codes]
    assert list(left) == [], f"{page} has fewer places for ids"
    return [GuideStep(page=page, number=number, code=put_in(code, {})) for number, code in enumerate(codes)]


def put_in(text: str, values: Mapping[str, str]) -> str:
    """Do what a reader does: put in one's own ids (`ACCOUNT=acc_...`), other texts, and days from now on."""
    for name, value in values.items():
        if name.isupper():
            text = re.sub(rf"^{name}={_PLACEHOLDER}", f"{name}={value}", text, flags=re.MULTILINE)
            for spelled in {to_snake(name.lower()), to_camel(name.lower())}:
                text = re.sub(rf'^((?:const )?{spelled} = )"{_PLACEHOLDER}"', rf'\1"{value}"', text, flags=re.MULTILINE)
        else:
            text = text.replace(name, value)
    passed = datetime.now(UTC).date() - _DAY
    return _DATE.sub(lambda match: str(date.fromisoformat(match[0]) + passed), text)


def join_typescript(steps: list[GuideStep], before: str = "") -> str:
    """Make one module of the examples of a page. Each is a program of its own that may use a name again.

    `before` is written before each, with {page} and {number}.
    """
    imports = dict.fromkeys(line for step in steps for line in _IMPORT.findall(step.code))
    known: set[str] = set()

    def declare(match: re.Match[str]) -> str:
        is_known = match[1] in known
        known.add(match[1])
        return match[1] if is_known else f"let {match[1]}"

    parts = []
    for step in steps:
        parts.append(before.format(page=step.page, number=step.number, follows=str(step.follows_events).lower()))
        parts.append(_NEW_NAME.sub(declare, _IMPORT.sub("", step.code)))
    return "".join([*imports, *parts])
