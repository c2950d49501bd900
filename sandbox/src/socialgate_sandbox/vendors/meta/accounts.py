"""What a person has: the profile, Pages, Instagram accounts, businesses."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import parsed
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, always, finder, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, World, reply
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.meta.errors import missing_scope, pages_read_missing
from socialgate_sandbox.vendors.meta.instagram.audiences import ON_INSTAGRAM
from socialgate_sandbox.vendors.meta.leads.access import has_lead_access
from socialgate_sandbox.vendors.meta.pages.audiences import ON_FACEBOOK
from socialgate_sandbox.vendors.meta.state import Business, Human, Instagram, Page, Role
from socialgate_sandbox.vendors.meta.viewer import may, page_token, reachable, require_scope, role, viewer

CDN = "scontent.xx.fbcdn.net"
_SIZES = {"small": 50, "square": 50, "normal": 100, "large": 200, "album": 50}
_DETAILS = (
    *("bio", "company_overview", "description", "emails", "general_info", "hours", "impressum", "mission"),
    *("location", "parking", "payment_options", "phone", "price_range"),
)


def _picture(call: Call, thing: Any, field: Field) -> Any:
    size = _SIZES.get(field.args.get("type", "square"), 50)
    url = picture_url(call.world, CDN, thing.id, size)
    return {"data": {"height": size, "is_silhouette": False, "url": url, "width": size}}


def _name_part(index: int) -> Resolver:
    return lambda _call, human, _field: human.name.split(" ", 1)[index]


def _email(call: Call, human: Human, _field: Field) -> str | None:
    return human.email if may(call, "email") else None


USER = NodeType(
    "User",
    {
        **own("id", "name"),
        "first_name": _name_part(0),
        "last_name": _name_part(1),
        "short_name": _name_part(0),
        "email": _email,
        "picture": _picture,
    },
    ("name", "id"),
)


def require_reader(call: Call) -> None:
    if not may(call, "pages_read_engagement"):
        raise pages_read_missing()


def _reading(value: Resolver) -> Resolver:
    """Return a field that is visible only to callers who may read the Page's content."""

    def resolve(call: Call, page: Page, field: Field) -> Any:
        require_reader(call)
        return value(call, page, field)

    return resolve


def _growing(name: str) -> Resolver:
    """Return a number that grows with the followers. Not everybody who follows a Page also likes it."""
    return lambda call, page, _field: getattr(page, name) + ON_FACEBOOK.grown(call.world, page)


def _followers(call: Call, account: Instagram, _field: Field) -> int:
    return account.followers_count + ON_INSTAGRAM.grown(call.world, account)


def _page_token(call: Call, page: Page, _field: Field) -> str | None:
    token = viewer(call)
    if token.page == page.id:
        return token.id
    return page_token(call.world, token, page.id) if may(call, "pages_show_list") else None


def linked_instagram(world: World, page: str) -> Instagram | None:
    return next(iter(world.store.find(Instagram, parent=page)), None)


def with_instagram(world: World, page: str) -> list[str]:
    """Return a Page and the Instagram account that is linked to it, if there is one."""
    linked = linked_instagram(world, page)
    return [page] if linked is None else [page, linked.id]


def _instagram(call: Call, page: Page, _field: Field) -> Node | None:
    account = linked_instagram(call.world, page.id)
    return Node(INSTAGRAM, account) if account is not None and may(call, "instagram_basic") else None


def _business(call: Call, thing: Any, _field: Field) -> Node | None:
    business = call.world.store.get(Business, thing.parent)
    return Node(BUSINESS, business) if business is not None and may(call, "business_management") else None


def _tasks(call: Call, page: Page, _field: Field) -> list[str]:
    held = role(call.world, viewer(call).parent, page.id)
    return held.tasks if held is not None else []


def _detail(name: str) -> Resolver:
    return lambda _call, page, _field: page.details.get(name)


def change_page(call: Call, page: Page) -> Any:
    """Update what a Page says about itself."""
    held = role(call.world, viewer(call).parent, page.id)
    require_scope(call, "pages_manage_metadata", also=held is not None and "MANAGE" in held.tasks)
    given = {name: parsed(call.params[name]) for name in ("about", "website", *_DETAILS) if name in call.params}
    page.about, page.website = str(given.pop("about", page.about)), str(given.pop("website", page.website))
    page.details |= given
    call.world.store.put(page)
    return {"success": True}


def _discovered(call: Call, _account: Instagram, field: Field) -> Node | None:
    """Find another professional account by its name, as everybody sees it."""
    wanted = field.args.get("username", "")
    if not wanted:
        return None
    found = next((one for one in call.world.store.find(Instagram) if one.username == wanted), None)
    if found is None:
        title = "Cannot find User"
        raise Refused(failure("Invalid user id", 110, subcode=2207013, transient=False, title=title, advice=title))
    return Node(INSTAGRAM, found)


_CONTENT: dict[str, Resolver] = {
    **own("about", "website", "verification_status"),
    **{name: _growing(name) for name in ("followers_count", "fan_count")},
    "is_verified": lambda _call, page, _field: page.verification_status != "not_verified",
}
_PAGE_FIELDS: dict[str, Resolver] = {
    **own("id", "name", "username", "category"),
    **{name: _detail(name) for name in _DETAILS},
    "access_token": _page_token,
    "category_list": lambda _call, page, _field: [{"id": page.category_id, "name": page.category}],
    "picture": _picture,
    "link": lambda _call, page, _field: f"https://www.facebook.com/{page.id}",
    "instagram_business_account": _instagram,
    "business": _business,
    "owner_business": _business,
    "has_lead_access": has_lead_access,
    **always(is_published=True, has_transitioned_to_new_page_experience=True),
    "can_post": lambda call, page, field: "CREATE_CONTENT" in _tasks(call, page, field),
    **{name: _reading(value) for name, value in _CONTENT.items()},
}
PAGE = NodeType("Page", _PAGE_FIELDS, ("name", "id"))
# The person's list adds a field that the Page itself does not have: requesting it there is an error.
LISTED_PAGE = NodeType(
    "Page", {**_PAGE_FIELDS, "tasks": _tasks}, ("access_token", "category", "category_list", "name", "id", "tasks")
)

INSTAGRAM = NodeType(
    "ShadowIGUser",
    {
        **own("id", "username", "name", "biography", "website", "follows_count", "media_count"),
        "followers_count": _followers,
        "business_discovery": _discovered,
        **always(has_profile_pic=True, is_published=True),
        "ig_id": lambda _call, account, _field: int(account.id[-10:]),
        "profile_picture_url": lambda call, account, _field: picture_url(call.world, CDN, account.id, 320),
    },
)
BUSINESS = NodeType("Business", own("id", "name"), ("id", "name"))


def accounts(call: Call, human: Human) -> Any:
    """List the Pages that were ticked in the dialog. Without the scope the list is empty, not an error."""
    shown = may(call, "pages_show_list")
    pages = _pages(call, [held.asset for held in _roles(call, human) if shown and held.ticked])
    return listing(call, [Node(LISTED_PAGE, page) for page in pages])


def _roles(call: Call, human: Human) -> list[Role]:
    return [held for held in call.world.store.find(Role, parent=human.id) if not held.asset.startswith("act_")]


def _pages(call: Call, ids: list[str]) -> list[Page]:
    return [page for key in ids if (page := call.world.store.get(Page, key)) is not None]


def businesses(call: Call, human: Human) -> Any:
    require_business(call)
    found = [business for business in call.world.store.find(Business) if human.id in business.members]
    return listing(call, [Node(BUSINESS, business) for business in found])


def owned_pages(call: Call, business: Business) -> Any:
    require_business(call)
    return listing(call, [Node(PAGE, page) for page in call.world.store.find(Page, parent=business.id)])


def client_pages(call: Call, business: Business) -> Any:
    require_business(call)
    return listing(call, [Node(PAGE, page) for page in _pages(call, business.client_pages)])


def require_business(call: Call) -> None:
    if not may(call, "business_management"):
        raise Refused(failure("(#100) Missing Permission", 100, status=403))


def require_instagram(call: Call, scope: str = "instagram_basic") -> None:
    if not may(call, scope):
        raise missing_scope("Application does not have permission for this action", 10)


def picture(call: Call, thing: Any) -> Any:
    """Redirect to the picture, unless the caller asks for its data."""
    found = _picture(call, thing, Field("picture", {"type": str(call.params.get("type", "square"))}))
    if str(call.params.get("redirect", "true")).lower() in {"0", "false"}:
        return found
    return reply(None, 302, {"Location": found["data"]["url"]})


def _reaches(call: Call, page: str) -> bool:
    return reachable(call.world, viewer(call), page) is not None


page_node = finder(Page, PAGE, lambda call, page: _reaches(call, page.id))
# The account is found through its Page: without that link it does not exist for anybody.
instagram_node = finder(Instagram, INSTAGRAM, lambda call, one: _reaches(call, one.parent), require_instagram)
business_node = finder(Business, BUSINESS, lambda call, business: viewer(call).parent in business.members)
