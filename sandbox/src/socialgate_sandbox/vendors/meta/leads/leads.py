"""The leads of a Page's forms, the test leads of its admins, and the notifications about both."""

import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_error,
    build_parameter_response,
)
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, Node, NodeType, resolve_attributes, resolve_constants
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_json_text, parse_time
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.society.leads import Lead, LeadService, list_leads
from socialgate_sandbox.vendors.meta.leads.lead_access import require_lead_access
from socialgate_sandbox.vendors.meta.leads.lead_forms import LeadForm, is_expired
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, require_token
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_page

EXAMPLE_AD = {
    "ad_id": "120210000000000111",
    "ad_name": "Ask for a quote",
    "adset_id": "120210000000000011",
    "adset_name": "Everybody",
    "campaign_id": "120210000000000001",
    "campaign_name": "Sandbox leads",
}
_OPERATORS: Mapping[str, Callable[[datetime, datetime], bool]] = {
    "GREATER_THAN": operator.gt,
    "GREATER_THAN_OR_EQUAL": operator.ge,
    "LESS_THAN": operator.lt,
    "LESS_THAN_OR_EQUAL": operator.le,
}


def _build_ad_resolver(name: str) -> FieldResolver:
    return lambda _call, lead, _field: None if lead.organic or lead.test else EXAMPLE_AD[name]


def _resolve_field_data(_call: Call, lead: Lead, _field: RequestedField) -> list[dict[str, Any]]:
    return [{"name": key, "values": [value]} for key, value in lead.answers.items()]


LEAD_NODE_TYPE = NodeType(
    "UserLeadGenInfo",
    {
        **resolve_attributes("id"),
        **{name: _build_ad_resolver(name) for name in EXAMPLE_AD},
        "created_time": lambda _call, lead, _field: format_time(lead.created_at),
        "form_id": lambda _call, lead, _field: lead.parent,
        "is_organic": lambda _call, lead, _field: lead.organic or lead.test,
        "platform": lambda _call, lead, _field: None if lead.test else "fb",
        "field_data": _resolve_field_data,
        **resolve_constants(custom_disclaimer_responses=None),
    },
    ("created_time", "id", "field_data"),
)


def _notify_lead(context: VendorContext, form: LeadForm, lead: Lead) -> int:
    """Notify the app of a lead; its answers must be fetched."""
    ad = {} if lead.organic or lead.test else {"ad_id": EXAMPLE_AD["ad_id"], "adgroup_id": EXAMPLE_AD["ad_id"]}
    created = int(lead.created_at.timestamp())
    value = {"leadgen_id": lead.id, "page_id": form.parent, "form_id": form.id, **ad, "created_time": created}
    return int(notify_page(context, form.parent, "leadgen", {"changes": [{"field": "leadgen", "value": value}]}))


LEAD_SERVICE = LeadService(kind=LeadForm, notify_product=_notify_lead, id_length=16, has_organic_leads=True)


def find_lead_node(call: Call, key: str) -> Node | None:
    lead = call.context.store.get(Lead, key)
    form = call.context.store.get(LeadForm, lead.parent) if lead is not None else None
    if lead is None or form is None or get_role_for_token(call.context, require_token(call), form.parent) is None:
        return None
    require_lead_access(call, form.parent)
    return None if is_expired(call, lead) else Node(LEAD_NODE_TYPE, lead)


def list_form_leads(call: Call, form: LeadForm) -> Any:
    require_lead_access(call, form.parent)
    leads = [lead for lead in list_leads(call.context, form) if not is_expired(call, lead)]
    for compare, edge in _parse_filters(call):
        leads = [lead for lead in leads if compare(lead.created_at.replace(microsecond=0), edge)]
    return build_page(call, [Node(LEAD_NODE_TYPE, lead) for lead in leads])


def _parse_filters(call: Call) -> list[tuple[Callable[[datetime, datetime], bool], datetime]]:
    value = parse_json_text(call.params.get("filtering")) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise build_parameter_error("Param filtering must be an array.")
    filters = []
    for item in value:
        compare, edge = _OPERATORS.get(str(item.get("operator"))), parse_time(item.get("value"))
        if item.get("field") != "time_created" or compare is None or edge is None:
            raise build_parameter_error(f"Filtering field {item.get('field')} with operation {item.get('operator')}")
        filters.append((compare, edge.astimezone(UTC)))
    return filters


def list_test_leads(call: Call, form: LeadForm) -> Any:
    require_lead_access(call, form.parent)
    return build_page(call, [Node(LEAD_NODE_TYPE, lead) for lead in list_leads(call.context, form, test=True)])


def create_test_lead(call: Call, form: LeadForm) -> Any:
    """Create the single test lead that a form can have. Missing answers are marked as dummy data."""
    require_lead_access(call, form.parent)
    if list_leads(call.context, form, test=True):
        message = "(#100) Failed to create lead: a test lead already exists for this form. Delete it first."
        return build_error_response(message, 100)
    rows = parse_json_text(call.params.get("field_data")) or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.get("values") for row in rows):
        return build_parameter_response("Param field_data must be an array of names and values.")
    params = {str(row.get("name")): str(row["values"][0]) for row in rows}
    answers = {
        question.key: params.get(question.key)
        or ("test@meta.com" if question.kind == "EMAIL" else f"<test lead: dummy data for {question.key}>")
        for question in form.questions
    }
    return {"id": LEAD_SERVICE.add_lead(call.context, form, answers, test=True)[0].id}


def delete_lead(call: Call, lead: Lead) -> Any:
    if not lead.test:
        return build_error_response("(#200) Only test leads can be deleted.", 200, status=403)
    call.context.store.delete(Lead, lead.id)
    return {"success": True}
