"""Which form a post has on a Page or on Instagram, and validation beyond what the manifest says."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec.structs import replace

from socialgate.connectors.message_validation import ConditionalFault, collect_faults
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.post_options import validate_cover, validate_misplaced_options
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import Kind, MediaRule
from socialgate.contracts.publishing import MediaFile, PostContent
from socialgate.core.errors import Fault

_MAX_CAROUSEL_ITEMS = 10
_PAGE_MEDIA_RULES = MANIFEST.get_kind_manifest(Kind.FACEBOOK_PAGE).media
_INSTAGRAM_MEDIA_RULES = MANIFEST.get_kind_manifest(Kind.INSTAGRAM).media


class PostFormat(StrEnum):
    TEXT = "text"
    PHOTOS = "photos"
    VIDEO = "video"
    REEL = "reel"
    PHOTO_STORY = "photo story"
    VIDEO_STORY = "video story"
    IMAGE = "image"
    CAROUSEL = "carousel"

    @property
    def is_story(self) -> bool:
        return self in {PostFormat.PHOTO_STORY, PostFormat.VIDEO_STORY}


def get_page_post_format(content: PostContent) -> PostFormat:
    """Return what a post becomes. If it has no form at all, the faults say so."""
    otherwise = PostFormat.VIDEO if _has_video(content) else PostFormat.PHOTOS if content.media else PostFormat.TEXT
    return _get_requested_format(content) or otherwise


def get_instagram_post_format(content: PostContent) -> PostFormat:
    """Instagram makes a reel of every single video."""
    single = PostFormat.REEL if _has_video(content) else PostFormat.IMAGE
    return _get_requested_format(content) or (PostFormat.CAROUSEL if len(content.media) > 1 else single)


def _get_requested_format(content: PostContent) -> PostFormat | None:
    requested = content.options.get("form")
    if requested == "story":
        return PostFormat.VIDEO_STORY if _has_video(content) else PostFormat.PHOTO_STORY
    return PostFormat.REEL if requested == "reel" else None


def _has_video(content: PostContent) -> bool:
    return any(file.type == "video" for file in content.media)


_REEL_ONLY_FORMATS = ({PostFormat.REEL}, "a reel")
_NON_STORY_FORMATS = ({PostFormat.IMAGE, PostFormat.CAROUSEL, PostFormat.REEL}, "a post or a reel")
# Which forms an option can be used with, and their names.
_PAGE_OPTION_FORMATS = {
    "link": ({PostFormat.TEXT}, "a post without media"),
    "title": ({PostFormat.VIDEO, PostFormat.REEL}, "a video or a reel"),
    "placeId": _REEL_ONLY_FORMATS,
}
_INSTAGRAM_OPTION_FORMATS = {
    **dict.fromkeys(("shareToFeed", "thumbOffset", "audioName", "trialReel"), _REEL_ONLY_FORMATS),
    **dict.fromkeys(("locationId", "collaborators", "isAiGenerated"), _NON_STORY_FORMATS),
}


def list_omission_warnings(vendor: str, form: PostFormat, content: PostContent, cover_warning: str | None) -> list[str]:
    """Warn about what a form does not support. `cover_warning` is the warning for a thumbnail."""
    story, files = form.is_story, content.media
    unread = any(file.alt and (story or file.type != "image") for file in files)
    warnings = [
        (story and content.text.strip(), "A story does not show text: the text was left out."),
        (story and content.first_comment, "A story does not allow comments: the first comment was left out."),
        (any(file.thumbnail for file in files), cover_warning),
        (unread, f"{vendor} does not support alternative text for videos, reels and stories: it was left out."),
    ]
    return [why for wrong, why in warnings if wrong and why]


def validate_page_post(content: PostContent) -> list[Fault]:
    form = get_page_post_format(content)
    mixed = form is PostFormat.VIDEO and len({file.type for file in content.media}) > 1
    empty = form is PostFormat.TEXT and not content.text.strip() and "link" not in content.options
    rule = {PostFormat.REEL: _PAGE_MEDIA_RULES["reel"], PostFormat.VIDEO_STORY: _PAGE_MEDIA_RULES["storyVideo"]}.get(
        form
    )
    checks: list[ConditionalFault] = [
        (mixed, "/media", "media_mixed", "A post has photos or one video, not both. Create two posts."),
        (empty, "/content", "required", "Write a text, or add a link, photos or a video."),
    ]
    breaches = [fault for file in content.media[:1] for fault in _validate_format_rule(form, rule, file, 0)]
    return [
        *_validate_media_count(form, content),
        *collect_faults(checks),
        *_misplaced_option_faults(_PAGE_OPTION_FORMATS, form, content),
        *breaches,
    ]


def validate_instagram_post(content: PostContent) -> list[Fault]:
    form = get_instagram_post_format(content)
    if not content.media:
        return [Fault("/media", "required", "Instagram does not accept text-only posts. Add an image or a video.")]
    named = [
        *_validate_media_count(form, content),
        *_misplaced_option_faults(_INSTAGRAM_OPTION_FORMATS, form, content),
        *_validate_user_tags(content),
    ]
    for index, file in enumerate(content.media):
        if form in {PostFormat.IMAGE, PostFormat.CAROUSEL} and file.type == "image":
            named += _validate_format_rule(form, _INSTAGRAM_MEDIA_RULES["feedImage"], file, index)
        if form is PostFormat.VIDEO_STORY:
            named += _validate_format_rule(form, _INSTAGRAM_MEDIA_RULES["storyVideo"], file, index)
        if form is PostFormat.REEL and file.thumbnail is not None:
            named += validate_cover("Instagram", index, file.thumbnail, _INSTAGRAM_MEDIA_RULES["reelCover"])
    return named


def _validate_media_count(form: PostFormat, content: PostContent) -> list[Fault]:
    types = [file.type for file in content.media]
    # The manifest already covers too many of one type.
    many = form is PostFormat.CAROUSEL and len(set(types)) > 1 and len(types) > _MAX_CAROUSEL_ITEMS
    wrong_story, wrong_reel = form.is_story and len(types) != 1, form is PostFormat.REEL and types != ["video"]
    return collect_faults(
        [
            (wrong_story, "/media", "media_count", "A story is one image or one video. Add exactly one."),
            (wrong_reel, "/media", "media_count", "A reel is one video. Add exactly one, and nothing else."),
            (many, "/media", "media_count", f"A carousel has 2 to {_MAX_CAROUSEL_ITEMS} items. Remove some."),
        ]
    )


def _misplaced_option_faults(
    table: Mapping[str, tuple[set[PostFormat], str]], form: PostFormat, content: PostContent
) -> Iterator[Fault]:
    for name, (forms, called) in sorted(table.items()):
        if form not in forms:
            yield from validate_misplaced_options(content.options, (name,), called)


def _validate_user_tags(content: PostContent) -> Iterator[Fault]:
    for index, tag in enumerate(content.options.get("userTags", ())):
        pointer, item = f"/options/userTags/{index}", tag.get("mediaIndex", 0)
        if item >= len(content.media):
            detail = f"There are {len(content.media)} items, counted from 0. Choose one of them."
            yield Fault(f"{pointer}/mediaIndex", "out_of_range", detail)
        elif content.media[item].type == "image" and not {"x", "y"} <= tag.keys():
            yield Fault(pointer, "required", "On an image, set `x` and `y` to the position of the person, from 0 to 1.")


def _validate_format_rule(form: PostFormat, rule: MediaRule | None, file: MediaFile, index: int) -> Iterator[Fault]:
    """Check what a form requires beyond what the platform requires of every image or video."""
    if rule is not None:
        beyond = replace(rule, mime_types=("*/*",))
        yield from validate_file(f"this form ({form})", beyond, file, f"/media/{index}")
