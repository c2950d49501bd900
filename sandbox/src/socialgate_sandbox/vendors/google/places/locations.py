"""Google Business Profile: accounts, locations, and where an account's notifications go."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, CallRefusedError, Route
from socialgate_sandbox.vendors.google.access import require_token
from socialgate_sandbox.vendors.google.errors import (
    build_field_violation,
    build_refusal,
    build_rpc_error,
    require_field,
)
from socialgate_sandbox.vendors.google.field_selection import (
    FieldSelection,
    convert_to_camel_case,
    matches_filter,
    parse_mask,
    select_fields,
)
from socialgate_sandbox.vendors.google.paging import InvalidPageTokenError, paginate
from socialgate_sandbox.vendors.google.state import (
    AUTH,
    BusinessAccount,
    BusinessMember,
    Location,
    NotificationSetting,
)

T = TypeVar("T")
BUSINESS_SCOPE = f"{AUTH}business.manage"
_ACCOUNTS_PATH = "/mybusinessaccountmanagement.googleapis.com/v1/accounts"
_INFORMATION_PATH = "/mybusinessbusinessinformation.googleapis.com/v1"
_NOTIFICATION_SETTING_PATH = "/mybusinessnotifications.googleapis.com/v1/accounts/{account}/notificationSetting"
_LOCATION_FIELDS = {
    "adWordsLocationExtensions",
    "categories",
    "labels",
    "languageCode",
    "latlng",
    "metadata",
    "moreHours",
    "name",
    "openInfo",
    "phoneNumbers",
    "profile",
    "regularHours",
    "relationshipData",
    "serviceArea",
    "serviceItems",
    "specialHours",
    "storeCode",
    "storefrontAddress",
    "title",
    "websiteUri",
}
NOTIFICATION_TYPES = {
    "DUPLICATE_LOCATION",
    "GOOGLE_UPDATE",
    "LOSS_OF_VOICE_OF_MERCHANT",
    "NEW_ANSWER",
    "NEW_CUSTOMER_MEDIA",
    "NEW_QUESTION",
    "NEW_REVIEW",
    "UPDATED_ANSWER",
    "UPDATED_QUESTION",
    "UPDATED_REVIEW",
    "VOICE_OF_MERCHANT_UPDATED",
}


class NotificationSettingBody(msgspec.Struct, rename="camel"):
    name: str = ""
    pubsub_topic: str = ""
    notification_types: list[str] = []


def list_accounts(call: Call) -> object:
    user = require_token(call, BUSINESS_SCOPE).parent
    members = call.context.store.find(BusinessMember, parent=user)
    result = _filter_resources(call, [_build_account(call, member) for member in members], {"type"})
    shown, following = _paginate_request(call, result, default=20, max_size=20)
    answer: dict[str, object] = {"accounts": shown} if shown else {}
    return answer | following


def _filter_resources(call: Call, resources: list[dict[str, Any]], filter_names: set[str]) -> list[dict[str, Any]]:
    value = call.query.get("filter", "").strip()
    return [row for row in resources if matches_filter(row, value, filter_names)] if value else resources


def get_account(call: Call) -> object:
    return _build_account(call, require_member(call, call.path_params["account"]))


def list_locations(call: Call) -> object:
    fields = _parse_read_mask(call)
    user, store = require_token(call, BUSINESS_SCOPE).parent, call.context.store
    # A dash stands for every account of the user.
    if call.path_params["account"] == "-":
        accounts = [member.account for member in store.find(BusinessMember, parent=user)]
    else:
        accounts = [require_member(call, call.path_params["account"]).account]
    places = [_build_location(location) for account in accounts for location in store.find(Location, parent=account)]
    result = _sort_resources(call, _filter_resources(call, places, _LOCATION_FIELDS))
    shown, following = _paginate_request(call, result, default=10, max_size=100)
    answer: dict[str, object] = {"locations": [select_fields(place, fields) for place in shown]} if shown else {}
    return answer | following | ({"totalSize": len(result)} if result else {})


def get_location(call: Call) -> object:
    return select_fields(_build_location(require_location(call, call.path_params["location"])), _parse_read_mask(call))


def get_notification_setting(call: Call) -> object:
    account = require_member(call, call.path_params["account"]).account
    return _build_notification_setting(account, call.context.store.get(NotificationSetting, account))


def update_notification_setting(call: Call) -> object:
    account = require_member(call, call.path_params["account"]).account
    body = call.parse_json_body(NotificationSettingBody)
    unknown = set(body.notification_types) - NOTIFICATION_TYPES
    if unknown:
        return build_field_violation("notification_setting.notification_types", f"Invalid value: {min(unknown)}")
    setting = call.context.store.get(NotificationSetting, account) or NotificationSetting(
        id=account, topic="", types=[]
    )
    mask = set(call.query.get("updateMask", "").replace("_t", "T").split(","))
    require_field(mask & {"notificationTypes", "pubsubTopic"}, "update_mask", "update_mask is required")
    if "notificationTypes" in mask:
        setting.types = body.notification_types
    if "pubsubTopic" in mask:
        setting.topic = body.pubsub_topic
    return _build_notification_setting(account, call.context.store.put(setting))


def require_member(call: Call, account: str) -> BusinessMember:
    """Find the caller's role in an account. Any other account looks forbidden, whether it exists or not."""
    user = require_token(call, BUSINESS_SCOPE).parent
    member = call.context.store.get(BusinessMember, f"{user} {account}")
    if member is None:
        raise build_refusal("forbidden")
    return member


def require_location(call: Call, location_id: str) -> Location:
    require_token(call, BUSINESS_SCOPE)
    location = call.context.store.get(Location, location_id)
    if location is None:
        raise build_refusal("not_found")
    require_member(call, location.parent)
    return location


def _paginate_request(call: Call, items: Sequence[T], *, default: int, max_size: int) -> tuple[list[T], dict[str, str]]:
    value = call.query.get("pageSize", str(default))
    require_field(value.isdecimal(), "page_size", f"Invalid value at 'page_size' (TYPE_INT32), \"{value}\"")
    return paginate_resources(items, min(int(value) or default, max_size), call.query.get("pageToken"))


def paginate_resources(items: Sequence[T], size: int, token: str | None) -> tuple[list[T], dict[str, str]]:
    """Return a page, and what a response says about the next one."""
    try:
        shown, following = paginate(items, size, token)
    except InvalidPageTokenError:
        raise CallRefusedError(build_field_violation("page_token", "Invalid page token")) from None
    return list(shown), {"nextPageToken": following} if following else {}


def _parse_read_mask(call: Call) -> FieldSelection:
    require_token(call, BUSINESS_SCOPE)
    try:
        tree = parse_mask(call.query.get("readMask", ""), _LOCATION_FIELDS)
    except KeyError as unknown:
        mask = "'read_mask' (type.googleapis.com/google.protobuf.FieldMask)"
        raise CallRefusedError(build_rpc_error(400, f'Invalid value at {mask}, "{unknown.args[0]}"')) from None
    require_field(tree, "read_mask", "read_mask is required")
    return tree


def _sort_resources(call: Call, resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by `title, store_code desc`: the first name is the most significant."""
    for term in reversed([term.split() for term in call.query.get("orderBy", "").split(",") if term.strip()]):
        name = convert_to_camel_case(term[0])
        if name not in {"title", "storeCode"} or term[1:] not in ([], ["asc"], ["desc"]):
            raise CallRefusedError(build_field_violation("order_by", f"Invalid value: {' '.join(term)}"))
        resources = sorted(resources, key=itemgetter(name), reverse=term[1:] == ["desc"])
    return resources


def _build_account(call: Call, member: BusinessMember) -> dict[str, Any]:
    account = call.context.store.get(BusinessAccount, member.account)
    assert account is not None
    shown = {"name": f"accounts/{account.id}", "accountName": account.title, "type": account.type}
    if account.type != "PERSONAL":
        shown |= {"role": member.role, "permissionLevel": "OWNER_LEVEL", "accountNumber": account.number}
    return shown | {"verificationState": account.verification, "vettedState": "NOT_VETTED"}


def _build_location(location: Location) -> dict[str, Any]:
    metadata: dict[str, object] = {"canDelete": True, "canHaveFoodMenus": True}
    if location.verified:
        place = location.place_id
        metadata |= {
            "hasVoiceOfMerchant": True,
            "placeId": place,
            "mapsUri": f"https://maps.google.com/maps?cid={location.id}",
            "newReviewUri": f"https://search.google.com/local/writereview?placeid={place}",
        }
    shown: dict[str, Any] = {
        "name": f"locations/{location.id}",
        "languageCode": "en",
        "storeCode": location.store_code,
        "title": location.title,
        "phoneNumbers": {"primaryPhone": location.phone},
        "categories": {"primaryCategory": {"name": "categories/gcid:" + location.category, "displayName": "Bakery"}},
        "storefrontAddress": {
            "regionCode": location.region,
            "languageCode": "en",
            "postalCode": location.postal_code,
            "locality": location.locality,
            "addressLines": location.address,
        },
        "websiteUri": location.website,
        "openInfo": {"status": "OPEN", "canReopen": True},
        "metadata": metadata,
    }
    return {field: value for field, value in shown.items() if value}


def _build_notification_setting(account: str, setting: NotificationSetting | None) -> dict[str, object]:
    shown: dict[str, object] = {"name": f"accounts/{account}/notificationSetting"}
    if setting and setting.topic:
        shown["pubsubTopic"] = setting.topic
    if setting and setting.types:
        shown["notificationTypes"] = setting.types
    return shown


ROUTES = [
    Route("GET", _ACCOUNTS_PATH, list_accounts),
    Route("GET", f"{_ACCOUNTS_PATH}/{{account}}", get_account),
    Route("GET", f"{_INFORMATION_PATH}/accounts/{{account}}/locations", list_locations),
    Route("GET", f"{_INFORMATION_PATH}/locations/{{location}}", get_location),
    Route("GET", _NOTIFICATION_SETTING_PATH, get_notification_setting),
    Route("PATCH", _NOTIFICATION_SETTING_PATH, update_notification_setting),
]
