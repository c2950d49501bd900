"""Webhooks: the app's, those of an account or a number that override it, and what is sent to them."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph import hub
from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.given import parsed
from socialgate_sandbox.kit import App, Call, Refused, World
from socialgate_sandbox.vendors.whatsapp_cloud.errors import bad_parameter
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number, Subscribed, Subscription, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import MANAGE, TOKENS, require

OBJECT = "whatsapp_business_account"
FIELDS = (
    "messages", "smb_message_echoes", "account_update", "account_alerts", "account_review_update",
    "business_capability_update", "calls", "message_template_status_update", "message_template_quality_update",
    "message_template_components_update", "template_category_update", "phone_number_quality_update",
    "phone_number_name_update", "security", "user_preferences", "group_lifecycle_update", "group_settings_update",
    "group_participants_update",
)  # fmt: skip
_NOT_SUBSCRIBED = (
    "(#100) Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp "
    "Business Account"
)


def subscriptions(call: Call, _app: App) -> Any:
    TOKENS.require_app(call)
    return {
        "data": [
            {
                "object": found.id,
                "callback_url": found.callback_url,
                "active": True,
                "fields": [{"name": name, "version": "v26.0"} for name in found.fields],
            }
            for found in call.world.store.find(Subscription)
        ]
    }


async def subscribe(call: Call, _app: App) -> Any:
    """Set the app's webhook, after its address has answered the challenge."""
    TOKENS.require_app(call)
    given = call.params
    if given.get("object") != OBJECT:
        raise Refused(bad_parameter(f"Param object must be one of {{{OBJECT}}}"))
    fields = [name.strip() for name in str(given.get("fields", "")).split(",") if name.strip()]
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise Refused(bad_parameter(f"Param fields must be one of {{{', '.join(FIELDS)}}} - got {unknown[0]!r}."))
    url, verify_token = str(given.get("callback_url", "")), str(given.get("verify_token", ""))
    await hub.shake_hands(call.world, _web_address(url), verify_token)
    with call.world.store.transaction():
        call.world.store.put(Subscription(id=OBJECT, callback_url=url, verify_token=verify_token, fields=fields))
    return {"success": True}


def unsubscribe(call: Call, _app: App) -> Any:
    TOKENS.require_app(call)
    call.world.store.delete(Subscription, OBJECT)
    return {"success": True}


def subscribed_apps(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    found, app = call.world.store.get(Subscribed, waba.id), call.world.app
    if found is None:
        return {"data": []}
    data = {"link": f"https://www.facebook.com/games/?app_id={app.id}", "name": app.name, "id": app.id}
    row: dict[str, Any] = {"whatsapp_business_api_data": data}
    return {"data": [row | ({"override_callback_uri": found.override_url} if found.override_url else {})]}


async def subscribe_waba(call: Call, waba: Waba) -> Any:
    """Subscribe the app to an account. Without an address, this also ends an override."""
    require(call, MANAGE)
    url = str(call.params.get("override_callback_uri") or "")
    if url:
        _require_subscribed(call, waba.id)
        await hub.shake_hands(call.world, _web_address(url), str(call.params.get("verify_token", "")))
    with call.world.store.transaction():
        call.world.store.put(Subscribed(id=waba.id, override_url=url))
    return {"success": True}


def unsubscribe_waba(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    call.world.store.delete(Subscribed, waba.id)
    return {"success": True}


async def update_number(call: Call, number: Number) -> Any:
    """Set a number's own webhook address (an empty one removes it), or its PIN."""
    require(call, MANAGE)
    given = call.params.get("webhook_configuration")
    pin = call.params.get("pin")
    if given is None and pin is None:
        return bad_parameter("The parameter webhook_configuration is required.")
    if given is not None:
        wanted = parsed(given)
        if not isinstance(wanted, dict):
            return bad_parameter("Param webhook_configuration must be an object.")
        url = str(wanted.get("override_callback_uri") or "")
        if url:
            _require_subscribed(call, number.parent)
            await hub.shake_hands(call.world, _web_address(url), str(wanted.get("verify_token", "")))
        number.override_url = url
    number.pin = str(pin or number.pin)
    with call.world.store.transaction():
        call.world.store.put(number)
    return {"success": True}


def _require_subscribed(call: Call, waba: str) -> None:
    app = call.world.store.get(Subscription, OBJECT)
    if app is None or "messages" not in app.fields or call.world.store.get(Subscribed, waba) is None:
        raise Refused(failure(_NOT_SUBSCRIBED, 100))


def _web_address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise Refused(bad_parameter("Invalid callback URI format"))
    return url


def notify(
    world: World, waba: str, field: str, value: Mapping[str, Any], *, number: Number | None = None, after: float = 0.0
) -> bool:
    """Notify of an account, if the app is subscribed to it: the number's address wins, then the account's."""
    app, account = world.store.get(Subscription, OBJECT), world.store.get(Subscribed, waba)
    if app is None or account is None or field not in app.fields:
        return False
    entry: dict[str, Any] = {"id": waba}
    if field != "messages":
        entry["time"] = int(world.clock.time())
    entry["changes"] = [{"value": value, "field": field}]
    url = (number.override_url if number is not None else "") or account.override_url or app.callback_url
    hub.notify(world, {"object": OBJECT, "entry": [entry]}, url=url, after=after)
    return True
