"""Webhooks: the app's subscriptions, those of each Page, and the notifications that result."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate_sandbox.dialects.graph import callbacks
from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error, require
from socialgate_sandbox.dialects.graph.parameters import parse_words
from socialgate_sandbox.kit import AppRegistration, Call, CallRefusedError, VendorContext
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.stored_objects import Instagram, Page, PageSubscription, Subscription
from socialgate_sandbox.vendors.meta.token_access import TOKENS, has_any_scope, require_page_token

_MESSAGING_FIELDS = (
    "messages", "message_echoes", "message_deliveries", "message_reads", "message_reactions", "message_edits",
    "messaging_postbacks", "messaging_optins", "messaging_referrals", "messaging_handovers", "standby",
    "messaging_policy_enforcement",
)  # fmt: skip
WEBHOOK_FIELDS: Mapping[str, tuple[str, ...]] = {
    "page": ("feed", "mention", *_MESSAGING_FIELDS, "leadgen", "leadgen_update", "ratings", "videos", "follow"),
    "instagram": (
        "comments", "live_comments", "mentions", "messages", "message_edit", "message_reactions", "messaging_postbacks",
        "messaging_optins", "messaging_referral", "messaging_seen", "standby", "story_insights", "follow",
    ),
    "permissions": (
        "pages_show_list", "pages_messaging", "pages_manage_posts", "pages_manage_metadata", "pages_read_engagement",
        "pages_manage_engagement", "pages_read_user_content", "instagram_basic", "instagram_content_publish",
        "instagram_manage_comments", "instagram_manage_messages", "instagram_manage_insights", "leads_retrieval",
        "ads_read", "ads_management", "read_insights", "business_management",
    ),
    "user": ("name", "email", "picture"),
}  # fmt: skip
_SUBSCRIPTION_TASKS = {"CREATE_CONTENT", "MANAGE", "MODERATE"}


def list_subscriptions(call: Call, _app: AppRegistration) -> Any:
    TOKENS.require_app_token(call)
    return {"data": [_describe_subscription(subscription) for subscription in call.context.store.find(Subscription)]}


def _describe_subscription(subscription: Subscription) -> dict[str, Any]:
    fields = [{"name": name, "version": "v26.0"} for name in subscription.fields]
    return {"object": subscription.id, "callback_url": subscription.callback_url, "active": True, "fields": fields}


async def subscribe_app(call: Call, _app: AppRegistration) -> Any:
    """Subscribe the app to a kind of object, after its address has answered the challenge."""
    TOKENS.require_app_token(call)
    params = call.params
    name = str(params.get("object", ""))
    if name not in WEBHOOK_FIELDS:
        raise build_parameter_error(f"Param object must be one of {{{', '.join(WEBHOOK_FIELDS)}}}")
    fields = parse_words(params.get("fields"))
    _require_known_fields("fields", fields, WEBHOOK_FIELDS[name])
    before = call.context.store.get(Subscription, name)
    url = str(params.get("callback_url") or (before.callback_url if before is not None else ""))
    verify_token = str(params.get("verify_token") or "")
    if not url.startswith(("http://", "https://")):
        raise CallRefusedError(
            build_error_response("(#2201) response does not match challenge: callback_url is not a URL", 2201)
        )
    await callbacks.verify_callback(call.context, url, verify_token)
    with call.context.store.transaction():
        call.context.store.put(
            Subscription(
                id=name,
                callback_url=url,
                verify_token=verify_token,
                fields=fields or (before.fields if before is not None else []),
                include_values=str(params.get("include_values", "true")).lower() != "false",
            )
        )
    return {"success": True}


def unsubscribe_app(call: Call, _app: AppRegistration) -> Any:
    TOKENS.require_app_token(call)
    store, name = call.context.store, call.params.get("object")
    dropped = parse_words(call.params.get("fields"))
    for subscription in store.find(Subscription):
        if name in {None, subscription.id}:
            subscription.fields = [field for field in subscription.fields if dropped and field not in dropped]
            store.put(subscription)
            if not subscription.fields:
                store.delete(Subscription, subscription.id)
    return {"success": True}


def list_subscribed_apps(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    page_subscription = call.context.store.get(PageSubscription, target.id)
    if page_subscription is None:
        return {"data": []}
    app = call.context.app
    link = f"https://www.facebook.com/games/?app_id={app.id}"
    return {"data": [{"link": link, "name": app.name, "id": app.id, "subscribed_fields": page_subscription.fields}]}


def subscribe_page(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    fields = parse_words(call.params.get("subscribed_fields"))
    require(fields, "The parameter subscribed_fields is required")
    _require_known_fields(
        "subscribed_fields", fields, WEBHOOK_FIELDS["page" if isinstance(target, Page) else "instagram"]
    )
    for field in fields:
        needed = _get_required_scope(field, target)
        if not has_any_scope(call, needed):
            raise build_missing_scope_error(
                f"To subscribe to the {field} field, one of these permissions is needed: {needed}"
            )
    call.context.store.put(PageSubscription(id=target.id, fields=fields))
    return {"success": True}


def unsubscribe_page(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    call.context.store.delete(PageSubscription, target.id)
    return {"success": True}


def _require_page_token(call: Call, target: Page | Instagram) -> None:
    """Accept callers that act as the Page and have more than read-only access there."""
    page = target.id if isinstance(target, Page) else target.parent
    require_page_token(call, page, _SUBSCRIPTION_TASKS, "pages_manage_metadata")


def _get_required_scope(field: str, target: Page | Instagram) -> str:
    if isinstance(target, Instagram):
        return "instagram_manage_messages" if field.startswith("messag") else "instagram_basic"
    if field in _MESSAGING_FIELDS:
        return "pages_messaging"
    return "leads_retrieval" if field.startswith("leadgen") else "pages_manage_metadata"


def _require_known_fields(name: str, field_names: Sequence[str], allowed_names: Sequence[str]) -> None:
    for place, field in enumerate(field_names):
        if field not in allowed_names:
            allowed = ", ".join(word.upper() for word in allowed_names)
            raise build_parameter_error(f'Param {name}[{place}] must be one of {{{allowed}}} - got "{field}".')


def notify_page(
    context: VendorContext, page_id: str, field: str, entry: Mapping[str, Any], *, delay_seconds: float = 0.0
) -> bool:
    """Notify of a Page, if both the app and the Page are subscribed to the field."""
    mine = context.store.get(PageSubscription, page_id)
    if mine is None or field not in mine.fields:
        return False
    return _notify_if_subscribed(context, "page", field, {"id": page_id, **entry}, delay_seconds)


def notify_instagram(
    context: VendorContext, account: str, field: str, entry: Mapping[str, Any], *, delay_seconds: float = 0.0
) -> bool:
    """Notify of an Instagram account: it is enough that the linked Page is subscribed to anything."""
    instagram = context.store.get(Instagram, account)
    if instagram is None or context.store.get(PageSubscription, instagram.parent) is None:
        return False
    return _notify_if_subscribed(context, "instagram", field, {"id": account, **entry}, delay_seconds)


def notify_permission(context: VendorContext, person_id: str, scope: str, pages: Sequence[str]) -> bool:
    value = {"verb": "revoked", "target_ids": list(pages)}
    return _notify_if_subscribed(
        context,
        "permissions",
        scope,
        {"id": person_id, "changes": [{"field": scope, "value": value}]},
        delay_seconds=0.0,
    )


def _notify_if_subscribed(
    context: VendorContext, name: str, field: str, entry: Mapping[str, Any], delay_seconds: float
) -> bool:
    app = context.store.get(Subscription, name)
    if app is None or field not in app.fields:
        return False
    time = int(context.clock.get_unix_time() * (1000 if "messaging" in entry else 1))
    whole = {"id": entry["id"], "time": time, **entry}
    callbacks.send_notification(
        context, {"object": name, "entry": [whole]}, url=app.callback_url, delay_seconds=delay_seconds
    )
    return True
