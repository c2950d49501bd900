"""Which form a post has on a Page or on Instagram, and what is wrong with it beyond what the manifest says."""

from collections.abc import Iterator
from enum import StrEnum

from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.contracts.platforms import Kind, MediaRule
from socialgate.contracts.publishing import Content, MediaFile
from socialgate.core.errors import Fault

_MOST_ITEMS = 10
_REEL_OPTIONS = frozenset({"shareToFeed", "thumbOffset", "audioName", "trialReel"})
_NOT_FOR_STORIES = frozenset({"locationId", "collaborators", "isAiGenerated"})
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
    """Say what a post becomes. What has no form at all is named by the faults."""
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


def left_out(vendor: str, form: Form, content: Content, no_cover: str | None) -> list[str]:
    """Tell what has no place in a form. `no_cover` is said of a thumbnail, where the form takes none."""
    told = []
    if form.is_story and content.text.strip():
        told.append("A story shows no text: the text was left out.")
    if form.is_story and content.first_comment:
        told.append("A story takes no comments: the first comment was left out.")
    if no_cover and any(file.thumbnail for file in content.media):
        told.append(no_cover)
    if any(file.alt and (form.is_story or file.type != "image") for file in content.media):
        told.append(f"{vendor} has no alt text for videos, reels and stories: the one given was left out.")
    return told


def page_faults(content: Content) -> Iterator[Fault]:
    form = page_form(content)
    types = {file.type for file in content.media}
    yield from _count_faults(form, content)
    if form is Form.VIDEO and len(types) > 1:
        yield Fault("/media", "media_mixed", "A post has photos or one video, not both. Make two posts of it.")
    if form is Form.TEXT and not content.text.strip() and "link" not in content.options:
        yield Fault("/content", "required", "Write a text, or add a link, photos or a video.")
    if form is not Form.TEXT:
        yield from _misplaced(content, "link", "a post without media")
    if form not in {Form.VIDEO, Form.REEL}:
        yield from _misplaced(content, "title", "a video or a reel")
    if form is not Form.REEL:
        yield from _misplaced(content, "placeId", "a reel")
    for file in content.media[:1]:
        if form is Form.REEL:
            yield from _breaches(_PAGE["reel"], file, 0)
        if form is Form.VIDEO_STORY:
            yield from _breaches(_PAGE["storyVideo"], file, 0)


def instagram_faults(content: Content) -> Iterator[Fault]:
    form = instagram_form(content)
    if not content.media:
        yield Fault("/media", "required", "Instagram takes no text alone. Add a picture or a video.")
        return
    yield from _count_faults(form, content)
    for name in sorted(content.options):
        if name in _REEL_OPTIONS and form is not Form.REEL:
            yield from _misplaced(content, name, "a reel")
        if name in _NOT_FOR_STORIES and form.is_story:
            yield from _misplaced(content, name, "a post or a reel")
    yield from _tag_faults(content)
    for index, file in enumerate(content.media):
        yield from _instagram_file_faults(form, file, index)


def _count_faults(form: Form, content: Content) -> Iterator[Fault]:
    if form.is_story and len(content.media) != 1:
        yield Fault("/media", "media_count", "A story is one picture or one video. Give exactly one.")
    if form is Form.REEL and [file.type for file in content.media] != ["video"]:
        yield Fault("/media", "media_count", "A reel is one video. Give exactly one, and nothing else.")
    # Too many of one type, the manifest tells already.
    mixed = len({file.type for file in content.media}) > 1
    if form is Form.CAROUSEL and mixed and len(content.media) > _MOST_ITEMS:
        yield Fault("/media", "media_count", f"A carousel has 2 to {_MOST_ITEMS} items. Leave some out.")


def _misplaced(content: Content, name: str, form: str) -> Iterator[Fault]:
    if name in content.options:
        yield Fault(f"/options/{name}", "option_misplaced", f"This goes with {form} only. Leave it out.")


def _tag_faults(content: Content) -> Iterator[Fault]:
    for index, tag in enumerate(content.options.get("userTags", ())):
        pointer, item = f"/options/userTags/{index}", tag.get("mediaIndex", 0)
        if item >= len(content.media):
            detail = f"There are {len(content.media)} items, counted from 0. Choose one of them."
            yield Fault(f"{pointer}/mediaIndex", "out_of_range", detail)
        elif content.media[item].type == "image" and not {"x", "y"} <= tag.keys():
            yield Fault(pointer, "required", "On a picture, say with `x` and `y` where the person is, from 0 to 1.")


def _instagram_file_faults(form: Form, file: MediaFile, index: int) -> Iterator[Fault]:
    if form in {Form.IMAGE, Form.CAROUSEL} and file.type == "image":
        yield from _breaches(_INSTAGRAM["feedImage"], file, index)
    if form is Form.VIDEO_STORY:
        yield from _breaches(_INSTAGRAM["storyVideo"], file, index)
    cover, rule = file.thumbnail, _INSTAGRAM["reelCover"]
    if (
        form is Form.REEL
        and cover is not None
        and (cover.mime_type not in rule.mime_types or cover.size > (rule.max_bytes or 0))
    ):
        yield Fault(f"/media/{index}/thumbnailMediaId", "media_type", "The cover of a reel is a JPEG of up to 8 MiB.")


def _breaches(rule: MediaRule, file: MediaFile, index: int) -> Iterator[Fault]:
    """Name what a form asks beyond what the platform asks of every image or video."""
    pointer, seconds = f"/media/{index}", file.duration
    if rule.max_bytes is not None and file.size > rule.max_bytes:
        detail = f"Here a file may have {rule.max_bytes // 1024**2} MiB. Compress it."
        yield Fault(pointer, "too_large", detail)
    if seconds is not None and rule.max_seconds is not None and seconds > rule.max_seconds:
        detail = f"It lasts {seconds:.1f} s, and may last {rule.max_seconds:g} s here. Cut it."
        yield Fault(pointer, "too_long", detail)
    if seconds is not None and rule.min_seconds is not None and seconds < rule.min_seconds:
        detail = f"It lasts {seconds:.1f} s, and must last {rule.min_seconds:g} s here. Use a longer one."
        yield Fault(pointer, "too_short", detail)
    if file.width and file.height:
        yield from _shape_breaches(rule, file.width, file.height, pointer)


def _shape_breaches(rule: MediaRule, width: int, height: int, pointer: str) -> Iterator[Fault]:
    if width < (rule.min_width or 0) or height < (rule.min_height or 0):
        detail = (
            f"It is {width} x {height} pixels, and must have {rule.min_width} x {rule.min_height}. Use a larger one."
        )
        yield Fault(pointer, "too_small", detail)
    least, most = rule.min_ratio or 0, rule.max_ratio or float("inf")
    if not least <= width / height <= most:
        detail = f"Width to height is {width / height:.3g}, and must be {least:.3g} to {most:.3g} here. Crop it."
        yield Fault(pointer, "media_ratio", detail)
