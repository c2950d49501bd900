"""All pages of the console, in the order of the sidebar. A new page is one line here."""

from collections.abc import Sequence

from socialgate.console.page import ConsolePage
from socialgate.console.pages.components import components_page
from socialgate.console.pages.home import home_page
from socialgate.console.pages.hooks import delivery_page, hook_page, hooks_page
from socialgate.console.pages.keys import keys_page
from socialgate.console.pages.media import media_page
from socialgate.console.pages.profiles import profiles_page

PAGES: Sequence[ConsolePage] = (
    home_page,
    media_page,
    keys_page,
    hooks_page,
    hook_page,
    delivery_page,
    profiles_page,
    components_page,
)
