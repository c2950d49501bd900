"""The page of an account: links to its other pages, the actions on it, and the calls made with its tokens."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.control import orders, views
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import SubjectQuery, subject_of
from socialgate_sandbox.control.verbs import account_verbs
from socialgate_sandbox.kernel.kernel import Kernel

ACCOUNT = "/_control/account"
_LATEST = 5


def show_account(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    query = orders.to_order(SubjectQuery, orders.known_fields(SubjectQuery, fields), strict=False)
    subject = subject_of(kernel, query.platform, query.account)
    latest = orders.ReceivedQuery(platform=query.platform, account=query.account, limit=_LATEST)
    return shell(
        kernel,
        "account.html",
        note,
        path=ACCOUNT,
        query={"platform": query.platform, "account": query.account},
        subject=subject,
        verbs=account_verbs(*subject),
        calls=views.received(kernel, latest)["data"],
    )
