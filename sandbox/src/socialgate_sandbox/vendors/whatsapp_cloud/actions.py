"""What businesses and Meta do on the side of WhatsApp, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.login import expire_action
from socialgate_sandbox.dialects.graph.tokens import DEAD, kill
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, World
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.tokens import PERMISSION, revoke_action, with_permissions
from socialgate_sandbox.vendors.whatsapp_cloud import chats, templates
from socialgate_sandbox.vendors.whatsapp_cloud.state import Business, Number, Subscribed, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.webhooks import notify

# How an account is lost, and the event that reports it.
_EVENTS = {
    "": "PARTNER_REMOVED",
    "app_uninstalled": "PARTNER_APP_UNINSTALLED",
    "account_deleted": "ACCOUNT_DELETED",
    "offboarded": "ACCOUNT_OFFBOARDED",
    "disabled": "DISABLED_UPDATE",
}


def revoke(world: World, account: str, how: str) -> None:
    """Take an account away from the app. Its tokens become invalid, unless Meta only bans the account."""
    waba = _waba(world, account)
    if how in _EVENTS:
        _tell(world, waba, _EVENTS[how])
        _lose(world, waba, how)
    elif how.startswith(PERMISSION):
        _untick(world, waba.id, how.removeprefix(PERMISSION))
    else:
        kill(world, _tokens(world, waba.id), how if how in DEAD else "app_removed")


def _waba(world: World, account: str) -> Waba:
    """Find an account by its id or that of one of its numbers."""
    number = world.store.get(Number, account)
    waba = world.store.get(Waba, number.parent if number is not None else account)
    if waba is None:
        raise ControlError(f"There is no account or number {account!r}. GET /_control/accounts lists them.")
    return waba


def _tell(world: World, waba: Waba, event: str) -> None:
    value: dict[str, Any] = {"event": event}
    if event.startswith("PARTNER_"):
        value["waba_info"] = {"waba_id": waba.id, "owner_business_id": waba.parent}
    if event == "PARTNER_APP_UNINSTALLED":
        value["waba_info"]["partner_app_id"] = world.app.id
    if event == "DISABLED_UPDATE":
        banned = world.clock.now().strftime("%B %d, %Y")
        value["ban_info"] = {"waba_ban_state": "DISABLE", "waba_ban_date": banned}
    notify(world, waba.id, "account_update", value)


def _lose(world: World, waba: Waba, how: str) -> None:
    if how == "disabled":
        waba.ban = "DISABLE"
        world.store.put(waba)
        return
    world.store.delete(Subscribed, waba.id)
    kill(world, _tokens(world, waba.id), "app_removed")
    if how == "account_deleted":
        world.store.clear(Number, parent=waba.id)
        world.store.delete(Waba, waba.id)


def _tokens(world: World, waba: str) -> list[Token]:
    return [token for token in world.store.find(Token) if waba in token.wabas and not token.dead]


def _untick(world: World, waba: str, scope: str) -> None:
    tokens = [token for token in _tokens(world, waba) if scope in token.scopes]
    if not tokens:
        raise ControlError(f"{scope} was not granted.", 409)
    for token in tokens:
        token.scopes.remove(scope)
        world.store.put(token)


def restore(world: World, order: OfAccount) -> None:
    """Restore an account: its tokens become valid again, a ban is lifted, and the app is notified."""
    waba = _waba(world, order.account)
    for token in world.store.find(Token):
        if waba.id in token.wabas:
            token.dead, token.expires = "", None
            world.store.put(token)
    waba.ban = ""
    world.store.put(waba)
    for number in world.store.find(Number, parent=waba.id):
        number.status = "CONNECTED"
        world.store.put(number)
    _tell(world, waba, "ACCOUNT_RECONNECTED")


def credentials(world: World, order: OfAccount) -> Any:
    """Return what a customer would copy from Meta's dashboard for a number, or for an account with all its numbers."""
    waba = _waba(world, order.account)
    token = next(iter(_tokens(world, waba.id)), None)
    if token is None:
        raise ControlError(
            "Its tokens are revoked. Restore the account first, on its page or with POST /_control/restore.", 409
        )
    known = {"accessToken": token.id, "wabaId": waba.id, "appSecret": world.app.secret}
    if order.account == waba.id:
        return known | {"phoneNumberIds": [number.id for number in world.store.find(Number, parent=waba.id)]}
    return known | {"phoneNumberId": order.account}


class Quality(ActionRequest, frozen=True, kw_only=True):
    """Change the quality rating of a number: GREEN, YELLOW or RED."""

    account: str
    rating: str


def rate(world: World, order: Quality) -> None:
    number = world.store.get(Number, order.account)
    if number is None or order.rating not in {"GREEN", "YELLOW", "RED"}:
        raise ControlError("Set account to the id of a number, and rating to GREEN, YELLOW or RED.", 422)
    number.quality_rating = order.rating
    world.store.put(number)
    value = _quality(number, flagged=order.rating != "GREEN")
    notify(world, number.parent, "phone_number_quality_update", value)


class Standing(ActionRequest, frozen=True, kw_only=True):
    """Change what Meta thinks of a number: CONNECTED, FLAGGED, RESTRICTED or BANNED."""

    account: str
    status: str


_STANDINGS = {
    "CONNECTED": "Everything is fine",
    "FLAGGED": "Flag the number: its quality is low",
    "RESTRICTED": "Restrict it: no new conversations",
    "BANNED": "Ban it: no messages at all",
}
_OUTGOING, _INCOMING = "RESTRICTED_BIZ_INITIATED_MESSAGING", "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"
_RESTRICTIONS = {"RESTRICTED": (_OUTGOING,), "BANNED": (_OUTGOING, _INCOMING)}


def judge(world: World, order: Standing) -> None:
    number = world.store.get(Number, order.account)
    if number is None or order.status not in _STANDINGS:
        raise ControlError(f"Set account to the id of a number, and status to one of {', '.join(_STANDINGS)}.", 422)
    number.status = order.status
    world.store.put(number)
    field, value = "phone_number_quality_update", _quality(number, flagged=order.status == "FLAGGED")
    if restricted := _RESTRICTIONS.get(order.status):
        info = [{"restriction_type": kind} for kind in restricted]
        field = "account_update"
        value = {"phone_number": number.digits, "event": "ACCOUNT_RESTRICTION", "restriction_info": info}
    notify(world, number.parent, field, value)


def _quality(number: Number, *, flagged: bool) -> dict[str, Any]:
    return {
        "display_phone_number": number.digits,
        "event": "FLAGGED" if flagged else "UNFLAGGED",
        "current_limit": number.messaging_limit_tier,
    }


def _ways(world: World, account: str) -> dict[str, str]:
    """List how access to an account can be lost, with each granted permission."""
    number = world.store.get(Number, account)
    tokens = _tokens(world, number.parent if number is not None else account)
    scopes = {scope: None for token in tokens for scope in token.scopes}
    return with_permissions(_WAYS, scopes)


_WAYS = {
    "": "Remove the partner",
    "app_uninstalled": "Uninstall the app",
    "account_deleted": "Delete the account",
    "offboarded": "Account leaves the platform",
    "disabled": "Meta bans the account",
    "token_revoked": "Revoke the tokens, without a webhook",
    "password_changed": "Change the password",
}
_NUMBER = ("phone number",)

ACTIONS: Mapping[str, Action[Any]] = {
    "revoke": revoke_action(revoke, _ways, usual="partner_removed", permissions=True),
    "restore": Action("Restore the account", OfAccount, restore),
    "expire": expire_action(lambda world, account: _tokens(world, _waba(world, account).id)),
    "credentials": Action("Show the credentials", OfAccount, credentials),
    **chats.ACTIONS,
    "template": Action("Review a template", templates.Review, templates.review, choices={"name": templates.names_of}),
    "quality": Action(
        "Change the quality rating",
        Quality,
        rate,
        kinds=_NUMBER,
        choices={"rating": {one: one.capitalize() for one in ("GREEN", "YELLOW", "RED")}},
    ),
    "standing": Action(
        "Change the status of the number", Standing, judge, kinds=_NUMBER, choices={"status": _STANDINGS}
    ),
}


def _state(number: Number, of_account: str) -> str:
    if not number.registered:
        return "not registered"
    return of_account if number.status == "CONNECTED" else number.status.lower()


def accounts(world: World) -> list[Account]:
    lines = []
    for waba in world.store.find(Waba):
        connected = [world.app.name] if world.store.get(Subscribed, waba.id) is not None else []
        owner = world.store.get(Business, waba.parent)
        state = "banned" if waba.ban else "active" if _tokens(world, waba.id) else "revoked"
        name = owner.name if owner is not None else waba.name
        lines.append(Account(kind="account", id=waba.id, name=name, state=state, connected=connected))
        lines += [
            Account(
                kind="phone number",
                id=number.id,
                name=f"{number.verified_name}, {number.display_phone_number}",
                state=_state(number, state),
                connected=connected,
            )
            for number in world.store.find(Number, parent=waba.id)
        ]
    return lines
