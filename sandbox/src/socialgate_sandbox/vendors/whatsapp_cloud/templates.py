"""Message templates: created, reviewed for a while, sent, deleted."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, build_finder, resolve_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.kit import (
    ActionRequest,
    Call,
    CallRefusedError,
    ControlError,
    StoredObject,
    VendorContext,
    generate_digits,
)
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.vendors.whatsapp_cloud.errors import build_messaging_error, build_parameter_response
from socialgate_sandbox.vendors.whatsapp_cloud.message_bodies import (
    TemplateBody,
    TemplateDefinitionComponent,
    convert_body,
)
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import MANAGEMENT_SCOPE, require_scope
from socialgate_sandbox.vendors.whatsapp_cloud.webhook_subscriptions import notify_if_subscribed

REVIEW_SECONDS = 5.0
_PARAMETER_FORMATS = ("POSITIONAL", "NAMED")
_CATEGORIES = {"MARKETING", "UTILITY", "AUTHENTICATION"}
_NAME_PATTERN = re.compile(r"[a-z0-9_]{1,512}")
_PLACEHOLDER_PATTERN = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_EDGE_PLACEHOLDER_PATTERN = re.compile(rf"^{_PLACEHOLDER_PATTERN.pattern}|{_PLACEHOLDER_PATTERN.pattern}$")


# Fields that a template only has after events that are not simulated.
_VALUELESS_FIELDS = (
    *("message_send_ttl_seconds", "correct_category", "previous_category", "library_template_name"),
    *("cta_url_link_tracking_opted_out", "sub_category", "degrees_of_freedom_spec"),
)
_MAX_TEMPLATES = 250
# What approved templates become when people complain about them.
_ERRORS_BY_STATUS = {"PAUSED": (132015, "Template is Paused"), "DISABLED": (132016, "Template is Disabled")}


class Template(StoredObject):
    """A template of an account (the parent). `verdict` is the result that the review will have."""

    name: str
    language: str
    category: str
    components: list[dict[str, Any]]
    created_at: datetime = msgspec.field(name="made")
    verdict: str = "APPROVED"
    reason: str = "NONE"
    parameter_format: str = "POSITIONAL"


def get_status(context: VendorContext, template: Template) -> str:
    return template.verdict if context.clock.get_seconds_since(template.created_at) >= REVIEW_SECONDS else "PENDING"


def _resolve_status(call: Call, template: Template, _field: RequestedField) -> str:
    return get_status(call.context, template)


TEMPLATE_NODE_TYPE = NodeType(
    "WhatsAppMessageTemplate",
    {
        **resolve_attributes("id", "name", "language", "category", "components", "parameter_format"),
        "status": _resolve_status,
        "rejected_reason": lambda _call, template, _field: template.reason,
        "quality_score": lambda _call, template, _field: {
            "score": "UNKNOWN",
            "date": int(template.created_at.timestamp()),
        },
        **dict.fromkeys(_VALUELESS_FIELDS, lambda _call, _template, _field: None),
    },
    ("name", "parameter_format", "components", "language", "status", "category", "id"),
)


def build_first_templates(waba: str) -> Iterator[Template]:
    long_ago = datetime.fromisoformat("2025-03-01T00:00:00+00:00")
    hello: list[dict[str, Any]] = [{"type": "BODY", "text": "Welcome and congratulations!!"}]
    text, example = "Hi {{1}}, your order {{2}} is ready.", {"body_text": [["Dario", "1042"]]}
    ready: list[dict[str, Any]] = [{"type": "BODY", "text": text, "example": example}]
    for number, (name, parts) in enumerate((("hello_world", hello), ("order_ready", ready))):
        key = f"{waba}{number}1"
        yield Template(
            id=key, parent=waba, name=name, language="en_US", category="UTILITY", components=parts, created_at=long_ago
        )


def list_templates(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    templates = [
        template for template in call.context.store.find(Template, parent=waba.id) if _matches_filters(call, template)
    ]
    page = build_page(call, [Node(TEMPLATE_NODE_TYPE, template) for template in templates])
    if call.params.get("summary"):
        counts = {
            "total_count": len(templates),
            "message_template_count": call.context.store.count(Template, parent=waba.id),
        }
        page["summary"] = {**counts, "message_template_limit": _MAX_TEMPLATES, "are_translations_complete": False}
    return page


def _matches_filters(call: Call, template: Template) -> bool:
    """Whether a template matches all filters of a caller; `content` searches in it."""
    params = call.params
    own = {name: getattr(template, name) for name in ("name", "language", "category")}
    own["status"] = get_status(call.context, template)
    message = str(params.get("name_or_content") or params.get("content") or "").casefold()
    words = " ".join([template.name, *(str(part.get("text", "")) for part in template.components)]).casefold()
    return message in words and all(str(params[name]) in {"", value} for name, value in own.items() if params.get(name))


def create_template(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    params = call.params
    name, language, category = (str(params.get(key) or "") for key in ("name", "language", "category"))
    parts: Any = params.get("components")
    form = str(params.get("parameter_format") or "POSITIONAL").upper()
    _validate_components(parts, form)
    if not _NAME_PATTERN.fullmatch(name) or not language or category not in _CATEGORIES:
        return build_parameter_response("name, language, category and components are required, in their forms.")
    if any(
        template.name == name and template.language == language
        for template in call.context.store.find(Template, parent=waba.id)
    ):
        advice = f"There is already {language} content for this template. You can create a new template and try again."
        raise _build_template_error("Content in This Language Already Exists", advice, 2388024)
    now = call.context.clock.now()
    template = Template(
        id=generate_digits(16),
        parent=waba.id,
        name=name,
        language=language,
        category=category,
        components=parts,
        created_at=now,
    )
    template.parameter_format = form
    call.context.store.put(template)
    _notify_verdict(call.context, template, delay_seconds=REVIEW_SECONDS)
    return {"id": template.id, "status": "PENDING", "category": category}


def _validate_components(components: Any, parameter_format: str) -> None:
    """Reject components whose placeholders do not have the declared format, or come without examples."""
    if parameter_format not in _PARAMETER_FORMATS:
        raise CallRefusedError(
            build_parameter_response(f"Param parameter_format must be one of {{{', '.join(_PARAMETER_FORMATS)}}}.")
        )
    for part in convert_body(components, list[TemplateDefinitionComponent], "components"):
        places = _PLACEHOLDER_PATTERN.findall(part.text)
        if any(place.isdecimal() == (parameter_format == "NAMED") for place in places):
            advice = f"The variables of the component {part.type} do not fit the parameter format {parameter_format}."
            raise _build_template_error("Variables have an invalid format", advice, 2388373)
        if part.type == "BODY" and _EDGE_PLACEHOLDER_PATTERN.search(part.text.strip()):
            advice = "Variables can't be at the start or end of the template."
            raise _build_template_error("Leading or trailing params not allowed", advice, 2388299)
        if places and not part.example:
            advice = f"component of type {part.type} is missing expected field(s) (example)"
            raise _build_template_error(
                'Message template "components" param is missing expected field(s)', advice, 2388043
            )


def _build_template_error(title: str, user_message: str, subcode: int) -> CallRefusedError:
    return CallRefusedError(
        build_error_response(
            "Invalid parameter", 100, subcode=subcode, transient=False, title=title, advice=user_message
        )
    )


def _notify_verdict(context: VendorContext, template: Template, *, delay_seconds: float) -> None:
    value = {
        "event": template.verdict,
        "message_template_id": int(template.id),
        "message_template_name": template.name,
        "message_template_language": template.language,
        "reason": template.reason,
    }
    notify_if_subscribed(context, template.parent, "message_template_status_update", value, delay_seconds=delay_seconds)


def update_template(call: Call, template: Template) -> Any:
    """Change a template, which is then reviewed again."""
    require_scope(call, MANAGEMENT_SCOPE)
    parts = call.params.get("components", template.components)
    _validate_components(parts, template.parameter_format)
    template.components = parts
    category = str(call.params.get("category") or template.category)
    if category not in _CATEGORIES:
        return build_parameter_response(f"Param category must be one of {{{', '.join(sorted(_CATEGORIES))}}}.")
    template.category = category
    template.created_at = call.context.clock.now()
    call.context.store.put(template)
    _notify_verdict(call.context, template, delay_seconds=REVIEW_SECONDS)
    return {"success": True, "id": template.id, "name": template.name, "category": template.category}


def delete_templates(call: Call, waba: Waba) -> Any:
    """Delete by name, in all languages, or the one that `hsm_id` names."""
    require_scope(call, MANAGEMENT_SCOPE)
    name, key = call.params.get("name"), call.params.get("hsm_id")
    templates = [
        template
        for template in call.context.store.find(Template, parent=waba.id)
        if template.name == name and key in {None, template.id}
    ]
    if not templates:
        return build_messaging_error(
            132001, "Template name does not exist in the translation", "No such template.", status=404
        )
    for template in templates:
        call.context.store.delete(Template, template.id)
    return {"success": True}


class ReviewTemplateRequest(ActionRequest, frozen=True, kw_only=True):
    """Change the status of a template of an account (or of a number's account)."""

    account: str
    name: str
    status: Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]
    reason: str = "NONE"


def _list_templates(context: VendorContext, account_id: str) -> list[Template]:
    number = context.store.get(Number, account_id)
    return context.store.find(Template, parent=number.parent if number is not None else account_id)


def list_template_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    """List the templates of an account to choose from."""
    return {template.name: template.name for template in _list_templates(context, account_id)}


def set_review_verdict(context: VendorContext, request: ReviewTemplateRequest) -> None:
    owned = _list_templates(context, request.account)
    templates = [template for template in owned if template.name == request.name]
    if not templates:
        known = ", ".join(template.name for template in owned)
        raise ControlError(f"There is no template {request.name!r}. Choose one of: {known}.")
    for template in templates:
        template.verdict, template.reason = request.status, request.reason
        # The review is over.
        template.created_at = min(template.created_at, context.clock.now() - timedelta(seconds=REVIEW_SECONDS))
        context.store.put(template)
        _notify_verdict(context, template, delay_seconds=0.0)


find_template_node = build_finder(
    Template, TEMPLATE_NODE_TYPE, lambda call, template: template.parent in require_scope(call, MANAGEMENT_SCOPE).wabas
)


def build_template_fields(call: Call, number: Number, body: TemplateBody) -> Json:
    """Return the fields of a message that is sent with a template.

    Rejects a template that does not exist, is not approved, or gets the wrong number of parameters.
    """
    name, language = body.name, body.language.code
    owned = call.context.store.find(Template, parent=number.parent)
    existing_template = next(
        (template for template in owned if (template.name, template.language) == (name, language)), None
    )
    state = "" if existing_template is None else get_status(call.context, existing_template)
    if state in _ERRORS_BY_STATUS:
        code, title = _ERRORS_BY_STATUS[state]
        raise CallRefusedError(
            build_messaging_error(code, title, f"template ({name}) cannot be sent: it is {state.lower()}")
        )
    if existing_template is None or state != "APPROVED":
        details = f"template name ({name}) does not exist in {language}"
        title = "Template name does not exist in the translation"
        raise CallRefusedError(build_messaging_error(132001, title, details, status=404))
    parts = convert_body(existing_template.components, list[TemplateDefinitionComponent], "components")
    for part in parts:
        _validate_parameters(part, existing_template.parameter_format, body)
    return {"text": _fill_text(parts, body), "buttons": _build_quick_replies(parts, body)}


def _build_quick_replies(components: list[TemplateDefinitionComponent], body: TemplateBody) -> list[Button]:
    """List the quick replies with their payloads: those of this message by position, otherwise their labels."""
    payloads = {
        int(part.index): str(parameter["payload"])
        for part in body.components
        if (part.type.lower(), part.sub_type.lower()) == ("button", "quick_reply")
        for parameter in part.parameters
        if parameter.get("type") == "payload" and parameter.get("payload")
    }
    rows = [row for part in components for row in part.buttons]
    labels = [(place, str(row.get("text", ""))) for place, row in enumerate(rows) if row.get("type") == "QUICK_REPLY"]
    return [Button("button", label, payloads.get(place, label)) for place, label in labels]


def _fill_text(components: list[TemplateDefinitionComponent], body: TemplateBody) -> str:
    """Insert the parameters into the text of a template."""
    words = next((part.text for part in components if part.type == "BODY"), body.name)
    params = [parameter for part in body.components if part.type.lower() == "body" for parameter in part.parameters]
    for place, item in enumerate(params, start=1):
        for name in (str(place), str(item.get("parameter_name", ""))):
            words = words.replace(f"{{{{{name}}}}}", str(item.get("text", "")))
    return words


def _validate_parameters(component: TemplateDefinitionComponent, parameter_format: str, body: TemplateBody) -> None:
    """Compare the placeholders in a part with what the caller fills in."""
    places, where = list(dict.fromkeys(_PLACEHOLDER_PATTERN.findall(component.text))), component.type.lower()
    params = [parameter for part in body.components if part.type.lower() == where for parameter in part.parameters]
    if where not in {"header", "body"} or (not places and component.format not in {"", "TEXT"}):
        return
    if len(params) != len(places):
        details = (
            f"{where}: number of localizable_params ({len(params)}) does not match the expected number of params "
            f"({len(places)})"
        )
        raise CallRefusedError(
            build_messaging_error(132000, "Number of parameters does not match the expected number of params", details)
        )
    if parameter_format == "NAMED" and {item.get("parameter_name") for item in params} != set(places):
        details = f"{where}: the parameters must be named {', '.join(places)}"
        raise CallRefusedError(
            build_messaging_error(132012, "Parameter format does not match format in the created template", details)
        )
