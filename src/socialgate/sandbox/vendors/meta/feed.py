"""What an account shows and what is on its way, for people and tests: with the checksums of all media."""

from typing import Any

from socialgate.sandbox.kit import ActionRequest, ControlError, World
from socialgate.sandbox.vendors.graph.media import Media, summary
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.meta.accounts import CDN
from socialgate.sandbox.vendors.meta.content import Container, Fate, InstagramMedia, Photo, Post, Story, Video
from socialgate.sandbox.vendors.meta.state import Instagram, Page


class Feed(ActionRequest, frozen=True, kw_only=True):
    """Look at a Page or an Instagram account, the newest first."""

    account: str


class Process(ActionRequest, frozen=True, kw_only=True):
    """Say how the next media of a Page or an Instagram account fare while they are processed.

    `seconds` is how long that takes, `failure` the subcode with which it ends, such as 2207026 for a bad video.
    """

    account: str
    seconds: float | None = None
    failure: int = 0
    times: int = 1


def process(world: World, order: Process) -> None:
    _require(world, order.account)
    world.store.put(Fate(id=order.account, seconds=order.seconds, failure=order.failure, times=order.times))


def feed(world: World, order: Feed) -> Any:
    _require(world, order.account)
    posts = [_post(world, post) for post in world.store.find(Post, parent=order.account, newest_first=True)]
    stories = [_story(world, story) for story in world.store.find(Story, parent=order.account, newest_first=True)]
    media = world.store.find(InstagramMedia, parent=order.account, newest_first=True)
    shown = [_instagram(world, one) for one in media if not one.is_slide]
    return {"data": [*posts, *stories, *shown], "waiting": _waiting(world, order.account)}


def _require(world: World, account: str) -> None:
    if world.store.get(Page, account) is None and world.store.get(Instagram, account) is None:
        raise ControlError(f"There is no Page or Instagram account {account!r}.")


def _post(world: World, post: Post) -> dict[str, Any]:
    photos = [photo.media for key in post.photos if (photo := world.store.get(Photo, key)) is not None]
    video = world.store.get(Video, post.video)
    state = "published" if post.is_published(world) else "scheduled" if post.scheduled else "waiting"
    media = [*photos, *([video.media] if video is not None and video.media is not None else [])]
    kind = video.kind if video is not None else "post"
    return _line(world, post.id, kind, post.message, state, media) | {"link": post.link, "at": written(post.made)}


def _story(world: World, story: Story) -> dict[str, Any]:
    shown = world.store.get(Photo, story.media_id) or world.store.get(Video, story.media_id)
    media = [shown.media] if shown is not None and shown.media is not None else []
    return _line(world, story.id, "story", "", "published", media) | {"at": written(story.made)}


def _instagram(world: World, one: InstagramMedia) -> dict[str, Any]:
    slides = [world.store.get(InstagramMedia, key) for key in one.children]
    media = [shown.media for shown in [one, *slides] if shown is not None and shown.media is not None]
    line = _line(world, one.id, one.product_type.lower(), one.caption, "published", media)
    return line | {"at": written(one.made), "shortcode": one.shortcode}


def _waiting(world: World, account: str) -> list[dict[str, Any]]:
    found = world.store.find(Container, parent=account, newest_first=True)
    return [
        _line(world, one.id, one.media_type, one.caption, "waiting", [one.media] if one.media is not None else [])
        for one in found
        if not one.published
    ]


def _line(world: World, key: str, kind: str, text: str, state: str, media: list[Media]) -> dict[str, Any]:
    shown = [summary(world, CDN, one) for one in media]
    return {"id": key, "kind": kind, "text": text, "state": state, "media": shown}
