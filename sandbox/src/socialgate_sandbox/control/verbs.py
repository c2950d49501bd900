"""The verbs of a platform as forms for people: with choices where possible, and defaults preselected."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.inspect import (
    BoolType,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    NoneType,
    Type,
    UnionType,
    type_info,
)

from socialgate_sandbox.kernel.people import FOLLOWERS
from socialgate_sandbox.kernel.vendor import Account, Action, Vendor
from socialgate_sandbox.kernel.words import humanize
from socialgate_sandbox.kernel.world import World

# An option with this value stands for an empty string. Empty fields of a form count as omitted.
EMPTY = "(empty)"
PEOPLE = {person.key: person.name for person in FOLLOWERS}
_YES_OR_NO = {"true": "Yes", "false": "No"}
_UNSET = {"": "Unchanged"}
_NOTHING = {"": "Nothing to choose"}
# Labels for fields whose names are not clear enough.
_LABELS = {
    "how": "What happens",
    "what": "Which tokens",
    "left": "Remaining quota",
    "seconds": "Duration in seconds",
    "times": "Number of times",
    "lost": "Publish calls that fail",
    "allowed": "The app may read leads",
    "canPost": "May post",
    "atOnce": "Fail immediately",
    "silent": "Send no status",
    "title": "Error title",
    "metric": "Metric",
    "private": "Private account",
    "blocked": "Posting",
    "publish": "Draft",
    "url": "Webhook address",
}


class VerbField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form. If it has options, people choose from a list."""

    name: str
    label: str
    required: bool
    kind: Literal["text", "number"] = "text"
    value: str = ""
    options: Mapping[str, str] = {}
    least: float | None = None
    most: float | None = None


class VerbForm(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    fields: Sequence[VerbField]


def account_verbs(vendor: Vendor, world: World, account: Account) -> list[VerbForm]:
    """List the actions on an account that no other page of the account offers."""
    return [
        _form(name, action, world, account.id)
        for name, action in vendor.actions.items()
        if action.listed and _takes_account(action) and (not action.kinds or account.kind in action.kinds)
    ]


def platform_verbs(vendor: Vendor, world: World) -> list[VerbForm]:
    """List the actions on the platform as a whole."""
    return [
        _form(name, action, world, "")
        for name, action in vendor.actions.items()
        if action.listed and not _takes_account(action)
    ]


def values_of(action: Action[Any] | None, name: str) -> frozenset[str]:
    """Return the possible values of a verb's field if its type enumerates them."""
    fields = () if action is None else msgspec.structs.fields(action.takes)
    kinds = (_plain(type_info(field.type)) for field in fields if field.encode_name == name)
    return frozenset(value for kind in kinds for value in _options(kind))


def with_lists(action: Action[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Split the list fields of a form: their values are separated by commas."""
    lists = {
        field.encode_name
        for field in msgspec.structs.fields(action.takes)
        if isinstance(_plain(type_info(field.type)), ListType)
    }
    return {
        name: value.split(",") if name in lists and isinstance(value, str) else value for name, value in fields.items()
    }


def _takes_account(action: Action[Any]) -> bool:
    return any(field.name == "account" for field in msgspec.structs.fields(action.takes))


def _form(name: str, action: Action[Any], world: World, account: str) -> VerbForm:
    fields = [
        _field(field, _choices(action, field.encode_name, world, account))
        for field in msgspec.structs.fields(action.takes)
        if field.name != "account"
    ]
    return VerbForm(name=name, title=action.title, fields=fields)


def _choices(action: Action[Any], name: str, world: World, account: str) -> Mapping[str, str]:
    """Return the choices of a field, or nothing if its type lists them or it accepts any text."""
    given = action.choices.get(name)
    if given is None:
        return PEOPLE if name == "person" else {}
    return (given(world, account) if callable(given) else given) or _NOTHING


def _field(field: msgspec.structs.FieldInfo, choices: Mapping[str, str]) -> VerbField:
    kind = _plain(type_info(field.type))
    value = "" if field.default in (msgspec.NODEFAULT, None) else _written(field.default)
    options = dict(choices) or _options(kind)
    if options and not field.required and field.default is not msgspec.NODEFAULT and value not in options:
        options = _UNSET | options
    # The preselected option needs no special value. Choosing an empty value instead does.
    if value and "" in options:
        options = {(key or EMPTY): words for key, words in options.items()}
    number = kind if isinstance(kind, IntType | FloatType) else None
    return VerbField(
        name=field.encode_name,
        label=_LABELS.get(field.encode_name) or humanize(field.encode_name),
        required=field.required,
        kind="text" if number is None else "number",
        value=value,
        options=options,
        least=None if number is None else number.ge,
        most=None if number is None else number.le,
    )


def _plain(kind: Type) -> Type:
    """Return a type without None."""
    if not isinstance(kind, UnionType):
        return kind
    return next(part for part in kind.types if not isinstance(part, NoneType))


def _options(kind: Type) -> dict[str, str]:
    if isinstance(kind, BoolType):
        return dict(_YES_OR_NO)
    if isinstance(kind, LiteralType):
        return {str(value): humanize(str(value)) or "None" for value in kind.values}
    return {}


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
