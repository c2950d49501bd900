"""What a channel of YouTube and a place of Business Profile show to people."""

from collections.abc import Iterator

from socialgate.sandbox.kit import ShownComment, ShownMedia, ShownPost, World, given
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.conversation import author_name
from socialgate.sandbox.vendors.google.local_posts import name_of, state_of
from socialgate.sandbox.vendors.google.state import LocalPost, StoredFile, Video, VideoComment


def channel_feed(world: World, channel: str) -> Iterator[ShownPost]:
    return (_video(world, video) for video in world.store.find(Video, parent=channel, newest_first=True))


def _video(world: World, video: Video) -> ShownPost:
    privacy = metadata.privacy_of(world, video)
    threads = world.store.find(VideoComment, parent=video.id)
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
        comments=[
            ShownComment(id=one.id, author=author_name(world, one), text=one.text, at=one.made) for one in threads
        ],
    )


def place_feed(world: World, place: str) -> Iterator[ShownPost]:
    return (_local_post(world, post) for post in world.store.find(LocalPost, parent=place, newest_first=True))


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
