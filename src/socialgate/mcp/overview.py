"""The first thing to look at: for whom a model acts, what there is, and what needs attention."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.mcp.api import ApiSession
from socialgate.mcp.results import shorten

_MAX_ROWS = 50
_MAX_FAILED_POSTS = 5


async def build_overview(session: ApiSession, profile_id: str | None) -> Any:
    """Summarize the workspace, or one profile of it."""
    scope = {} if profile_id is None else {"profileId": profile_id}
    caller = await session.call("auth.me")
    profiles = await session.call("profiles.list", limit=_MAX_ROWS)
    accounts = await session.call("accounts.list", limit=_MAX_ROWS, **scope)
    health = await session.call("accounts.health", limit=_MAX_ROWS, **scope)
    failed = await session.call("posts.list", status="failed", limit=_MAX_FAILED_POSTS, **scope)
    usage = await session.call("usage.get")
    conditions = {row["accountId"]: row for row in health["data"]}
    return shorten(
        {
            "owner": caller["owner"]["name"],
            "key": _describe_key(caller.get("key")),
            "profiles": [{"id": row["id"], "name": row["name"]} for row in profiles["data"]],
            "accounts": [_describe_account(row, conditions.get(row["id"], {})) for row in accounts["data"]],
            "moreAccounts": accounts["nextCursor"] is not None,
            "health": health["summary"],
            "failedPosts": [_describe_failure(row) for row in failed["data"]],
            "plan": usage["plan"],
            "limits": [row for row in usage["metrics"] if row["limit"] is not None],
        }
    )


def _describe_key(key: Mapping[str, Any] | None) -> Any:
    return None if key is None else {name: key[name] for name in ("name", "permission", "profileIds")}


def _describe_account(account: Mapping[str, Any], condition: Mapping[str, Any]) -> dict[str, Any]:
    issues: Sequence[Mapping[str, Any]] = condition.get("issues", ())
    return {
        **{name: account.get(name) for name in ("id", "kind", "name", "username", "profileId", "status")},
        "issues": [f"{issue['detail']} {issue['fix']}" for issue in issues],
    }


def _describe_failure(post: Mapping[str, Any]) -> dict[str, Any]:
    errors = [target["error"]["detail"] for target in post["targets"] if target.get("error")]
    return {"id": post["id"], "content": post["content"], "errors": errors}
