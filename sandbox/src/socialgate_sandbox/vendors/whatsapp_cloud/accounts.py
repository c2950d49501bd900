"""Accounts, their numbers, and the profile of a number."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import words
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, always, own, render, wanted
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.whatsapp_cloud.errors import ERRORS, bad_parameter
from socialgate_sandbox.vendors.whatsapp_cloud.state import Business, Number, Subscribed, Subscription, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import MANAGE, SEND, require, viewer
from socialgate_sandbox.vendors.whatsapp_cloud.webhooks import OBJECT

CDN = "pps.whatsapp.net"
_MOST_REGISTRATIONS, _THREE_DAYS = 10, 72 * 3600
# Why a number cannot send, by its status, and what to do about it.
_BLOCKS = {
    "BANNED": ("The phone number is banned.", "Request a review in Business Support Home."),
    "PENDING": ("The phone number is not registered.", "Register the phone number."),
}
_EDITABLE = {"about": 139, "address": 256, "description": 512, "email": 128}
_VERTICALS = {
    "UNDEFINED", "OTHER", "AUTO", "BEAUTY", "APPAREL", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GROCERY", "GOVT",
    "HOTEL", "HEALTH", "NONPROFIT", "PROF_SERVICES", "RETAIL", "TRAVEL", "RESTAURANT", "NOT_A_BIZ", "ALCOHOL",
    "ONLINE_GAMBLING", "PHYSICAL_GAMBLING", "OTC_DRUGS",
}  # fmt: skip


def _configuration(call: Call, number: Number, _field: Field) -> Mapping[str, str]:
    """Return all addresses that are set; the first of phone number, account, application is the one in use."""
    app = call.world.store.get(Subscription, OBJECT)
    account = call.world.store.get(Subscribed, number.parent)
    found = {
        "phone_number": number.override_url,
        "whatsapp_business_account": account.override_url if account is not None else "",
        "application": app.callback_url if app is not None else "",
    }
    return {name: url for name, url in found.items() if url}


def _when_registered(yes: Any, no: Any) -> Resolver:
    return lambda _call, number, _field: yes if number.registered else no


def _entity(kind: str, key: str, *, blocked: str = "", solution: str = "") -> dict[str, Any]:
    """Say whether messages can be sent as far as this one goes; `blocked` is why not."""
    entity = {"entity_type": kind, "id": key, "can_send_message": "BLOCKED" if blocked else "AVAILABLE"}
    error = {"error_code": 131031, "error_description": blocked, "possible_solution": solution}
    return entity | ({"errors": [error]} if blocked else {})


def _health(*entities: dict[str, Any]) -> dict[str, Any]:
    states = {one["can_send_message"] for one in entities}
    worst = next(state for state in ("BLOCKED", "LIMITED", "AVAILABLE") if state in states)
    return {"can_send_message": worst, "entities": list(entities)}


def _waba_health(waba: Waba) -> dict[str, Any]:
    why = "The WhatsApp Business Account has been disabled." if waba.ban else ""
    return _entity("WABA", waba.id, blocked=why, solution="Request a review in Business Support Home.")


def _above(call: Call, waba: Waba) -> list[dict[str, Any]]:
    return [_entity("BUSINESS", waba.parent), _entity("APP", call.world.app.id)]


def _number_health(call: Call, number: Number, _field: Field) -> dict[str, Any]:
    why, solution = _BLOCKS.get(number.status if number.registered else "PENDING", ("", ""))
    own_health = _entity("PHONE_NUMBER", number.id, blocked=why, solution=solution)
    if number.registered and number.status == "RESTRICTED":
        own_health["can_send_message"] = "LIMITED"
    waba = call.world.store.get(Waba, number.parent)
    return _health(own_health, *([_waba_health(waba), *_above(call, waba)] if waba is not None else []))


NUMBER = NodeType(
    "WhatsAppBusinessPhoneNumber",
    {
        **own("id", "display_phone_number", "verified_name", "quality_rating", "name_status", "country_code"),
        **own("code_verification_status", "account_mode", "messaging_limit_tier"),
        "status": lambda _call, number, _field: number.status if number.registered else "PENDING",
        "platform_type": _when_registered("CLOUD_API", "NOT_APPLICABLE"),
        "host_platform": _when_registered("CLOUD_API", "NOT_APPLICABLE"),
        "throughput": _when_registered({"level": "STANDARD"}, {"level": "NOT_APPLICABLE"}),
        "webhook_configuration": _configuration,
        "last_onboarded_time": lambda _call, number, _field: number.onboarded.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "quality_score": lambda _call, number, _field: {"score": number.quality_rating},
        "is_pin_enabled": lambda _call, number, _field: bool(number.pin),
        **always(is_official_business_account=False, is_on_biz_app=False, is_preverified_number=False),
        **always(new_name_status="NONE", search_visibility="NON_VISIBLE"),
        "country_dial_code": lambda _call, number, _field: number.display_phone_number.split()[0].lstrip("+"),
        "whatsapp_business_manager_messaging_limit": lambda _call, number, _field: number.messaging_limit_tier,
        "health_status": _number_health,
        # Requested by clients that list every field they know; here they have no value.
        **always(conversational_automation=None, certificate=None, new_certificate=None),
        **always(eligibility_for_api_business_global_search=None),
    },
    (
        "verified_name", "code_verification_status", "display_phone_number", "quality_rating", "platform_type",
        "throughput", "webhook_configuration", "status", "last_onboarded_time", "id",
    ),
)  # fmt: skip


def _owner(call: Call, waba: Waba, _field: Field) -> Any:
    business = call.world.store.get(Business, waba.parent)
    return {"name": business.name, "id": business.id} if business is not None else None


WABA = NodeType(
    "WhatsAppBusinessAccount",
    {
        **own("id", "name", "currency", "timezone_id", "status"),
        "message_template_namespace": lambda _call, waba, _field: waba.template_namespace,
        "owner_business_info": _owner,
        "on_behalf_of_business_info": _owner,
        "account_review_status": lambda _call, waba, _field: "REJECTED" if waba.ban else "APPROVED",
        **always(business_verification_status="verified", ownership_type="CLIENT_OWNED", is_enabled_for_insights=True),
        "health_status": lambda call, waba, _field: _health(_waba_health(waba), *_above(call, waba)),
    },
    ("id", "name", "currency", "timezone_id", "message_template_namespace"),
)  # fmt: skip
BUSINESS = NodeType("Business", own("id", "name"), ("id", "name"))
SYSTEM_USER = NodeType(
    "SystemUser",
    {"id": lambda _call, token, _field: token.user, **always(name="System User")},
    ("name", "id"),
)
PROFILE = NodeType(
    "WhatsAppBusinessProfile",
    {
        **own("about", "address", "description", "email", "vertical"),
        "websites": lambda _call, number, _field: number.websites or None,
        "profile_picture_url": lambda call, number, _field: picture_url(call.world, CDN, number.id, 640),
        **always(messaging_product="whatsapp"),
    },
    ("about", "address", "description", "email", "profile_picture_url", "websites", "vertical", "messaging_product"),
)


def find_account(call: Call, key: str) -> Node | None:
    """Find what an id names, as far as the caller's token can access it."""
    token, store = viewer(call), call.world.store
    number, waba, business = store.get(Number, key), store.get(Waba, key), store.get(Business, key)
    if key in {"me", token.user}:
        return Node(SYSTEM_USER, token)
    if number is not None and number.parent in token.wabas and store.get(Waba, number.parent) is not None:
        return Node(NUMBER, number)
    if waba is not None and waba.id in token.wabas:
        return Node(WABA, waba)
    return Node(BUSINESS, business) if business is not None and business.id == token.parent else None


def get_number(call: Call, number: Number) -> Any:
    require(call, MANAGE)
    return render(call, Node(NUMBER, number), wanted(call))


def get_waba(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    return render(call, Node(WABA, waba), wanted(call))


def phone_numbers(call: Call, waba: Waba) -> Any:
    require(call, MANAGE)
    return listing(call, [Node(NUMBER, number) for number in call.world.store.find(Number, parent=waba.id)])


def owned_wabas(call: Call, business: Business) -> Any:
    token: Token = require(call, MANAGE)
    found = [waba for waba in call.world.store.find(Waba, parent=business.id) if waba.id in token.wabas]
    return listing(call, [Node(WABA, waba) for waba in found])


def client_wabas(call: Call, _business: Business) -> Any:
    require(call, MANAGE)
    return {"data": []}


def register(call: Call, number: Number) -> Any:
    """Connect a number to the Cloud API. The first PIN is required from then on."""
    require(call, MANAGE)
    pin = str(call.params.get("pin", ""))
    if call.params.get("messaging_product") != "whatsapp":
        return bad_parameter("The parameter messaging_product is required.")
    if len(pin) != len("123456") or not pin.isdecimal():
        return bad_parameter("Param pin must be 6 characters long.")
    if not call.world.allow(f"register:{number.id}", _MOST_REGISTRATIONS, _THREE_DAYS):
        return ERRORS["register_limited"](call)
    if number.pin and pin != number.pin:
        return ERRORS["pin_mismatch"](call)
    number.pin, number.registered, number.code_verification_status = pin, True, "VERIFIED"
    call.world.store.put(number)
    return {"success": True}


def deregister(call: Call, number: Number) -> Any:
    require(call, MANAGE)
    number.registered = False
    call.world.store.put(number)
    return {"success": True}


def get_profile(call: Call, number: Number) -> Any:
    require(call, SEND)
    return {"data": [render(call, Node(PROFILE, number), wanted(call))]}


def update_profile(call: Call, number: Number) -> Any:
    require(call, SEND)
    given = call.params
    if given.get("messaging_product") != "whatsapp":
        return bad_parameter("The parameter messaging_product is required.")
    for name, most in _EDITABLE.items():
        if name in given:
            if len(str(given[name])) > most:
                raise Refused(bad_parameter(f"Param {name} must be at most {most} characters long."))
            setattr(number, name, str(given[name]))
    if "vertical" in given and given["vertical"] not in _VERTICALS:
        raise Refused(bad_parameter(f"Param vertical must be one of {{{', '.join(sorted(_VERTICALS))}}}."))
    number.vertical = str(given.get("vertical", number.vertical))
    number.websites = words(given.get("websites", number.websites))
    call.world.store.put(number)
    return {"success": True}
