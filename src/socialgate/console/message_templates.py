"""Templates of messages as people fill them in: their text, and a field for each placeholder."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.console.forms import FormData
from socialgate.contracts.template_components import (
    Template,
    TemplateBody,
    TemplateButton,
    TemplateComponent,
    TemplateHeader,
)
from socialgate.contracts.templates import MessageTemplateView
from socialgate.core.errors import Fault, InvalidRequest

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FILE_FORMATS = ("IMAGE", "VIDEO", "DOCUMENT")
_SIMPLE_PARTS = frozenset({"HEADER", "BODY", "FOOTER", "BUTTONS"})


class TemplateField(msgspec.Struct, frozen=True):
    """A placeholder, as a field of a form."""

    name: str
    label: str
    hint: str = ""


class TemplateShown(msgspec.Struct, frozen=True, kw_only=True):
    """What a template says, what to fill in, and whether this form is enough for it."""

    text: str
    fields: Sequence[TemplateField]
    is_simple: bool


def describe_template(template: MessageTemplateView) -> TemplateShown:
    texts: list[str] = []
    fields: list[TemplateField] = []
    for part in template.components:
        kind = str(part.get("type", "")).upper()
        if kind in {"HEADER", "BODY", "FOOTER"} and part.get("text"):
            texts.append(str(part["text"]))
        fields += _list_fields(kind, part)
    kinds = {str(part.get("type", "")).upper() for part in template.components}
    return TemplateShown(text="\n\n".join(texts), fields=fields, is_simple=kinds <= _SIMPLE_PARTS)


def build_template(template: MessageTemplateView, form: FormData) -> Template:
    """Return the template with what was filled in. Whether that fits the template is checked when it is sent."""
    missing = [field.name for field in describe_template(template).fields if not form.value(field.name).strip()]
    if missing:
        faults = [Fault(f"/{name}", "required", f"{name} is required.") for name in missing]
        raise InvalidRequest("Fill in all placeholders of the template.", errors=faults)
    parts = [_build_part(str(part.get("type", "")).upper(), part, form, template) for part in template.components]
    components: list[TemplateComponent] = [component for group in parts for component in group]
    return Template(name=template.name, language=template.language, components=components)


def _list_fields(kind: str, part: Mapping[str, Any]) -> Sequence[TemplateField]:
    if kind == "HEADER" and part.get("format") in _FILE_FORMATS:
        format_name = str(part["format"]).lower()
        return [TemplateField("header-file", f"Address of the {format_name}", "Where WhatsApp fetches it, https://…")]
    if kind in {"HEADER", "BODY"}:
        words = "Heading" if kind == "HEADER" else "Text"
        return [
            TemplateField(f"{kind.lower()}-{name}", f"{words} {{{{{name}}}}}")
            for name in _list_placeholders(part, "text")
        ]
    return [
        TemplateField(f"button-{index}", f"End of the address of “{button.get('text', '')}”")
        for index, button in _list_url_buttons(part)
    ]


def _build_part(
    kind: str, part: Mapping[str, Any], form: FormData, template: MessageTemplateView
) -> Sequence[TemplateHeader | TemplateBody | TemplateButton]:
    if kind == "HEADER" and part.get("format") in _FILE_FORMATS:
        format_name = str(part["format"]).lower()
        return [
            _convert(
                {
                    "type": "header",
                    "parameters": [{"type": format_name, format_name: {"link": form.value("header-file")}}],
                }
            )
        ]
    if kind in {"HEADER", "BODY"}:
        names = _list_placeholders(part, "text")
        is_named = template.parameter_format == "NAMED"
        parameters = [
            {"type": "text", "text": form.value(f"{kind.lower()}-{name}")}
            | ({"parameter_name": name} if is_named else {})
            for name in names
        ]
        return [_convert({"type": kind.lower(), "parameters": parameters})] if parameters else []
    return [
        _convert(
            {
                "type": "button",
                "sub_type": "url",
                "index": index,
                "parameters": [{"type": "text", "text": form.value(f"button-{index}")}],
            }
        )
        for index, _ in _list_url_buttons(part)
    ]


def _convert(component: Mapping[str, Any]) -> TemplateHeader | TemplateBody | TemplateButton:
    kinds: Mapping[str, type[TemplateHeader | TemplateBody | TemplateButton]] = {
        "header": TemplateHeader,
        "body": TemplateBody,
        "button": TemplateButton,
    }
    try:
        return msgspec.convert(component, kinds[component["type"]])
    except msgspec.ValidationError as error:
        raise InvalidRequest(f"A placeholder of the {component['type']} has a value that is not possible.") from error


def _list_placeholders(part: Mapping[str, Any], key: str) -> Sequence[str]:
    return list(dict.fromkeys(_PLACEHOLDER.findall(str(part.get(key) or ""))))


def _list_url_buttons(part: Mapping[str, Any]) -> Sequence[tuple[int, Mapping[str, Any]]]:
    buttons = enumerate(part.get("buttons") or ())
    return [(index, button) for index, button in buttons if _list_placeholders(button, "url")]
