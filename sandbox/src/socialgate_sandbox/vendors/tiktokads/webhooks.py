"""Subscriptions, and the signed webhooks that result."""

import hmac
import json
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, World, digits
from socialgate_sandbox.kit.addresses import is_own, parts_of
from socialgate_sandbox.society.leads import Lead
from socialgate_sandbox.vendors.tiktokads.access import LEADS, advertiser_of, check_app, paced
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    DEAD_TOKEN,
    NO_PERMISSION,
    NOT_FOUND,
    WRONG_PARAMETER,
    answered,
    failed,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, Advertiser, LeadForm, Subscription

_ENTITIES = {
    "AD",
    "AD_ACCOUNT_SUSPENSION",
    "AD_GROUP",
    "API_SERVICE_STATUS",
    "CREATIVE_FATIGUE",
    "LEAD",
    "REPORT_DATA_CHANGE",
    "TCM_VIDEOS",
}
_SOURCES = {"INSTANT_FORM", "DIRECT_MESSAGE"}
_LEAD = 1
AD: dict[str, int | str] = {
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
    given = call.read_json(SubscribeBody)
    paced(call)
    check_app(call, given.app_id, given.secret)
    require(given.subscribe_entity in _ENTITIES, "subscribe_entity: not a valid choice.")
    # The real platform accepts only https; the product on this machine need not have it.
    parts = parts_of(given.callback_url)
    if parts is None or (parts.scheme != "https" and not is_own(call.world, given.callback_url)):
        return failed(call, WRONG_PARAMETER, "callback_url: not a valid URL.")
    detail = given.subscription_detail
    token = call.world.store.get(AccessToken, str(detail.get("access_token", "")))
    if token is None:
        return failed(call, DEAD_TOKEN, "Access token is incorrect or has been revoked.")
    if given.subscribe_entity == "LEAD":
        _check_leads(call, token, detail)
    made = Subscription(
        id=digits(19), parent=token.id, entity=given.subscribe_entity, callback=given.callback_url, detail=detail
    )
    call.world.store.put(made)
    return answered(call, {"subscription_id": made.id})


def list_subscriptions(call: Call) -> Response:
    paced(call)
    check_app(call, call.query.get("app_id", ""), call.query.get("secret", ""))
    wanted = call.query.get("subscribe_entity")
    found = [one for one in call.world.store.find(Subscription) if wanted in {None, one.entity}]
    shown, info = paged(call, call.read(PageQuery), found, most=1000)
    listed = [
        {
            "app_id": call.world.app.id,
            "subscription_id": one.id,
            "subscribe_entity": one.entity,
            "callback_url": one.callback,
            "subscription_detail": one.detail,
        }
        for one in shown
    ]
    return answered(call, {"subscriptions": listed, "page_info": info})


def unsubscribe(call: Call) -> Response:
    given = call.read_json(UnsubscribeBody)
    paced(call)
    check_app(call, given.app_id, given.secret)
    if not call.world.store.delete(Subscription, given.subscription_id):
        return failed(call, NOT_FOUND, "The subscription does not exist.")
    return answered(call, {})


def send_lead(world: World, form: LeadForm, lead: Lead) -> int:
    """Notify every subscriber of a lead, with the answers. Returns how many there are."""
    advertiser = world.store.get(Advertiser, form.parent)
    assert advertiser is not None
    entry = {
        "id": int(lead.id),
        "lead_source": "INSTANT_FORM",
        "page_id": int(form.id),
        "page_name": form.name,
        "advertiser_id": int(advertiser.id),
        "advertiser_name": advertiser.name,
        "library_id": 0,
        **AD,
        "create_time": int(lead.made.timestamp()),
        "changes": [{"field": name, "value": value} for name, value in lead.answers.items()],
    }
    told = [one for one in world.store.find(Subscription) if _wants(one, advertiser.id, form.id)]
    for one in told:
        _send(world, one.callback, _LEAD, entry)
    return len(told)


def _send(world: World, url: str, kind: int, entry: dict[str, Any]) -> None:
    now = int(world.clock.time())
    body = {"request_id": int(digits(19)), "object": kind, "time": now, "entry": [entry]}
    # The signed text has everything beyond ASCII escaped, the body that is sent does not.
    signed = json.dumps(body, separators=(",", ":")).encode()
    signature = hmac.digest(world.app.secret.encode(), signed, "sha256").hex()
    headers = {"Content-Type": "application/json", "X-Open-Signature": signature}
    world.send_webhook(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode(), headers, url=url)


def _wants(one: Subscription, advertiser: str, form: str) -> bool:
    detail = one.detail
    return (
        one.entity == "LEAD"
        and str(detail.get("advertiser_id")) == advertiser
        and detail.get("lead_source", "INSTANT_FORM") == "INSTANT_FORM"
        and str(detail.get("page_id") or form) == form
    )


def _check_leads(call: Call, token: AccessToken, detail: dict[str, Any]) -> None:
    if LEADS not in token.scopes:
        raise refused(call, NO_PERMISSION, "advertiser does not grant you /subscription/subscribe/:POST permission")
    if str(detail.get("lead_source", "INSTANT_FORM")) not in _SOURCES:
        raise refused(call, WRONG_PARAMETER, "subscription_detail.lead_source: not a valid choice.")
    require(detail.get("advertiser_id"), "subscription_detail: advertiser_id or library_id is required.")
    advertiser, role = advertiser_of(call, token, str(detail["advertiser_id"]))
    if role != "ADMIN":
        raise refused(call, NO_PERMISSION, "Only an admin of the ad account can subscribe to its leads.")
    form = detail.get("page_id")
    found = call.world.store.get(LeadForm, str(form)) if form else None
    if form and (found is None or found.parent != advertiser.id):
        raise refused(call, NOT_FOUND, f"The page {form} does not exist.")


ROUTES = [
    *api("POST", "subscription/subscribe", subscribe),
    *api("GET", "subscription/get", list_subscriptions),
    *api("POST", "subscription/unsubscribe", unsubscribe),
]
