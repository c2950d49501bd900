"""Names and texts in the spelling of a language."""

import re
import textwrap
from collections.abc import Iterator
from keyword import iskeyword

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_BUILTIN = frozenset({"list", "type", "id", "format", "from"})


def snake(name: str) -> str:
    """Return a name of the API as Python writes it: `scheduledFor` becomes `scheduled_for`, `from` becomes `from_`."""
    result = _BOUNDARY.sub("_", name).strip("_").lower()
    return f"{result}_" if iskeyword(result) else result


def camel(name: str) -> str:
    """Return a name as TypeScript writes it."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name: str) -> str:
    """Return the name of a class: `queue.slots` becomes `QueueSlots`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def wrapped(text: str, indent: str, width: int, later: str | None = None) -> Iterator[str]:
    """Break a text into lines. Paragraphs stay apart."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ""
        yield from textwrap.wrap(
            " ".join(paragraph.split()),
            width,
            initial_indent=indent,
            subsequent_indent=indent if later is None else later,
            break_long_words=False,
            break_on_hyphens=False,
        )
