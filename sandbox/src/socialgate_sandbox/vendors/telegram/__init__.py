"""Telegram's Bot API: bots that talk with people and post in channels."""

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.vendors.telegram.access import accounts_of
from socialgate_sandbox.vendors.telegram.accounts import list_accounts
from socialgate_sandbox.vendors.telegram.actions import ACTIONS
from socialgate_sandbox.vendors.telegram.coverage import COVERAGE
from socialgate_sandbox.vendors.telegram.errors import ERRORS, unreadable
from socialgate_sandbox.vendors.telegram.feed import chat, chat_feed
from socialgate_sandbox.vendors.telegram.methods import ROUTES
from socialgate_sandbox.vendors.telegram.seed import seed
from socialgate_sandbox.vendors.telegram.subscribers import CHANNEL_METRICS
from socialgate_sandbox.vendors.telegram.webhooks import RETRIES

VENDOR = Vendor(
    name="telegram",
    title="Telegram",
    # A bot's token is all there is: Telegram registers no apps.
    app=App(id="sandbox-telegram", secret="sandbox-telegram-secret"),
    routes=ROUTES,
    errors=ERRORS,
    not_found=ERRORS["path_unknown"],
    invalid=unreadable,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feeds=dict.fromkeys(("channel", "supergroup", "group"), chat_feed),
    chats=dict.fromkeys(("bot", "supergroup", "group"), chat),
    numbers={"channel": CHANNEL_METRICS.shown},
    accounts_of=accounts_of,
    webhook_retries=RETRIES,
    coverage=COVERAGE,
)
