"""The lead forms of one account: as JSON for programs, as a page on which people fill them in."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from socialgate.sandbox import orders, views
from socialgate.sandbox.call import reply
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.pages import page
from socialgate.sandbox.showing import ShownForm
from socialgate.sandbox.vendor import Account, ActionRequest, ControlError

# The field by which a form says that it stands on a page of lead forms, and how those of its answers begin.
FROM_FORMS = "forms"
_ANSWER = "answer:"
_LEADS = 20


class FormsQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str
    account: str


def show_forms(kernel: Kernel, request: Request) -> Response:
    query = orders.to_order(FormsQuery, orders.query_fields(request.url.query), strict=False)
    if "text/html" not in request.headers.get("accept", ""):
        return reply({"data": _forms(kernel, query)[1]})
    return _page(kernel, query)


def answered_fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Collect the answers of a filled-in form for the verb, and tell on which page it stands."""
    plain = {name: value for name, value in fields.items() if name != FROM_FORMS and not name.startswith(_ANSWER)}
    answers = {name.removeprefix(_ANSWER): value for name, value in fields.items() if name.startswith(_ANSWER)}
    place = {name: str(fields.get(name, "")) for name in ("platform", "account")}
    return {**plain, "answers": answers}, place


def show_forms_refusal(kernel: Kernel, place: Mapping[str, str], error: ControlError) -> Response:
    """Show the page again, with the sentence that says why the form was not taken."""
    return _page(kernel, orders.to_order(FormsQuery, place, strict=False), failed=str(error), status=error.status)


def forms_address(place: Mapping[str, str]) -> str:
    return f"/_control/leads?{urlencode(place)}"


def _page(kernel: Kernel, query: FormsQuery, *, failed: str = "", status: int = 200) -> Response:
    account, forms = _forms(kernel, query)
    vendor = kernel.vendors[query.platform]
    return page("leads.html", status, vendor=vendor, account=account, forms=forms, most=_LEADS, failed=failed)


def _forms(kernel: Kernel, query: FormsQuery) -> tuple[Account, Sequence[ShownForm]]:
    vendor = views.vendor_of(kernel, query.platform)
    world = kernel.worlds[vendor.name]
    account = next((one for one in vendor.accounts(world) if one.id == query.account), None)
    if account is None or account.kind not in vendor.forms:
        known = ", ".join(sorted(vendor.forms)) or "none"
        raise ControlError(
            f"{query.account!r} has no lead forms on {vendor.title}. Kinds of accounts that have them: {known}."
        )
    return account, vendor.forms[account.kind](world, account.id)
