"""The forms of a post in a chat: validation, and the Bot API parameters."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.post_options import drop_none, validate_cover, validate_misplaced_options
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import MediaFile, PostContent
from socialgate.core.errors import Fault

_MAX_CAPTION_LENGTH = 1024
_MAX_ALBUM_MEDIA = 10
_MAX_POST_BYTES = 50 * 1024 * 1024
_MAX_WIDTH_PLUS_HEIGHT = 10_000
_COVER_RULE = MANIFEST.get_kind_manifest(Kind.TELEGRAM_BOT).media["cover"]
MAX_CALLBACK_DATA_BYTES = 64
_GIF_MIME_TYPE = "image/gif"
# They stop where another one begins: a text full of beginnings would be searched to its end from each of them.
_HTML_TAG_PATTERN = re.compile(r"<[^<>]*>")
_MARKDOWN_PATTERN = re.compile(r"\\(.)|\]\([^)\]]*\)|[*_~|`\[\]]", re.DOTALL)

_METHODS_BY_FORMAT = {"text": "sendMessage", "album": "sendMediaGroup"}
_VISUAL_FORMATS = frozenset({"photo", "video", "animation"})
_FORMATS_BY_MEDIA_TYPE = {"image": "photo", "video": "video", "audio": "audio", "document": "document"}


def get_post_format(content: PostContent) -> str:
    if not content.media:
        return "text"
    return "album" if len(content.media) > 1 else get_item_format(content, content.media[0])


def get_item_format(content: PostContent, file: MediaFile) -> str:
    return "document" if content.options.get("form") == "document" else get_file_format(file)


def get_file_format(file: MediaFile) -> str:
    """Return the name of the parameter that takes a file, which is also that of its method."""
    return "animation" if file.mime_type == _GIF_MIME_TYPE else _FORMATS_BY_MEDIA_TYPE[file.type]


def validate_content(content: PostContent) -> Iterator[Fault]:
    of_media = get_post_format(content)
    # A disabled option is valid everywhere.
    options = {name: value for name, value in content.options.items() if value}
    if of_media == "text":
        if not content.text:
            yield Fault("/content", "required", "The post is empty. Add a text or media.")
        yield from validate_misplaced_options(options, ("form", "captionAboveMedia"), "media")
    else:
        yield from validate_misplaced_options(options, ("disableLinkPreview",), "a post without media")
        yield from _media_faults(content, options)
    if of_media == "album":
        yield from validate_misplaced_options(options, ("buttons",), "a single message, and an album is several")
    for row, buttons in enumerate(options.get("buttons", [])):
        for column, button in enumerate(buttons):
            if len(button.get("callbackData", "").encode()) > MAX_CALLBACK_DATA_BYTES:
                detail = f"Telegram accepts {MAX_CALLBACK_DATA_BYTES} bytes here. Use a shorter value."
                yield Fault(f"/options/buttons/{row}/{column}/callbackData", "too_long", detail)


def _media_faults(content: PostContent, options: Mapping[str, Any]) -> Iterator[Fault]:
    length = get_rendered_length(content.text, options.get("parseMode"))
    if length > _MAX_CAPTION_LENGTH:
        detail = f"With media Telegram accepts {_MAX_CAPTION_LENGTH} characters, but the text has {length}. Shorten it."
        yield Fault("/content", "too_long", detail)
    types = [file.type for file in content.media]
    if len(types) > _MAX_ALBUM_MEDIA >= max(types.count(value) for value in types):
        yield Fault("/media", "media_count", f"An album can have at most {_MAX_ALBUM_MEDIA} media. Remove some.")
    if sum(file.size for _, file in list_attachments(content)) > _MAX_POST_BYTES:
        yield Fault(
            "/media", "too_large", "Bots can send at most 50 MB in one post. Remove some files, or make them smaller."
        )
    forms = [get_item_format(content, file) for file in content.media]
    if not set(forms) & _VISUAL_FORMATS:
        yield from validate_misplaced_options(options, ("captionAboveMedia",), "photos and videos")
    if len({"visual" if form in _VISUAL_FORMATS else form for form in forms}) > 1:
        detail = "An album has photos and videos, or only audio, or only documents. Create several posts."
        yield Fault("/media", "media_mixed", detail)
    for index, (file, of_file) in enumerate(zip(content.media, forms, strict=True)):
        yield from _file_faults(index, file, of_file, in_album=len(forms) > 1)


def _file_faults(index: int, file: MediaFile, item_format: str, *, in_album: bool) -> Iterator[Fault]:
    if in_album and item_format == "animation":
        detail = "A GIF cannot be in an album. Post it separately, or use form document."
        yield Fault(f"/media/{index}", "media_type", detail)
    if item_format == "photo" and _exceeds_max_dimensions(file):
        detail = "The width and height of a photo can add up to at most 10,000. Make it smaller, or use form document."
        yield Fault(f"/media/{index}", "too_large", detail)
    if item_format == "video" and file.thumbnail:
        yield from validate_cover("Telegram", index, file.thumbnail, _COVER_RULE)


def _exceeds_max_dimensions(picture: MediaFile) -> bool:
    return (picture.width or 0) + (picture.height or 0) > _MAX_WIDTH_PLUS_HEIGHT


def get_rendered_length(text: str, mode: str | None) -> int:
    """Count the UTF-16 units that remain of a text after its markup is parsed."""
    if mode == "HTML":
        text = html.unescape(_HTML_TAG_PATTERN.sub("", text))
    elif mode == "MarkdownV2":
        text = _MARKDOWN_PATTERN.sub(lambda match: match[1] or "", text)
    return utf16_length(text)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def build_send_call(content: PostContent, chat_id: int) -> tuple[str, dict[str, Any]]:
    """Return the method and its parameters. Files are named `file0`, `file1`, … and `cover0`, … ."""
    of_media, options = get_post_format(content), content.options
    replied = options.get("replyToMessageId")
    payload: dict[str, Any] = {
        "chat_id": chat_id,
        "message_thread_id": options.get("messageThreadId"),
        **build_send_params(options),
        "reply_parameters": None if replied is None else {"message_id": replied},
    }
    if of_media == "text":
        payload |= build_text_params(content.text, options)
    elif of_media == "album":
        payload["media"] = [_build_media_item(content, index) for index in range(len(content.media))]
    else:
        item = _build_media_item(content, 0)
        payload |= {item.pop("type"): item.pop("media"), **item}
    if of_media != "album":
        payload["reply_markup"] = build_inline_keyboard(options.get("buttons"))
    return _METHODS_BY_FORMAT.get(of_media, f"send{of_media.capitalize()}"), drop_none(payload)


def build_send_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how anything is sent."""
    return {
        "disable_notification": options.get("disableNotification"),
        "protect_content": options.get("protectContent"),
    }


def build_text_params(text: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a text without media."""
    preview = {"is_disabled": True} if options.get("disableLinkPreview") else None
    return {"text": text, "parse_mode": options.get("parseMode"), "link_preview_options": preview}


def _build_media_item(content: PostContent, index: int) -> dict[str, Any]:
    """Describe one medium. The text of an album is the caption of its first."""
    file, options = content.media[index], content.options
    of_file = get_item_format(content, file)
    item: dict[str, Any] = {"type": of_file, "media": f"attach://file{index}"}
    if index == 0 and content.text:
        item |= {"caption": content.text, "parse_mode": options.get("parseMode")}
    if of_file in _VISUAL_FORMATS:
        item["show_caption_above_media"] = options.get("captionAboveMedia")
    if of_file == "video":
        length = None if file.duration is None else round(file.duration)
        item |= {"width": file.width, "height": file.height, "duration": length, "supports_streaming": True}
        item["cover"] = f"attach://cover{index}" if file.thumbnail else None
    return drop_none(item)


def list_attachments(content: PostContent) -> Iterator[tuple[str, MediaFile]]:
    """List every attached file."""
    for index, file in enumerate(content.media):
        yield f"file{index}", file
        if file.thumbnail and get_item_format(content, file) == "video":
            yield f"cover{index}", file.thumbnail


def build_inline_keyboard(rows: list[list[dict[str, str]]] | None) -> dict[str, Any] | None:
    if not rows:
        return None
    names = {"text": "text", "url": "url", "callbackData": "callback_data"}
    keyboard = [[{names[name]: value for name, value in button.items()} for button in row] for row in rows]
    return {"inline_keyboard": keyboard}
