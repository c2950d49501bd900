"""What became of a post on each account."""

import sys
import time
from collections.abc import Sequence

from socialgate.cli.account_names import display_name
from socialgate.cli.output import Progress, echo, print_json, print_table
from socialgate.cli.session import EXIT_REFUSED, Session
from socialgate_client import Socialgate
from socialgate_client.types import Account, Post

_POLL_SECONDS = 1.0
# Platforms may process a video for long. Who does not want to wait looks at it later.
_MAX_WAIT_SECONDS = 600.0
_OPEN = frozenset({"pending", "publishing"})


def wait_until_published(client: Socialgate, post: Post) -> Post:
    """Wait until it is decided on each account. A target whose outcome is unknown is not waited for."""
    progress = Progress("Publishing")
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    try:
        while any(target.status in _OPEN for target in post.targets) and time.monotonic() < deadline:
            done = sum(target.status not in _OPEN for target in post.targets)
            progress.show(f"{done} of {len(post.targets)} accounts")
            time.sleep(_POLL_SECONDS)
            post = client.posts.get(post.id)
    finally:
        progress.end()
    return post


def report_published(session: Session, post: Post, accounts: Sequence[Account]) -> None:
    """Print the result on each account. Ends with an error if one of them refused it."""
    if session.is_json:
        print_json(post.to_dict())
    else:
        names = {account.id: display_name(account) for account in accounts}
        print_table(
            ("ACCOUNT", "KIND", "STATUS", "RESULT"),
            [
                (
                    names.get(target.account_id, target.account_id),
                    target.kind,
                    target.status,
                    target.error.detail if target.error else target.url or " ".join(target.warnings),
                )
                for target in post.targets
            ],
        )
        for line in _advise(post):
            echo(line)
    if post.status in {"failed", "partial"}:
        sys.exit(EXIT_REFUSED)


def _advise(post: Post) -> list[str]:
    """Say what it is called, how to undo it, and what to do about failures."""
    match post.status:
        case "published":
            return [f"Published as {post.id}. Undo with: socialgate posts delete {post.id} --platforms"]
        case "failed":
            return [f"Not published ({post.id}). Try again with: socialgate posts retry {post.id}"]
        case "partial":
            return [
                f"Published as {post.id}, but not everywhere. Undo with: socialgate posts delete {post.id} --platforms",
                f"Try the rest again with: socialgate posts retry {post.id}",
            ]
    return [f"{post.id} is being published. Look again with: socialgate posts get {post.id}"]
