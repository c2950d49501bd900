"""The fields of triggers, conditions and actions, made from the structs that the areas declare."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.areas.posts.slot_times import WEEKDAYS
from socialgate.console.composing.option_fields import OptionField, list_option_fields, read_options, write_options
from socialgate.console.formatting import first_sentence, words
from socialgate.console.forms import FormData
from socialgate.contracts.automations import AutomationOptions, AutomationTypeRegistry, TriggerType, get_type_name
from socialgate.web.json_schema import build_schemas

Control = Literal["choice", "many", "text", "long", "lines", "number", "json", "clock", "scalar"]
Choices = Sequence[tuple[str, str]]

_REF = "$ref"
_TYPE = "type"
_CLOCK_PATTERN = "[01][0-9]|2[0-3]"
# What a value can be, if a field takes several: everything that is typed is a text at first.
SCALARS: Choices = (("text", "Text"), ("number", "Number"), ("boolean", "Yes or no"))


# What people call an option, and a hint, where the words of the API are for programs.
_WORDS: Mapping[str, tuple[str, str]] = {
    "accountIds": ("Accounts", "Choose none for all accounts of the profile."),
    "accountId": ("Account that sends it", "If not set, the account on which it happened."),
    "objectIds": ("Posts", "The platform's own IDs. Leave empty for all posts."),
    "formIds": ("Forms", "The platform's own IDs. Leave empty for all forms."),
    "platforms": ("Platforms", ""),
    "weekdays": ("Days", "Choose none for every day."),
    "times": ("Times", "In the time zone of the profile, such as 09:30."),
    "begin": ("From", "In the time zone of the profile."),
    "end": ("Until", "If it is earlier than the beginning, it is on the next day."),
    "any": ("Words or phrases", "One of them must be in the text."),
    "match": (
        "How to compare",
        "Word finds whole words, Contains parts of them too, and Fuzzy those with a typo. Exact is the whole text.",
    ),
    "exclude": ("But none of these words", ""),
    "value": ("Value", "Leave empty if the field only has to be there, or to be missing."),
    "to": (
        "To",
        "A phone number with country code, or a person's ID on the platform. Leave empty for the one who triggered it.",
    ),
    "template.name": ("Template", "Its name at WhatsApp."),
    "template.language": ("Language", "Its code at WhatsApp, such as en_US."),
    "template.components": ("Values of its placeholders", "In WhatsApp's own format."),
    "hookId": ("Hook", ""),
    "amount": ("How long", "At most 30 days."),
    "unit": ("Unit", ""),
    "model": ("Model", "Leave empty for the default of this service."),
    "tone": ("Tone", "Such as friendly, or formal without irony."),
    "fallback": ("Otherwise", "What to send if no text can be generated. It can have placeholders."),
}


class References(msgspec.Struct, frozen=True, kw_only=True):
    """What fields can refer to, by the name of the field: a value and its name for people."""

    accounts: Choices
    # Those on which the trigger can happen.
    trigger_accounts: Choices
    hooks: Choices
    platforms: Choices
    trigger_fields: Choices

    def find(self, path: str) -> Choices | None:
        known = {
            "accountIds": self.trigger_accounts,
            "accountId": self.accounts,
            "hookId": self.hooks,
            "platforms": self.platforms,
            "field": self.trigger_fields,
        }
        return known.get(path)


class PartField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a part. `name` is what it is called in the form, such as `actions.0.text`."""

    name: str
    option: OptionField
    control: Control
    choices: Choices = ()


class PartType(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of trigger, condition or action: its name in the API and for people, and its options."""

    name: str
    label: str
    sentence: str
    options: Sequence[OptionField]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A trigger, a condition or an action in the form. `key` is where it is, such as `conditions.0`."""

    key: str
    type: PartType
    fields: Sequence[PartField]


class PartTypes:
    """All kinds of parts, in the order in which the areas declare them."""

    def __init__(self, types: AutomationTypeRegistry) -> None:
        self.registry = types
        self.triggers = _describe_types([trigger.options for trigger in types.triggers.values()])
        self.conditions = _describe_types([condition.options for condition in types.conditions.values()])
        self.actions = _describe_types(list(types.action_options.values()))

    def find(self, section: str, name: str) -> PartType | None:
        return {"trigger": self.triggers, "conditions": self.conditions}.get(section, self.actions).get(name)

    def list_actions(self, trigger: TriggerType) -> list[PartType]:
        """List the actions that can follow a trigger."""
        return [kind for name, kind in self.actions.items() if self.registry.find_action(name, trigger.subject_type)]

    def build_part(self, key: str, kind: PartType, references: References) -> Part:
        return Part(key=key, type=kind, fields=[_build_field(key, option, references) for option in kind.options])


def name_type(name: str) -> str:
    """Name a kind of part for people: `comment.received` and `aiReply` are words."""
    return words(name.replace(".", " "))


def read_part(part: Part, form: FormData) -> dict[str, Any]:
    """Return a part as the API takes it. What cannot be read is left to validation."""
    simple = [field for field in part.fields if field.control not in ("many", "scalar")]
    # Browsers send line breaks as two characters.
    texts = {field.option.path: form.value(field.name).replace("\r\n", "\n") for field in simple}
    body = {_TYPE: part.type.name, **read_options([field.option for field in simple], texts)}
    for field in part.fields:
        if field.control == "many" and form.values(field.name):
            body[field.option.path] = list(form.values(field.name))
        elif field.control == "scalar" and form.value(field.name):
            body[field.option.path] = _read_scalar(form.value(field.name), form.value(f"{field.name}.type"))
    return body


def write_part(part: Part, body: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what the fields contain for a part that is stored."""
    texts = write_options([field.option for field in part.fields], body)
    fields: dict[str, list[str]] = {f"{part.key}.type": [part.type.name]}
    for field in part.fields:
        value = body.get(field.option.path)
        if field.control == "many":
            fields[field.name] = [str(item) for item in value or ()]
        elif field.option.path in texts:
            fields[field.name] = [texts[field.option.path]]
        if field.control == "scalar":
            fields[f"{field.name}.type"] = [_name_scalar(value)]
    return fields


def _describe_types(options: Sequence[type[AutomationOptions]]) -> dict[str, PartType]:
    schemas, components = build_schemas(options)
    described: dict[str, PartType] = {}
    for kind, schema in zip(options, schemas, strict=True):
        plain = _simplify(schema, components)
        properties = {name: inner for name, inner in plain["properties"].items() if name != _TYPE}
        name = get_type_name(kind)
        described[name] = PartType(
            name=name,
            label=name_type(name),
            sentence=first_sentence(kind.__doc__ or ""),
            options=[
                _put_in_words(option, plain) for option in list_option_fields({**plain, "properties": properties})
            ],
        )
    return described


def _put_in_words(option: OptionField, schema: Mapping[str, Any]) -> OptionField:
    """Name an option for people, and find out whether one inside another is required."""
    above, _, name = option.path.partition(".")
    inside = schema["properties"][above].get("required", ()) if name else ()
    is_required = option.is_required or (above in schema.get("required", ()) and name in inside)
    label, hint = _WORDS.get(option.path, (option.label, option.hint))
    if option.path == "accountIds" and is_required:
        hint = ""
    return msgspec.structs.replace(option, label=label, hint=hint, is_required=is_required)


def _simplify(schema: Any, components: Mapping[str, Any]) -> Any:
    """Put what is referred to in its place, and leave out that a field may be null: then it is left empty."""
    if isinstance(schema, list):
        return [_simplify(item, components) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if _REF in schema:
        rest = {name: value for name, value in schema.items() if name != _REF}
        return _simplify({**components[schema[_REF].rpartition("/")[2]], **rest}, components)
    filled = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if len(filled) == 1:
        rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
        return _simplify({**filled[0], **rest}, components)
    # Lists of objects are filled in as JSON: how deep they go does not matter.
    return {
        name: value if name == "items" and _REF not in value else _simplify(value, components)
        for name, value in schema.items()
    }


def _build_field(key: str, option: OptionField, references: References) -> PartField:
    name = f"{key}.{option.path}"
    is_list = option.schema.get("type") == "array"
    known = references.find(option.path)
    if known is not None and is_list:
        return PartField(name=name, option=option, control="many", choices=known)
    if known is not None:
        first = "Choose…" if option.is_required else "Not set"
        return PartField(name=name, option=option, control="choice", choices=[("", first), *known])
    if is_list and "enum" in option.schema["items"]:
        return PartField(name=name, option=option, control="many", choices=_name_values(option.schema["items"]["enum"]))
    if _CLOCK_PATTERN in option.schema.get("pattern", ""):
        return PartField(name=name, option=option, control="clock")
    if "anyOf" in option.schema:
        return PartField(name=name, option=option, control="scalar")
    return PartField(name=name, option=option, control=_fit_control(option), choices=option.choices)


def _fit_control(option: OptionField) -> Control:
    return "text" if option.control == "time" else option.control


def _name_values(values: Sequence[str]) -> Choices:
    ordered = WEEKDAYS if set(values) == set(WEEKDAYS) else values
    return [(value, words(value)) for value in ordered]


def _read_scalar(text: str, kind: str) -> Any:
    if kind not in ("number", "boolean"):
        return text
    try:
        return msgspec.json.decode(text.strip().lower())
    except msgspec.DecodeError:
        return text


def _name_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"
