"""Google Business Profile: accounts, locations, and where an account's notifications go."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, Refused, Route
from socialgate_sandbox.vendors.google.access import signed_in
from socialgate_sandbox.vendors.google.errors import field_violation, refusal, require_field, rpc_error
from socialgate_sandbox.vendors.google.masks import Tree, camel, matches, read_mask, select
from socialgate_sandbox.vendors.google.paging import BadPage, page
from socialgate_sandbox.vendors.google.state import (
    AUTH,
    BusinessAccount,
    BusinessMember,
    Location,
    NotificationSetting,
)

T = TypeVar("T")
MANAGE = f"{AUTH}business.manage"
_ACCOUNTS = "/mybusinessaccountmanagement.googleapis.com/v1/accounts"
_INFORMATION = "/mybusinessbusinessinformation.googleapis.com/v1"
_NOTICES = "/mybusinessnotifications.googleapis.com/v1/accounts/{account}/notificationSetting"
_FIELDS = {
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
NOTICES = {
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


class NoticesBody(msgspec.Struct, rename="camel"):
    name: str = ""
    pubsub_topic: str = ""
    notification_types: list[str] = []


def list_accounts(call: Call) -> object:
    user = signed_in(call, MANAGE).parent
    members = call.world.store.find(BusinessMember, parent=user)
    found = _chosen(call, [_account(call, member) for member in members], {"type"})
    shown, following = _page(call, found, default=20, most=20)
    answer: dict[str, object] = {"accounts": shown} if shown else {}
    return answer | following


def _chosen(call: Call, found: list[dict[str, Any]], known: set[str]) -> list[dict[str, Any]]:
    given = call.query.get("filter", "").strip()
    return [row for row in found if matches(row, given, known)] if given else found


def get_account(call: Call) -> object:
    return _account(call, member_of(call, call.args["account"]))


def list_locations(call: Call) -> object:
    fields = _mask(call)
    user, store = signed_in(call, MANAGE).parent, call.world.store
    # A dash stands for every account of the user.
    if call.args["account"] == "-":
        accounts = [member.account for member in store.find(BusinessMember, parent=user)]
    else:
        accounts = [member_of(call, call.args["account"]).account]
    places = [_location(location) for account in accounts for location in store.find(Location, parent=account)]
    found = _ordered(call, _chosen(call, places, _FIELDS))
    shown, following = _page(call, found, default=10, most=100)
    answer: dict[str, object] = {"locations": [select(place, fields) for place in shown]} if shown else {}
    return answer | following | ({"totalSize": len(found)} if found else {})


def get_location(call: Call) -> object:
    return select(_location(location_of(call, call.args["location"])), _mask(call))


def get_notices(call: Call) -> object:
    account = member_of(call, call.args["account"]).account
    return _notices(account, call.world.store.get(NotificationSetting, account))


def set_notices(call: Call) -> object:
    account = member_of(call, call.args["account"]).account
    given = call.read_json(NoticesBody)
    unknown = set(given.notification_types) - NOTICES
    if unknown:
        return field_violation("notification_setting.notification_types", f"Invalid value: {min(unknown)}")
    setting = call.world.store.get(NotificationSetting, account) or NotificationSetting(id=account, topic="", types=[])
    mask = set(call.query.get("updateMask", "").replace("_t", "T").split(","))
    require_field(mask & {"notificationTypes", "pubsubTopic"}, "update_mask", "update_mask is required")
    if "notificationTypes" in mask:
        setting.types = given.notification_types
    if "pubsubTopic" in mask:
        setting.topic = given.pubsub_topic
    return _notices(account, call.world.store.put(setting))


def member_of(call: Call, account: str) -> BusinessMember:
    """Find the caller's role in an account. Any other account looks forbidden, whether it exists or not."""
    user = signed_in(call, MANAGE).parent
    member = call.world.store.get(BusinessMember, f"{user} {account}")
    if member is None:
        raise refusal("forbidden")
    return member


def location_of(call: Call, key: str) -> Location:
    signed_in(call, MANAGE)
    location = call.world.store.get(Location, key)
    if location is None:
        raise refusal("not_found")
    member_of(call, location.parent)
    return location


def _page(call: Call, items: Sequence[T], *, default: int, most: int) -> tuple[list[T], dict[str, str]]:
    given = call.query.get("pageSize", str(default))
    require_field(given.isdecimal(), "page_size", f"Invalid value at 'page_size' (TYPE_INT32), \"{given}\"")
    return page_of(items, min(int(given) or default, most), call.query.get("pageToken"))


def page_of(items: Sequence[T], size: int, token: str | None) -> tuple[list[T], dict[str, str]]:
    """Return a page, and what a response says about the next one."""
    try:
        shown, following = page(items, size, token)
    except BadPage:
        raise Refused(field_violation("page_token", "Invalid page token")) from None
    return list(shown), {"nextPageToken": following} if following else {}


def _mask(call: Call) -> Tree:
    signed_in(call, MANAGE)
    try:
        tree = read_mask(call.query.get("readMask", ""), _FIELDS)
    except KeyError as unknown:
        mask = "'read_mask' (type.googleapis.com/google.protobuf.FieldMask)"
        raise Refused(rpc_error(400, f'Invalid value at {mask}, "{unknown.args[0]}"')) from None
    require_field(tree, "read_mask", "read_mask is required")
    return tree


def _ordered(call: Call, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by `title, store_code desc`: the first name is the most significant."""
    for term in reversed([term.split() for term in call.query.get("orderBy", "").split(",") if term.strip()]):
        name = camel(term[0])
        if name not in {"title", "storeCode"} or term[1:] not in ([], ["asc"], ["desc"]):
            raise Refused(field_violation("order_by", f"Invalid value: {' '.join(term)}"))
        found = sorted(found, key=itemgetter(name), reverse=term[1:] == ["desc"])
    return found


def _account(call: Call, member: BusinessMember) -> dict[str, Any]:
    account = call.world.store.get(BusinessAccount, member.account)
    assert account is not None
    shown = {"name": f"accounts/{account.id}", "accountName": account.title, "type": account.type}
    if account.type != "PERSONAL":
        shown |= {"role": member.role, "permissionLevel": "OWNER_LEVEL", "accountNumber": account.number}
    return shown | {"verificationState": account.verification, "vettedState": "NOT_VETTED"}


def _location(location: Location) -> dict[str, Any]:
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


def _notices(account: str, setting: NotificationSetting | None) -> dict[str, object]:
    shown: dict[str, object] = {"name": f"accounts/{account}/notificationSetting"}
    if setting and setting.topic:
        shown["pubsubTopic"] = setting.topic
    if setting and setting.types:
        shown["notificationTypes"] = setting.types
    return shown


ROUTES = [
    Route("GET", _ACCOUNTS, list_accounts),
    Route("GET", f"{_ACCOUNTS}/{{account}}", get_account),
    Route("GET", f"{_INFORMATION}/accounts/{{account}}/locations", list_locations),
    Route("GET", f"{_INFORMATION}/locations/{{location}}", get_location),
    Route("GET", _NOTICES, get_notices),
    Route("PATCH", _NOTICES, set_notices),
]
