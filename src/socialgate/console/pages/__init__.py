"""All pages of the console, in the order of the sidebar. A new page is one line here."""

from collections.abc import Sequence

from socialgate.console.page import ConsolePage
from socialgate.console.pages.accounts import account_page, accounts_page
from socialgate.console.pages.ads import ads_page
from socialgate.console.pages.ads_audiences import audiences_page
from socialgate.console.pages.ads_boost import boost_page
from socialgate.console.pages.ads_new import new_ad_page
from socialgate.console.pages.agenda import agenda_page, event_page, new_event_page
from socialgate.console.pages.ai import ai_page, generation_page
from socialgate.console.pages.analytics import analytics_page
from socialgate.console.pages.automation_editor import edit_automation_page, new_automation_page
from socialgate.console.pages.automations import (
    automation_page,
    automation_run_page,
    automation_try_page,
    automations_page,
)
from socialgate.console.pages.calendar import calendar_page
from socialgate.console.pages.catalogs import (
    catalogs_page,
    import_page,
    product_page,
    products_page,
    result_page,
)
from socialgate.console.pages.comments import comments_page
from socialgate.console.pages.components import components_page
from socialgate.console.pages.compose import compose_page
from socialgate.console.pages.connect import code_page, connect_form_page, connect_page, connected_page
from socialgate.console.pages.events import events_page
from socialgate.console.pages.home import home_page
from socialgate.console.pages.hooks import delivery_page, hook_page, hooks_page
from socialgate.console.pages.inbox import inbox_page, thread_page
from socialgate.console.pages.invitations import invitations_page
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
    automations_page,
    new_automation_page,
    automation_page,
    edit_automation_page,
    automation_try_page,
    automation_run_page,
    analytics_page,
    leads_page,
    lead_page,
    agenda_page,
    new_event_page,
    event_page,
    ads_page,
    new_ad_page,
    boost_page,
    audiences_page,
    catalogs_page,
    products_page,
    product_page,
    import_page,
    result_page,
    media_page,
    ai_page,
    generation_page,
    accounts_page,
    account_page,
    connect_page,
    connect_form_page,
    code_page,
    connected_page,
    invitations_page,
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
