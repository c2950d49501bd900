"""The leads of a Page's forms, the test leads of its admins, and the notifications about both."""

import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, wrong
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import moment, parsed
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, always, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.society.leads import Desk, Lead, leads_of
from socialgate_sandbox.vendors.meta.leads.access import require_leads
from socialgate_sandbox.vendors.meta.leads.forms import LeadForm, is_expired
from socialgate_sandbox.vendors.meta.viewer import reachable, viewer
from socialgate_sandbox.vendors.meta.webhooks import notify_page

AD = {
    "ad_id": "120210000000000111",
    "ad_name": "Ask for a quote",
    "adset_id": "120210000000000011",
    "adset_name": "Everybody",
    "campaign_id": "120210000000000001",
    "campaign_name": "Sandbox leads",
}
_COMPARE: Mapping[str, Callable[[datetime, datetime], bool]] = {
    "GREATER_THAN": operator.gt,
    "GREATER_THAN_OR_EQUAL": operator.ge,
    "LESS_THAN": operator.lt,
    "LESS_THAN_OR_EQUAL": operator.le,
}


def _through_ad(name: str) -> Resolver:
    return lambda _call, lead, _field: None if lead.organic or lead.test else AD[name]


def _field_data(_call: Call, lead: Lead, _field: Field) -> list[dict[str, Any]]:
    return [{"name": key, "values": [value]} for key, value in lead.answers.items()]


LEAD = NodeType(
    "UserLeadGenInfo",
    {
        **own("id"),
        **{name: _through_ad(name) for name in AD},
        "created_time": lambda _call, lead, _field: written(lead.made),
        "form_id": lambda _call, lead, _field: lead.parent,
        "is_organic": lambda _call, lead, _field: lead.organic or lead.test,
        "platform": lambda _call, lead, _field: None if lead.test else "fb",
        "field_data": _field_data,
        **always(custom_disclaimer_responses=None),
    },
    ("created_time", "id", "field_data"),
)


def _tell(world: World, form: LeadForm, lead: Lead) -> int:
    """Notify the app of a lead; its answers must be fetched."""
    ad = {} if lead.organic or lead.test else {"ad_id": AD["ad_id"], "adgroup_id": AD["ad_id"]}
    created = int(lead.made.timestamp())
    value = {"leadgen_id": lead.id, "page_id": form.parent, "form_id": form.id, **ad, "created_time": created}
    return int(notify_page(world, form.parent, "leadgen", {"changes": [{"field": "leadgen", "value": value}]}))


DESK = Desk(kind=LeadForm, tell=_tell, id_length=16, organic=True)


def lead_node(call: Call, key: str) -> Node | None:
    lead = call.world.store.get(Lead, key)
    form = call.world.store.get(LeadForm, lead.parent) if lead is not None else None
    if lead is None or form is None or reachable(call.world, viewer(call), form.parent) is None:
        return None
    require_leads(call, form.parent)
    return None if is_expired(call, lead) else Node(LEAD, lead)


def list_leads(call: Call, form: LeadForm) -> Any:
    require_leads(call, form.parent)
    found = [lead for lead in leads_of(call.world, form) if not is_expired(call, lead)]
    for compare, edge in _filters(call):
        found = [lead for lead in found if compare(lead.made.replace(microsecond=0), edge)]
    return listing(call, [Node(LEAD, lead) for lead in found])


def _filters(call: Call) -> list[tuple[Callable[[datetime, datetime], bool], datetime]]:
    given = parsed(call.params.get("filtering")) or []
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise wrong("Param filtering must be an array.")
    filters = []
    for one in given:
        compare, edge = _COMPARE.get(str(one.get("operator"))), moment(one.get("value"))
        if one.get("field") != "time_created" or compare is None or edge is None:
            raise wrong(f"Filtering field {one.get('field')} with operation {one.get('operator')}")
        filters.append((compare, edge.astimezone(UTC)))
    return filters


def test_leads(call: Call, form: LeadForm) -> Any:
    require_leads(call, form.parent)
    return listing(call, [Node(LEAD, lead) for lead in leads_of(call.world, form, test=True)])


def create_test_lead(call: Call, form: LeadForm) -> Any:
    """Create the single test lead that a form can have. Missing answers are marked as dummy data."""
    require_leads(call, form.parent)
    if leads_of(call.world, form, test=True):
        message = "(#100) Failed to create lead: a test lead already exists for this form. Delete it first."
        return failure(message, 100)
    rows = parsed(call.params.get("field_data")) or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.get("values") for row in rows):
        return bad_parameter("Param field_data must be an array of names and values.")
    given = {str(row.get("name")): str(row["values"][0]) for row in rows}
    answers = {
        one.key: given.get(one.key)
        or ("test@meta.com" if one.kind == "EMAIL" else f"<test lead: dummy data for {one.key}>")
        for one in form.questions
    }
    return {"id": DESK.take(call.world, form, answers, test=True)[0].id}


def delete_lead(call: Call, lead: Lead) -> Any:
    if not lead.test:
        return failure("(#200) Only test leads can be deleted.", 200, status=403)
    call.world.store.delete(Lead, lead.id)
    return {"success": True}
