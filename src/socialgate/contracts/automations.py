"""Automations: triggers, conditions and actions. Areas provide these; there is no central list.

An area declares its types in the `automates` of its `AREA`. A type is a name, a struct with its options, and a function
or a class. The automations area reads the facts, evaluates the conditions and runs the actions, and knows none of the
areas that provide them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, Protocol, TypeAlias, TypeVar, Union

import msgspec
from msgspec import Meta

from socialgate.contracts.platforms import Capability, KindManifest
from socialgate.core.errors import Fault
from socialgate.core.facts import FactAbout
from socialgate.core.parts import Parts
from socialgate.core.work import Work

Options_co = TypeVar("Options_co", covariant=True)
Options_contra = TypeVar("Options_contra", contravariant=True)

# What a run is about, such as `message` or `comment`, which decides what can be done with it.
About: TypeAlias = str
# Whether a kind of account can do something.
Able: TypeAlias = Callable[[KindManifest], bool]
# What a condition has to look up before it can be evaluated.
Need = Literal["timezone", "history"]
Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=10_000,
        description="With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback.",
    ),
]
_ACCOUNTS = "Only events on these accounts. Empty: all accounts of the profile."


class Options(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """The JSON form of a trigger, a condition or an action. Its tag is its name; its docstring is its documentation."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return the example as plain JSON values."""
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
    """What happened, with everything that conditions and actions need. Stored with the run.

    `key` identifies it permanently: the same automation never runs twice for one. `fields` are what `field` conditions
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
    # The comment that a reply is added to: not every platform supports replies to replies.
    thread_id: str | None = None
    object_id: str | None = None
    post_id: str | None = None
    lead_id: str | None = None
    fields: dict[str, Any] = {}


class SubjectErased(msgspec.Struct, FactAbout[str], frozen=True):
    """The personal data of a subject must be erased. `key` is that of the subject, `values` is what the person stated
    about themselves: phone numbers are among it. Published with the owner's id.
    """

    key: str
    values: tuple[str, ...] = ()


class Occasion(msgspec.Struct, frozen=True):
    """A subject, and its owner."""

    owner_id: str
    profile_id: str
    subject: Subject


class TriggerType(msgspec.Struct, frozen=True, kw_only=True):
    """`fact` is what it listens to, `occasions` reads that; a trigger without a fact is triggered by its area.

    `accepts` decides by the options of one automation, beyond the accounts: by the `object_id`, which samples contain
    as `object_field`. `fields` lists what its subjects have, `has_contact` says that a person triggers it, and `able`
    on which kinds of accounts it can happen.
    """

    options: type[TriggerOptions]
    about: About
    fields: Mapping[str, str]
    has_contact: bool = False
    fact: type[FactAbout[Any]] | None = None
    occasions: Callable[[Any, Any], Sequence[Occasion]] = lambda _fact, _about: ()
    accepts: Callable[[Any, Subject], bool] = lambda _options, _subject: True
    object_field: str | None = None
    able: Able = lambda _kind: True


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What a condition is evaluated on. `words` is the text of the subject, prepared once for all automations.

    `timezone` and `is_first` are for conditions that need them.
    """

    subject: Subject
    words: Any
    now: datetime
    timezone: str = "UTC"
    is_first: bool = True


Check: TypeAlias = Callable[[Situation], bool]


class ConditionType(msgspec.Struct, frozen=True, kw_only=True):
    """`prepare` turns the options into a check once; the check then runs for every message, and must be cheap."""

    options: type[Options]
    prepare: Callable[[Any], Check]
    needs: Need | None = None
    faults: Callable[[Any], Sequence[Fault]] = lambda _options: ()


class Step(msgspec.Struct, Generic[Options_co], frozen=True, kw_only=True):
    """One action of a run, with its texts filled in. `event_id` is the `automation.triggered` of the run."""

    run_id: str
    event_id: str | None
    profile_id: str
    subject: Subject
    options: Options_co


class Performer(Protocol[Options_contra]):
    """Executes an action. Built from the types in its constructor, when the first run needs it."""

    async def perform(self, work: Work, step: Step[Options_contra]) -> object:
        """Do it, and end with one `work.write`: directly, or through an operation.

        The step is recorded in that transaction, so that it is done once.
        """


class ActionType(msgspec.Struct, frozen=True, kw_only=True):
    """An action for what it is `on`, or for everything. Several areas can provide one of the same name for different
    things, with the same options. `faults` are those of the options for one of them, and `kind_faults` those for one of
    the kinds of accounts that can do it, which `able` tells. `shown` is what is kept of an outcome with the step.
    `planned` is what a dry run shows besides the options, if these do not say everything.
    """

    options: type[Options]
    on: frozenset[About] | None = None
    performer: type[Performer[Any]] | None = None
    faults: Callable[[Any, About], Sequence[Fault]] = lambda _options, _about: ()
    kind_faults: Callable[[Any, KindManifest], Sequence[Fault]] = lambda _options, _kind: ()
    shown: Callable[[Any], Mapping[str, Any]] = lambda _answer: {}
    planned: Callable[[Any, Subject], Mapping[str, Any]] = lambda _options, _subject: {}
    able: Able = lambda _kind: True


AutomationType: TypeAlias = TriggerType | ConditionType | ActionType


def with_capability(capability: Capability[Any]) -> Able:
    """Return the check that a kind of account has a capability."""
    return lambda kind: capability in kind.capabilities


def name_of(options: type[Options]) -> str:
    """Return the name of a type: the tag of its options."""
    tag = options.__struct_config__.tag
    assert isinstance(tag, str), f"{options.__name__} has no name"
    return tag


class AutomationTypes:
    """All types that the areas of a deployment provide."""

    def __init__(self, types: Sequence[AutomationType]) -> None:
        self.triggers = {name_of(one.options): one for one in types if isinstance(one, TriggerType)}
        self.conditions = {name_of(one.options): one for one in types if isinstance(one, ConditionType)}
        self._actions = [one for one in types if isinstance(one, ActionType)]
        self.action_options = {name_of(one.options): one.options for one in self._actions}
        shared = [one for one in self._actions if self.action_options[name_of(one.options)] is not one.options]
        assert not shared, f"two actions share the name {name_of(shared[0].options)}"

    def action(self, name: str, about: About) -> ActionType | None:
        """Find the implementation of an action for one thing; None if it cannot be used with it."""
        fitting = (one for one in self._actions if name_of(one.options) == name)
        return next((one for one in fitting if one.on is None or about in one.on), None)

    @property
    def unions(self) -> Mapping[str, Sequence[type[Options]]]:
        """The types that the documentation shows, by the name of their union."""
        return {
            "AutomationTrigger": [one.options for one in self.triggers.values()],
            "AutomationCondition": [one.options for one in self.conditions.values()],
            "AutomationAction": list(self.action_options.values()),
        }

    def union(self, name: str) -> Any:
        """Return the decoder for any member of a union."""
        return Union[tuple(self.unions[name])]  # noqa: UP007 - it is made of a list


class Performers:
    """The objects that execute actions."""

    def __init__(self, types: AutomationTypes, parts: Parts) -> None:
        self._types = types
        self._parts = parts

    def performer(self, action: ActionType) -> Performer[Any]:
        """Return what executes an action. It is built when it is first needed."""
        assert action.performer is not None, f"nothing executes {name_of(action.options)}"
        return self._parts.get(action.performer)

    def replier(self, about: About) -> Performer["Reply"]:
        """Return what replies to one thing."""
        action = self._types.action(name_of(Reply), about)
        assert action is not None, f"nothing replies to a {about}"
        return self.performer(action)


class Reply(Options, frozen=True, kw_only=True, tag="reply"):
    """Reply in the same place: in the conversation, publicly below the comment, or as a comment below the post."""

    text: Text

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "reply", "text": "Thank you, {{contact.name}}!"}


# What every trigger with a contact knows about them.
OF_CONTACT: Mapping[str, str] = {
    "contact.id": "The platform's id of the person.",
    "contact.name": "Their name, if the platform reports it.",
    "contact.username": "Their user name, if they have one.",
    "contact.phone": "Their number in E.164 format, if known.",
}


def contact_fields(contact: Person | None) -> dict[str, Any]:
    known = {} if contact is None else msgspec.structs.asdict(contact)
    return {f"contact.{name}": value for name, value in known.items()}
