"""Webhooks: the app's subscriptions, those of each Page, and the notifications that result."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate_sandbox.dialects.graph import hub
from socialgate_sandbox.dialects.graph.errors import failure, require, wrong
from socialgate_sandbox.dialects.graph.given import words
from socialgate_sandbox.kit import App, Call, Refused, World
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.state import Instagram, Page, PageSubscription, Subscription
from socialgate_sandbox.vendors.meta.viewer import TOKENS, may, require_page_token

_MESSAGING = (
    "messages", "message_echoes", "message_deliveries", "message_reads", "message_reactions", "message_edits",
    "messaging_postbacks", "messaging_optins", "messaging_referrals", "messaging_handovers", "standby",
    "messaging_policy_enforcement",
)  # fmt: skip
FIELDS: Mapping[str, tuple[str, ...]] = {
    "page": ("feed", "mention", *_MESSAGING, "leadgen", "leadgen_update", "ratings", "videos", "follow"),
    "instagram": (
        "comments", "live_comments", "mentions", "messages", "message_edit", "message_reactions", "messaging_postbacks",
        "messaging_optins", "messaging_referral", "messaging_seen", "standby", "story_insights", "follow",
    ),
    "permissions": (
        "pages_show_list", "pages_messaging", "pages_manage_posts", "pages_manage_metadata", "pages_read_engagement",
        "pages_manage_engagement", "pages_read_user_content", "instagram_basic", "instagram_content_publish",
        "instagram_manage_comments", "instagram_manage_messages", "instagram_manage_insights", "leads_retrieval",
        "ads_read", "ads_management", "read_insights", "business_management",
    ),
    "user": ("name", "email", "picture"),
}  # fmt: skip
_SUBSCRIBING_TASKS = {"CREATE_CONTENT", "MANAGE", "MODERATE"}


def subscriptions(call: Call, _app: App) -> Any:
    TOKENS.require_app(call)
    return {"data": [_described(found) for found in call.world.store.find(Subscription)]}


def _described(found: Subscription) -> dict[str, Any]:
    fields = [{"name": name, "version": "v26.0"} for name in found.fields]
    return {"object": found.id, "callback_url": found.callback_url, "active": True, "fields": fields}


async def subscribe(call: Call, _app: App) -> Any:
    """Subscribe the app to a kind of object, after its address has answered the challenge."""
    TOKENS.require_app(call)
    given = call.params
    name = str(given.get("object", ""))
    if name not in FIELDS:
        raise wrong(f"Param object must be one of {{{', '.join(FIELDS)}}}")
    fields = words(given.get("fields"))
    _require_known("fields", fields, FIELDS[name])
    before = call.world.store.get(Subscription, name)
    url = str(given.get("callback_url") or (before.callback_url if before is not None else ""))
    verify_token = str(given.get("verify_token") or "")
    if not url.startswith(("http://", "https://")):
        raise Refused(failure("(#2201) response does not match challenge: callback_url is not a URL", 2201))
    await hub.shake_hands(call.world, url, verify_token)
    with call.world.store.transaction():
        call.world.store.put(
            Subscription(
                id=name,
                callback_url=url,
                verify_token=verify_token,
                fields=fields or (before.fields if before is not None else []),
                include_values=str(given.get("include_values", "true")).lower() != "false",
            )
        )
    return {"success": True}


def unsubscribe(call: Call, _app: App) -> Any:
    TOKENS.require_app(call)
    store, name = call.world.store, call.params.get("object")
    dropped = words(call.params.get("fields"))
    for found in store.find(Subscription):
        if name in {None, found.id}:
            found.fields = [field for field in found.fields if dropped and field not in dropped]
            store.put(found)
            if not found.fields:
                store.delete(Subscription, found.id)
    return {"success": True}


def subscribed_apps(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    found = call.world.store.get(PageSubscription, target.id)
    if found is None:
        return {"data": []}
    app = call.world.app
    link = f"https://www.facebook.com/games/?app_id={app.id}"
    return {"data": [{"link": link, "name": app.name, "id": app.id, "subscribed_fields": found.fields}]}


def subscribe_page(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    fields = words(call.params.get("subscribed_fields"))
    require(fields, "The parameter subscribed_fields is required")
    _require_known("subscribed_fields", fields, FIELDS["page" if isinstance(target, Page) else "instagram"])
    for field in fields:
        needed = _scope_for(field, target)
        if not may(call, needed):
            raise missing_scope(f"To subscribe to the {field} field, one of these permissions is needed: {needed}")
    call.world.store.put(PageSubscription(id=target.id, fields=fields))
    return {"success": True}


def unsubscribe_page(call: Call, target: Page | Instagram) -> Any:
    _require_page_token(call, target)
    call.world.store.delete(PageSubscription, target.id)
    return {"success": True}


def _require_page_token(call: Call, target: Page | Instagram) -> None:
    """Accept callers that act as the Page and have more than read-only access there."""
    page = target.id if isinstance(target, Page) else target.parent
    require_page_token(call, page, _SUBSCRIBING_TASKS, "pages_manage_metadata")


def _scope_for(field: str, target: Page | Instagram) -> str:
    if isinstance(target, Instagram):
        return "instagram_manage_messages" if field.startswith("messag") else "instagram_basic"
    if field in _MESSAGING:
        return "pages_messaging"
    return "leads_retrieval" if field.startswith("leadgen") else "pages_manage_metadata"


def _require_known(name: str, given: Sequence[str], known: Sequence[str]) -> None:
    for place, field in enumerate(given):
        if field not in known:
            allowed = ", ".join(word.upper() for word in known)
            raise wrong(f'Param {name}[{place}] must be one of {{{allowed}}} - got "{field}".')


def notify_page(world: World, page: str, field: str, entry: Mapping[str, Any], *, after: float = 0.0) -> bool:
    """Notify of a Page, if both the app and the Page are subscribed to the field."""
    mine = world.store.get(PageSubscription, page)
    if mine is None or field not in mine.fields:
        return False
    return _notify(world, "page", field, {"id": page, **entry}, after)


def notify_instagram(world: World, account: str, field: str, entry: Mapping[str, Any], *, after: float = 0.0) -> bool:
    """Notify of an Instagram account: it is enough that the linked Page is subscribed to anything."""
    found = world.store.get(Instagram, account)
    if found is None or world.store.get(PageSubscription, found.parent) is None:
        return False
    return _notify(world, "instagram", field, {"id": account, **entry}, after)


def notify_permission(world: World, human: str, scope: str, pages: Sequence[str]) -> bool:
    value = {"verb": "revoked", "target_ids": list(pages)}
    return _notify(world, "permissions", scope, {"id": human, "changes": [{"field": scope, "value": value}]}, after=0.0)


def _notify(world: World, name: str, field: str, entry: Mapping[str, Any], after: float) -> bool:
    app = world.store.get(Subscription, name)
    if app is None or field not in app.fields:
        return False
    time = int(world.clock.time() * (1000 if "messaging" in entry else 1))
    whole = {"id": entry["id"], "time": time, **entry}
    hub.notify(world, {"object": name, "entry": [whole]}, url=app.callback_url, after=after)
    return True
