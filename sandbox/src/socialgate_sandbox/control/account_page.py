"""The page of an account: links to its other pages, the actions on it, and the calls made with its tokens."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.control import control_requests, control_views
from socialgate_sandbox.control.account_context import AccountQuery, find_account
from socialgate_sandbox.control.action_forms import build_account_forms
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.sandbox import Sandbox

ACCOUNT_PATH = "/_control/account"
_MAX_CALLS = 5


def render_account_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    query = control_requests.parse_request(
        AccountQuery, control_requests.known_fields(AccountQuery, fields), strict=False
    )
    subject = find_account(sandbox, query.platform, query.account)
    latest = control_requests.ReceivedQuery(platform=query.platform, account=query.account, limit=_MAX_CALLS)
    return render_page(
        sandbox,
        "account.html",
        form_result,
        path=ACCOUNT_PATH,
        query={"platform": query.platform, "account": query.account},
        account_context=subject,
        verbs=build_account_forms(*subject),
        calls=control_views.build_received_calls(sandbox, latest)["data"],
    )
