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
from socialgate_sandbox.kernel.text_format import humanize
from socialgate_sandbox.kernel.vendor import Account, Action, Vendor
from socialgate_sandbox.kernel.vendor_context import VendorContext

# An option with this value stands for an empty string. Empty fields of a form count as omitted.
EMPTY_OPTION = "(empty)"
PERSON_CHOICES = {person.key: person.name for person in FOLLOWERS}
_YES_OR_NO = {"true": "Yes", "false": "No"}
_UNCHANGED_OPTION = {"": "Unchanged"}
_NO_OPTIONS = {"": "Nothing to choose"}
# Labels for fields whose names are not clear enough.
_FIELD_LABELS = {
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


class ActionField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form. If it has options, people choose from a list."""

    name: str
    label: str
    required: bool
    kind: Literal["text", "number"] = "text"
    value: str = ""
    options: Mapping[str, str] = {}
    least: float | None = None
    most: float | None = None


class ActionForm(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    fields: Sequence[ActionField]


def build_account_forms(vendor: Vendor, context: VendorContext, account: Account) -> list[ActionForm]:
    """List the actions on an account that no other page of the account offers."""
    return [
        _build_form(name, action, context, account.id)
        for name, action in vendor.actions.items()
        if action.has_own_form and _has_account_field(action) and (not action.kinds or account.kind in action.kinds)
    ]


def build_platform_forms(vendor: Vendor, context: VendorContext) -> list[ActionForm]:
    """List the actions on the platform as a whole."""
    return [
        _build_form(name, action, context, "")
        for name, action in vendor.actions.items()
        if action.has_own_form and not _has_account_field(action)
    ]


def list_field_values(action: Action[Any] | None, name: str) -> frozenset[str]:
    """Return the possible values of a verb's field if its type enumerates them."""
    fields = () if action is None else msgspec.structs.fields(action.request_type)
    kinds = (_strip_none(type_info(field.type)) for field in fields if field.encode_name == name)
    return frozenset(value for kind in kinds for value in _list_options(kind))


def split_list_fields(action: Action[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Split the list fields of a form: their values are separated by commas."""
    lists = {
        field.encode_name
        for field in msgspec.structs.fields(action.request_type)
        if isinstance(_strip_none(type_info(field.type)), ListType)
    }
    return {
        name: value.split(",") if name in lists and isinstance(value, str) else value for name, value in fields.items()
    }


def _has_account_field(action: Action[Any]) -> bool:
    return any(field.name == "account" for field in msgspec.structs.fields(action.request_type))


def _build_form(name: str, action: Action[Any], context: VendorContext, account: str) -> ActionForm:
    fields = [
        _build_field(field, _get_choices(action, field.encode_name, context, account))
        for field in msgspec.structs.fields(action.request_type)
        if field.name != "account"
    ]
    return ActionForm(name=name, title=action.title, fields=fields)


def _get_choices(action: Action[Any], name: str, context: VendorContext, account: str) -> Mapping[str, str]:
    """Return the choices of a field, or nothing if its type lists them or it accepts any text."""
    value = action.field_choices.get(name)
    if value is None:
        return PERSON_CHOICES if name == "person" else {}
    return (value(context, account) if callable(value) else value) or _NO_OPTIONS


def _build_field(field: msgspec.structs.FieldInfo, choices: Mapping[str, str]) -> ActionField:
    kind = _strip_none(type_info(field.type))
    value = "" if field.default in (msgspec.NODEFAULT, None) else _format_default(field.default)
    options = dict(choices) or _list_options(kind)
    if options and not field.required and field.default is not msgspec.NODEFAULT and value not in options:
        options = _UNCHANGED_OPTION | options
    # The preselected option needs no special value. Choosing an empty value instead does.
    if value and "" in options:
        options = {(key or EMPTY_OPTION): words for key, words in options.items()}
    number = kind if isinstance(kind, IntType | FloatType) else None
    return ActionField(
        name=field.encode_name,
        label=_FIELD_LABELS.get(field.encode_name) or humanize(field.encode_name),
        required=field.required,
        kind="text" if number is None else "number",
        value=value,
        options=options,
        least=None if number is None else number.ge,
        most=None if number is None else number.le,
    )


def _strip_none(kind: Type) -> Type:
    """Return a type without None."""
    if not isinstance(kind, UnionType):
        return kind
    return next(part for part in kind.types if not isinstance(part, NoneType))


def _list_options(kind: Type) -> dict[str, str]:
    if isinstance(kind, BoolType):
        return dict(_YES_OR_NO)
    if isinstance(kind, LiteralType):
        return {str(value): humanize(str(value)) or "None" for value in kind.values}
    return {}


def _format_default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
