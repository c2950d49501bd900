"""Which form a post has on a Page or on Instagram, and validation beyond what the manifest says."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec.structs import replace

from socialgate.connectors.forms import cover_faults, misplaced
from socialgate.connectors.message_checks import Check, found
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.contracts.media_rules import file_faults
from socialgate.contracts.platforms import Kind, MediaRule
from socialgate.contracts.publishing import Content, MediaFile
from socialgate.core.errors import Fault

_MOST_ITEMS = 10
_PAGE = MANIFEST.of(Kind.FACEBOOK_PAGE).media
_INSTAGRAM = MANIFEST.of(Kind.INSTAGRAM).media


class Form(StrEnum):
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
        return self in {Form.PHOTO_STORY, Form.VIDEO_STORY}


def page_form(content: Content) -> Form:
    """Return what a post becomes. If it has no form at all, the faults say so."""
    otherwise = Form.VIDEO if _has_video(content) else Form.PHOTOS if content.media else Form.TEXT
    return _wanted(content) or otherwise


def instagram_form(content: Content) -> Form:
    """Instagram makes a reel of every single video."""
    single = Form.REEL if _has_video(content) else Form.IMAGE
    return _wanted(content) or (Form.CAROUSEL if len(content.media) > 1 else single)


def _wanted(content: Content) -> Form | None:
    wanted = content.options.get("form")
    if wanted == "story":
        return Form.VIDEO_STORY if _has_video(content) else Form.PHOTO_STORY
    return Form.REEL if wanted == "reel" else None


def _has_video(content: Content) -> bool:
    return any(file.type == "video" for file in content.media)


_REEL_ONLY = ({Form.REEL}, "a reel")
_NO_STORY = ({Form.IMAGE, Form.CAROUSEL, Form.REEL}, "a post or a reel")
# Which forms an option can be used with, and their names.
_PAGE_OPTIONS = {
    "link": ({Form.TEXT}, "a post without media"),
    "title": ({Form.VIDEO, Form.REEL}, "a video or a reel"),
    "placeId": _REEL_ONLY,
}
_INSTAGRAM_OPTIONS = {
    **dict.fromkeys(("shareToFeed", "thumbOffset", "audioName", "trialReel"), _REEL_ONLY),
    **dict.fromkeys(("locationId", "collaborators", "isAiGenerated"), _NO_STORY),
}


def left_out(vendor: str, form: Form, content: Content, no_cover: str | None) -> list[str]:
    """Warn about what a form does not support. `no_cover` is the warning for a thumbnail."""
    story, files = form.is_story, content.media
    unread = any(file.alt and (story or file.type != "image") for file in files)
    warnings = [
        (story and content.text.strip(), "A story does not show text: the text was left out."),
        (story and content.first_comment, "A story does not allow comments: the first comment was left out."),
        (any(file.thumbnail for file in files), no_cover),
        (unread, f"{vendor} does not support alternative text for videos, reels and stories: it was left out."),
    ]
    return [why for wrong, why in warnings if wrong and why]


def page_faults(content: Content) -> list[Fault]:
    form = page_form(content)
    mixed = form is Form.VIDEO and len({file.type for file in content.media}) > 1
    empty = form is Form.TEXT and not content.text.strip() and "link" not in content.options
    rule = {Form.REEL: _PAGE["reel"], Form.VIDEO_STORY: _PAGE["storyVideo"]}.get(form)
    checks: list[Check] = [
        (mixed, "/media", "media_mixed", "A post has photos or one video, not both. Create two posts."),
        (empty, "/content", "required", "Write a text, or add a link, photos or a video."),
    ]
    breaches = [fault for file in content.media[:1] for fault in _breaches(form, rule, file, 0)]
    return [*_count_faults(form, content), *found(checks), *_misplaced(_PAGE_OPTIONS, form, content), *breaches]


def instagram_faults(content: Content) -> list[Fault]:
    form = instagram_form(content)
    if not content.media:
        return [Fault("/media", "required", "Instagram does not accept text-only posts. Add an image or a video.")]
    named = [*_count_faults(form, content), *_misplaced(_INSTAGRAM_OPTIONS, form, content), *_tag_faults(content)]
    for index, file in enumerate(content.media):
        if form in {Form.IMAGE, Form.CAROUSEL} and file.type == "image":
            named += _breaches(form, _INSTAGRAM["feedImage"], file, index)
        if form is Form.VIDEO_STORY:
            named += _breaches(form, _INSTAGRAM["storyVideo"], file, index)
        if form is Form.REEL and file.thumbnail is not None:
            named += cover_faults("Instagram", index, file.thumbnail, _INSTAGRAM["reelCover"])
    return named


def _count_faults(form: Form, content: Content) -> list[Fault]:
    types = [file.type for file in content.media]
    # The manifest already covers too many of one type.
    many = form is Form.CAROUSEL and len(set(types)) > 1 and len(types) > _MOST_ITEMS
    wrong_story, wrong_reel = form.is_story and len(types) != 1, form is Form.REEL and types != ["video"]
    return found(
        [
            (wrong_story, "/media", "media_count", "A story is one image or one video. Add exactly one."),
            (wrong_reel, "/media", "media_count", "A reel is one video. Add exactly one, and nothing else."),
            (many, "/media", "media_count", f"A carousel has 2 to {_MOST_ITEMS} items. Remove some."),
        ]
    )


def _misplaced(table: Mapping[str, tuple[set[Form], str]], form: Form, content: Content) -> Iterator[Fault]:
    for name, (forms, called) in sorted(table.items()):
        if form not in forms:
            yield from misplaced(content.options, (name,), called)


def _tag_faults(content: Content) -> Iterator[Fault]:
    for index, tag in enumerate(content.options.get("userTags", ())):
        pointer, item = f"/options/userTags/{index}", tag.get("mediaIndex", 0)
        if item >= len(content.media):
            detail = f"There are {len(content.media)} items, counted from 0. Choose one of them."
            yield Fault(f"{pointer}/mediaIndex", "out_of_range", detail)
        elif content.media[item].type == "image" and not {"x", "y"} <= tag.keys():
            yield Fault(pointer, "required", "On an image, set `x` and `y` to the position of the person, from 0 to 1.")


def _breaches(form: Form, rule: MediaRule | None, file: MediaFile, index: int) -> Iterator[Fault]:
    """Check what a form requires beyond what the platform requires of every image or video."""
    if rule is not None:
        beyond = replace(rule, mime_types=("*/*",))
        yield from file_faults(f"this form ({form})", beyond, file, f"/media/{index}")
