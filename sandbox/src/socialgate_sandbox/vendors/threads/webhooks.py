"""Webhooks of Threads, which has its own flat envelope and no subscription endpoint: only the dashboard."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph import hub
from socialgate_sandbox.kit import World, digits
from socialgate_sandbox.vendors.threads.state import Webhook

DASHBOARD = "app"
TOPICS = {"replies": "moderate", "delete": "moderate", "mentions": "interaction", "publish": "interaction"}


async def configure(world: World, url: str, verify_token: str) -> None:
    """Save another address in the dashboard, which first asks it to repeat a challenge."""
    await hub.shake_hands(world, url, verify_token)
    with world.store.transaction():
        world.store.put(Webhook(id=DASHBOARD, callback_url=url, verify_token=verify_token))


def notify(world: World, field: str, target: str, value: Mapping[str, Any], *, after: float = 0.0) -> None:
    webhook = world.store.get(Webhook, DASHBOARD)
    assert webhook is not None
    payload = {
        "app_id": world.app.id,
        "topic": TOPICS[field],
        "target_id": target,
        "time": int(world.clock.time()),
        "subscription_id": digits(15),
        "has_uid_field": False,
        "values": {"value": value, "field": field},
    }
    hub.notify(world, payload, url=webhook.callback_url, after=after)
