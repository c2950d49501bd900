"""What a channel of YouTube and a place of Business Profile show to people."""

from collections.abc import Iterator
from heapq import merge

from socialgate.sandbox.kit import ShownComment, ShownMedia, ShownPost, World, given
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.conversation import author_name, replies_to
from socialgate.sandbox.vendors.google.local_posts import name_of, state_of
from socialgate.sandbox.vendors.google.reviews import name_of as name_of_review
from socialgate.sandbox.vendors.google.state import LocalPost, Location, Review, StoredFile, Video, VideoComment


def channel_feed(world: World, channel: str) -> Iterator[ShownPost]:
    return (_video(world, video) for video in world.store.find(Video, parent=channel, newest_first=True))


def _video(world: World, video: Video) -> ShownPost:
    privacy = metadata.privacy_of(world, video)
    threads = [one for one in world.store.find(VideoComment, parent=video.id) if not one.thread]
    return ShownPost(
        id=video.id,
        kind="video",
        at=video.publish_at or video.made,
        state=video.ending or ("published" if privacy == "public" else privacy),
        title=video.title,
        text=video.description,
        media=[_media(video.file, video.thumbnail)],
        facts=given(
            tags=video.tags,
            categoryId=video.category,
            privacyStatus=video.privacy,
            publishAt=video.publish_at,
            selfDeclaredMadeForKids=video.for_kids,
            containsSyntheticMedia=video.synthetic,
            embeddable=video.embeddable,
            license=video.license,
            publicStatsViewable=video.stats_viewable,
            notifySubscribers=video.notified,
            defaultLanguage=video.language,
            defaultAudioLanguage=video.audio_language,
            recordingDate=video.recorded,
        ),
        comments=[_comment(world, one) for thread in threads for one in (thread, *reversed(replies_to(world, thread)))],
    )


def _comment(world: World, comment: VideoComment) -> ShownComment:
    reply, name = "↳ " if comment.thread else "", author_name(world, comment)
    state = "" if comment.status == "published" else f" ({comment.status})"
    return ShownComment(id=comment.id, author=f"{reply}{name}{state}", text=comment.text, at=comment.made)


def place_feed(world: World, place: str) -> Iterator[ShownPost]:
    posts = (_local_post(world, post) for post in world.store.find(LocalPost, parent=place, newest_first=True))
    judged = sorted(world.store.find(Review, parent=place), key=lambda one: one.changed, reverse=True)
    return merge(posts, (_review(world, one) for one in judged), key=lambda shown: shown.at, reverse=True)


def _review(world: World, review: Review) -> ShownPost:
    place, comments = world.store.get(Location, review.parent), []
    if place is not None and review.replied is not None:
        comments = [ShownComment(id=f"{review.id}/reply", author=place.title, text=review.reply, at=review.replied)]
    return ShownPost(
        id=name_of_review(review),
        kind="review",
        at=review.changed,
        title=f"{'★' * review.stars}{'☆' * (5 - review.stars)} {review.name}",
        text=review.text,
        facts=given(anonymous=review.anonymous or None),
        comments=comments,
    )


def _local_post(world: World, post: LocalPost) -> ShownPost:
    said = {name: value for name, value in post.given.items() if name not in {"summary", "media"}}
    state = state_of(world, post)
    return ShownPost(
        id=name_of(post),
        kind=str(post.given.get("topicType", "")).lower(),
        at=post.made,
        state="published" if state == "LIVE" else state.lower(),
        title=str((post.given.get("event") or {}).get("title", "")),
        text=str(post.given.get("summary", "")),
        media=[_media(file) for file in post.files],
        facts=said,
    )


def _media(file: StoredFile, cover: StoredFile | None = None) -> ShownMedia:
    return ShownMedia(
        content_type=file.content_type,
        size=file.size,
        sha256=file.sha256,
        file=file.name,
        cover=None if cover is None else _media(cover),
    )
