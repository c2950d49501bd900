"""What a profile shows and what is on its way, for people and tests: with the checksums of all media."""

from typing import Any

from socialgate.sandbox.kit import ActionRequest, ControlError, World
from socialgate.sandbox.vendors.graph.media import summary
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.threads.content import Container, Fate, Post
from socialgate.sandbox.vendors.threads.posts import CDN
from socialgate.sandbox.vendors.threads.state import Profile


class Feed(ActionRequest, frozen=True, kw_only=True):
    """Look at a profile, the newest first."""

    account: str


class Process(ActionRequest, frozen=True, kw_only=True):
    """Say how the next containers of a profile fare.

    `seconds` is how long processing takes, `failure` the word with which it ends, such as INVALID_BIT_RATE, for so many
    `times`. `lost` calls to publish do not find their container (24/4279009), though it is there.
    """

    account: str
    seconds: float | None = None
    failure: str = ""
    times: int = 1
    lost: int = 0


def process(world: World, order: Process) -> None:
    _require(world, order.account)
    fate = Fate(id=order.account, seconds=order.seconds, failure=order.failure, times=order.times, lost=order.lost)
    world.store.put(fate)


def feed(world: World, order: Feed) -> Any:
    _require(world, order.account)
    posts = world.store.find(Post, parent=order.account, newest_first=True)
    waiting = world.store.find(Container, parent=order.account, newest_first=True)
    return {
        "data": [_line(world, post) for post in posts if not post.is_slide],
        "waiting": [{"id": one.id, "kind": one.media_type, "text": one.text} for one in waiting if not one.published],
    }


def _require(world: World, account: str) -> None:
    if world.store.get(Profile, account) is None:
        raise ControlError(f"There is no profile {account!r}.")


def _line(world: World, post: Post) -> dict[str, Any]:
    slides = [world.store.get(Post, key) for key in post.children]
    media = [shown.media for shown in [post, *slides] if shown is not None and shown.media is not None]
    return {
        "id": post.id,
        "kind": post.media_type,
        "text": post.text,
        "at": written(post.made),
        "replyTo": post.options.reply_to,
        "topicTag": post.options.topic_tag,
        "media": [summary(world, CDN, one) for one in media],
    }
