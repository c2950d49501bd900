"""Automations: what can trigger one, what it can ask for, and what it can do. Areas bring these; nobody lists them.

An area declares its types in the `automates` of its `AREA`. A type is a name, a struct with its options, and a function
or a class. The automations area reads the facts, evaluates the conditions and runs the actions, and knows none of the
areas that bring them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union

import msgspec
from msgspec import Meta

from socialgate.core.errors import Fault
from socialgate.core.work import Work

# What a run is about, such as `message` or `comment`, which decides what can be done with it.
About: TypeAlias = str
# What a condition has to look up before it can be decided.
Need = Literal["timezone", "history"]
Text = Annotated[
    str, Meta(min_length=1, max_length=10_000, description="With placeholders such as `{{contact.name}}`.")
]
_ACCOUNTS = "Only what happens on these accounts. Empty: on all of the profile."


class Options(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """The JSON form of a trigger, a condition or an action. Its tag is its name; its docstring is its documentation."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Show one, as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class TriggerOptions(Options, frozen=True, kw_only=True):
    """Every trigger can be limited to some accounts of the profile."""

    account_ids: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=100, description=_ACCOUNTS)] = []


class Person(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who wrote. `id` is the platform's."""

    id: str
    name: str | None = None
    username: str | None = None
    phone: str | None = None


class Subject(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What happened, and all that conditions and actions need to know of it. Kept with the run.

    `key` names it once and for all: the same automation never runs twice for one. `fields` are what `field` conditions
    compare and placeholders show, by their dotted names.
    """

    key: str
    account_id: str
    platform: str
    at: datetime | None = None
    text: str = ""
    contact: Person | None = None
    conversation_id: str | None = None
    message_id: str | None = None
    comment_id: str | None = None
    # The comment that an answer goes under: not every platform takes answers to answers.
    thread_id: str | None = None
    object_id: str | None = None
    post_id: str | None = None
    lead_id: str | None = None
    fields: dict[str, Any] = {}


class SubjectErased(msgspec.Struct, frozen=True):
    """The personal data of a subject is to be forgotten. `key` is that of the subject. Told with the owner's id."""

    key: str


class Occasion(msgspec.Struct, frozen=True):
    """A subject, and whose it is."""

    owner_id: str
    profile_id: str
    subject: Subject


class TriggerType(msgspec.Struct, frozen=True, kw_only=True):
    """`fact` is what it listens to, `occasions` reads that; a trigger without a fact is set off by its area.

    `accepts` decides by the options of one automation, beyond the accounts. `fields` says what its subjects have, and
    `has_contact` that somebody sets it off.
    """

    options: type[TriggerOptions]
    about: About
    fields: Mapping[str, str]
    has_contact: bool = False
    fact: type | None = None
    occasions: Callable[[Any, Any], Sequence[Occasion]] = lambda _fact, _about: ()
    accepts: Callable[[Any, Subject], bool] = lambda _options, _subject: True


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What a condition decides on. `words` is the text of the subject, prepared once for all automations.

    `timezone` and `is_first` are there for conditions that need them.
    """

    subject: Subject
    words: Any
    now: datetime
    timezone: str = "UTC"
    is_first: bool = True


Check: TypeAlias = Callable[[Situation], bool]


class ConditionType(msgspec.Struct, frozen=True, kw_only=True):
    """`prepare` makes a check of the options once; the check then runs for every message, and must be cheap."""

    options: type[Options]
    prepare: Callable[[Any], Check]
    needs: Need | None = None
    faults: Callable[[Any], Sequence[Fault]] = lambda _options: ()


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One action of a run, with its texts filled in. `event_id` is the `automation.triggered` of the run."""

    run_id: str
    event_id: str | None
    profile_id: str
    subject: Subject
    options: Any


class Performer(Protocol):
    """What carries out an action. Built from the types that its constructor names, when the first run needs it."""

    async def perform(self, work: Work, step: Step) -> object:
        """Do it, and end with one `work.write`: by itself, or through an operation.

        In that transaction the step is recorded, so that it is done once.
        """


class ActionType(msgspec.Struct, frozen=True, kw_only=True):
    """An action for what it is `on`, or for everything. Several areas can bring one of the same name for different
    things, with the same options. `faults` are those of the options for one of them; `shown` is what of an outcome is
    kept with the step.
    """

    options: type[Options]
    on: frozenset[About] | None = None
    performer: type[Performer] | None = None
    faults: Callable[[Any, About], Sequence[Fault]] = lambda _options, _about: ()
    shown: Callable[[Any], Mapping[str, Any]] = lambda _answer: {}


AutomationType: TypeAlias = TriggerType | ConditionType | ActionType


def name_of(options: type[Options]) -> str:
    """Give the name of a type: the tag of its options."""
    tag = options.__struct_config__.tag
    assert isinstance(tag, str), f"{options.__name__} has no name"
    return tag


class AutomationTypes:
    """All types that the areas of a deployment bring."""

    def __init__(self, types: Sequence[AutomationType]) -> None:
        self.triggers = {name_of(one.options): one for one in types if isinstance(one, TriggerType)}
        self.conditions = {name_of(one.options): one for one in types if isinstance(one, ConditionType)}
        self._actions = [one for one in types if isinstance(one, ActionType)]
        self.action_options = {name_of(one.options): one.options for one in self._actions}
        shared = [one for one in self._actions if self.action_options[name_of(one.options)] is not one.options]
        assert not shared, f"two actions share the name {name_of(shared[0].options)}"

    def action(self, name: str, about: About) -> ActionType | None:
        """Find what an action does for one thing; None where it does not go with that."""
        fitting = (one for one in self._actions if name_of(one.options) == name)
        return next((one for one in fitting if one.on is None or about in one.on), None)

    @property
    def unions(self) -> Mapping[str, Sequence[type[Options]]]:
        """The shapes that the documents show, by the name of the union that they belong to."""
        return {
            "AutomationTrigger": [one.options for one in self.triggers.values()],
            "AutomationCondition": [one.options for one in self.conditions.values()],
            "AutomationAction": list(self.action_options.values()),
        }

    def union(self, name: str) -> Any:
        """Give what decodes any member of a union."""
        return Union[tuple(self.unions[name])]  # noqa: UP007 - it is made of a list


class Reply(Options, frozen=True, kw_only=True, tag="reply"):
    """Answer where it happened: in the conversation, publicly under the comment, or as a comment under the post."""

    text: Text

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "reply", "text": "Thank you, {{contact.name}}!"}


# What every trigger that somebody writes with knows of them.
OF_CONTACT: Mapping[str, str] = {
    "contact.id": "The platform's id of the person.",
    "contact.name": "Their name, where the platform tells it.",
    "contact.username": "Their user name, where they have one.",
    "contact.phone": "Their number in E.164, where it is known.",
}


def contact_fields(contact: Person | None) -> dict[str, Any]:
    known = {} if contact is None else msgspec.structs.asdict(contact)
    return {f"contact.{name}": value for name, value in known.items()}
