"""What a person or a test can make happen at TikTok."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, World, humanize
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.lifecycle import choose_fate
from socialgate_sandbox.kit.tokens import expire_action, revoke_action
from socialgate_sandbox.vendors.tiktok.accounts import creator_named
from socialgate_sandbox.vendors.tiktok.oauth import end_grant
from socialgate_sandbox.vendors.tiktok.posting import DELIVERED, FAILURES, HANG, complete, hide, status_of
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Post, Publish, RefreshToken
from socialgate_sandbox.vendors.tiktok.webhooks import (
    ACCOUNT_DELETED,
    AGE_CHANGED,
    BANNED,
    DISCONNECTED,
    UNKNOWN,
    authorization_removed,
)

_REASONS = {
    "": DISCONNECTED,
    "account_deleted": ACCOUNT_DELETED,
    "age_changed": AGE_CHANGED,
    "banned": BANNED,
    "unknown": UNKNOWN,
}
_SILENT = "silent"
_WAYS = {
    "": "Disconnect the app",
    "silent": "Disconnect the app, without a webhook",
    "account_deleted": "Delete the account",
    "age_changed": "Age changed",
    "banned": "TikTok bans the account",
    "unknown": "Unknown reason",
}
_BLOCKS = {
    "spam_risk_user_banned_from_posting": "Banned from posting",
    "spam_risk_too_many_posts": "Too many posts",
    "reached_active_user_cap": "Active user cap reached",
    "": "May post",
}


class Restrict(ActionRequest, frozen=True, kw_only=True):
    """`blocked` is what creator_info returns from now on; "" lets the account post again."""

    account: str
    blocked: Literal[
        "", "spam_risk_too_many_posts", "spam_risk_user_banned_from_posting", "reached_active_user_cap"
    ] = "spam_risk_user_banned_from_posting"
    private: bool | None = None


class NextOutcome(ActionRequest, frozen=True, kw_only=True):
    """`result` is a fail_reason, or `hang`: then processing never ends. `seconds` is how long it takes."""

    account: str
    result: str = ""
    seconds: float | None = None


class FinishDraft(ActionRequest, frozen=True, kw_only=True):
    account: str
    publish: str = ""
    privacy: Literal["PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] = (
        "PUBLIC_TO_EVERYONE"
    )


class Unpublish(ActionRequest, frozen=True, kw_only=True):
    account: str
    post: str


def revoke(world: World, account: str, how: str) -> dict[str, Any]:
    creator = creator_named(world, account)
    end_grant(world, creator.id)
    if how in {"account_deleted", "banned"}:
        creator.gone = True
        world.store.put(creator)
    if how == _SILENT:
        return {"account": creator.id, "notified": False}
    authorization_removed(world, creator.id, _REASONS[how])
    return {"account": creator.id, "notified": True, "reason": _REASONS[how]}


def restrict(world: World, request: Restrict) -> dict[str, Any]:
    creator = creator_named(world, request.account)
    creator.blocked = request.blocked
    creator.private = creator.private if request.private is None else request.private
    world.store.put(creator)
    return {"account": creator.id, "blocked": creator.blocked, "private": creator.private}


def outcome(world: World, request: NextOutcome) -> dict[str, Any]:
    creator = creator_named(world, request.account)
    if request.result not in {"", HANG, *FAILURES}:
        raise ControlError(f"result must be one of {[HANG, *FAILURES]}.", 422)
    choose_fate(world, creator.id, request.result, seconds=request.seconds)
    return {"account": creator.id, "next": request.result}


def feed(world: World, request: OfAccount) -> dict[str, Any]:
    creator, now = creator_named(world, request.account), world.clock.now()
    posts = world.store.find(Post, parent=creator.id, newest_first=True)
    drafts = [one for one in world.store.find(Publish, parent=creator.id) if status_of(world, one)[0] == DELIVERED]
    return {
        "posts": [post for post in posts if post.made <= now],
        "drafts": [{"publishId": draft.id, "files": draft.files} for draft in drafts],
    }


def finish_draft(world: World, request: FinishDraft) -> dict[str, Any]:
    creator = creator_named(world, request.account)
    for publish in world.store.find(Publish, parent=creator.id):
        if request.publish in {"", publish.id} and status_of(world, publish)[0] == DELIVERED:
            post = complete(world, publish, privacy=request.privacy, after=0)
            return {"publishId": publish.id, "post": post.id}
    raise ControlError("There is no such draft in the inbox of the account.")


def unpublish(world: World, request: Unpublish) -> dict[str, Any]:
    creator = creator_named(world, request.account)
    for publish in world.store.find(Publish, parent=creator.id):
        post = world.store.get(Post, publish.post)
        if post and post.id == request.post and not post.hidden:
            hide(world, publish, post)
            return {"post": post.id}
    raise ControlError(f"The account has no visible post {request.post!r}.")


def _drafts(world: World, account: str) -> dict[str, str]:
    waiting = [one for one in world.store.find(Publish, parent=account) if status_of(world, one)[0] == DELIVERED]
    return {"": "The oldest"} | {one.id: one.id for one in waiting}


def _posts(world: World, account: str) -> dict[str, str]:
    return {post.id: post.id for post in world.store.find(Post, parent=account, newest_first=True) if not post.hidden}


_RESULTS = {"": "No failure", HANG: "Processing never ends"} | {one: humanize(one) for one in FAILURES}
ACTIONS: dict[str, Action[Any]] = {
    "revoke": revoke_action(revoke, _WAYS, usual="disconnected"),
    "expire": expire_action(creator_named, AccessToken, RefreshToken),
    "outcome": Action(
        "Slow down or fail the next post",
        NextOutcome,
        outcome,
        choices={"result": _RESULTS},
    ),
    "feed": Action("Read the posts with the checksums of their files", OfAccount, feed, listed=False),
    "finish_draft": Action("Post a draft from the inbox", FinishDraft, finish_draft, choices={"publish": _drafts}),
    "unpublish": Action("Hide a post from the public", Unpublish, unpublish, choices={"post": _posts}),
    "restrict": Action("Restrict the account", Restrict, restrict, choices={"blocked": _BLOCKS}),
}
