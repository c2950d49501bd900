"""What businesses and Meta do on the side of WhatsApp, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.login import build_expire_action
from socialgate_sandbox.dialects.graph.tokens import INVALIDATION_REASONS, invalidate_tokens
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.tokens import PERMISSION_PREFIX, add_permission_removals, build_revoke_action
from socialgate_sandbox.vendors.whatsapp_cloud import chats, templates
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Business, Number, Subscribed, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.webhook_subscriptions import notify_if_subscribed

# How an account is lost, and the event that reports it.
_REVOCATION_EVENTS = {
    "": "PARTNER_REMOVED",
    "app_uninstalled": "PARTNER_APP_UNINSTALLED",
    "account_deleted": "ACCOUNT_DELETED",
    "offboarded": "ACCOUNT_OFFBOARDED",
    "disabled": "DISABLED_UPDATE",
}


def revoke_account_access(context: VendorContext, account_id: str, revocation: str) -> None:
    """Take an account away from the app. Its tokens become invalid, unless Meta only bans the account."""
    waba = _find_waba(context, account_id)
    if revocation in _REVOCATION_EVENTS:
        _notify_account_update(context, waba, _REVOCATION_EVENTS[revocation])
        _remove_or_ban_account(context, waba, revocation)
    elif revocation.startswith(PERMISSION_PREFIX):
        _remove_scope(context, waba.id, revocation.removeprefix(PERMISSION_PREFIX))
    else:
        invalidate_tokens(
            context,
            _find_valid_tokens(context, waba.id),
            revocation if revocation in INVALIDATION_REASONS else "app_removed",
        )


def _find_waba(context: VendorContext, account_id: str) -> Waba:
    """Find an account by its id or that of one of its numbers."""
    number = context.store.get(Number, account_id)
    waba = context.store.get(Waba, number.parent if number is not None else account_id)
    if waba is None:
        raise ControlError(f"There is no account or number {account_id!r}. GET /_control/accounts lists them.")
    return waba


def _notify_account_update(context: VendorContext, waba: Waba, event: str) -> None:
    value: dict[str, Any] = {"event": event}
    if event.startswith("PARTNER_"):
        value["waba_info"] = {"waba_id": waba.id, "owner_business_id": waba.parent}
    if event == "PARTNER_APP_UNINSTALLED":
        value["waba_info"]["partner_app_id"] = context.app.id
    if event == "DISABLED_UPDATE":
        banned = context.clock.now().strftime("%B %d, %Y")
        value["ban_info"] = {"waba_ban_state": "DISABLE", "waba_ban_date": banned}
    notify_if_subscribed(context, waba.id, "account_update", value)


def _remove_or_ban_account(context: VendorContext, waba: Waba, revocation: str) -> None:
    if revocation == "disabled":
        waba.ban = "DISABLE"
        context.store.put(waba)
        return
    context.store.delete(Subscribed, waba.id)
    invalidate_tokens(context, _find_valid_tokens(context, waba.id), "app_removed")
    if revocation == "account_deleted":
        context.store.delete_all(Number, parent=waba.id)
        context.store.delete(Waba, waba.id)


def _find_valid_tokens(context: VendorContext, waba: str) -> list[Token]:
    return [token for token in context.store.find(Token) if waba in token.wabas and not token.dead]


def _remove_scope(context: VendorContext, waba: str, scope: str) -> None:
    tokens = [token for token in _find_valid_tokens(context, waba) if scope in token.scopes]
    if not tokens:
        raise ControlError(f"{scope} was not granted.", 409)
    for token in tokens:
        token.scopes.remove(scope)
        context.store.put(token)


def restore_account(context: VendorContext, request: AccountRequest) -> None:
    """Restore an account: its tokens become valid again, a ban is lifted, and the app is notified."""
    waba = _find_waba(context, request.account)
    for token in context.store.find(Token):
        if waba.id in token.wabas:
            token.dead, token.expires = "", None
            context.store.put(token)
    waba.ban = ""
    context.store.put(waba)
    for number in context.store.find(Number, parent=waba.id):
        number.status = "CONNECTED"
        context.store.put(number)
    _notify_account_update(context, waba, "ACCOUNT_RECONNECTED")


def build_credentials(context: VendorContext, request: AccountRequest) -> Any:
    """Return what a customer would copy from Meta's dashboard for a number, or for an account with all its numbers."""
    waba = _find_waba(context, request.account)
    token = next(iter(_find_valid_tokens(context, waba.id)), None)
    if token is None:
        raise ControlError(
            "Its tokens are revoked. Restore the account first, on its page or with POST /_control/restore.", 409
        )
    known = {"accessToken": token.id, "wabaId": waba.id, "appSecret": context.app.secret}
    if request.account == waba.id:
        return known | {"phoneNumberIds": [number.id for number in context.store.find(Number, parent=waba.id)]}
    return known | {"phoneNumberId": request.account}


class QualityRequest(ActionRequest, frozen=True, kw_only=True):
    """Change the quality rating of a number: GREEN, YELLOW or RED."""

    account: str
    rating: str


def set_quality_rating(context: VendorContext, request: QualityRequest) -> None:
    number = context.store.get(Number, request.account)
    if number is None or request.rating not in {"GREEN", "YELLOW", "RED"}:
        raise ControlError("Set account to the id of a number, and rating to GREEN, YELLOW or RED.", 422)
    number.quality_rating = request.rating
    context.store.put(number)
    value = _build_quality_value(number, is_flagged=request.rating != "GREEN")
    notify_if_subscribed(context, number.parent, "phone_number_quality_update", value)


class NumberStatusRequest(ActionRequest, frozen=True, kw_only=True):
    """Change what Meta thinks of a number: CONNECTED, FLAGGED, RESTRICTED or BANNED."""

    account: str
    status: str


_STATUS_CHOICES = {
    "CONNECTED": "Everything is fine",
    "FLAGGED": "Flag the number: its quality is low",
    "RESTRICTED": "Restrict it: no new conversations",
    "BANNED": "Ban it: no messages at all",
}
_OUTGOING_RESTRICTION, _INCOMING_RESTRICTION = (
    "RESTRICTED_BIZ_INITIATED_MESSAGING",
    "RESTRICTED_CUSTOMER_INITIATED_MESSAGING",
)
_RESTRICTIONS_BY_STATUS = {
    "RESTRICTED": (_OUTGOING_RESTRICTION,),
    "BANNED": (_OUTGOING_RESTRICTION, _INCOMING_RESTRICTION),
}


def set_number_status(context: VendorContext, request: NumberStatusRequest) -> None:
    number = context.store.get(Number, request.account)
    if number is None or request.status not in _STATUS_CHOICES:
        raise ControlError(
            f"Set account to the id of a number, and status to one of {', '.join(_STATUS_CHOICES)}.", 422
        )
    number.status = request.status
    context.store.put(number)
    field, value = "phone_number_quality_update", _build_quality_value(number, is_flagged=request.status == "FLAGGED")
    if restricted := _RESTRICTIONS_BY_STATUS.get(request.status):
        info = [{"restriction_type": kind} for kind in restricted]
        field = "account_update"
        value = {"phone_number": number.digits, "event": "ACCOUNT_RESTRICTION", "restriction_info": info}
    notify_if_subscribed(context, number.parent, field, value)


def _build_quality_value(number: Number, *, is_flagged: bool) -> dict[str, Any]:
    return {
        "display_phone_number": number.digits,
        "event": "FLAGGED" if is_flagged else "UNFLAGGED",
        "current_limit": number.messaging_limit_tier,
    }


def _list_revocation_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    """List how access to an account can be lost, with each granted permission."""
    number = context.store.get(Number, account_id)
    tokens = _find_valid_tokens(context, number.parent if number is not None else account_id)
    scopes = {scope: None for token in tokens for scope in token.scopes}
    return add_permission_removals(_REVOCATION_CHOICES, scopes)


_REVOCATION_CHOICES = {
    "": "Remove the partner",
    "app_uninstalled": "Uninstall the app",
    "account_deleted": "Delete the account",
    "offboarded": "Account leaves the platform",
    "disabled": "Meta bans the account",
    "token_revoked": "Revoke the tokens, without a webhook",
    "password_changed": "Change the password",
}
_NUMBER_KINDS = ("phone number",)

ACTIONS: Mapping[str, Action[Any]] = {
    "revoke": build_revoke_action(
        revoke_account_access, _list_revocation_choices, default_choice="partner_removed", permissions=True
    ),
    "restore": Action("Restore the account", AccountRequest, restore_account),
    "expire": build_expire_action(lambda world, account: _find_valid_tokens(world, _find_waba(world, account).id)),
    "credentials": Action("Show the credentials", AccountRequest, build_credentials),
    **chats.ACTIONS,
    "template": Action(
        "Review a template",
        templates.ReviewTemplateRequest,
        templates.set_review_verdict,
        field_choices={"name": templates.list_template_choices},
    ),
    "quality": Action(
        "Change the quality rating",
        QualityRequest,
        set_quality_rating,
        kinds=_NUMBER_KINDS,
        field_choices={"rating": {value: value.capitalize() for value in ("GREEN", "YELLOW", "RED")}},
    ),
    "standing": Action(
        "Change the status of the number",
        NumberStatusRequest,
        set_number_status,
        kinds=_NUMBER_KINDS,
        field_choices={"status": _STATUS_CHOICES},
    ),
}


def _get_state(number: Number, account_state: str) -> str:
    if not number.registered:
        return "not registered"
    return account_state if number.status == "CONNECTED" else number.status.lower()


def list_accounts(context: VendorContext) -> list[Account]:
    lines = []
    for waba in context.store.find(Waba):
        connected = [context.app.name] if context.store.get(Subscribed, waba.id) is not None else []
        owner = context.store.get(Business, waba.parent)
        state = "banned" if waba.ban else "active" if _find_valid_tokens(context, waba.id) else "revoked"
        name = owner.name if owner is not None else waba.name
        lines.append(Account(kind="account", id=waba.id, name=name, state=state, connected=connected))
        lines += [
            Account(
                kind="phone number",
                id=number.id,
                name=f"{number.verified_name}, {number.display_phone_number}",
                state=_get_state(number, state),
                connected=connected,
            )
            for number in context.store.find(Number, parent=waba.id)
        ]
    return lines
