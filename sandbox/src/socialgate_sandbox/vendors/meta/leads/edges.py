"""Which nodes and edges lead forms have."""

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.vendors.meta.leads import lead_forms, leads

NODE_FINDERS: tuple[NodeFinder, ...] = (lead_forms.find_form_node, leads.find_lead_node)
EDGE_HANDLERS: EdgeHandlers = {
    "GET Page/leadgen_forms": lead_forms.list_forms,
    "POST Page/leadgen_forms": lead_forms.create_form,
    "POST LeadGenForm": lead_forms.update_form,
    "GET LeadGenForm/leads": leads.list_form_leads,
    "GET LeadGenForm/test_leads": leads.list_test_leads,
    "POST LeadGenForm/test_leads": leads.create_test_lead,
    "DELETE UserLeadGenInfo": leads.delete_lead,
}
