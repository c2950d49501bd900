"""The forms of a post in a chat: validation, and the Bot API parameters."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.forms import cover_faults, given, misplaced
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import Content, MediaFile
from socialgate.core.errors import Fault

_LONGEST_CAPTION = 1024
_MOST_MEDIA = 10
_MOST_BYTES = 50 * 1024 * 1024
_MOST_PIXELS = 10_000
# A cover is a photo to Telegram, and has the same limits.
_COVERS = MediaRule(mime_types=("image/jpeg", "image/png", "image/webp"), max_bytes=10 * 1024 * 1024)
LONGEST_CALLBACK = 64
_GIF = "image/gif"
# They stop where another one begins: a text full of beginnings would be searched to its end from each of them.
_TAG = re.compile(r"<[^<>]*>")
_MARK = re.compile(r"\\(.)|\]\([^)\]]*\)|[*_~|`\[\]]", re.DOTALL)

_METHODS = {"text": "sendMessage", "album": "sendMediaGroup"}
_VISUAL = frozenset({"photo", "video", "animation"})
_OF_TYPE = {"image": "photo", "video": "video", "audio": "audio", "document": "document"}


def form(content: Content) -> str:
    if not content.media:
        return "text"
    return "album" if len(content.media) > 1 else item_form(content, content.media[0])


def item_form(content: Content, file: MediaFile) -> str:
    return "document" if content.options.get("form") == "document" else file_form(file)


def file_form(file: MediaFile) -> str:
    """Return the name of the parameter that takes a file, which is also that of its method."""
    return "animation" if file.mime_type == _GIF else _OF_TYPE[file.type]


def faults(content: Content) -> Iterator[Fault]:
    of_media = form(content)
    # A disabled option is valid everywhere.
    options = {name: value for name, value in content.options.items() if value}
    if of_media == "text":
        if not content.text:
            yield Fault("/content", "required", "The post is empty. Add a text or media.")
        yield from misplaced(options, ("form", "captionAboveMedia"), "media")
    else:
        yield from misplaced(options, ("disableLinkPreview",), "a post without media")
        yield from _media_faults(content, options)
    if of_media == "album":
        yield from misplaced(options, ("buttons",), "a single message, and an album is several")
    for row, buttons in enumerate(options.get("buttons", [])):
        for column, button in enumerate(buttons):
            if len(button.get("callbackData", "").encode()) > LONGEST_CALLBACK:
                detail = f"Telegram accepts {LONGEST_CALLBACK} bytes here. Use a shorter value."
                yield Fault(f"/options/buttons/{row}/{column}/callbackData", "too_long", detail)


def _media_faults(content: Content, options: Mapping[str, Any]) -> Iterator[Fault]:
    length = shown_length(content.text, options.get("parseMode"))
    if length > _LONGEST_CAPTION:
        detail = f"With media Telegram accepts {_LONGEST_CAPTION} characters, but the text has {length}. Shorten it."
        yield Fault("/content", "too_long", detail)
    types = [file.type for file in content.media]
    if len(types) > _MOST_MEDIA >= max(types.count(one) for one in types):
        yield Fault("/media", "media_count", f"An album can have at most {_MOST_MEDIA} media. Remove some.")
    if sum(file.size for _, file in attachments(content)) > _MOST_BYTES:
        yield Fault(
            "/media", "too_large", "Bots can send at most 50 MB in one post. Remove some files, or make them smaller."
        )
    forms = [item_form(content, file) for file in content.media]
    if not set(forms) & _VISUAL:
        yield from misplaced(options, ("captionAboveMedia",), "photos and videos")
    if len({"visual" if one in _VISUAL else one for one in forms}) > 1:
        detail = "An album has photos and videos, or only audio, or only documents. Create several posts."
        yield Fault("/media", "media_mixed", detail)
    for index, (file, of_file) in enumerate(zip(content.media, forms, strict=True)):
        yield from _file_faults(index, file, of_file, in_album=len(forms) > 1)


def _file_faults(index: int, file: MediaFile, of_file: str, *, in_album: bool) -> Iterator[Fault]:
    if in_album and of_file == "animation":
        detail = "A GIF cannot be in an album. Post it separately, or use form document."
        yield Fault(f"/media/{index}", "media_type", detail)
    if of_file == "photo" and _is_too_wide(file):
        detail = "The width and height of a photo can add up to at most 10,000. Make it smaller, or use form document."
        yield Fault(f"/media/{index}", "too_large", detail)
    if of_file == "video" and file.thumbnail:
        faults = list(cover_faults("Telegram", index, file.thumbnail, _COVERS))
        yield from faults
        if _is_too_wide(file.thumbnail) and "too_large" not in {fault.code for fault in faults}:
            detail = "The width and height of a cover can add up to at most 10,000. Make the image smaller."
            yield Fault(f"/media/{index}/thumbnailMediaId", "too_large", detail)


def _is_too_wide(picture: MediaFile) -> bool:
    return (picture.width or 0) + (picture.height or 0) > _MOST_PIXELS


def shown_length(text: str, mode: str | None) -> int:
    """Count the UTF-16 units that remain of a text after its markup is parsed."""
    if mode == "HTML":
        text = html.unescape(_TAG.sub("", text))
    elif mode == "MarkdownV2":
        text = _MARK.sub(lambda found: found[1] or "", text)
    return utf16_length(text)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def message(content: Content, chat_id: int) -> tuple[str, dict[str, Any]]:
    """Return the method and its parameters. Files are named `file0`, `file1`, … and `cover0`, … ."""
    of_media, options = form(content), content.options
    replied = options.get("replyToMessageId")
    said: dict[str, Any] = {
        "chat_id": chat_id,
        "message_thread_id": options.get("messageThreadId"),
        **manner(options),
        "reply_parameters": None if replied is None else {"message_id": replied},
    }
    if of_media == "text":
        said |= worded(content.text, options)
    elif of_media == "album":
        said["media"] = [_item(content, index) for index in range(len(content.media))]
    else:
        item = _item(content, 0)
        said |= {item.pop("type"): item.pop("media"), **item}
    if of_media != "album":
        said["reply_markup"] = keyboard(options.get("buttons"))
    return _METHODS.get(of_media, f"send{of_media.capitalize()}"), given(said)


def manner(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how anything is sent."""
    return {
        "disable_notification": options.get("disableNotification"),
        "protect_content": options.get("protectContent"),
    }


def worded(text: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a text without media."""
    preview = {"is_disabled": True} if options.get("disableLinkPreview") else None
    return {"text": text, "parse_mode": options.get("parseMode"), "link_preview_options": preview}


def _item(content: Content, index: int) -> dict[str, Any]:
    """Describe one medium. The text of an album is the caption of its first."""
    file, options = content.media[index], content.options
    of_file = item_form(content, file)
    item: dict[str, Any] = {"type": of_file, "media": f"attach://file{index}"}
    if index == 0 and content.text:
        item |= {"caption": content.text, "parse_mode": options.get("parseMode")}
    if of_file in _VISUAL:
        item["show_caption_above_media"] = options.get("captionAboveMedia")
    if of_file == "video":
        length = None if file.duration is None else round(file.duration)
        item |= {"width": file.width, "height": file.height, "duration": length, "supports_streaming": True}
        item["cover"] = f"attach://cover{index}" if file.thumbnail else None
    return given(item)


def attachments(content: Content) -> Iterator[tuple[str, MediaFile]]:
    """List every attached file."""
    for index, file in enumerate(content.media):
        yield f"file{index}", file
        if file.thumbnail and item_form(content, file) == "video":
            yield f"cover{index}", file.thumbnail


def keyboard(rows: list[list[dict[str, str]]] | None) -> dict[str, Any] | None:
    if not rows:
        return None
    names = {"text": "text", "url": "url", "callbackData": "callback_data"}
    keyboard = [[{names[name]: value for name, value in button.items()} for button in row] for row in rows]
    return {"inline_keyboard": keyboard}
