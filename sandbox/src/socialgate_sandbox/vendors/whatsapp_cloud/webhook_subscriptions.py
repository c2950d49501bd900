"""Webhooks: the app's, those of an account or a number that override it, and what is sent to them."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph import callbacks
from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.parameters import parse_json_text
from socialgate_sandbox.kit import AppRegistration, Call, CallRefusedError, VendorContext
from socialgate_sandbox.vendors.whatsapp_cloud.errors import build_parameter_response
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number, Subscribed, Subscription, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import MANAGEMENT_SCOPE, TOKENS, require_scope

WEBHOOK_OBJECT = "whatsapp_business_account"
WEBHOOK_FIELDS = (
    "messages", "smb_message_echoes", "account_update", "account_alerts", "account_review_update",
    "business_capability_update", "calls", "message_template_status_update", "message_template_quality_update",
    "message_template_components_update", "template_category_update", "phone_number_quality_update",
    "phone_number_name_update", "security", "user_preferences", "group_lifecycle_update", "group_settings_update",
    "group_participants_update",
)  # fmt: skip
_NOT_SUBSCRIBED_MESSAGE = (
    "(#100) Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp "
    "Business Account"
)


def list_subscriptions(call: Call, _app: AppRegistration) -> Any:
    TOKENS.require_app_token(call)
    return {
        "data": [
            {
                "object": subscription.id,
                "callback_url": subscription.callback_url,
                "active": True,
                "fields": [{"name": name, "version": "v26.0"} for name in subscription.fields],
            }
            for subscription in call.context.store.find(Subscription)
        ]
    }


async def subscribe_app(call: Call, _app: AppRegistration) -> Any:
    """Set the app's webhook, after its address has answered the challenge."""
    TOKENS.require_app_token(call)
    params = call.params
    if params.get("object") != WEBHOOK_OBJECT:
        raise CallRefusedError(build_parameter_response(f"Param object must be one of {{{WEBHOOK_OBJECT}}}"))
    fields = [name.strip() for name in str(params.get("fields", "")).split(",") if name.strip()]
    unknown = [name for name in fields if name not in WEBHOOK_FIELDS]
    if unknown:
        raise CallRefusedError(
            build_parameter_response(
                f"Param fields must be one of {{{', '.join(WEBHOOK_FIELDS)}}} - got {unknown[0]!r}."
            )
        )
    url, verify_token = str(params.get("callback_url", "")), str(params.get("verify_token", ""))
    await callbacks.verify_callback(call.context, _require_web_url(url), verify_token)
    with call.context.store.transaction():
        call.context.store.put(
            Subscription(id=WEBHOOK_OBJECT, callback_url=url, verify_token=verify_token, fields=fields)
        )
    return {"success": True}


def unsubscribe_app(call: Call, _app: AppRegistration) -> Any:
    TOKENS.require_app_token(call)
    call.context.store.delete(Subscription, WEBHOOK_OBJECT)
    return {"success": True}


def list_subscribed_apps(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    subscribed, app = call.context.store.get(Subscribed, waba.id), call.context.app
    if subscribed is None:
        return {"data": []}
    data = {"link": f"https://www.facebook.com/games/?app_id={app.id}", "name": app.name, "id": app.id}
    row: dict[str, Any] = {"whatsapp_business_api_data": data}
    return {"data": [row | ({"override_callback_uri": subscribed.override_url} if subscribed.override_url else {})]}


async def subscribe_waba(call: Call, waba: Waba) -> Any:
    """Subscribe the app to an account. Without an address, this also ends an override."""
    require_scope(call, MANAGEMENT_SCOPE)
    url = str(call.params.get("override_callback_uri") or "")
    if url:
        _require_subscribed(call, waba.id)
        await callbacks.verify_callback(call.context, _require_web_url(url), str(call.params.get("verify_token", "")))
    with call.context.store.transaction():
        call.context.store.put(Subscribed(id=waba.id, override_url=url))
    return {"success": True}


def unsubscribe_waba(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    call.context.store.delete(Subscribed, waba.id)
    return {"success": True}


async def update_number(call: Call, number: Number) -> Any:
    """Set a number's own webhook address (an empty one removes it), or its PIN."""
    require_scope(call, MANAGEMENT_SCOPE)
    value = call.params.get("webhook_configuration")
    pin = call.params.get("pin")
    if value is None and pin is None:
        return build_parameter_response("The parameter webhook_configuration is required.")
    if value is not None:
        values = parse_json_text(value)
        if not isinstance(values, dict):
            return build_parameter_response("Param webhook_configuration must be an object.")
        url = str(values.get("override_callback_uri") or "")
        if url:
            _require_subscribed(call, number.parent)
            await callbacks.verify_callback(call.context, _require_web_url(url), str(values.get("verify_token", "")))
        number.override_url = url
    number.pin = str(pin or number.pin)
    with call.context.store.transaction():
        call.context.store.put(number)
    return {"success": True}


def _require_subscribed(call: Call, waba: str) -> None:
    app = call.context.store.get(Subscription, WEBHOOK_OBJECT)
    if app is None or "messages" not in app.fields or call.context.store.get(Subscribed, waba) is None:
        raise CallRefusedError(build_error_response(_NOT_SUBSCRIBED_MESSAGE, 100))


def _require_web_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise CallRefusedError(build_parameter_response("Invalid callback URI format"))
    return url


def notify_if_subscribed(
    context: VendorContext,
    waba: str,
    field: str,
    value: Mapping[str, Any],
    *,
    number: Number | None = None,
    delay_seconds: float = 0.0,
) -> bool:
    """Notify of an account, if the app is subscribed to it: the number's address wins, then the account's."""
    app, account = context.store.get(Subscription, WEBHOOK_OBJECT), context.store.get(Subscribed, waba)
    if app is None or account is None or field not in app.fields:
        return False
    entry: dict[str, Any] = {"id": waba}
    if field != "messages":
        entry["time"] = int(context.clock.get_unix_time())
    entry["changes"] = [{"value": value, "field": field}]
    url = (number.override_url if number is not None else "") or account.override_url or app.callback_url
    callbacks.send_notification(
        context, {"object": WEBHOOK_OBJECT, "entry": [entry]}, url=url, delay_seconds=delay_seconds
    )
    return True
