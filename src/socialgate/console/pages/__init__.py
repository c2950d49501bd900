"""All pages of the console, in the order of the sidebar. A new page is one line here."""

from collections.abc import Sequence

from socialgate.console.page import ConsolePage
from socialgate.console.pages.accounts import account_page, accounts_page
from socialgate.console.pages.calendar import calendar_page
from socialgate.console.pages.comments import comments_page
from socialgate.console.pages.components import components_page
from socialgate.console.pages.compose import compose_page
from socialgate.console.pages.connect import code_page, connect_form_page, connect_page, connected_page
from socialgate.console.pages.events import events_page
from socialgate.console.pages.home import home_page
from socialgate.console.pages.hooks import delivery_page, hook_page, hooks_page
from socialgate.console.pages.inbox import inbox_page, thread_page
from socialgate.console.pages.keys import keys_page
from socialgate.console.pages.leads import lead_page, leads_page
from socialgate.console.pages.media import media_page
from socialgate.console.pages.operations import operations_page
from socialgate.console.pages.posts import post_page, posts_page
from socialgate.console.pages.profiles import profiles_page
from socialgate.console.pages.settings import settings_page
from socialgate.console.pages.tasks import tasks_page
from socialgate.console.pages.usage import usage_page

PAGES: Sequence[ConsolePage] = (
    home_page,
    compose_page,
    calendar_page,
    posts_page,
    post_page,
    inbox_page,
    thread_page,
    comments_page,
    leads_page,
    lead_page,
    media_page,
    accounts_page,
    account_page,
    connect_page,
    connect_form_page,
    code_page,
    connected_page,
    keys_page,
    hooks_page,
    hook_page,
    delivery_page,
    events_page,
    operations_page,
    tasks_page,
    usage_page,
    settings_page,
    profiles_page,
    components_page,
)
