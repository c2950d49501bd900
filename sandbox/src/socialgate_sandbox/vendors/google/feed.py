"""What a YouTube channel and a Business Profile location show to people."""

from collections.abc import Iterator
from heapq import merge
from typing import Any

from socialgate_sandbox.kit import (
    CommentView,
    EventView,
    GuestView,
    PostView,
    VendorContext,
    drop_empty,
)
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.society.comments import list_comments, list_replies
from socialgate_sandbox.vendors.google.places.local_posts import build_resource_name, compute_state
from socialgate_sandbox.vendors.google.places.reviews import REVIEW_SERVICE
from socialgate_sandbox.vendors.google.state import (
    CalendarEvent,
    Invitation,
    LocalPost,
    Video,
    VideoComment,
)
from socialgate_sandbox.vendors.google.youtube import video_metadata


def read_channel_feed(context: VendorContext, channel_id: str) -> Iterator[PostView]:
    return (
        _build_video_view(context, video) for video in context.store.find(Video, parent=channel_id, newest_first=True)
    )


def _build_video_view(context: VendorContext, video: Video) -> PostView:
    privacy = video_metadata.compute_privacy(context, video)
    parts = (video_metadata.SnippetBody, video_metadata.StatusBody, video_metadata.RecordingBody)
    facts: dict[str, Any] = {"notifySubscribers": video.notified}
    for part in parts:
        facts |= video_metadata.build_part(video, part)
    facts |= {"title": None, "description": None}
    threads = [
        video_comment for video_comment in list_comments(context, VideoComment, video.id) if not video_comment.above
    ]
    return PostView(
        id=video.id,
        kind="video",
        at=video.published,
        state=video.ending or ("published" if privacy == "public" else privacy),
        title=video.title,
        text=video.description,
        media=[build_media_view(video.file, cover=video.thumbnail)],
        facts=drop_empty(**facts),
        comments=[
            _build_comment_view(video_comment)
            for thread in threads
            for video_comment in (thread, *list_replies(context, thread))
        ],
        open_to_comments=not video.for_kids,
        url=f"https://www.youtube.com/watch?v={video.id}",
    )


def _build_comment_view(comment: VideoComment) -> CommentView:
    reply, author = "↳ " if comment.above else "", comment.author
    state = "" if comment.status == "published" else f" ({comment.status})"
    name = f"{reply}{author.name}{state}"
    return CommentView(id=comment.id, author=name, text=comment.text, at=comment.created_at, person=author.person)


def read_location_feed(context: VendorContext, location_id: str) -> Iterator[PostView]:
    posts = (
        _build_local_post_view(context, post)
        for post in context.store.find(LocalPost, parent=location_id, newest_first=True)
    )
    return merge(
        posts, REVIEW_SERVICE.iterate_post_views(context, location_id), key=lambda post_view: post_view.at, reverse=True
    )


def read_calendar_events(context: VendorContext, calendar_id: str) -> list[EventView]:
    return [
        _build_event_view(context, calendar_event)
        for calendar_event in context.store.find(CalendarEvent, parent=calendar_id, newest_first=True)
    ]


def _build_event_view(context: VendorContext, event: CalendarEvent) -> EventView:
    sent = context.store.find(Invitation, parent=event.key)
    start, end = event.body.get("start", {}), event.body.get("end", {})
    return EventView(
        id=event.key,
        title=str(event.body.get("summary", "")),
        start=str(start.get("dateTime") or start.get("date") or event.original),
        end=str(end.get("dateTime") or end.get("date") or ""),
        repeats=" ".join(event.body.get("recurrence", [])),
        cancelled=event.cancelled,
        guests=[
            GuestView(
                email=item["email"],
                response=item.get("responseStatus", "needsAction"),
                received=[message.method for message in sent if message.to == item["email"]],
            )
            for item in event.body.get("attendees", [])
        ],
    )


def _build_local_post_view(context: VendorContext, post: LocalPost) -> PostView:
    payload = {name: value for name, value in post.body.items() if name not in {"summary", "media"}}
    state = compute_state(context, post)
    return PostView(
        id=build_resource_name(post),
        kind=str(post.body.get("topicType", "")).lower(),
        at=post.created_at,
        state="published" if state == "LIVE" else state.lower(),
        title=str((post.body.get("event") or {}).get("title", "")),
        text=str(post.body.get("summary", "")),
        media=[build_media_view(file) for file in post.files],
        facts=payload,
    )
