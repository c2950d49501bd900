"""The pages for people, by path, and the way back from a form to the page that contains it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_page import ACCOUNT_PATH, render_account_page
from socialgate_sandbox.control.chat_page import CHAT_PATH, render_chat_page
from socialgate_sandbox.control.feed_page import FEED_PATH, render_feed_page
from socialgate_sandbox.control.find_post_page import FIND_POST_PATH, redirect_to_post
from socialgate_sandbox.control.leads_page import LEADS_PATH, render_leads_page
from socialgate_sandbox.control.list_pages import ADS_PAGE, CALENDAR_PAGE, CATALOG_PAGE, REVIEWS_PAGE
from socialgate_sandbox.control.metrics_page import METRICS_PATH, render_metrics_page
from socialgate_sandbox.control.overview_pages import HOME_PATH, PLATFORM_PATH, render_home_page, render_platform_page
from socialgate_sandbox.control.page_layout import NO_RESULT, FormResult
from socialgate_sandbox.control.traffic_page import (
    CALLS_PATH,
    HOOKS_PATH,
    WEBHOOKS_PATH,
    render_calls_page,
    render_hooks_page,
    render_webhooks_page,
)
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ControlError

PageRenderer: TypeAlias = Callable[[Sandbox, Mapping[str, str], FormResult], Response]

# The field with which a form names the page that contains it.
PAGE_FIELD = "_page"
_DONE_PARAM = "done"
PAGE_RENDERERS: Mapping[str, PageRenderer] = {
    HOME_PATH: render_home_page,
    PLATFORM_PATH: render_platform_page,
    ACCOUNT_PATH: render_account_page,
    FEED_PATH: render_feed_page,
    CHAT_PATH: render_chat_page,
    REVIEWS_PAGE.path: REVIEWS_PAGE.render,
    LEADS_PATH: render_leads_page,
    CALENDAR_PAGE.path: CALENDAR_PAGE.render,
    CATALOG_PAGE.path: CATALOG_PAGE.render,
    ADS_PAGE.path: ADS_PAGE.render,
    METRICS_PATH: render_metrics_page,
    CALLS_PATH: render_calls_page,
    WEBHOOKS_PATH: render_webhooks_page,
    HOOKS_PATH: render_hooks_page,
    FIND_POST_PATH: redirect_to_post,
}
# These pages show the result of a verb themselves.
_PAGES_WITH_OWN_RESULTS = frozenset(
    {FEED_PATH, CHAT_PATH, REVIEWS_PAGE.path, LEADS_PATH, CALENDAR_PAGE.path, ADS_PAGE.path}
)


class PageLocation(NamedTuple):
    """A page with its query, and the fragment to show."""

    path: str
    query: Mapping[str, str]
    fragment: str = ""

    @classmethod
    def at(cls, address: str) -> "PageLocation":
        """Find the page at an address. Any other address leads to the home page."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return HOME_LOCATION
        if parts.path not in PAGE_RENDERERS or parts.netloc:
            return HOME_LOCATION
        query = control_requests.parse_query_string(parts.query)
        query.pop(_DONE_PARAM, None)
        return cls(parts.path, query, parts.fragment)

    @property
    def shows_results(self) -> bool:
        return self.path in _PAGES_WITH_OWN_RESULTS

    def render(self, sandbox: Sandbox, form_result: FormResult = NO_RESULT) -> Response:
        """Render the page. If it cannot be shown, render the home page with the reason."""
        query = dict(self.query)
        done = query.pop(_DONE_PARAM, "")
        try:
            return PAGE_RENDERERS[self.path](
                sandbox, query, form_result if form_result is not NO_RESULT else FormResult(done=done)
            )
        except ControlError as error:
            if self.path == HOME_PATH:
                raise
            return render_home_page(
                sandbox, {}, FormResult(failed=form_result.failed or str(error), status=error.status)
            )

    def redirect(self, action_name: str = "") -> Response:
        """Redirect the browser there."""
        query = dict(self.query) | ({_DONE_PARAM: action_name} if action_name else {})
        address = self.path + (f"?{urlencode(query)}" if query else "") + (f"#{self.fragment}" if self.fragment else "")
        return RedirectResponse(address, 303)


HOME_LOCATION = PageLocation(HOME_PATH, {})
