"""What an account shows to people, and the drafts that wait in its app."""

from collections.abc import Iterator

from socialgate_sandbox.kit import ShownPost, World, given
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.vendors.tiktok.posting import DELIVERED, status_of
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish
from socialgate_sandbox.vendors.tiktok.videos import address_of


def creator_feed(world: World, creator: str) -> Iterator[ShownPost]:
    now, begun = world.clock.now(), world.store.find(Publish, parent=creator)
    of_posts = {publish.post: publish for publish in begun}
    posts = [post for post in world.store.find(Post, parent=creator) if post.made <= now]
    drafts = [publish for publish in begun if status_of(world, publish)[0] == DELIVERED]
    found: list[Post | Publish] = [*posts, *drafts]
    for one in sorted(found, key=lambda one: one.made, reverse=True):
        yield _post(world, one, of_posts.get(one.id)) if isinstance(one, Post) else _draft(one)


def _post(world: World, post: Post, publish: Publish | None) -> ShownPost:
    owner = world.store.get(Creator, post.parent)
    is_moderated = post.privacy == "PUBLIC_TO_EVERYONE" and post.public > world.clock.now()
    return ShownPost(
        id=post.id,
        kind="photos" if post.photo else "video",
        at=post.made,
        state="hidden" if post.hidden else "in moderation" if is_moderated else "published",
        title=post.text if post.photo else "",
        text=post.description if post.photo else post.text,
        media=[shown(file) for file in post.files],
        facts=post.info | given(privacy_level=post.privacy) | (_origin(publish) if publish else {}),
        url="" if owner is None else address_of(owner, post),
    )


def _draft(publish: Publish) -> ShownPost:
    info = dict(publish.info)
    title, description = str(info.pop("title", "")), str(info.pop("description", ""))
    return ShownPost(
        id=publish.id,
        kind="photos" if publish.photo else "video",
        at=publish.made,
        state="draft",
        title=title if publish.photo else "",
        text=description if publish.photo else title,
        media=[shown(file) for file in publish.files],
        facts=info | _origin(publish),
    )


def _origin(publish: Publish) -> dict[str, str]:
    """Return the publish_id of the post, and how its bytes were sent."""
    return {"publish_id": publish.id, "source": "PULL_FROM_URL" if publish.pulled else "FILE_UPLOAD"}
