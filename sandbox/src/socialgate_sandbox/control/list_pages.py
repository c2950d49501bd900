"""Reviews, events, products and ads of one account: JSON for programs, pages for people."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.responses import Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, AccountQuery, find_account_reader
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.people import FOLLOWERS
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import Vendor


class AccountListPage(NamedTuple):
    """`what` is the word for them in a sentence."""

    path: str
    template: str
    noun: str
    get_readers: Callable[[Vendor], Mapping[str, Any]]

    def read_json(self, sandbox: Sandbox, fields: Mapping[str, str]) -> dict[str, Any]:
        return {"data": self._read(sandbox, fields)[1]}

    def render(self, sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
        subject, rows = self._read(sandbox, control_requests.known_fields(AccountQuery, fields))
        query = {"platform": subject.vendor.name, "account": subject.account.id}
        return render_page(
            sandbox,
            self.template,
            form_result,
            path=self.path,
            query=query,
            account_context=subject,
            rows=rows,
            people=FOLLOWERS,
        )

    def _read(self, sandbox: Sandbox, fields: Mapping[str, str]) -> tuple[AccountContext, Any]:
        query = control_requests.parse_request(AccountQuery, fields, strict=False)
        subject, read = find_account_reader(sandbox, query, self.noun, self.get_readers)
        return subject, read(subject.context, subject.account.id)


REVIEWS_PAGE = AccountListPage("/_control/reviews", "reviews.html", "reviews", lambda vendor: vendor.review_readers)
CALENDAR_PAGE = AccountListPage(
    "/_control/calendar", "calendar.html", "calendar", lambda vendor: vendor.calendar_readers
)
ADS_PAGE = AccountListPage("/_control/ads", "ads.html", "ads", lambda vendor: vendor.ad_readers)
CATALOG_PAGE = AccountListPage("/_control/catalog", "catalog.html", "catalog", lambda vendor: vendor.catalog_readers)
