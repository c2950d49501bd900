"""Subscriptions, and the signed webhooks that result."""

import hmac
import json
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, VendorContext, generate_digits
from socialgate_sandbox.kit.urls import is_product_or_local_url, parse_web_url
from socialgate_sandbox.society.leads import Lead
from socialgate_sandbox.vendors.tiktokads.access import (
    LEADS_SCOPE,
    enforce_call_limits,
    require_advertiser,
    require_app,
)
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    INVALID_PARAMETER_CODE,
    INVALID_TOKEN_CODE,
    NO_PERMISSION_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, Advertiser, LeadForm, Subscription

_SUBSCRIBABLE_ENTITIES = {
    "AD",
    "AD_ACCOUNT_SUSPENSION",
    "AD_GROUP",
    "API_SERVICE_STATUS",
    "CREATIVE_FATIGUE",
    "LEAD",
    "REPORT_DATA_CHANGE",
    "TCM_VIDEOS",
}
_LEAD_SOURCES = {"INSTANT_FORM", "DIRECT_MESSAGE"}
_LEAD_OBJECT_TYPE = 1
SANDBOX_AD: dict[str, int | str] = {
    "campaign_id": 1790000000000000001,
    "campaign_name": "Sandbox leads",
    "adgroup_id": 1790000000000000011,
    "adgroup_name": "Everybody",
    "ad_id": 1790000000000000111,
    "ad_name": "Ask for a quote",
}


class SubscribeBody(msgspec.Struct):
    app_id: str
    secret: str
    subscribe_entity: str
    callback_url: str
    subscription_detail: dict[str, Any]


class UnsubscribeBody(msgspec.Struct):
    app_id: str
    secret: str
    subscription_id: str


def subscribe(call: Call) -> Response:
    body = call.parse_json_body(SubscribeBody)
    enforce_call_limits(call)
    require_app(call, body.app_id, body.secret)
    require(body.subscribe_entity in _SUBSCRIBABLE_ENTITIES, "subscribe_entity: not a valid choice.")
    # The real platform accepts only https; the product on this machine need not have it.
    parts = parse_web_url(body.callback_url)
    if parts is None or (parts.scheme != "https" and not is_product_or_local_url(call.context, body.callback_url)):
        return build_error_response(call, INVALID_PARAMETER_CODE, "callback_url: not a valid URL.")
    detail = body.subscription_detail
    token = call.context.store.get(AccessToken, str(detail.get("access_token", "")))
    if token is None:
        return build_error_response(call, INVALID_TOKEN_CODE, "Access token is incorrect or has been revoked.")
    if body.subscribe_entity == "LEAD":
        _require_lead_access(call, token, detail)
    subscription = Subscription(
        id=generate_digits(19), parent=token.id, entity=body.subscribe_entity, callback=body.callback_url, detail=detail
    )
    call.context.store.put(subscription)
    return build_success_response(call, {"subscription_id": subscription.id})


def list_subscriptions(call: Call) -> Response:
    enforce_call_limits(call)
    require_app(call, call.query.get("app_id", ""), call.query.get("secret", ""))
    expected = call.query.get("subscribe_entity")
    subscriptions = [
        subscription
        for subscription in call.context.store.find(Subscription)
        if expected in {None, subscription.entity}
    ]
    shown, info = select_page(call, call.parse_params(PageQuery), subscriptions, max_page_size=1000)
    listed = [
        {
            "app_id": call.context.app.id,
            "subscription_id": subscription.id,
            "subscribe_entity": subscription.entity,
            "callback_url": subscription.callback,
            "subscription_detail": subscription.detail,
        }
        for subscription in shown
    ]
    return build_success_response(call, {"subscriptions": listed, "page_info": info})


def unsubscribe(call: Call) -> Response:
    body = call.parse_json_body(UnsubscribeBody)
    enforce_call_limits(call)
    require_app(call, body.app_id, body.secret)
    if not call.context.store.delete(Subscription, body.subscription_id):
        return build_error_response(call, NOT_FOUND_CODE, "The subscription does not exist.")
    return build_success_response(call, {})


def notify_lead(context: VendorContext, form: LeadForm, lead: Lead) -> int:
    """Notify every subscriber of a lead, with the answers. Returns how many there are."""
    advertiser = context.store.get(Advertiser, form.parent)
    assert advertiser is not None
    entry = {
        "id": int(lead.id),
        "lead_source": "INSTANT_FORM",
        "page_id": int(form.id),
        "page_name": form.name,
        "advertiser_id": int(advertiser.id),
        "advertiser_name": advertiser.name,
        "library_id": 0,
        **SANDBOX_AD,
        "create_time": int(lead.created_at.timestamp()),
        "changes": [{"field": name, "value": value} for name, value in lead.answers.items()],
    }
    subscriptions = [
        subscription
        for subscription in context.store.find(Subscription)
        if _is_subscribed(subscription, advertiser.id, form.id)
    ]
    for subscription in subscriptions:
        _send_webhook(context, subscription.callback, _LEAD_OBJECT_TYPE, entry)
    return len(subscriptions)


def _send_webhook(context: VendorContext, url: str, object_type: int, entry: dict[str, Any]) -> None:
    now = int(context.clock.get_unix_time())
    body = {"request_id": int(generate_digits(19)), "object": object_type, "time": now, "entry": [entry]}
    # The signed text has everything beyond ASCII escaped, the body that is sent does not.
    signed = json.dumps(body, separators=(",", ":")).encode()
    signature = hmac.digest(context.app.secret.encode(), signed, "sha256").hex()
    headers = {"Content-Type": "application/json", "X-Open-Signature": signature}
    context.send_webhook(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode(), headers, url=url)


def _is_subscribed(subscription: Subscription, advertiser: str, form: str) -> bool:
    detail = subscription.detail
    return (
        subscription.entity == "LEAD"
        and str(detail.get("advertiser_id")) == advertiser
        and detail.get("lead_source", "INSTANT_FORM") == "INSTANT_FORM"
        and str(detail.get("page_id") or form) == form
    )


def _require_lead_access(call: Call, token: AccessToken, detail: dict[str, Any]) -> None:
    if LEADS_SCOPE not in token.scopes:
        raise build_error(
            call, NO_PERMISSION_CODE, "advertiser does not grant you /subscription/subscribe/:POST permission"
        )
    if str(detail.get("lead_source", "INSTANT_FORM")) not in _LEAD_SOURCES:
        raise build_error(call, INVALID_PARAMETER_CODE, "subscription_detail.lead_source: not a valid choice.")
    require(detail.get("advertiser_id"), "subscription_detail: advertiser_id or library_id is required.")
    advertiser, role = require_advertiser(call, token, str(detail["advertiser_id"]))
    if role != "ADMIN":
        raise build_error(call, NO_PERMISSION_CODE, "Only an admin of the ad account can subscribe to its leads.")
    form = detail.get("page_id")
    lead_form = call.context.store.get(LeadForm, str(form)) if form else None
    if form and (lead_form is None or lead_form.parent != advertiser.id):
        raise build_error(call, NOT_FOUND_CODE, f"The page {form} does not exist.")


ROUTES = [
    *build_api_routes("POST", "subscription/subscribe", subscribe),
    *build_api_routes("GET", "subscription/get", list_subscriptions),
    *build_api_routes("POST", "subscription/unsubscribe", unsubscribe),
]
