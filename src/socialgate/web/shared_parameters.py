"""Parameters that several routes have are described once: clients get one type for each."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.web.components import format_type_name

Described = dict[str, Any]


def share_parameters(operations: Sequence[Described]) -> dict[str, Described]:
    """Replace the parameters that several operations have by references, and return the components.

    Parameters of the same name can differ, such as the states that a list is filtered by. The one that most operations
    have is shared, and the others stay where they are.
    """
    texts = [_text(parameter) for operation in operations for parameter in operation["parameters"]]
    places: dict[tuple[str, str], str] = {}
    for text, times in Counter(texts).most_common():
        parameter = msgspec.json.decode(text)
        if times > 1:
            places.setdefault((parameter["name"], parameter["in"]), text)
    names = Counter(format_type_name(name) for name, _ in places)
    titles = {
        text: format_type_name(name) + (place.title() if names[format_type_name(name)] > 1 else "")
        for (name, place), text in places.items()
    }
    for operation in operations:
        operation["parameters"] = [_shared(parameter, titles) for parameter in operation["parameters"]]
    return {title: msgspec.json.decode(text) for text, title in sorted(titles.items(), key=lambda item: item[1])}


def _shared(parameter: Described, titles: dict[str, str]) -> Described:
    title = titles.get(_text(parameter))
    return parameter if title is None else {"$ref": f"#/components/parameters/{title}"}


def _text(parameter: Described) -> str:
    return msgspec.json.encode(parameter).decode()
