"""Accounts, their numbers, and the profile of a number."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import (
    FieldResolver,
    Node,
    NodeType,
    parse_requested_fields,
    render_node,
    resolve_attributes,
    resolve_constants,
)
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_words
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.whatsapp_cloud.errors import ERRORS, build_parameter_response
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import (
    Business,
    Number,
    Subscribed,
    Subscription,
    Token,
    Waba,
)
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import (
    MANAGEMENT_SCOPE,
    MESSAGING_SCOPE,
    require_scope,
    require_token,
)
from socialgate_sandbox.vendors.whatsapp_cloud.webhook_subscriptions import WEBHOOK_OBJECT

CDN_HOST = "pps.whatsapp.net"
_MAX_REGISTRATIONS, _REGISTRATION_WINDOW_SECONDS = 10, 72 * 3600
# Why a number cannot send, by its status, and what to do about it.
_SEND_BLOCKS_BY_STATUS = {
    "BANNED": ("The phone number is banned.", "Request a review in Business Support Home."),
    "PENDING": ("The phone number is not registered.", "Register the phone number."),
}
_MAX_PROFILE_LENGTHS = {"about": 139, "address": 256, "description": 512, "email": 128}
_VERTICALS = {
    "UNDEFINED", "OTHER", "AUTO", "BEAUTY", "APPAREL", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GROCERY", "GOVT",
    "HOTEL", "HEALTH", "NONPROFIT", "PROF_SERVICES", "RETAIL", "TRAVEL", "RESTAURANT", "NOT_A_BIZ", "ALCOHOL",
    "ONLINE_GAMBLING", "PHYSICAL_GAMBLING", "OTC_DRUGS",
}  # fmt: skip


def _resolve_webhook_configuration(call: Call, number: Number, _field: RequestedField) -> Mapping[str, str]:
    """Return all addresses that are set; the first of phone number, account, application is the one in use."""
    app = call.context.store.get(Subscription, WEBHOOK_OBJECT)
    account = call.context.store.get(Subscribed, number.parent)
    result = {
        "phone_number": number.override_url,
        "whatsapp_business_account": account.override_url if account is not None else "",
        "application": app.callback_url if app is not None else "",
    }
    return {name: url for name, url in result.items() if url}


def _build_registered_resolver(registered_value: Any, unregistered_value: Any) -> FieldResolver:
    return lambda _call, number, _field: registered_value if number.registered else unregistered_value


def _build_health_entity(entity_type: str, key: str, *, block_reason: str = "", solution: str = "") -> dict[str, Any]:
    """Say whether messages can be sent as far as this one goes; `block_reason` is why not."""
    entity = {"entity_type": entity_type, "id": key, "can_send_message": "BLOCKED" if block_reason else "AVAILABLE"}
    error = {"error_code": 131031, "error_description": block_reason, "possible_solution": solution}
    return entity | ({"errors": [error]} if block_reason else {})


def _build_health_status(*entities: dict[str, Any]) -> dict[str, Any]:
    states = {entity["can_send_message"] for entity in entities}
    worst = next(state for state in ("BLOCKED", "LIMITED", "AVAILABLE") if state in states)
    return {"can_send_message": worst, "entities": list(entities)}


def _build_waba_health(waba: Waba) -> dict[str, Any]:
    why = "The WhatsApp Business Account has been disabled." if waba.ban else ""
    return _build_health_entity(
        "WABA", waba.id, block_reason=why, solution="Request a review in Business Support Home."
    )


def _build_parent_entities(call: Call, waba: Waba) -> list[dict[str, Any]]:
    return [_build_health_entity("BUSINESS", waba.parent), _build_health_entity("APP", call.context.app.id)]


def _resolve_number_health(call: Call, number: Number, _field: RequestedField) -> dict[str, Any]:
    why, solution = _SEND_BLOCKS_BY_STATUS.get(number.status if number.registered else "PENDING", ("", ""))
    own_health = _build_health_entity("PHONE_NUMBER", number.id, block_reason=why, solution=solution)
    if number.registered and number.status == "RESTRICTED":
        own_health["can_send_message"] = "LIMITED"
    waba = call.context.store.get(Waba, number.parent)
    return _build_health_status(
        own_health, *([_build_waba_health(waba), *_build_parent_entities(call, waba)] if waba is not None else [])
    )


NUMBER_NODE_TYPE = NodeType(
    "WhatsAppBusinessPhoneNumber",
    {
        **resolve_attributes("id", "display_phone_number", "verified_name", "quality_rating", "name_status"),
        **resolve_attributes("country_code"),
        **resolve_attributes("code_verification_status", "account_mode", "messaging_limit_tier"),
        "status": lambda _call, number, _field: number.status if number.registered else "PENDING",
        "platform_type": _build_registered_resolver("CLOUD_API", "NOT_APPLICABLE"),
        "host_platform": _build_registered_resolver("CLOUD_API", "NOT_APPLICABLE"),
        "throughput": _build_registered_resolver({"level": "STANDARD"}, {"level": "NOT_APPLICABLE"}),
        "webhook_configuration": _resolve_webhook_configuration,
        "last_onboarded_time": lambda _call, number, _field: number.onboarded.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "quality_score": lambda _call, number, _field: {"score": number.quality_rating},
        "is_pin_enabled": lambda _call, number, _field: bool(number.pin),
        **resolve_constants(is_official_business_account=False, is_on_biz_app=False, is_preverified_number=False),
        **resolve_constants(new_name_status="NONE", search_visibility="NON_VISIBLE"),
        "country_dial_code": lambda _call, number, _field: number.display_phone_number.split()[0].lstrip("+"),
        "whatsapp_business_manager_messaging_limit": lambda _call, number, _field: number.messaging_limit_tier,
        "health_status": _resolve_number_health,
        # Requested by clients that list every field they know; here they have no value.
        **resolve_constants(conversational_automation=None, certificate=None, new_certificate=None),
        **resolve_constants(eligibility_for_api_business_global_search=None),
    },
    (
        "verified_name", "code_verification_status", "display_phone_number", "quality_rating", "platform_type",
        "throughput", "webhook_configuration", "status", "last_onboarded_time", "id",
    ),
)  # fmt: skip


def _resolve_owner(call: Call, waba: Waba, _field: RequestedField) -> Any:
    business = call.context.store.get(Business, waba.parent)
    return {"name": business.name, "id": business.id} if business is not None else None


WABA_NODE_TYPE = NodeType(
    "WhatsAppBusinessAccount",
    {
        **resolve_attributes("id", "name", "currency", "timezone_id", "status"),
        "message_template_namespace": lambda _call, waba, _field: waba.template_namespace,
        "owner_business_info": _resolve_owner,
        "on_behalf_of_business_info": _resolve_owner,
        "account_review_status": lambda _call, waba, _field: "REJECTED" if waba.ban else "APPROVED",
        **resolve_constants(
            business_verification_status="verified", ownership_type="CLIENT_OWNED", is_enabled_for_insights=True
        ),
        "health_status": lambda call, waba, _field: _build_health_status(
            _build_waba_health(waba), *_build_parent_entities(call, waba)
        ),
    },
    ("id", "name", "currency", "timezone_id", "message_template_namespace"),
)
BUSINESS_NODE_TYPE = NodeType("Business", resolve_attributes("id", "name"), ("id", "name"))
SYSTEM_USER_NODE_TYPE = NodeType(
    "SystemUser",
    {"id": lambda _call, token, _field: token.user, **resolve_constants(name="System User")},
    ("name", "id"),
)
PROFILE_NODE_TYPE = NodeType(
    "WhatsAppBusinessProfile",
    {
        **resolve_attributes("about", "address", "description", "email", "vertical"),
        "websites": lambda _call, number, _field: number.websites or None,
        "profile_picture_url": lambda call, number, _field: build_picture_url(call.context, CDN_HOST, number.id, 640),
        **resolve_constants(messaging_product="whatsapp"),
    },
    ("about", "address", "description", "email", "profile_picture_url", "websites", "vertical", "messaging_product"),
)


def find_account_node(call: Call, key: str) -> Node | None:
    """Find what an id names, as far as the caller's token can access it."""
    token, store = require_token(call), call.context.store
    number, waba, business = store.get(Number, key), store.get(Waba, key), store.get(Business, key)
    if key in {"me", token.user}:
        return Node(SYSTEM_USER_NODE_TYPE, token)
    if number is not None and number.parent in token.wabas and store.get(Waba, number.parent) is not None:
        return Node(NUMBER_NODE_TYPE, number)
    if waba is not None and waba.id in token.wabas:
        return Node(WABA_NODE_TYPE, waba)
    return Node(BUSINESS_NODE_TYPE, business) if business is not None and business.id == token.parent else None


def get_number(call: Call, number: Number) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    return render_node(call, Node(NUMBER_NODE_TYPE, number), parse_requested_fields(call))


def get_waba(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    return render_node(call, Node(WABA_NODE_TYPE, waba), parse_requested_fields(call))


def list_phone_numbers(call: Call, waba: Waba) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    return build_page(
        call, [Node(NUMBER_NODE_TYPE, number) for number in call.context.store.find(Number, parent=waba.id)]
    )


def list_owned_wabas(call: Call, business: Business) -> Any:
    token: Token = require_scope(call, MANAGEMENT_SCOPE)
    wabas = [waba for waba in call.context.store.find(Waba, parent=business.id) if waba.id in token.wabas]
    return build_page(call, [Node(WABA_NODE_TYPE, waba) for waba in wabas])


def list_client_wabas(call: Call, _business: Business) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    return {"data": []}


def register_number(call: Call, number: Number) -> Any:
    """Connect a number to the Cloud API. The first PIN is required from then on."""
    require_scope(call, MANAGEMENT_SCOPE)
    pin = str(call.params.get("pin", ""))
    if call.params.get("messaging_product") != "whatsapp":
        return build_parameter_response("The parameter messaging_product is required.")
    if len(pin) != len("123456") or not pin.isdecimal():
        return build_parameter_response("Param pin must be 6 characters long.")
    if not call.context.try_use(f"register:{number.id}", _MAX_REGISTRATIONS, _REGISTRATION_WINDOW_SECONDS):
        return ERRORS["register_limited"](call)
    if number.pin and pin != number.pin:
        return ERRORS["pin_mismatch"](call)
    number.pin, number.registered, number.code_verification_status = pin, True, "VERIFIED"
    call.context.store.put(number)
    return {"success": True}


def deregister_number(call: Call, number: Number) -> Any:
    require_scope(call, MANAGEMENT_SCOPE)
    number.registered = False
    call.context.store.put(number)
    return {"success": True}


def get_profile(call: Call, number: Number) -> Any:
    require_scope(call, MESSAGING_SCOPE)
    return {"data": [render_node(call, Node(PROFILE_NODE_TYPE, number), parse_requested_fields(call))]}


def update_profile(call: Call, number: Number) -> Any:
    require_scope(call, MESSAGING_SCOPE)
    params = call.params
    if params.get("messaging_product") != "whatsapp":
        return build_parameter_response("The parameter messaging_product is required.")
    for name, most in _MAX_PROFILE_LENGTHS.items():
        if name in params:
            if len(str(params[name])) > most:
                raise CallRefusedError(
                    build_parameter_response(f"Param {name} must be at most {most} characters long.")
                )
            setattr(number, name, str(params[name]))
    if "vertical" in params and params["vertical"] not in _VERTICALS:
        raise CallRefusedError(
            build_parameter_response(f"Param vertical must be one of {{{', '.join(sorted(_VERTICALS))}}}.")
        )
    number.vertical = str(params.get("vertical", number.vertical))
    number.websites = parse_words(params.get("websites", number.websites))
    call.context.store.put(number)
    return {"success": True}
