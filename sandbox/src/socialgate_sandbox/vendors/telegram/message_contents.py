"""What a message can contain, as the server returns it."""

from typing import Any

from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, build_refusal, require
from socialgate_sandbox.vendors.telegram.files import File, FileKind, build_file_json, build_photo_size_json
from socialgate_sandbox.vendors.telegram.formatting import (
    count_utf16_units,
    parse_formatted_param,
    parse_formatted_text,
)
from socialgate_sandbox.vendors.telegram.method_parameters import (
    get_flag,
    get_json_value,
    get_number,
    get_text,
    to_integer,
)
from socialgate_sandbox.vendors.telegram.state import Json

_MAX_TEXT_LENGTH = 4096
_MAX_CAPTION_LENGTH = 1024
_MAX_DATA_LENGTH = 64
# Limits for the properties of a location; the largest live period means forever.
_LOCATION_LIMITS = {"live_period": 0x7FFFFFFF, "heading": 360, "proximity_alert_radius": 100_000}
_MIN_LIVE_PERIOD, _MAX_LIVE_PERIOD, _MIN_ACCURATE = 60, 86_400, 1500.0
_SIDES_BY_DICE_EMOJI = {"🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64}
_LINK_PREVIEW_FIELDS = ("is_disabled", "url", "prefer_small_media", "prefer_large_media", "show_above_text")
MEDIA_KINDS: tuple[FileKind, ...] = (
    "photo",
    "video",
    "animation",
    "audio",
    "voice",
    "document",
    "sticker",
    "video_note",
)


def parse_text(call: Call) -> Json:
    if not get_text(call, "text"):
        raise build_refusal("text_empty")
    text, entities = parse_formatted_param(call, "text", "entities")
    if not text:
        raise build_refusal("text_empty")
    if count_utf16_units(text) > _MAX_TEXT_LENGTH:
        raise build_refusal("text_too_long")
    content: Json = {"text": text} | ({"entities": entities} if entities else {})
    preview = get_json_value(call, "link_preview_options", "link preview options")
    if isinstance(preview, dict):
        content["link_preview_options"] = {name: preview[name] for name in _LINK_PREVIEW_FIELDS if preview.get(name)}
    return content


def parse_caption(call: Call) -> Json:
    content = build_caption(*parse_formatted_param(call, "caption", "caption_entities"))
    if content and get_flag(call, "show_caption_above_media"):
        content["show_caption_above_media"] = True
    return content


def parse_media_caption(media: Json) -> Json:
    """Read the caption of one item of an album."""
    content = build_caption(
        *parse_formatted_text(
            str(media.get("caption") or ""), str(media.get("parse_mode") or ""), media.get("caption_entities") or []
        )
    )
    above = bool(content) and media.get("show_caption_above_media") is True
    return content | ({"show_caption_above_media": True} if above else {})


def build_caption(text: str, entities: list[Json]) -> Json:
    if count_utf16_units(text) > _MAX_CAPTION_LENGTH:
        raise build_refusal("caption_too_long")
    if not text:
        return {}
    return {"caption": text} | ({"caption_entities": entities} if entities else {})


def build_media(
    kind: FileKind, file: File, attributes: Json, cover: File | None = None, thumbnail: File | None = None
) -> Json:
    """Show a file as the kind it was sent as. `attributes` is what the sender said about it."""
    if kind == "photo":
        return {"photo": _build_photo_sizes(file)}
    shown: Json = {kind: _build_media_details(kind, file, attributes) | build_file_json(file)}
    if thumbnail is not None or file.small:
        shown[kind]["thumbnail"] = file.small if thumbnail is None else build_photo_size_json(thumbnail)
    if cover is not None:
        shown[kind]["cover"] = _build_photo_sizes(cover)
    if kind == "video" and _get_non_negative(attributes, "start_timestamp"):
        shown[kind]["start_timestamp"] = _get_non_negative(attributes, "start_timestamp")
    if kind == "animation":
        # Repeated as a document for clients that do not know animations.
        shown["document"] = _build_file_name(file) | build_file_json(file)
    return shown


def _build_media_details(kind: FileKind, file: File, attributes: Json) -> Json:
    length = {"duration": _get_non_negative(attributes, "duration") or round(file.media.seconds)}
    frame = {
        "width": _get_non_negative(attributes, "width") or file.media.width,
        "height": _get_non_negative(attributes, "height") or file.media.height,
    }
    titles = {name: str(attributes[name]) for name in ("title", "performer") if attributes.get(name)}
    emoji = {"emoji": str(attributes["emoji"])} if attributes.get("emoji") else {}
    square = {"width": file.media.width or 512, "height": file.media.height or 512}
    parts: dict[str, Json] = {
        "video": length | frame | _build_file_name(file),
        "animation": _build_file_name(file) | length | frame,
        "audio": length | _build_file_name(file) | titles,
        "voice": length | {"mime_type": file.mime or "audio/ogg"},
        "video_note": length
        | {"length": _get_non_negative(attributes, "length") or min(file.media.width, file.media.height) or 240},
        "sticker": square | {"is_animated": False, "is_video": False, "type": "regular"} | emoji,
        "document": _build_file_name(file),
    }
    return parts[kind]


def _build_file_name(file: File) -> Json:
    return {"file_name": file.name} | ({"mime_type": file.mime} if file.mime else {})


def list_file_ids(body: Json) -> list[str]:
    """List the ids of the files of a message; for a photo, that of its largest size."""
    items = [body[kind][-1] if kind == "photo" else body[kind] for kind in MEDIA_KINDS if kind in body]
    return list(dict.fromkeys(item["file_id"] for item in items))


def parse_location(call: Call) -> Json:
    place: Json = {}
    for name, longest in (("latitude", 90), ("longitude", 180)):
        require(get_text(call, name), f"{name} is empty")
        place[name] = _parse_decimal(call, name)
        require(abs(place[name]) <= longest, "bad location")
    if get_text(call, "horizontal_accuracy"):
        place["horizontal_accuracy"] = min(max(_parse_decimal(call, "horizontal_accuracy"), 0), _MIN_ACCURATE)
    for name, most in _LOCATION_LIMITS.items():
        if get_number(call, name):
            place[name] = get_number(call, name, 0, 0, most)
    period = place.get("live_period", 0)
    if period and not _MIN_LIVE_PERIOD <= period <= _MAX_LIVE_PERIOD and period != _LOCATION_LIMITS["live_period"]:
        raise build_bad_request("wrong live location period specified")
    return {"location": place}


def _parse_decimal(call: Call, name: str) -> float:
    try:
        return float(get_text(call, name))
    except ValueError as error:
        raise build_bad_request("bad location") from error


def parse_venue(call: Call) -> Json:
    location = parse_location(call)
    for name in ("title", "address"):
        require(get_text(call, name), f"venue {name} must be non-empty")
    names = ("title", "address", "foursquare_id", "foursquare_type", "google_place_id", "google_place_type")
    return location | {"venue": location | {name: get_text(call, name) for name in names if get_text(call, name)}}


def roll_dice(call: Call) -> Json:
    emoji = get_text(call, "emoji") or "🎲"
    require(emoji in _SIDES_BY_DICE_EMOJI, "wrong dice emoji specified")
    return {"dice": {"emoji": emoji, "value": 1 + int(generate_digits(6)) % _SIDES_BY_DICE_EMOJI[emoji]}}


def parse_contact(call: Call) -> Json:
    for name in ("phone_number", "first_name"):
        require(get_text(call, name), f'parameter "{name}" is required')
    names = ("phone_number", "first_name", "last_name", "vcard")
    return {"contact": {name: get_text(call, name) for name in names if get_text(call, name)}}


def parse_inline_keyboard(call: Call) -> Json:
    """Read the buttons. Only inline ones stay with the message."""
    markup = get_json_value(call, "reply_markup", "reply keyboard markup")
    if markup is None:
        return {}
    if not isinstance(markup, dict):
        raise build_bad_request("object expected as reply markup")
    rows = markup.get("inline_keyboard")
    if rows is None:
        return {}
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise build_bad_request('field "inline_keyboard" must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        _validate_button(button)
    return {"reply_markup": {"inline_keyboard": rows}} if any(rows) else {}


def _validate_button(button: Any) -> None:
    prefix = "can't parse inline keyboard button: "
    if not isinstance(button, dict):
        raise build_bad_request(f"{prefix}InlineKeyboardButton must be an Object")
    require(button.get("text"), f'{prefix}Can\'t find field "text"')
    if not set(button) - {"text", "style", "icon_custom_emoji_id"}:
        raise build_bad_request(f"{prefix}Text buttons are unallowed in the inline keyboard")
    require(len(str(button.get("callback_data", "")).encode()) <= _MAX_DATA_LENGTH, "BUTTON_DATA_INVALID")
    url = button.get("url")
    if url is not None and not str(url).startswith(("http://", "https://", "tg://", "t.me/")):
        raise build_bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")


def parse_media_attributes(call: Call) -> Json:
    """Return what a sender says about a file."""
    names = ("duration", "width", "height", "length", "start_timestamp")
    return {name: get_number(call, name, 0, 0) for name in names} | {
        name: get_text(call, name) for name in ("title", "performer", "emoji")
    }


def _get_non_negative(attributes: Json, name: str) -> int:
    return max(to_integer(attributes.get(name)), 0)


def _build_photo_sizes(file: File) -> list[Json]:
    """Return a small version and the picture itself, in ascending size."""
    return [*([file.small] if file.small else []), build_photo_size_json(file)]
