"""What people do on the side of Threads, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.callbacks import CallbackUnconfirmedError
from socialgate_sandbox.dialects.graph.login import REVOCATION_CHOICES, Grant, build_expire_action, revoke_access
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.tokens import add_permission_removals, build_revoke_action
from socialgate_sandbox.society.comments import build_comment_action
from socialgate_sandbox.society.platform_metrics import RETIRE_ACTIONS
from socialgate_sandbox.vendors.threads import feed_reader, webhooks
from socialgate_sandbox.vendors.threads.replies import COMMENT_SERVICE
from socialgate_sandbox.vendors.threads.stored_objects import Profile, Token


def revoke_account_access(context: VendorContext, profile_id: str, revocation: str) -> None:
    revoke_access(context, Token, _get_grant(context, profile_id).id, revocation)


def _get_grant(context: VendorContext, profile_id: str) -> Grant:
    grant = context.store.get(Grant, feed_reader.find_profile(context, profile_id).id)
    if grant is None:
        raise ControlError("The app has no access to this profile, so there is nothing to revoke.", 409)
    return grant


def _find_valid_tokens(context: VendorContext, profile_id: str) -> list[Token]:
    return [token for token in context.store.find(Token, parent=_get_grant(context, profile_id).id) if not token.dead]


class SubscribeRequest(ActionRequest, frozen=True, kw_only=True):
    """Save a webhook address in the app's dashboard; it must repeat a challenge. By default the token is the app's."""

    url: str
    verify_token: str | None = None


async def set_webhook_url(context: VendorContext, request: SubscribeRequest) -> None:
    try:
        await webhooks.set_dashboard_webhook(context, request.url, request.verify_token or context.app.verify_token)
    except CallbackUnconfirmedError as error:
        raise ControlError(error.message, 422) from error


def _list_revocation_choices(context: VendorContext, profile_id: str) -> dict[str, str]:
    """List how access to a profile can be lost, with each granted permission."""
    grant = context.store.get(Grant, profile_id)
    return add_permission_removals(REVOCATION_CHOICES, [] if grant is None else grant.scopes)


ACTIONS: Mapping[str, Action[Any]] = {
    **RETIRE_ACTIONS,
    "revoke": build_revoke_action(
        revoke_account_access, _list_revocation_choices, default_choice="app_removed", permissions=True
    ),
    "expire": build_expire_action(_find_valid_tokens),
    "comment": build_comment_action(COMMENT_SERVICE),
    "feed": Action("Read the posts", AccountRequest, feed_reader.read_feed, has_own_form=False),
    "process": Action(
        "Slow down or fail media processing",
        feed_reader.ProcessRequest,
        feed_reader.set_processing,
        field_choices={"failure": feed_reader.FAILURE_CHOICES},
    ),
    "subscribe": Action("Set the webhook address", SubscribeRequest, set_webhook_url),
}


def list_accounts(context: VendorContext) -> list[Account]:
    return [
        Account(
            kind="profile",
            id=profile.id,
            name=f"@{profile.username}",
            connected=[profile.name] if context.store.get(Grant, profile.id) is not None else [],
        )
        for profile in context.store.find(Profile)
    ]
