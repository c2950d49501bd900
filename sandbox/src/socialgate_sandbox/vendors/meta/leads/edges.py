"""Which nodes and edges lead forms have."""

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.vendors.meta.leads import forms, leads

FINDERS: tuple[Finder, ...] = (forms.form_node, leads.lead_node)
EDGES: Edges = {
    "GET Page/leadgen_forms": forms.list_forms,
    "POST Page/leadgen_forms": forms.create_form,
    "POST LeadGenForm": forms.change_form,
    "GET LeadGenForm/leads": leads.list_leads,
    "GET LeadGenForm/test_leads": leads.test_leads,
    "POST LeadGenForm/test_leads": leads.create_test_lead,
    "DELETE UserLeadGenInfo": leads.delete_lead,
}
