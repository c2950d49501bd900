"""The answers of leads with their questions, which the API and events show in the same way."""

from typing import Any, TypeAlias

import msgspec

AnswerValue: TypeAlias = str | int | float | bool | list[str]


class LeadAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An answer with its question. `label` is the question as people saw it, null if the form cannot be read.

    `value` has the type of the question: a number, a boolean, a date in ISO 8601, a list if several options were
    chosen, otherwise a string. `valueLabel` is what people saw of the chosen options, null if there are none.
    """

    key: str
    """The key of the question."""
    label: str | None
    """The question as people saw it. Null if the form cannot be read."""
    type: str
    """The type of the question, such as `text`, `choice` or `email`."""
    value: AnswerValue
    """The answer, typed by the question: a number, a boolean, an ISO 8601 date, a list of keys, or a string."""
    value_label: str | None
    """What people saw of the chosen options, separated by commas. Null if there are no options."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "key": "how_many",
            "label": "For how many?",
            "type": "choice",
            "value": "small",
            "valueLabel": "Up to 10 people",
        }
