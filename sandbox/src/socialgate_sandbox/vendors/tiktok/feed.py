"""What an account shows to people, and the drafts that wait in its app."""

from collections.abc import Iterator

from socialgate_sandbox.kit import PostView, VendorContext, drop_empty
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.vendors.tiktok.post_lifecycle import DELIVERED_STATUS, compute_status
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish
from socialgate_sandbox.vendors.tiktok.videos import build_post_url


def read_creator_feed(context: VendorContext, creator_id: str) -> Iterator[PostView]:
    now, begun = context.clock.now(), context.store.find(Publish, parent=creator_id)
    of_posts = {publish.post: publish for publish in begun}
    posts = [post for post in context.store.find(Post, parent=creator_id) if post.created_at <= now]
    drafts = [publish for publish in begun if compute_status(context, publish)[0] == DELIVERED_STATUS]
    result: list[Post | Publish] = [*posts, *drafts]
    for item in sorted(result, key=lambda item: item.created_at, reverse=True):
        yield (
            _build_post_view(context, item, of_posts.get(item.id))
            if isinstance(item, Post)
            else _build_draft_view(item)
        )


def _build_post_view(context: VendorContext, post: Post, publish: Publish | None) -> PostView:
    owner = context.store.get(Creator, post.parent)
    is_moderated = post.privacy == "PUBLIC_TO_EVERYONE" and post.public > context.clock.now()
    return PostView(
        id=post.id,
        kind="photos" if post.photo else "video",
        at=post.created_at,
        state="hidden" if post.hidden else "in moderation" if is_moderated else "published",
        title=post.text if post.photo else "",
        text=post.description if post.photo else post.text,
        media=[build_media_view(file) for file in post.files],
        facts=post.info | drop_empty(privacy_level=post.privacy) | (_describe_origin(publish) if publish else {}),
        url="" if owner is None else build_post_url(owner, post),
    )


def _build_draft_view(publish: Publish) -> PostView:
    info = dict(publish.info)
    title, description = str(info.pop("title", "")), str(info.pop("description", ""))
    return PostView(
        id=publish.id,
        kind="photos" if publish.photo else "video",
        at=publish.created_at,
        state="draft",
        title=title if publish.photo else "",
        text=description if publish.photo else title,
        media=[build_media_view(file) for file in publish.files],
        facts=info | _describe_origin(publish),
    )


def _describe_origin(publish: Publish) -> dict[str, str]:
    """Return the publish_id of the post, and how its bytes were sent."""
    return {"publish_id": publish.id, "source": "PULL_FROM_URL" if publish.pulled else "FILE_UPLOAD"}
