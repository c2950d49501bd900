"""Message templates: created, reviewed for a while, sent, deleted."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Literal

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, finder, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import ActionRequest, Call, ControlError, Refused, Thing, World, digits
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.vendors.whatsapp_cloud.bodies import FilledTemplate, WrittenPart, read
from socialgate_sandbox.vendors.whatsapp_cloud.errors import bad_parameter, messaging
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import MANAGE, require
from socialgate_sandbox.vendors.whatsapp_cloud.webhooks import notify

REVIEW_SECONDS = 5.0
_FORMS = ("POSITIONAL", "NAMED")
_CATEGORIES = {"MARKETING", "UTILITY", "AUTHENTICATION"}
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_AT_AN_END = re.compile(rf"^{_PLACE.pattern}|{_PLACE.pattern}$")


# Fields that a template only has after events that are not simulated.
_WITHOUT_VALUE = (
    *("message_send_ttl_seconds", "correct_category", "previous_category", "library_template_name"),
    *("cta_url_link_tracking_opted_out", "sub_category", "degrees_of_freedom_spec"),
)
_MOST_TEMPLATES = 250
# What approved templates become when people complain about them.
_UNUSABLE = {"PAUSED": (132015, "Template is Paused"), "DISABLED": (132016, "Template is Disabled")}


class Template(Thing):
    """A template of an account (the parent). `verdict` is the result that the review will have."""

    name: str
    language: str
    category: str
    components: list[dict[str, Any]]
    made: datetime
    verdict: str = "APPROVED"
    reason: str = "NONE"
    parameter_format: str = "POSITIONAL"


def status(world: World, template: Template) -> str:
    return template.verdict if world.clock.since(template.made) >= REVIEW_SECONDS else "PENDING"


def _status(call: Call, template: Template, _field: Field) -> str:
    return status(call.world, template)


TEMPLATE = NodeType(
    "WhatsAppMessageTemplate",
    {
        **own("id", "name", "language", "category", "components", "parameter_format"),
        "status": _status,
        "rejected_reason": lambda _call, template, _field: template.reason,
        "quality_score": lambda _call, template, _field: {"score": "UNKNOWN", "date": int(template.made.timestamp())},
        **dict.fromkeys(_WITHOUT_VALUE, lambda _call, _template, _field: None),
    },
    ("name", "parameter_format", "components", "language", "status", "category", "id"),
)


def first_templates(waba: str) -> Iterator[Template]:
    long_ago = datetime.fromisoformat("2025-03-01T00:00:00+00:00")
    hello: list[dict[str, Any]] = [{"type": "BODY", "text": "Welcome and congratulations!!"}]
    text, example = "Hi {{1}}, your order {{2}} is ready.", {"body_text": [["Dario", "1042"]]}
    ready: list[dict[str, Any]] = [{"type": "BODY", "text": text, "example": example}]
    for number, (name, parts) in enumerate((("hello_world", hello), ("order_ready", ready))):
        key = f"{waba}{number}1"
        yield Template(
            id=key, parent=waba, name=name, language="en_US", category="UTILITY", components=parts, made=long_ago
        )


def templates(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    found = [one for one in call.world.store.find(Template, parent=waba.id) if _fits(call, one)]
    page = listing(call, [Node(TEMPLATE, template) for template in found])
    if call.params.get("summary"):
        counts = {"total_count": len(found), "message_template_count": call.world.store.count(Template, parent=waba.id)}
        page["summary"] = {**counts, "message_template_limit": _MOST_TEMPLATES, "are_translations_complete": False}
    return page


def _fits(call: Call, template: Template) -> bool:
    """Whether a template matches all filters of a caller; `content` searches in it."""
    given = call.params
    own = {name: getattr(template, name) for name in ("name", "language", "category")}
    own["status"] = status(call.world, template)
    said = str(given.get("name_or_content") or given.get("content") or "").casefold()
    words = " ".join([template.name, *(str(part.get("text", "")) for part in template.components)]).casefold()
    return said in words and all(str(given[name]) in {"", value} for name, value in own.items() if given.get(name))


def create(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    given = call.params
    name, language, category = (str(given.get(key) or "") for key in ("name", "language", "category"))
    parts: Any = given.get("components")
    form = str(given.get("parameter_format") or "POSITIONAL").upper()
    _check_parts(parts, form)
    if not _NAME.fullmatch(name) or not language or category not in _CATEGORIES:
        return bad_parameter("name, language, category and components are required, in their forms.")
    if any(one.name == name and one.language == language for one in call.world.store.find(Template, parent=waba.id)):
        advice = f"There is already {language} content for this template. You can create a new template and try again."
        raise _faulty("Content in This Language Already Exists", advice, 2388024)
    now = call.world.clock.now()
    template = Template(
        id=digits(16), parent=waba.id, name=name, language=language, category=category, components=parts, made=now
    )
    template.parameter_format = form
    call.world.store.put(template)
    _tell_verdict(call.world, template, after=REVIEW_SECONDS)
    return {"id": template.id, "status": "PENDING", "category": category}


def _check_parts(parts: Any, form: str) -> None:
    """Reject components whose placeholders do not have the declared format, or come without examples."""
    if form not in _FORMS:
        raise Refused(bad_parameter(f"Param parameter_format must be one of {{{', '.join(_FORMS)}}}."))
    for part in read(parts, list[WrittenPart], "components"):
        places = _PLACE.findall(part.text)
        if any(place.isdecimal() == (form == "NAMED") for place in places):
            advice = f"The variables of the component {part.type} do not fit the parameter format {form}."
            raise _faulty("Variables have an invalid format", advice, 2388373)
        if part.type == "BODY" and _AT_AN_END.search(part.text.strip()):
            advice = "Variables can't be at the start or end of the template."
            raise _faulty("Leading or trailing params not allowed", advice, 2388299)
        if places and not part.example:
            advice = f"component of type {part.type} is missing expected field(s) (example)"
            raise _faulty('Message template "components" param is missing expected field(s)', advice, 2388043)


def _faulty(title: str, advice: str, subcode: int) -> Refused:
    return Refused(failure("Invalid parameter", 100, subcode=subcode, transient=False, title=title, advice=advice))


def _tell_verdict(world: World, template: Template, *, after: float) -> None:
    value = {
        "event": template.verdict,
        "message_template_id": int(template.id),
        "message_template_name": template.name,
        "message_template_language": template.language,
        "reason": template.reason,
    }
    notify(world, template.parent, "message_template_status_update", value, after=after)


def update(call: Call, template: Template) -> Any:
    """Change a template, which is then reviewed again."""
    require(call, MANAGE)
    parts = call.params.get("components", template.components)
    _check_parts(parts, template.parameter_format)
    template.components = parts
    category = str(call.params.get("category") or template.category)
    if category not in _CATEGORIES:
        return bad_parameter(f"Param category must be one of {{{', '.join(sorted(_CATEGORIES))}}}.")
    template.category = category
    template.made = call.world.clock.now()
    call.world.store.put(template)
    _tell_verdict(call.world, template, after=REVIEW_SECONDS)
    return {"success": True, "id": template.id, "name": template.name, "category": template.category}


def delete(call: Call, waba: Waba) -> Any:
    """Delete by name, in all languages, or the one that `hsm_id` names."""
    require(call, MANAGE)
    name, key = call.params.get("name"), call.params.get("hsm_id")
    found = [
        one for one in call.world.store.find(Template, parent=waba.id) if one.name == name and key in {None, one.id}
    ]
    if not found:
        return messaging(132001, "Template name does not exist in the translation", "No such template.", status=404)
    for template in found:
        call.world.store.delete(Template, template.id)
    return {"success": True}


class Review(ActionRequest, frozen=True, kw_only=True):
    """Change the status of a template of an account (or of a number's account)."""

    account: str
    name: str
    status: Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]
    reason: str = "NONE"


def _owned(world: World, account: str) -> list[Template]:
    number = world.store.get(Number, account)
    return world.store.find(Template, parent=number.parent if number is not None else account)


def names_of(world: World, account: str) -> dict[str, str]:
    """List the templates of an account to choose from."""
    return {one.name: one.name for one in _owned(world, account)}


def review(world: World, order: Review) -> None:
    owned = _owned(world, order.account)
    found = [one for one in owned if one.name == order.name]
    if not found:
        known = ", ".join(one.name for one in owned)
        raise ControlError(f"There is no template {order.name!r}. Choose one of: {known}.")
    for template in found:
        template.verdict, template.reason = order.status, order.reason
        # The review is over.
        template.made = min(template.made, world.clock.now() - timedelta(seconds=REVIEW_SECONDS))
        world.store.put(template)
        _tell_verdict(world, template, after=0.0)


template_node = finder(Template, TEMPLATE, lambda call, one: one.parent in require(call, MANAGE).wabas)


def fill(call: Call, number: Number, body: FilledTemplate) -> Json:
    """Return the fields of a message that is sent with a template.

    Rejects a template that does not exist, is not approved, or gets the wrong number of parameters.
    """
    name, language = body.name, body.language.code
    owned = call.world.store.find(Template, parent=number.parent)
    found = next((one for one in owned if (one.name, one.language) == (name, language)), None)
    state = "" if found is None else status(call.world, found)
    if state in _UNUSABLE:
        code, title = _UNUSABLE[state]
        raise Refused(messaging(code, title, f"template ({name}) cannot be sent: it is {state.lower()}"))
    if found is None or state != "APPROVED":
        details = f"template name ({name}) does not exist in {language}"
        title = "Template name does not exist in the translation"
        raise Refused(messaging(132001, title, details, status=404))
    parts = read(found.components, list[WrittenPart], "components")
    for part in parts:
        _check_filled(part, found.parameter_format, body)
    return {"text": _text(parts, body), "buttons": _quick_replies(parts, body)}


def _quick_replies(parts: list[WrittenPart], body: FilledTemplate) -> list[Button]:
    """List the quick replies with their payloads: those of this message by position, otherwise their labels."""
    payloads = {
        int(part.index): str(one["payload"])
        for part in body.components
        if (part.type.lower(), part.sub_type.lower()) == ("button", "quick_reply")
        for one in part.parameters
        if one.get("type") == "payload" and one.get("payload")
    }
    rows = [row for part in parts for row in part.buttons]
    labels = [(place, str(row.get("text", ""))) for place, row in enumerate(rows) if row.get("type") == "QUICK_REPLY"]
    return [Button("button", label, payloads.get(place, label)) for place, label in labels]


def _text(parts: list[WrittenPart], body: FilledTemplate) -> str:
    """Insert the parameters into the text of a template."""
    words = next((part.text for part in parts if part.type == "BODY"), body.name)
    given = [one for part in body.components if part.type.lower() == "body" for one in part.parameters]
    for place, one in enumerate(given, start=1):
        for name in (str(place), str(one.get("parameter_name", ""))):
            words = words.replace(f"{{{{{name}}}}}", str(one.get("text", "")))
    return words


def _check_filled(written: WrittenPart, form: str, body: FilledTemplate) -> None:
    """Compare the placeholders in a part with what the caller fills in."""
    places, where = list(dict.fromkeys(_PLACE.findall(written.text))), written.type.lower()
    given = [one for part in body.components if part.type.lower() == where for one in part.parameters]
    if where not in {"header", "body"} or (not places and written.format not in {"", "TEXT"}):
        return
    if len(given) != len(places):
        details = (
            f"{where}: number of localizable_params ({len(given)}) does not match the expected number of params "
            f"({len(places)})"
        )
        raise Refused(messaging(132000, "Number of parameters does not match the expected number of params", details))
    if form == "NAMED" and {one.get("parameter_name") for one in given} != set(places):
        details = f"{where}: the parameters must be named {', '.join(places)}"
        raise Refused(messaging(132012, "Parameter format does not match format in the created template", details))
