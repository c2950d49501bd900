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
from socialgate.core.service_container import ServiceContainer
from socialgate.core.unit_of_work import UnitOfWork

Options_co = TypeVar("Options_co", covariant=True)
Options_contra = TypeVar("Options_contra", contravariant=True)

# What a run is about, such as `message` or `comment`, which decides what can be done with it.
SubjectType: TypeAlias = str
# Whether a kind of account can do something.
KindPredicate: TypeAlias = Callable[[KindManifest], bool]
# What a condition has to look up before it can be evaluated.
ConditionInput = Literal["timezone", "history"]
PlaceholderText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=10_000,
        description="With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback.",
    ),
]
_ACCOUNT_IDS_DESCRIPTION = "Only events on these accounts. Empty: all accounts of the profile."


class AutomationOptions(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, tag_field="type"
):
    """The JSON form of a trigger, a condition or an action. Its tag is its name; its docstring is its documentation."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return the example as plain JSON values."""
        raise AssertionError(f"{cls.__name__} has no example")


class TriggerOptions(AutomationOptions, frozen=True, kw_only=True):
    """Every trigger can be limited to some accounts of the profile."""

    account_ids: Annotated[
        list[Annotated[str, Meta(max_length=40)]], Meta(max_length=100, description=_ACCOUNT_IDS_DESCRIPTION)
    ] = []


class AutomationContact(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who wrote. `id` is the platform's."""

    id: str
    name: str | None = None
    username: str | None = None
    phone: str | None = None


class AutomationSubject(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What happened, with everything that conditions and actions need. Stored with the run.

    `key` identifies it permanently: the same automation never runs twice for one. `fields` are what `field` conditions
    compare and placeholders show, by their dotted names.
    """

    key: str
    account_id: str
    platform: str
    at: datetime | None = None
    text: str = ""
    contact: AutomationContact | None = None
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
    about themselves: phone numbers are among it. Events before `since` were redacted already. Published with the
    owner's id.
    """

    key: str
    values: tuple[str, ...] = ()
    since: datetime | None = None


class TriggerOccurrence(msgspec.Struct, frozen=True):
    """A subject, and its owner."""

    owner_id: str
    profile_id: str
    subject: AutomationSubject


class TriggerType(msgspec.Struct, frozen=True, kw_only=True):
    """`fact` is what it listens to, `extract_occurrences` reads that; a trigger without a fact is triggered by its
    area.

    `matches_options` decides by the options of one automation, beyond the accounts: by the `object_id`, which samples
    contain as `object_field`. `fields` lists what its subjects have, `has_contact` says that a person triggers it, and
    `is_supported_by` on which kinds of accounts it can happen.
    """

    options: type[TriggerOptions]
    subject_type: SubjectType
    fields: Mapping[str, str]
    has_contact: bool = False
    fact: type[FactAbout[Any]] | None = None
    extract_occurrences: Callable[[Any, Any], Sequence[TriggerOccurrence]] = lambda _fact, _about: ()
    matches_options: Callable[[Any, AutomationSubject], bool] = lambda _options, _subject: True
    object_field: str | None = None
    is_supported_by: KindPredicate = lambda _kind: True


class ConditionContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a condition is evaluated on. `text_index` is the text of the subject, prepared once for all automations.

    `timezone` and `is_first` are for conditions that need them.
    """

    subject: AutomationSubject
    text_index: Any
    now: datetime
    timezone: str = "UTC"
    is_first: bool = True


ConditionPredicate: TypeAlias = Callable[[ConditionContext], bool]


class ConditionType(msgspec.Struct, frozen=True, kw_only=True):
    """`prepare` turns the options into a check once; the check then runs for every message, and must be cheap."""

    options: type[AutomationOptions]
    prepare: Callable[[Any], ConditionPredicate]
    required_input: ConditionInput | None = None
    faults: Callable[[Any], Sequence[Fault]] = lambda _options: ()


class ActionStep(msgspec.Struct, Generic[Options_co], frozen=True, kw_only=True):
    """One action of a run, with its texts filled in. `event_id` is the `automation.triggered` of the run."""

    run_id: str
    event_id: str | None
    profile_id: str
    subject: AutomationSubject
    options: Options_co


class ActionHandler(Protocol[Options_contra]):
    """Executes an action. Built from the types in its constructor, when the first run needs it."""

    async def execute(self, work: UnitOfWork, step: ActionStep[Options_contra]) -> object:
        """Do it, and end with one `work.write`: directly, or through an operation.

        The step is recorded in that transaction, so that it is done once.
        """


class ActionType(msgspec.Struct, frozen=True, kw_only=True):
    """An action for its `subject_types`, or for everything. Several areas can provide one of the same name for
    different things, with the same options. `faults` are those of the options for one of them, and `kind_faults` those
    for one of the kinds of accounts that can do it, which `is_supported_by` tells. `summarize_outcome` is what is kept
    of an outcome with the step. `describe_plan` is what a dry run shows besides the options, if these do not say
    everything.
    """

    options: type[AutomationOptions]
    subject_types: frozenset[SubjectType] | None = None
    handler: type[ActionHandler[Any]] | None = None
    faults: Callable[[Any, SubjectType], Sequence[Fault]] = lambda _options, _about: ()
    kind_faults: Callable[[Any, KindManifest], Sequence[Fault]] = lambda _options, _kind: ()
    summarize_outcome: Callable[[Any], Mapping[str, Any]] = lambda _answer: {}
    describe_plan: Callable[[Any, AutomationSubject], Mapping[str, Any]] = lambda _options, _subject: {}
    is_supported_by: KindPredicate = lambda _kind: True


AutomationType: TypeAlias = TriggerType | ConditionType | ActionType


def requires_capability(capability: Capability[Any]) -> KindPredicate:
    """Return the check that a kind of account has a capability."""
    return lambda kind: capability in kind.capabilities


def get_type_name(options: type[AutomationOptions]) -> str:
    """Return the name of a type: the tag of its options."""
    tag = options.__struct_config__.tag
    assert isinstance(tag, str), f"{options.__name__} has no name"
    return tag


class AutomationTypeRegistry:
    """All types that the areas of a deployment provide."""

    def __init__(self, types: Sequence[AutomationType]) -> None:
        self.triggers = {get_type_name(item.options): item for item in types if isinstance(item, TriggerType)}
        self.conditions = {get_type_name(item.options): item for item in types if isinstance(item, ConditionType)}
        self._actions = [item for item in types if isinstance(item, ActionType)]
        self.action_options = {get_type_name(action.options): action.options for action in self._actions}
        shared = [
            action
            for action in self._actions
            if self.action_options[get_type_name(action.options)] is not action.options
        ]
        assert not shared, f"two actions share the name {get_type_name(shared[0].options)}"

    def find_action(self, name: str, about: SubjectType) -> ActionType | None:
        """Find the implementation of an action for one thing; None if it cannot be used with it."""
        fitting = (action for action in self._actions if get_type_name(action.options) == name)
        return next(
            (
                action_type
                for action_type in fitting
                if action_type.subject_types is None or about in action_type.subject_types
            ),
            None,
        )

    @property
    def types_by_union(self) -> Mapping[str, Sequence[type[AutomationOptions]]]:
        """The types that the documentation shows, by the name of their union."""
        return {
            "AutomationTrigger": [trigger.options for trigger in self.triggers.values()],
            "AutomationCondition": [condition.options for condition in self.conditions.values()],
            "AutomationAction": list(self.action_options.values()),
        }

    def build_union_type(self, name: str) -> Any:
        """Return the decoder for any member of a union."""
        return Union[tuple(self.types_by_union[name])]  # noqa: UP007 - it is made of a list


class ActionHandlerProvider:
    """The objects that execute actions."""

    def __init__(self, types: AutomationTypeRegistry, parts: ServiceContainer) -> None:
        self._types = types
        self._parts = parts

    def get_action_handler(self, action: ActionType) -> ActionHandler[Any]:
        """Return what executes an action. It is built when it is first needed."""
        assert action.handler is not None, f"nothing executes {get_type_name(action.options)}"
        return self._parts.get(action.handler)

    def get_reply_handler(self, about: SubjectType) -> ActionHandler["Reply"]:
        """Return what replies to one thing."""
        action = self._types.find_action(get_type_name(Reply), about)
        assert action is not None, f"nothing replies to a {about}"
        return self.get_action_handler(action)


class Reply(AutomationOptions, frozen=True, kw_only=True, tag="reply"):
    """Reply in the same place: in the conversation, publicly below the comment, or as a comment below the post."""

    text: PlaceholderText

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "reply", "text": "Thank you, {{contact.name}}!"}


# What every trigger with a contact knows about them.
CONTACT_FIELD_DESCRIPTIONS: Mapping[str, str] = {
    "contact.id": "The platform's id of the person.",
    "contact.name": "Their name, if the platform reports it.",
    "contact.username": "Their user name, if they have one.",
    "contact.phone": "Their number in E.164 format, if known.",
}


def contact_fields(contact: AutomationContact | None) -> dict[str, Any]:
    known = {} if contact is None else msgspec.structs.asdict(contact)
    return {f"contact.{name}": value for name, value in known.items()}
