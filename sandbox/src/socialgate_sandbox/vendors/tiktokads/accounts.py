"""Ad accounts, Business Centers, and who is signed in."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, VendorContext
from socialgate_sandbox.kit.accounts import find_or_raise
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.vendors.tiktokads.access import (
    ACCOUNT_SCOPE,
    authenticate,
    find_token,
    list_accessible_accounts,
    require_advertiser,
)
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_PARAMETER_CODE,
    INVALID_PARAMETER_CODE,
    NO_PERMISSION_CODE,
    TOO_MANY_IDS_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.state import (
    AccessToken,
    AdsUser,
    Advertiser,
    AdvertiserMember,
    BusinessCenter,
    CenterMember,
    Store,
)

T = TypeVar("T")
_MAX_IDS = 100
_ASSET_TYPES = {
    "ADVERTISER",
    "CATALOG",
    "LEAD",
    "MANAGED_BUSINESS_ACCOUNT",
    "PIXEL",
    "STOREFRONT",
    "TIKTOK_SHOP",
    "TT_ACCOUNT",
}


# Other fields in the reference, which have no value here.
_EMPTY_FIELDS = (
    *("address", "brand", "cellphone_number", "company_name_editable", "contacter", "description", "email"),
    *("license_city", "license_no", "license_photo_url", "license_province", "license_url", "promotion_area"),
    *("promotion_center_city", "promotion_center_province", "reason", "telephone_number"),
)


class AdvertiserInfoQuery(msgspec.Struct):
    advertiser_ids: list[str]
    fields: list[str] | None = None


class PageQuery(msgspec.Struct):
    page: int = 1
    page_size: int = 10
    bc_id: str | None = None
    asset_type: str | None = None


def list_advertisers(call: Call) -> Response:
    token = authenticate(call)
    app = call.context.app
    if call.query.get("app_id") != app.id:
        return build_error_response(
            call, BAD_PARAMETER_CODE, "The app_id is inconsistent with that of the access_token."
        )
    require(call.query.get("secret") == app.secret, "secret: the secret is incorrect.")
    advertisers = [
        require_advertiser(call, token, member.advertiser)[0]
        for member in list_accessible_accounts(call.context, token)
    ]
    shown = [{"advertiser_id": advertiser.id, "advertiser_name": advertiser.name} for advertiser in advertisers]
    return build_success_response(call, {"list": shown})


def get_advertiser_info(call: Call) -> Response:
    token = authenticate(call, ACCOUNT_SCOPE)
    query = call.parse_params(AdvertiserInfoQuery)
    require(query.advertiser_ids, "advertiser_ids: Missing data for required field.")
    if len(query.advertiser_ids) > _MAX_IDS:
        return build_error_response(call, TOO_MANY_IDS_CODE, f"advertiser_ids: at most {_MAX_IDS} ids are allowed.")
    shown = [_build_advertiser_json(call, token, key) for key in query.advertiser_ids]
    unknown = set(query.fields or ()) - set(shown[0])
    if unknown:
        return build_error_response(call, INVALID_PARAMETER_CODE, f"fields: {min(unknown)} is not a valid field.")
    return build_success_response(call, {"list": [_select_fields(item, query.fields) for item in shown]})


def get_user_info(call: Call) -> Response:
    token = authenticate(call)
    user = call.context.store.get(AdsUser, token.parent)
    assert user is not None
    head, _, domain = user.email.partition("@")
    return build_success_response(
        call,
        {
            "core_user_id": user.id,
            "display_name": user.name,
            "email": f"{head[0]}***{head[-1]}@{domain}",
            "create_time": user.created_at,
            "avatar_url": f"https://p16-sign.tiktokcdn.com/{user.id}.jpeg",
        },
    )


def list_business_centers(call: Call) -> Response:
    token, query = authenticate(call, ACCOUNT_SCOPE), call.parse_params(PageQuery)
    members = call.context.store.find(CenterMember, parent=token.parent)
    center_members = [member for member in members if query.bc_id in {None, member.center}]
    shown, info = select_page(call, query, center_members, max_page_size=50)
    return build_success_response(
        call, {"list": [_build_center_json(call.context, member) for member in shown], "page_info": info}
    )


def list_assets(call: Call) -> Response:
    token, query = authenticate(call, ACCOUNT_SCOPE), call.parse_params(PageQuery)
    require(query.asset_type in _ASSET_TYPES, "asset_type: Missing data for required field, or not a valid choice.")
    if call.context.store.get(CenterMember, f"{token.parent} {query.bc_id}") is None:
        return build_error_response(call, NO_PERMISSION_CODE, f"No permission to operate bc {query.bc_id}.")
    shown, info = select_page(call, query, _build_assets(call, token, query), max_page_size=50)
    return build_success_response(call, {"list": shown, "page_info": info})


def _build_assets(call: Call, token: AccessToken, query: PageQuery) -> list[dict[str, Any]]:
    """List what a Business Center has of one type. It has nothing of types that are not simulated."""
    store, center = call.context.store, query.bc_id or ""
    every = [
        require_advertiser(call, token, member.advertiser) for member in list_accessible_accounts(call.context, token)
    ]
    mine = [(advertiser, role) for advertiser, role in every if advertiser.parent == center]
    if query.asset_type == "ADVERTISER":
        return [_build_asset_json(call.context, advertiser, role) for advertiser, role in mine]
    result: list[tuple[str, str]] = []
    if query.asset_type == "CATALOG":
        result = [(catalog.id, catalog.name) for catalog in store.find(Catalog, parent=center)]
    elif query.asset_type == "TIKTOK_SHOP":
        result = [
            (shop.id, shop.name) for advertiser, _role in mine for shop in store.find(Store, parent=advertiser.id)
        ]
    relation = {"relation_type": "OWNER_BC", "relation_status": "BOUND"}
    return [{"asset_type": query.asset_type, "asset_id": key, "asset_name": name, **relation} for key, name in result]


def select_page(
    call: Call, query: PageQuery, rows: Sequence[T], *, max_page_size: int
) -> tuple[Sequence[T], dict[str, int]]:
    if query.page < 1 or not 1 <= query.page_size <= max_page_size:
        raise build_error(
            call, INVALID_PARAMETER_CODE, f"page_size: must be greater than or equal to 1 and at most {max_page_size}."
        )
    start, total = (query.page - 1) * query.page_size, len(rows)
    info = {"page": query.page, "page_size": query.page_size, "total_number": total}
    info["total_page"] = -(-total // query.page_size)
    return rows[start : start + query.page_size], info


def list_accounts(context: VendorContext) -> Sequence[Account]:
    tokens = context.store.find(AccessToken)
    connected = {member.advertiser for token in tokens for member in list_accessible_accounts(context, token)}
    return [
        Account(
            kind="advertiser",
            id=advertiser.id,
            name=advertiser.name,
            state="active" if advertiser.status == "STATUS_ENABLE" else advertiser.status,
            connected=[context.app.name] if advertiser.id in connected else [],
        )
        for advertiser in context.store.find(Advertiser)
    ]


def get_account_ids(call: Call) -> Sequence[str]:
    token = find_token(call)
    return [member.advertiser for member in list_accessible_accounts(call.context, token)] if token else ()


def find_advertiser(context: VendorContext, account: str) -> Advertiser:
    return find_or_raise(context, account, "ad account", Advertiser)


def list_user_ids(context: VendorContext, account: str) -> list[str]:
    return [member.parent for member in context.store.find(AdvertiserMember) if member.advertiser == account]


def _build_advertiser_json(call: Call, token: AccessToken, key: str) -> dict[str, Any]:
    advertiser, _role = require_advertiser(call, token, key)
    return {
        "advertiser_id": advertiser.id,
        "name": advertiser.name,
        "status": advertiser.status,
        "role": "ROLE_ADVERTISER",
        "currency": advertiser.currency,
        "timezone": advertiser.timezone,
        "display_timezone": advertiser.timezone,
        "country": advertiser.country,
        "balance": advertiser.balance,
        "company": advertiser.company,
        "industry": "291201",
        "language": "en",
        "owner_bc_id": advertiser.parent,
        "advertiser_account_type": "AUCTION",
        "rejection_reason": advertiser.rejection,
        "create_time": advertiser.created_at,
        **dict.fromkeys(_EMPTY_FIELDS),
    }


def _select_fields(advertiser_json: dict[str, Any], fields: list[str] | None) -> dict[str, Any]:
    return {
        name: value
        for name, value in advertiser_json.items()
        if name in (fields or set(advertiser_json) - set(_EMPTY_FIELDS))
    }


def _build_center_json(context: VendorContext, member: CenterMember) -> dict[str, Any]:
    center = context.store.get(BusinessCenter, member.center)
    assert center is not None
    info = {
        "bc_id": center.id,
        "name": center.name,
        "company": center.company,
        "currency": center.currency,
        "registered_area": center.area,
        "status": "ENABLE",
        "timezone": center.timezone,
        "type": "NORMAL",
        "verification_status": "VERIFIED",
    }
    return {"bc_info": info, "user_role": member.role, "ext_user_role": {"finance_role": "MANAGER"}}


def _build_asset_json(context: VendorContext, advertiser: Advertiser, role: str) -> dict[str, Any]:
    center = context.store.get(BusinessCenter, advertiser.parent)
    return {
        "asset_type": "ADVERTISER",
        "asset_id": advertiser.id,
        "asset_name": advertiser.name,
        "relation_type": "OWNER_BC",
        "relation_status": "BOUND",
        "advertiser_status": advertiser.status,
        "advertiser_account_type": "AUCTION",
        "advertiser_role": role,
        "owner_bc_name": center.name if center else "",
    }


ROUTES = [
    *build_api_routes("GET", "oauth2/advertiser/get", list_advertisers),
    *build_api_routes("GET", "advertiser/info", get_advertiser_info),
    *build_api_routes("GET", "user/info", get_user_info),
    *build_api_routes("GET", "bc/get", list_business_centers),
    *build_api_routes("GET", "bc/asset/get", list_assets),
]
