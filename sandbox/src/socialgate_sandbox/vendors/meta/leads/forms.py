"""The lead forms of a Page: their questions, and what comes before and after them."""

import re
from collections.abc import Sequence
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, require, wrong
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import flag, parsed, text
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, digits
from socialgate_sandbox.society.leads import Choice, Form, Question, leads_of
from socialgate_sandbox.vendors.meta.accounts import PAGE
from socialgate_sandbox.vendors.meta.leads.access import require_page_token
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import reachable, viewer

_SCOPE = "pages_manage_ads"
_KINDS = (
    "CUSTOM", "FULL_NAME", "FIRST_NAME", "LAST_NAME", "EMAIL", "PHONE", "CITY", "STATE", "ZIP", "POST_CODE", "COUNTRY",
    "STREET_ADDRESS", "PROVINCE", "DOB", "DATE_OF_BIRTH", "GENDER", "MARITAL_STATUS", "RELATIONSHIP_STATUS",
    "MILITARY_STATUS", "COMPANY_NAME", "JOB_TITLE", "WORK_EMAIL", "WORK_PHONE_NUMBER", "DATE_TIME", "STORE_LOOKUP",
    "ID_CPF", "ID_AR_DNI", "ID_CL_RUT", "ID_CO_CC", "ID_EC_CI", "ID_PE_DNI",
)  # fmt: skip
# The keys of the usual questions are their kinds in lowercase, except for these.
_KEYS = {"PHONE": "phone_number", "ZIP": "zip_code", "DOB": "date_of_birth"}
_TEXTS = ("follow_up_action_url", "question_page_custom_headline")
_FLAGS = ("block_display_for_non_targeted_viewer", "is_optimized_for_quality", "allow_organic_lead_retrieval")
_OBJECTS = ("thank_you_page", "context_card", "custom_disclaimer", "tracking_parameters")
_STATUSES = ("ACTIVE", "ARCHIVED", "DELETED", "DRAFT")


class LeadForm(Form, kw_only=True):
    """`details` are the other given parts, under Meta's own names."""

    locale: str
    privacy_policy: dict[str, str]
    details: dict[str, Any] = {}
    status: str = "ACTIVE"


def _questions(_call: Call, form: LeadForm, _field: Field) -> list[dict[str, Any]]:
    return [
        {"key": one.key, "label": one.label, "type": one.kind, "id": f"{form.id[:-3]}{number:03}"}
        | ({"options": [{"key": option.key, "value": option.value} for option in one.options]} if one.options else {})
        for number, one in enumerate(form.questions, 1)
    ]


def _detail(name: str) -> Resolver:
    def resolve(_call: Call, form: LeadForm, _field: Field) -> Any:
        value = form.details.get(name)
        return {"id": f"{form.id}9", "status": "ACTIVE", **value} if name == "thank_you_page" and value else value

    return resolve


def _legal(_call: Call, form: LeadForm, _field: Field) -> dict[str, Any]:
    more = {"custom_disclaimer": form.details["custom_disclaimer"]} if "custom_disclaimer" in form.details else {}
    return {"id": f"{form.id}8", "privacy_policy": form.privacy_policy, **more}


def _page(call: Call, form: LeadForm, _field: Field) -> Node | None:
    page = call.world.store.get(Page, form.parent)
    return Node(PAGE, page) if page is not None else None


FORM = NodeType(
    "LeadGenForm",
    {
        **own("id", "name", "status", "locale"),
        **{name: _detail(name) for name in (*_TEXTS, *_FLAGS, "thank_you_page", "context_card", "tracking_parameters")},
        "allow_organic_lead": _detail("allow_organic_lead_retrieval"),
        "created_time": lambda _call, form, _field: written(form.made),
        "questions": _questions,
        "legal_content": _legal,
        "privacy_policy_url": lambda _call, form, _field: form.privacy_policy["url"],
        "page": _page,
        "page_id": lambda _call, form, _field: form.parent,
        "leads_count": lambda call, form, _field: len(leads_of(call.world, form)),
        "organic_leads_count": lambda call, form, _field: sum(one.organic for one in leads_of(call.world, form)),
        "expired_leads_count": lambda call, form, _field: sum(
            is_expired(call, one) for one in leads_of(call.world, form)
        ),
    },
    ("id", "locale", "name", "status"),
)
_LEADS_LIVE = 90 * 86400


def is_expired(call: Call, lead: Any) -> bool:
    """Whether a lead is too old to be read: it is then only counted."""
    return call.world.clock.since(lead.made) > _LEADS_LIVE


def form_node(call: Call, key: str) -> Node | None:
    form = call.world.store.get(LeadForm, key)
    if form is None or reachable(call.world, viewer(call), form.parent) is None:
        return None
    require_page_token(call, form.parent, _SCOPE)
    return Node(FORM, form)


def list_forms(call: Call, page: Page) -> Any:
    require_page_token(call, page.id, _SCOPE)
    forms = call.world.store.find(LeadForm, parent=page.id, newest_first=True)
    return listing(call, [Node(FORM, form) for form in forms if form.status != "DELETED"])


def create_form(call: Call, page: Page) -> Any:
    require_page_token(call, page.id, _SCOPE)
    name, policy = text(call, "name"), parsed(call.params.get("privacy_policy"))
    require(name, "The parameter name is required")
    if not isinstance(policy, dict) or not str(policy.get("url", "")).startswith(("http://", "https://")):
        raise _invalid("Privacy policy is required", "Please provide a valid URL of your privacy policy.")
    if any(form.name == name for form in call.world.store.find(LeadForm, parent=page.id)):
        raise _invalid("Form name already exists", "A form with this name already exists. Choose another name.")
    language, _, country = (text(call, "locale") or "en_US").replace("-", "_").partition("_")
    details: dict[str, Any] = {name: text(call, name) for name in _TEXTS if text(call, name)}
    details |= {name: flag(call, name) for name in _FLAGS if call.params.get(name) is not None}
    details |= {name: parsed(call.params[name]) for name in _OBJECTS if call.params.get(name)}
    if any(not isinstance(details.get(name, {}), dict) for name in _OBJECTS):
        raise wrong("Invalid parameter")
    form = LeadForm(
        id=digits(16),
        parent=page.id,
        name=name,
        questions=_asked(parsed(call.params.get("questions"))),
        made=call.world.clock.now(),
        country=country.upper() or "US",
        locale=f"{language.lower()}_{country.upper()}",
        privacy_policy={"url": str(policy["url"]), "link_text": str(policy.get("link_text", ""))},
        details=details,
    )
    call.world.store.put(form)
    return {"id": form.id}


def change_form(call: Call, form: LeadForm) -> Any:
    """Change the status. Nothing else about a form can change."""
    status = text(call, "status")
    require(status in _STATUSES, f"Param status must be one of {{{', '.join(_STATUSES)}}}")
    form.status, form.open = status, status == "ACTIVE"
    call.world.store.put(form)
    return {"success": True}


def _asked(given: Any) -> list[Question]:
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise wrong("The parameter questions is required")
    questions = [_question(place, one) for place, one in enumerate(given)]
    if len({one.key for one in questions}) < len(questions):
        raise _invalid("Duplicate question", "Every question needs a key of its own.")
    return questions


def _question(place: int, given: dict[str, Any]) -> Question:
    kind, label = str(given.get("type", "")), str(given.get("label", ""))
    require(kind in _KINDS, f"Param questions[{place}][type] must be one of {{{', '.join(_KINDS)}}}")
    if kind == "CUSTOM" and not label:
        raise _invalid("Label is missing", "A custom question needs a label.")
    usual = _KEYS.get(kind, kind.lower()) if kind != "CUSTOM" else re.sub(r"\W+", "_", label.lower()).strip("_")
    shown = label or usual.replace("_", " ").capitalize()
    return Question(
        key=str(given.get("key") or usual), kind=kind, label=shown, options=_options(place, given.get("options") or [])
    )


def _options(place: int, given: Any) -> Sequence[Choice]:
    if not isinstance(given, list) or not all(isinstance(one, dict) and one.get("value") for one in given):
        raise wrong(f"Param questions[{place}][options] must be an array of keys and values")
    return [Choice(str(one.get("key") or one["value"]), str(one["value"])) for one in given]


def _invalid(title: str, advice: str) -> Refused:
    return Refused(failure("Invalid parameter", 100, subcode=1892181, title=title, advice=advice))
