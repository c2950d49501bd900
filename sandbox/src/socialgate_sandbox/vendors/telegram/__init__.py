"""Telegram's Bot API: bots that talk with people and post in channels."""

from socialgate_sandbox.kit import AppRegistration, Vendor
from socialgate_sandbox.vendors.telegram.access import get_account_ids
from socialgate_sandbox.vendors.telegram.accounts import list_accounts
from socialgate_sandbox.vendors.telegram.actions import ACTIONS
from socialgate_sandbox.vendors.telegram.coverage import COVERAGE
from socialgate_sandbox.vendors.telegram.errors import ERRORS, build_unreadable_response
from socialgate_sandbox.vendors.telegram.feed import read_chat, read_feed
from socialgate_sandbox.vendors.telegram.methods import ROUTES
from socialgate_sandbox.vendors.telegram.seed import seed
from socialgate_sandbox.vendors.telegram.subscribers import CHANNEL_METRICS
from socialgate_sandbox.vendors.telegram.update_methods import WEBHOOK_RETRY_DELAYS

VENDOR = Vendor(
    name="telegram",
    title="Telegram",
    # A bot's token is all there is: Telegram registers no apps.
    app=AppRegistration(id="sandbox-telegram", secret="sandbox-telegram-secret"),
    routes=ROUTES,
    errors=ERRORS,
    build_not_found_response=ERRORS["path_unknown"],
    build_invalid_response=build_unreadable_response,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feed_readers=dict.fromkeys(("channel", "supergroup", "group"), read_feed),
    chat_readers=dict.fromkeys(("bot", "supergroup", "group"), read_chat),
    metrics_readers={"channel": CHANNEL_METRICS.build_view},
    get_account_ids=get_account_ids,
    webhook_retry_delays=WEBHOOK_RETRY_DELAYS,
    coverage=COVERAGE,
)
