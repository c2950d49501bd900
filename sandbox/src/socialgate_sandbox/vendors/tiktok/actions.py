"""What a person or a test can make happen at TikTok."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, VendorContext, humanize
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.post_processing import set_post_fate
from socialgate_sandbox.kit.tokens import build_expire_action, build_revoke_action
from socialgate_sandbox.vendors.tiktok.accounts import find_creator
from socialgate_sandbox.vendors.tiktok.oauth import delete_grant
from socialgate_sandbox.vendors.tiktok.post_lifecycle import (
    DELIVERED_STATUS,
    FAILURE_REASONS,
    HANG_OUTCOME,
    compute_status,
    create_post,
    hide_post,
)
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Post, Publish, RefreshToken
from socialgate_sandbox.vendors.tiktok.webhooks import (
    ACCOUNT_DELETED_REASON,
    AGE_CHANGED_REASON,
    BANNED_REASON,
    DISCONNECTED_REASON,
    UNKNOWN_REASON,
    send_authorization_removed,
)

_REVOCATION_REASONS = {
    "": DISCONNECTED_REASON,
    "account_deleted": ACCOUNT_DELETED_REASON,
    "age_changed": AGE_CHANGED_REASON,
    "banned": BANNED_REASON,
    "unknown": UNKNOWN_REASON,
}
_SILENT_CHOICE = "silent"
_REVOCATION_CHOICES = {
    "": "Disconnect the app",
    "silent": "Disconnect the app, without a webhook",
    "account_deleted": "Delete the account",
    "age_changed": "Age changed",
    "banned": "TikTok bans the account",
    "unknown": "Unknown reason",
}
_BLOCK_CHOICES = {
    "spam_risk_user_banned_from_posting": "Banned from posting",
    "spam_risk_too_many_posts": "Too many posts",
    "reached_active_user_cap": "Active user cap reached",
    "": "May post",
}


class RestrictRequest(ActionRequest, frozen=True, kw_only=True):
    """`blocked` is what creator_info returns from now on; "" lets the account post again."""

    account: str
    blocked: Literal[
        "", "spam_risk_too_many_posts", "spam_risk_user_banned_from_posting", "reached_active_user_cap"
    ] = "spam_risk_user_banned_from_posting"
    private: bool | None = None


class NextOutcomeRequest(ActionRequest, frozen=True, kw_only=True):
    """`result` is a fail_reason, or `hang`: then processing never ends. `seconds` is how long it takes."""

    account: str
    result: str = ""
    seconds: float | None = None


class FinishDraftRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    publish: str = ""
    privacy: Literal["PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] = (
        "PUBLIC_TO_EVERYONE"
    )


class UnpublishRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    post: str


def revoke_access(context: VendorContext, account_id: str, revocation_choice: str) -> dict[str, Any]:
    creator = find_creator(context, account_id)
    delete_grant(context, creator.id)
    if revocation_choice in {"account_deleted", "banned"}:
        creator.gone = True
        context.store.put(creator)
    if revocation_choice == _SILENT_CHOICE:
        return {"account": creator.id, "notified": False}
    send_authorization_removed(context, creator.id, _REVOCATION_REASONS[revocation_choice])
    return {"account": creator.id, "notified": True, "reason": _REVOCATION_REASONS[revocation_choice]}


def restrict_posting(context: VendorContext, request: RestrictRequest) -> dict[str, Any]:
    creator = find_creator(context, request.account)
    creator.blocked = request.blocked
    creator.private = creator.private if request.private is None else request.private
    context.store.put(creator)
    return {"account": creator.id, "blocked": creator.blocked, "private": creator.private}


def set_next_outcome(context: VendorContext, request: NextOutcomeRequest) -> dict[str, Any]:
    creator = find_creator(context, request.account)
    if request.result not in {"", HANG_OUTCOME, *FAILURE_REASONS}:
        raise ControlError(f"result must be one of {[HANG_OUTCOME, *FAILURE_REASONS]}.", 422)
    set_post_fate(context, creator.id, request.result, seconds=request.seconds)
    return {"account": creator.id, "next": request.result}


def read_feed(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    creator, now = find_creator(context, request.account), context.clock.now()
    posts = context.store.find(Post, parent=creator.id, newest_first=True)
    drafts = [
        publish
        for publish in context.store.find(Publish, parent=creator.id)
        if compute_status(context, publish)[0] == DELIVERED_STATUS
    ]
    return {
        "posts": [post for post in posts if post.created_at <= now],
        "drafts": [{"publishId": draft.id, "files": draft.files} for draft in drafts],
    }


def finish_draft(context: VendorContext, request: FinishDraftRequest) -> dict[str, Any]:
    creator = find_creator(context, request.account)
    for publish in context.store.find(Publish, parent=creator.id):
        if request.publish in {"", publish.id} and compute_status(context, publish)[0] == DELIVERED_STATUS:
            post = create_post(context, publish, privacy=request.privacy, delay_seconds=0)
            return {"publishId": publish.id, "post": post.id}
    raise ControlError("There is no such draft in the inbox of the account.")


def unpublish_post(context: VendorContext, request: UnpublishRequest) -> dict[str, Any]:
    creator = find_creator(context, request.account)
    for publish in context.store.find(Publish, parent=creator.id):
        post = context.store.get(Post, publish.post)
        if post and post.id == request.post and not post.hidden:
            hide_post(context, publish, post)
            return {"post": post.id}
    raise ControlError(f"The account has no visible post {request.post!r}.")


def _list_draft_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    waiting = [
        publish
        for publish in context.store.find(Publish, parent=account_id)
        if compute_status(context, publish)[0] == DELIVERED_STATUS
    ]
    return {"": "The oldest"} | {publish.id: publish.id for publish in waiting}


def _list_post_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    return {
        post.id: post.id for post in context.store.find(Post, parent=account_id, newest_first=True) if not post.hidden
    }


_OUTCOME_CHOICES = {"": "No failure", HANG_OUTCOME: "Processing never ends"} | {
    failure: humanize(failure) for failure in FAILURE_REASONS
}
ACTIONS: dict[str, Action[Any]] = {
    "revoke": build_revoke_action(revoke_access, _REVOCATION_CHOICES, default_choice="disconnected"),
    "expire": build_expire_action(find_creator, AccessToken, RefreshToken),
    "outcome": Action(
        "Slow down or fail the next post",
        NextOutcomeRequest,
        set_next_outcome,
        field_choices={"result": _OUTCOME_CHOICES},
    ),
    "feed": Action("Read the posts with the checksums of their files", AccountRequest, read_feed, has_own_form=False),
    "finish_draft": Action(
        "Post a draft from the inbox", FinishDraftRequest, finish_draft, field_choices={"publish": _list_draft_choices}
    ),
    "unpublish": Action(
        "Hide a post from the public", UnpublishRequest, unpublish_post, field_choices={"post": _list_post_choices}
    ),
    "restrict": Action(
        "Restrict the account", RestrictRequest, restrict_posting, field_choices={"blocked": _BLOCK_CHOICES}
    ),
}
