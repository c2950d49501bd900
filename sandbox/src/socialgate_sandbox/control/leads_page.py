"""The lead forms of one account: JSON for programs, and a page on which people fill them in."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, AccountQuery, find_account_reader
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.account_views import FormView
from socialgate_sandbox.kernel.sandbox import Sandbox

LEADS_PATH = "/_control/leads"
# Prefix of the answer fields in a form; the verb takes the answers as one object.
_ANSWER_PREFIX = "answer:"
_MAX_LEADS = 20


def read_leads_json(sandbox: Sandbox, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _read_forms(sandbox, fields)[1]}


def render_leads_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    subject, forms = _read_forms(sandbox, control_requests.known_fields(AccountQuery, fields))
    return render_page(
        sandbox,
        "leads.html",
        form_result,
        path=LEADS_PATH,
        query={"platform": subject.vendor.name, "account": subject.account.id},
        account_context=subject,
        forms=forms,
        most=_MAX_LEADS,
    )


def collect_answers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the answers of a submitted lead form for the verb. Other forms are returned unchanged."""
    answers = {
        name.removeprefix(_ANSWER_PREFIX): value for name, value in fields.items() if name.startswith(_ANSWER_PREFIX)
    }
    plain = {name: value for name, value in fields.items() if not name.startswith(_ANSWER_PREFIX)}
    return plain | ({"answers": answers} if answers else {})


def _read_forms(sandbox: Sandbox, fields: Mapping[str, str]) -> tuple[AccountContext, Sequence[FormView]]:
    query = control_requests.parse_request(AccountQuery, fields, strict=False)
    subject, read = find_account_reader(sandbox, query, "lead forms", lambda vendor: vendor.form_readers)
    return subject, read(subject.context, subject.account.id)
