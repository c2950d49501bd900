"""The pages for people, by path, and the way back from a form to the page that contains it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.account_page import ACCOUNT, show_account
from socialgate_sandbox.control.chat_page import CHAT, show_chat
from socialgate_sandbox.control.feed_page import FEED, show_feed
from socialgate_sandbox.control.find_page import FIND, find_post
from socialgate_sandbox.control.leads_page import LEADS, show_leads
from socialgate_sandbox.control.numbers_page import NUMBERS, show_numbers
from socialgate_sandbox.control.overview import HOME, PLATFORM, show_home, show_platform
from socialgate_sandbox.control.shell import NOTHING, Note
from socialgate_sandbox.control.things_page import ADVERTS, CALENDAR, CATALOG, REVIEWS
from socialgate_sandbox.control.traffic_page import CALLS, HOOKS, WEBHOOKS, show_calls, show_hooks, show_webhooks
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.vendor import ControlError

Page: TypeAlias = Callable[[Kernel, Mapping[str, str], Note], Response]

# The field with which a form names the page that contains it.
BACK = "_page"
_DONE = "done"
PAGES: Mapping[str, Page] = {
    HOME: show_home,
    PLATFORM: show_platform,
    ACCOUNT: show_account,
    FEED: show_feed,
    CHAT: show_chat,
    REVIEWS.path: REVIEWS.show,
    LEADS: show_leads,
    CALENDAR.path: CALENDAR.show,
    CATALOG.path: CATALOG.show,
    ADVERTS.path: ADVERTS.show,
    NUMBERS: show_numbers,
    CALLS: show_calls,
    WEBHOOKS: show_webhooks,
    HOOKS: show_hooks,
    FIND: find_post,
}
# These pages show the result of a verb themselves.
_TELLING = frozenset({FEED, CHAT, REVIEWS.path, LEADS, CALENDAR.path, ADVERTS.path})


class Place(NamedTuple):
    """A page with its query, and the fragment to show."""

    path: str
    query: Mapping[str, str]
    part: str = ""

    @classmethod
    def at(cls, address: str) -> "Place":
        """Find the page at an address. Any other address leads to the home page."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return HOME_PLACE
        if parts.path not in PAGES or parts.netloc:
            return HOME_PLACE
        query = orders.query_fields(parts.query)
        query.pop(_DONE, None)
        return cls(parts.path, query, parts.fragment)

    @property
    def is_telling(self) -> bool:
        return self.path in _TELLING

    def show(self, kernel: Kernel, note: Note = NOTHING) -> Response:
        """Render the page. If it cannot be shown, render the home page with the reason."""
        query = dict(self.query)
        done = query.pop(_DONE, "")
        try:
            return PAGES[self.path](kernel, query, note if note is not NOTHING else Note(done=done))
        except ControlError as error:
            if self.path == HOME:
                raise
            return show_home(kernel, {}, Note(failed=note.failed or str(error), status=error.status))

    def go(self, done: str = "") -> Response:
        """Redirect the browser there."""
        query = dict(self.query) | ({_DONE: done} if done else {})
        address = self.path + (f"?{urlencode(query)}" if query else "") + (f"#{self.part}" if self.part else "")
        return RedirectResponse(address, 303)


HOME_PLACE = Place(HOME, {})
