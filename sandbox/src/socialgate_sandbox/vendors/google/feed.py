"""What a YouTube channel and a Business Profile location show to people."""

from collections.abc import Iterator
from heapq import merge
from typing import Any

from socialgate_sandbox.kit import (
    ShownComment,
    ShownEvent,
    ShownGuest,
    ShownPost,
    World,
    given,
)
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.society.comments import answers_to, comments_on
from socialgate_sandbox.vendors.google.places.local_posts import name_of, state_of
from socialgate_sandbox.vendors.google.places.reviews import DESK
from socialgate_sandbox.vendors.google.state import (
    CalendarEvent,
    Invitation,
    LocalPost,
    Video,
    VideoComment,
)
from socialgate_sandbox.vendors.google.youtube import metadata


def channel_feed(world: World, channel: str) -> Iterator[ShownPost]:
    return (_video(world, video) for video in world.store.find(Video, parent=channel, newest_first=True))


def _video(world: World, video: Video) -> ShownPost:
    privacy = metadata.privacy_of(world, video)
    parts = (metadata.SnippetBody, metadata.StatusBody, metadata.RecordingBody)
    facts: dict[str, Any] = {"notifySubscribers": video.notified}
    for part in parts:
        facts |= metadata.part_of(video, part)
    facts |= {"title": None, "description": None}
    threads = [one for one in comments_on(world, VideoComment, video.id) if not one.above]
    return ShownPost(
        id=video.id,
        kind="video",
        at=video.published,
        state=video.ending or ("published" if privacy == "public" else privacy),
        title=video.title,
        text=video.description,
        media=[shown(video.file, cover=video.thumbnail)],
        facts=given(**facts),
        comments=[_comment(one) for thread in threads for one in (thread, *answers_to(world, thread))],
        open_to_comments=not video.for_kids,
        url=f"https://www.youtube.com/watch?v={video.id}",
    )


def _comment(comment: VideoComment) -> ShownComment:
    reply, author = "↳ " if comment.above else "", comment.author
    state = "" if comment.status == "published" else f" ({comment.status})"
    name = f"{reply}{author.name}{state}"
    return ShownComment(id=comment.id, author=name, text=comment.text, at=comment.made, person=author.person)


def place_feed(world: World, place: str) -> Iterator[ShownPost]:
    posts = (_local_post(world, post) for post in world.store.find(LocalPost, parent=place, newest_first=True))
    return merge(posts, DESK.feed(world, place), key=lambda one: one.at, reverse=True)


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
        media=[shown(file) for file in post.files],
        facts=said,
    )
