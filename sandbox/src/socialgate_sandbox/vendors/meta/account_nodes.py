"""What a person has: the profile, Pages, Instagram accounts, businesses."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import (
    FieldResolver,
    Node,
    NodeType,
    build_finder,
    resolve_attributes,
    resolve_constants,
)
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_json_text
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, build_json_response
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error, build_pages_read_error
from socialgate_sandbox.vendors.meta.instagram.instagram_audience import INSTAGRAM_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.leads.lead_access import resolve_lead_access
from socialgate_sandbox.vendors.meta.pages.page_audience import PAGE_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.stored_objects import Business, Human, Instagram, Page, Role
from socialgate_sandbox.vendors.meta.token_access import (
    get_or_issue_page_token,
    get_role,
    get_role_for_token,
    has_any_scope,
    require_scope,
    require_token,
)

CDN_HOST = "scontent.xx.fbcdn.net"
_PICTURE_SIZES = {"small": 50, "square": 50, "normal": 100, "large": 200, "album": 50}
_DETAIL_FIELDS = (
    *("bio", "company_overview", "description", "emails", "general_info", "hours", "impressum", "mission"),
    *("location", "parking", "payment_options", "phone", "price_range"),
)


def _resolve_picture(call: Call, stored_object: Any, field: RequestedField) -> Any:
    size = _PICTURE_SIZES.get(field.args.get("type", "square"), 50)
    url = build_picture_url(call.context, CDN_HOST, stored_object.id, size)
    return {"data": {"height": size, "is_silhouette": False, "url": url, "width": size}}


def _build_name_resolver(index: int) -> FieldResolver:
    return lambda _call, human, _field: human.name.split(" ", 1)[index]


def _resolve_email(call: Call, human: Human, _field: RequestedField) -> str | None:
    return human.email if has_any_scope(call, "email") else None


USER_NODE_TYPE = NodeType(
    "User",
    {
        **resolve_attributes("id", "name"),
        "first_name": _build_name_resolver(0),
        "last_name": _build_name_resolver(1),
        "short_name": _build_name_resolver(0),
        "email": _resolve_email,
        "picture": _resolve_picture,
    },
    ("name", "id"),
)


def require_page_read(call: Call) -> None:
    if not has_any_scope(call, "pages_read_engagement"):
        raise build_pages_read_error()


def _require_read_first(resolver: FieldResolver) -> FieldResolver:
    """Return a field that is visible only to callers who may read the Page's content."""

    def resolve(call: Call, page: Page, field: RequestedField) -> Any:
        require_page_read(call)
        return resolver(call, page, field)

    return resolve


def _build_count_resolver(name: str) -> FieldResolver:
    """Return a number that grows with the followers. Not everybody who follows a Page also likes it."""
    return lambda call, page, _field: (
        getattr(page, name) + PAGE_AUDIENCE_READER.count_gained_followers(call.context, page)
    )


def _resolve_followers(call: Call, account: Instagram, _field: RequestedField) -> int:
    return account.followers_count + INSTAGRAM_AUDIENCE_READER.count_gained_followers(call.context, account)


def _resolve_page_token(call: Call, page: Page, _field: RequestedField) -> str | None:
    token = require_token(call)
    if token.page == page.id:
        return token.id
    return get_or_issue_page_token(call.context, token, page.id) if has_any_scope(call, "pages_show_list") else None


def find_linked_instagram(context: VendorContext, page: str) -> Instagram | None:
    return next(iter(context.store.find(Instagram, parent=page)), None)


def list_page_and_instagram(context: VendorContext, page: str) -> list[str]:
    """Return a Page and the Instagram account that is linked to it, if there is one."""
    linked = find_linked_instagram(context, page)
    return [page] if linked is None else [page, linked.id]


def _resolve_instagram(call: Call, page: Page, _field: RequestedField) -> Node | None:
    account = find_linked_instagram(call.context, page.id)
    return (
        Node(INSTAGRAM_NODE_TYPE, account) if account is not None and has_any_scope(call, "instagram_basic") else None
    )


def _resolve_business(call: Call, stored_object: Any, _field: RequestedField) -> Node | None:
    business = call.context.store.get(Business, stored_object.parent)
    return (
        Node(BUSINESS_NODE_TYPE, business)
        if business is not None and has_any_scope(call, "business_management")
        else None
    )


def _resolve_tasks(call: Call, page: Page, _field: RequestedField) -> list[str]:
    current_role = get_role(call.context, require_token(call).parent, page.id)
    return current_role.tasks if current_role is not None else []


def _build_detail_resolver(name: str) -> FieldResolver:
    return lambda _call, page, _field: page.details.get(name)


def update_page(call: Call, page: Page) -> Any:
    """Update what a Page says about itself."""
    current_role = get_role(call.context, require_token(call).parent, page.id)
    require_scope(
        call, "pages_manage_metadata", other_condition=current_role is not None and "MANAGE" in current_role.tasks
    )
    params = {
        name: parse_json_text(call.params[name])
        for name in ("about", "website", *_DETAIL_FIELDS)
        if name in call.params
    }
    page.about, page.website = str(params.pop("about", page.about)), str(params.pop("website", page.website))
    page.details |= params
    call.context.store.put(page)
    return {"success": True}


def _resolve_business_discovery(call: Call, _account: Instagram, field: RequestedField) -> Node | None:
    """Find another professional account by its name, as everybody sees it."""
    expected = field.args.get("username", "")
    if not expected:
        return None
    existing_instagram = next(
        (instagram for instagram in call.context.store.find(Instagram) if instagram.username == expected), None
    )
    if existing_instagram is None:
        title = "Cannot find User"
        raise CallRefusedError(
            build_error_response("Invalid user id", 110, subcode=2207013, transient=False, title=title, advice=title)
        )
    return Node(INSTAGRAM_NODE_TYPE, existing_instagram)


_CONTENT_RESOLVERS: dict[str, FieldResolver] = {
    **resolve_attributes("about", "website", "verification_status"),
    **{name: _build_count_resolver(name) for name in ("followers_count", "fan_count")},
    "is_verified": lambda _call, page, _field: page.verification_status != "not_verified",
}
_PAGE_RESOLVERS: dict[str, FieldResolver] = {
    **resolve_attributes("id", "name", "username", "category"),
    **{name: _build_detail_resolver(name) for name in _DETAIL_FIELDS},
    "access_token": _resolve_page_token,
    "category_list": lambda _call, page, _field: [{"id": page.category_id, "name": page.category}],
    "picture": _resolve_picture,
    "link": lambda _call, page, _field: f"https://www.facebook.com/{page.id}",
    "instagram_business_account": _resolve_instagram,
    "business": _resolve_business,
    "owner_business": _resolve_business,
    "has_lead_access": resolve_lead_access,
    **resolve_constants(is_published=True, has_transitioned_to_new_page_experience=True),
    "can_post": lambda call, page, field: "CREATE_CONTENT" in _resolve_tasks(call, page, field),
    **{name: _require_read_first(value) for name, value in _CONTENT_RESOLVERS.items()},
}
PAGE_NODE_TYPE = NodeType("Page", _PAGE_RESOLVERS, ("name", "id"))
# The person's list adds a field that the Page itself does not have: requesting it there is an error.
LISTED_PAGE_NODE_TYPE = NodeType(
    "Page",
    {**_PAGE_RESOLVERS, "tasks": _resolve_tasks},
    ("access_token", "category", "category_list", "name", "id", "tasks"),
)

INSTAGRAM_NODE_TYPE = NodeType(
    "ShadowIGUser",
    {
        **resolve_attributes("id", "username", "name", "biography", "website", "follows_count", "media_count"),
        "followers_count": _resolve_followers,
        "business_discovery": _resolve_business_discovery,
        **resolve_constants(has_profile_pic=True, is_published=True),
        "ig_id": lambda _call, account, _field: int(account.id[-10:]),
        "profile_picture_url": lambda call, account, _field: build_picture_url(call.context, CDN_HOST, account.id, 320),
    },
)
BUSINESS_NODE_TYPE = NodeType("Business", resolve_attributes("id", "name"), ("id", "name"))


def list_pages(call: Call, human: Human) -> Any:
    """List the Pages that were ticked in the dialog. Without the scope the list is empty, not an error."""
    shown = has_any_scope(call, "pages_show_list")
    pages = _get_pages(call, [role.asset for role in _list_roles(call, human) if shown and role.ticked])
    return build_page(call, [Node(LISTED_PAGE_NODE_TYPE, page) for page in pages])


def _list_roles(call: Call, human: Human) -> list[Role]:
    return [role for role in call.context.store.find(Role, parent=human.id) if not role.asset.startswith("act_")]


def _get_pages(call: Call, ids: list[str]) -> list[Page]:
    return [page for key in ids if (page := call.context.store.get(Page, key)) is not None]


def list_businesses(call: Call, human: Human) -> Any:
    require_business_management(call)
    businesses = [business for business in call.context.store.find(Business) if human.id in business.members]
    return build_page(call, [Node(BUSINESS_NODE_TYPE, business) for business in businesses])


def list_owned_pages(call: Call, business: Business) -> Any:
    require_business_management(call)
    return build_page(call, [Node(PAGE_NODE_TYPE, page) for page in call.context.store.find(Page, parent=business.id)])


def list_client_pages(call: Call, business: Business) -> Any:
    require_business_management(call)
    return build_page(call, [Node(PAGE_NODE_TYPE, page) for page in _get_pages(call, business.client_pages)])


def require_business_management(call: Call) -> None:
    if not has_any_scope(call, "business_management"):
        raise CallRefusedError(build_error_response("(#100) Missing Permission", 100, status=403))


def require_instagram_scope(call: Call, scope: str = "instagram_basic") -> None:
    if not has_any_scope(call, scope):
        raise build_missing_scope_error("Application does not have permission for this action", 10)


def redirect_to_picture(call: Call, stored_object: Any) -> Any:
    """Redirect to the picture, unless the caller asks for its data."""
    result = _resolve_picture(
        call, stored_object, RequestedField("picture", {"type": str(call.params.get("type", "square"))})
    )
    if str(call.params.get("redirect", "true")).lower() in {"0", "false"}:
        return result
    return build_json_response(None, 302, {"Location": result["data"]["url"]})


def _has_page_access(call: Call, page: str) -> bool:
    return get_role_for_token(call.context, require_token(call), page) is not None


find_page_node = build_finder(Page, PAGE_NODE_TYPE, lambda call, page: _has_page_access(call, page.id))
# The account is found through its Page: without that link it does not exist for anybody.
find_instagram_node = build_finder(
    Instagram,
    INSTAGRAM_NODE_TYPE,
    lambda call, instagram: _has_page_access(call, instagram.parent),
    require_instagram_scope,
)
find_business_node = build_finder(
    Business, BUSINESS_NODE_TYPE, lambda call, business: require_token(call).parent in business.members
)
