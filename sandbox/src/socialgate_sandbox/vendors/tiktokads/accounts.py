"""Ad accounts, Business Centers, and who is signed in."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, World
from socialgate_sandbox.kit.accounts import named
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.vendors.tiktokads.access import ACCOUNT, advertiser_of, given_token, reached, signed_in
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_PARAMETER,
    NO_PERMISSION,
    TOO_MANY_IDS,
    WRONG_PARAMETER,
    answered,
    failed,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
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
_MOST_IDS = 100
_ASSETS = {
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
_WITHOUT_VALUE = (
    *("address", "brand", "cellphone_number", "company_name_editable", "contacter", "description", "email"),
    *("license_city", "license_no", "license_photo_url", "license_province", "license_url", "promotion_area"),
    *("promotion_center_city", "promotion_center_province", "reason", "telephone_number"),
)


class InfoQuery(msgspec.Struct):
    advertiser_ids: list[str]
    fields: list[str] | None = None


class PageQuery(msgspec.Struct):
    page: int = 1
    page_size: int = 10
    bc_id: str | None = None
    asset_type: str | None = None


def list_advertisers(call: Call) -> Response:
    token = signed_in(call)
    app = call.world.app
    if call.query.get("app_id") != app.id:
        return failed(call, BAD_PARAMETER, "The app_id is inconsistent with that of the access_token.")
    require(call.query.get("secret") == app.secret, "secret: the secret is incorrect.")
    found = [advertiser_of(call, token, member.advertiser)[0] for member in reached(call.world, token)]
    shown = [{"advertiser_id": one.id, "advertiser_name": one.name} for one in found]
    return answered(call, {"list": shown})


def advertiser_info(call: Call) -> Response:
    token = signed_in(call, ACCOUNT)
    given = call.read(InfoQuery)
    require(given.advertiser_ids, "advertiser_ids: Missing data for required field.")
    if len(given.advertiser_ids) > _MOST_IDS:
        return failed(call, TOO_MANY_IDS, f"advertiser_ids: at most {_MOST_IDS} ids are allowed.")
    shown = [_advertiser(call, token, key) for key in given.advertiser_ids]
    unknown = set(given.fields or ()) - set(shown[0])
    if unknown:
        return failed(call, WRONG_PARAMETER, f"fields: {min(unknown)} is not a valid field.")
    return answered(call, {"list": [_chosen(one, given.fields) for one in shown]})


def user_info(call: Call) -> Response:
    token = signed_in(call)
    user = call.world.store.get(AdsUser, token.parent)
    assert user is not None
    head, _, domain = user.email.partition("@")
    return answered(
        call,
        {
            "core_user_id": user.id,
            "display_name": user.name,
            "email": f"{head[0]}***{head[-1]}@{domain}",
            "create_time": user.made,
            "avatar_url": f"https://p16-sign.tiktokcdn.com/{user.id}.jpeg",
        },
    )


def list_centers(call: Call) -> Response:
    token, query = signed_in(call, ACCOUNT), call.read(PageQuery)
    members = call.world.store.find(CenterMember, parent=token.parent)
    found = [member for member in members if query.bc_id in {None, member.center}]
    shown, info = paged(call, query, found, most=50)
    return answered(call, {"list": [_center(call.world, member) for member in shown], "page_info": info})


def list_assets(call: Call) -> Response:
    token, query = signed_in(call, ACCOUNT), call.read(PageQuery)
    require(query.asset_type in _ASSETS, "asset_type: Missing data for required field, or not a valid choice.")
    if call.world.store.get(CenterMember, f"{token.parent} {query.bc_id}") is None:
        return failed(call, NO_PERMISSION, f"No permission to operate bc {query.bc_id}.")
    shown, info = paged(call, query, _assets(call, token, query), most=50)
    return answered(call, {"list": shown, "page_info": info})


def _assets(call: Call, token: AccessToken, query: PageQuery) -> list[dict[str, Any]]:
    """List what a Business Center has of one type. It has nothing of types that are not simulated."""
    store, center = call.world.store, query.bc_id or ""
    every = [advertiser_of(call, token, member.advertiser) for member in reached(call.world, token)]
    mine = [(advertiser, role) for advertiser, role in every if advertiser.parent == center]
    if query.asset_type == "ADVERTISER":
        return [_asset(call.world, advertiser, role) for advertiser, role in mine]
    found: list[tuple[str, str]] = []
    if query.asset_type == "CATALOG":
        found = [(catalog.id, catalog.name) for catalog in store.find(Catalog, parent=center)]
    elif query.asset_type == "TIKTOK_SHOP":
        found = [(shop.id, shop.name) for one, _role in mine for shop in store.find(Store, parent=one.id)]
    relation = {"relation_type": "OWNER_BC", "relation_status": "BOUND"}
    return [{"asset_type": query.asset_type, "asset_id": key, "asset_name": name, **relation} for key, name in found]


def paged(call: Call, query: PageQuery, items: Sequence[T], *, most: int) -> tuple[Sequence[T], dict[str, int]]:
    if query.page < 1 or not 1 <= query.page_size <= most:
        raise refused(call, WRONG_PARAMETER, f"page_size: must be greater than or equal to 1 and at most {most}.")
    start, total = (query.page - 1) * query.page_size, len(items)
    info = {"page": query.page, "page_size": query.page_size, "total_number": total}
    info["total_page"] = -(-total // query.page_size)
    return items[start : start + query.page_size], info


def list_accounts(world: World) -> Sequence[Account]:
    tokens = world.store.find(AccessToken)
    connected = {member.advertiser for token in tokens for member in reached(world, token)}
    return [
        Account(
            kind="advertiser",
            id=advertiser.id,
            name=advertiser.name,
            state="active" if advertiser.status == "STATUS_ENABLE" else advertiser.status,
            connected=[world.app.name] if advertiser.id in connected else [],
        )
        for advertiser in world.store.find(Advertiser)
    ]


def accounts_of(call: Call) -> Sequence[str]:
    token = given_token(call)
    return [member.advertiser for member in reached(call.world, token)] if token else ()


def advertiser_named(world: World, account: str) -> Advertiser:
    return named(world, account, "ad account", Advertiser)


def users_of(world: World, account: str) -> list[str]:
    return [member.parent for member in world.store.find(AdvertiserMember) if member.advertiser == account]


def _advertiser(call: Call, token: AccessToken, key: str) -> dict[str, Any]:
    one, _role = advertiser_of(call, token, key)
    return {
        "advertiser_id": one.id,
        "name": one.name,
        "status": one.status,
        "role": "ROLE_ADVERTISER",
        "currency": one.currency,
        "timezone": one.timezone,
        "display_timezone": one.timezone,
        "country": one.country,
        "balance": one.balance,
        "company": one.company,
        "industry": "291201",
        "language": "en",
        "owner_bc_id": one.parent,
        "advertiser_account_type": "AUCTION",
        "rejection_reason": one.rejection,
        "create_time": one.made,
        **dict.fromkeys(_WITHOUT_VALUE),
    }


def _chosen(shown: dict[str, Any], fields: list[str] | None) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name in (fields or set(shown) - set(_WITHOUT_VALUE))}


def _center(world: World, member: CenterMember) -> dict[str, Any]:
    center = world.store.get(BusinessCenter, member.center)
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


def _asset(world: World, advertiser: Advertiser, role: str) -> dict[str, Any]:
    center = world.store.get(BusinessCenter, advertiser.parent)
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
    *api("GET", "oauth2/advertiser/get", list_advertisers),
    *api("GET", "advertiser/info", advertiser_info),
    *api("GET", "user/info", user_info),
    *api("GET", "bc/get", list_centers),
    *api("GET", "bc/asset/get", list_assets),
]
