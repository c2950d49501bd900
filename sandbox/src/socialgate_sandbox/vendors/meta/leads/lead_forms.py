"""The lead forms of a Page: their questions, and what comes before and after them."""

import re
from collections.abc import Sequence
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error, require
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError, generate_digits
from socialgate_sandbox.society.leads import Choice, Form, Question, list_leads
from socialgate_sandbox.vendors.meta.account_nodes import PAGE_NODE_TYPE
from socialgate_sandbox.vendors.meta.leads.lead_access import require_page_token
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, require_token

_FORM_SCOPE = "pages_manage_ads"
_QUESTION_TYPES = (
    "CUSTOM", "FULL_NAME", "FIRST_NAME", "LAST_NAME", "EMAIL", "PHONE", "CITY", "STATE", "ZIP", "POST_CODE", "COUNTRY",
    "STREET_ADDRESS", "PROVINCE", "DOB", "DATE_OF_BIRTH", "GENDER", "MARITAL_STATUS", "RELATIONSHIP_STATUS",
    "MILITARY_STATUS", "COMPANY_NAME", "JOB_TITLE", "WORK_EMAIL", "WORK_PHONE_NUMBER", "DATE_TIME", "STORE_LOOKUP",
    "ID_CPF", "ID_AR_DNI", "ID_CL_RUT", "ID_CO_CC", "ID_EC_CI", "ID_PE_DNI",
)  # fmt: skip
# The keys of the usual questions are their kinds in lowercase, except for these.
_IRREGULAR_QUESTION_KEYS = {"PHONE": "phone_number", "ZIP": "zip_code", "DOB": "date_of_birth"}
_TEXT_PARAMS = ("follow_up_action_url", "question_page_custom_headline")
_FLAG_PARAMS = ("block_display_for_non_targeted_viewer", "is_optimized_for_quality", "allow_organic_lead_retrieval")
_OBJECT_PARAMS = ("thank_you_page", "context_card", "custom_disclaimer", "tracking_parameters")
_FORM_STATUSES = ("ACTIVE", "ARCHIVED", "DELETED", "DRAFT")


class LeadForm(Form, kw_only=True):
    """`details` are the other given parts, under Meta's own names."""

    locale: str
    privacy_policy: dict[str, str]
    details: dict[str, Any] = {}
    status: str = "ACTIVE"


def _resolve_questions(_call: Call, form: LeadForm, _field: RequestedField) -> list[dict[str, Any]]:
    return [
        {"key": question.key, "label": question.label, "type": question.kind, "id": f"{form.id[:-3]}{number:03}"}
        | (
            {"options": [{"key": option.key, "value": option.value} for option in question.options]}
            if question.options
            else {}
        )
        for number, question in enumerate(form.questions, 1)
    ]


def _build_detail_resolver(name: str) -> FieldResolver:
    def resolve(_call: Call, form: LeadForm, _field: RequestedField) -> Any:
        value = form.details.get(name)
        return {"id": f"{form.id}9", "status": "ACTIVE", **value} if name == "thank_you_page" and value else value

    return resolve


def _resolve_legal_content(_call: Call, form: LeadForm, _field: RequestedField) -> dict[str, Any]:
    more = {"custom_disclaimer": form.details["custom_disclaimer"]} if "custom_disclaimer" in form.details else {}
    return {"id": f"{form.id}8", "privacy_policy": form.privacy_policy, **more}


def _resolve_page(call: Call, form: LeadForm, _field: RequestedField) -> Node | None:
    page = call.context.store.get(Page, form.parent)
    return Node(PAGE_NODE_TYPE, page) if page is not None else None


FORM_NODE_TYPE = NodeType(
    "LeadGenForm",
    {
        **resolve_attributes("id", "name", "status", "locale"),
        **{
            name: _build_detail_resolver(name)
            for name in (*_TEXT_PARAMS, *_FLAG_PARAMS, "thank_you_page", "context_card", "tracking_parameters")
        },
        "allow_organic_lead": _build_detail_resolver("allow_organic_lead_retrieval"),
        "created_time": lambda _call, form, _field: format_time(form.created_at),
        "questions": _resolve_questions,
        "legal_content": _resolve_legal_content,
        "privacy_policy_url": lambda _call, form, _field: form.privacy_policy["url"],
        "page": _resolve_page,
        "page_id": lambda _call, form, _field: form.parent,
        "leads_count": lambda call, form, _field: len(list_leads(call.context, form)),
        "organic_leads_count": lambda call, form, _field: sum(lead.organic for lead in list_leads(call.context, form)),
        "expired_leads_count": lambda call, form, _field: sum(
            is_expired(call, lead) for lead in list_leads(call.context, form)
        ),
    },
    ("id", "locale", "name", "status"),
)
_LEAD_RETENTION_SECONDS = 90 * 86400


def is_expired(call: Call, lead: Any) -> bool:
    """Whether a lead is too old to be read: it is then only counted."""
    return call.context.clock.get_seconds_since(lead.created_at) > _LEAD_RETENTION_SECONDS


def find_form_node(call: Call, key: str) -> Node | None:
    form = call.context.store.get(LeadForm, key)
    if form is None or get_role_for_token(call.context, require_token(call), form.parent) is None:
        return None
    require_page_token(call, form.parent, _FORM_SCOPE)
    return Node(FORM_NODE_TYPE, form)


def list_forms(call: Call, page: Page) -> Any:
    require_page_token(call, page.id, _FORM_SCOPE)
    forms = call.context.store.find(LeadForm, parent=page.id, newest_first=True)
    return build_page(call, [Node(FORM_NODE_TYPE, form) for form in forms if form.status != "DELETED"])


def create_form(call: Call, page: Page) -> Any:
    require_page_token(call, page.id, _FORM_SCOPE)
    name, policy = get_text(call, "name"), parse_json_text(call.params.get("privacy_policy"))
    require(name, "The parameter name is required")
    if not isinstance(policy, dict) or not str(policy.get("url", "")).startswith(("http://", "https://")):
        raise _build_form_error("Privacy policy is required", "Please provide a valid URL of your privacy policy.")
    if any(form.name == name for form in call.context.store.find(LeadForm, parent=page.id)):
        raise _build_form_error(
            "Form name already exists", "A form with this name already exists. Choose another name."
        )
    language, _, country = (get_text(call, "locale") or "en_US").replace("-", "_").partition("_")
    details: dict[str, Any] = {name: get_text(call, name) for name in _TEXT_PARAMS if get_text(call, name)}
    details |= {name: get_flag(call, name) for name in _FLAG_PARAMS if call.params.get(name) is not None}
    details |= {name: parse_json_text(call.params[name]) for name in _OBJECT_PARAMS if call.params.get(name)}
    if any(not isinstance(details.get(name, {}), dict) for name in _OBJECT_PARAMS):
        raise build_parameter_error("Invalid parameter")
    form = LeadForm(
        id=generate_digits(16),
        parent=page.id,
        name=name,
        questions=_parse_questions(parse_json_text(call.params.get("questions"))),
        created_at=call.context.clock.now(),
        country=country.upper() or "US",
        locale=f"{language.lower()}_{country.upper()}",
        privacy_policy={"url": str(policy["url"]), "link_text": str(policy.get("link_text", ""))},
        details=details,
    )
    call.context.store.put(form)
    return {"id": form.id}


def update_form(call: Call, form: LeadForm) -> Any:
    """Change the status. Nothing else about a form can change."""
    status = get_text(call, "status")
    require(status in _FORM_STATUSES, f"Param status must be one of {{{', '.join(_FORM_STATUSES)}}}")
    form.status, form.open = status, status == "ACTIVE"
    call.context.store.put(form)
    return {"success": True}


def _parse_questions(value: Any) -> list[Question]:
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        raise build_parameter_error("The parameter questions is required")
    questions = [_parse_question(place, item) for place, item in enumerate(value)]
    if len({question.key for question in questions}) < len(questions):
        raise _build_form_error("Duplicate question", "Every question needs a key of its own.")
    return questions


def _parse_question(index: int, value: dict[str, Any]) -> Question:
    kind, label = str(value.get("type", "")), str(value.get("label", ""))
    require(kind in _QUESTION_TYPES, f"Param questions[{index}][type] must be one of {{{', '.join(_QUESTION_TYPES)}}}")
    if kind == "CUSTOM" and not label:
        raise _build_form_error("Label is missing", "A custom question needs a label.")
    usual = (
        _IRREGULAR_QUESTION_KEYS.get(kind, kind.lower())
        if kind != "CUSTOM"
        else re.sub(r"\W+", "_", label.lower()).strip("_")
    )
    shown = label or usual.replace("_", " ").capitalize()
    return Question(
        key=str(value.get("key") or usual),
        kind=kind,
        label=shown,
        options=_parse_options(index, value.get("options") or []),
    )


def _parse_options(index: int, value: Any) -> Sequence[Choice]:
    if not isinstance(value, list) or not all(isinstance(item, dict) and item.get("value") for item in value):
        raise build_parameter_error(f"Param questions[{index}][options] must be an array of keys and values")
    return [Choice(str(item.get("key") or item["value"]), str(item["value"])) for item in value]


def _build_form_error(title: str, advice: str) -> CallRefusedError:
    return CallRefusedError(build_error_response("Invalid parameter", 100, subcode=1892181, title=title, advice=advice))
