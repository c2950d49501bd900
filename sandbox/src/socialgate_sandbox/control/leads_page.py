"""The lead forms of one account: JSON for programs, and a page on which people fill them in."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import Subject, SubjectQuery, reader_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.showing import ShownForm

LEADS = "/_control/leads"
# Prefix of the answer fields in a form; the verb takes the answers as one object.
_ANSWER = "answer:"
_MOST = 20


def leads_data(kernel: Kernel, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _forms(kernel, fields)[1]}


def show_leads(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    subject, forms = _forms(kernel, orders.known_fields(SubjectQuery, fields))
    return shell(
        kernel,
        "leads.html",
        note,
        path=LEADS,
        query={"platform": subject.vendor.name, "account": subject.account.id},
        subject=subject,
        forms=forms,
        most=_MOST,
    )


def collected(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the answers of a submitted lead form for the verb. Other forms are returned unchanged."""
    answers = {name.removeprefix(_ANSWER): value for name, value in fields.items() if name.startswith(_ANSWER)}
    plain = {name: value for name, value in fields.items() if not name.startswith(_ANSWER)}
    return plain | ({"answers": answers} if answers else {})


def _forms(kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, Sequence[ShownForm]]:
    query = orders.to_order(SubjectQuery, fields, strict=False)
    subject, read = reader_of(kernel, query, "lead forms", lambda vendor: vendor.forms)
    return subject, read(subject.world, subject.account.id)
