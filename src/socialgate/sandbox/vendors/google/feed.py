"""What a YouTube channel and a Business Profile location show to people."""

from collections.abc import Iterator
from heapq import merge

from socialgate.sandbox.kit import (
    ShownComment,
    ShownEvent,
    ShownGuest,
    ShownMedia,
    ShownPost,
    ShownReview,
    World,
    given,
)
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.conversation import author_name, replies_to
from socialgate.sandbox.vendors.google.local_posts import name_of, state_of
from socialgate.sandbox.vendors.google.reviews import name_of as name_of_review
from socialgate.sandbox.vendors.google.seed import VIEWERS
from socialgate.sandbox.vendors.google.state import (
    CalendarEvent,
    Invitation,
    LocalPost,
    Location,
    Review,
    StoredFile,
    Video,
    VideoComment,
)


def channel_feed(world: World, channel: str) -> Iterator[ShownPost]:
    return (_video(world, video) for video in world.store.find(Video, parent=channel, newest_first=True))


def _video(world: World, video: Video) -> ShownPost:
    privacy = metadata.privacy_of(world, video)
    threads = [one for one in world.store.find(VideoComment, parent=video.id) if not one.thread]
    return ShownPost(
        id=video.id,
        kind="video",
        at=video.published,
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
        open_to_comments=not video.for_kids,
        url=f"https://www.youtube.com/watch?v={video.id}",
    )


def _comment(world: World, comment: VideoComment) -> ShownComment:
    reply, name = "↳ " if comment.thread else "", author_name(world, comment)
    state = "" if comment.status == "published" else f" ({comment.status})"
    return ShownComment(
        id=comment.id,
        author=f"{reply}{name}{state}",
        text=comment.text,
        at=comment.made,
        person=next((key for key, viewer in VIEWERS.items() if viewer == comment.author), ""),
    )


def place_feed(world: World, place: str) -> Iterator[ShownPost]:
    posts = (_local_post(world, post) for post in world.store.find(LocalPost, parent=place, newest_first=True))
    judged = sorted(world.store.find(Review, parent=place), key=lambda one: one.changed, reverse=True)
    return merge(posts, (_review(world, one) for one in judged), key=lambda shown: shown.at, reverse=True)


def place_reviews(world: World, place: str) -> list[ShownReview]:
    judged = sorted(world.store.find(Review, parent=place), key=lambda one: one.changed, reverse=True)
    return [
        ShownReview(
            id=one.id,
            author=one.name,
            stars=one.stars,
            at=one.changed,
            text=one.text,
            anonymous=one.anonymous,
            reply=one.reply,
        )
        for one in judged
    ]


def calendar_events(world: World, calendar: str) -> list[ShownEvent]:
    return [_event(world, one) for one in world.store.find(CalendarEvent, parent=calendar, newest_first=True)]


def _event(world: World, event: CalendarEvent) -> ShownEvent:
    sent = world.store.find(Invitation, parent=event.key)
    start, end = event.body.get("start", {}), event.body.get("end", {})
    return ShownEvent(
        id=event.key,
        title=str(event.body.get("summary", "")),
        start=str(start.get("dateTime") or start.get("date") or event.original),
        end=str(end.get("dateTime") or end.get("date") or ""),
        repeats=" ".join(event.body.get("recurrence", [])),
        cancelled=event.cancelled,
        guests=[
            ShownGuest(
                email=one["email"],
                response=one.get("responseStatus", "needsAction"),
                received=[message.what for message in sent if message.to == one["email"]],
            )
            for one in event.body.get("attendees", [])
        ],
    )


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
