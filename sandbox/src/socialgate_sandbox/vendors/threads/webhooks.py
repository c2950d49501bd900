"""Webhooks of Threads, which has its own flat envelope and no subscription endpoint: only the dashboard."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph import callbacks
from socialgate_sandbox.kit import VendorContext, generate_digits
from socialgate_sandbox.vendors.threads.stored_objects import Webhook

WEBHOOK_ID = "app"
TOPICS_BY_FIELD = {"replies": "moderate", "delete": "moderate", "mentions": "interaction", "publish": "interaction"}


async def set_dashboard_webhook(context: VendorContext, url: str, verify_token: str) -> None:
    """Save another address in the dashboard, which first asks it to repeat a challenge."""
    await callbacks.verify_callback(context, url, verify_token)
    with context.store.transaction():
        context.store.put(Webhook(id=WEBHOOK_ID, callback_url=url, verify_token=verify_token))


def notify_webhook(
    context: VendorContext, field: str, target_id: str, value: Mapping[str, Any], *, delay_seconds: float = 0.0
) -> None:
    webhook = context.store.get(Webhook, WEBHOOK_ID)
    assert webhook is not None
    payload = {
        "app_id": context.app.id,
        "topic": TOPICS_BY_FIELD[field],
        "target_id": target_id,
        "time": int(context.clock.get_unix_time()),
        "subscription_id": generate_digits(15),
        "has_uid_field": False,
        "values": {"value": value, "field": field},
    }
    callbacks.send_notification(context, payload, url=webhook.callback_url, delay_seconds=delay_seconds)
