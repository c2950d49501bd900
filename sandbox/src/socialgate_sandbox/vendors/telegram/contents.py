"""What a message can contain, as the server returns it."""

from typing import Any

from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of, whole
from socialgate_sandbox.vendors.telegram.errors import bad_request, refusal, require
from socialgate_sandbox.vendors.telegram.files import File, Kind, file_json, size_json
from socialgate_sandbox.vendors.telegram.formatting import formatted, marked, units
from socialgate_sandbox.vendors.telegram.state import Json

_LONGEST_TEXT = 4096
_LONGEST_CAPTION = 1024
_LONGEST_DATA = 64
# Limits for the properties of a location; the largest live period means forever.
_LIVE = {"live_period": 0x7FFFFFFF, "heading": 360, "proximity_alert_radius": 100_000}
_LIVE_SHORTEST, _LIVE_LONGEST, _LEAST_ACCURATE = 60, 86_400, 1500.0
_DICE = {"🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64}
_PREVIEW = ("is_disabled", "url", "prefer_small_media", "prefer_large_media", "show_above_text")
MEDIA_KINDS: tuple[Kind, ...] = ("photo", "video", "animation", "audio", "voice", "document", "sticker", "video_note")


def text_content(call: Call) -> Json:
    if not text_of(call, "text"):
        raise refusal("text_empty")
    text, entities = formatted(call, "text", "entities")
    if not text:
        raise refusal("text_empty")
    if units(text) > _LONGEST_TEXT:
        raise refusal("text_too_long")
    content: Json = {"text": text} | ({"entities": entities} if entities else {})
    preview = value_of(call, "link_preview_options", "link preview options")
    if isinstance(preview, dict):
        content["link_preview_options"] = {name: preview[name] for name in _PREVIEW if preview.get(name)}
    return content


def caption_content(call: Call) -> Json:
    content = captioned(*formatted(call, "caption", "caption_entities"))
    if content and flag_of(call, "show_caption_above_media"):
        content["show_caption_above_media"] = True
    return content


def captioned_media(media: Json) -> Json:
    """Read the caption of one item of an album."""
    content = captioned(
        *marked(
            str(media.get("caption") or ""), str(media.get("parse_mode") or ""), media.get("caption_entities") or []
        )
    )
    above = bool(content) and media.get("show_caption_above_media") is True
    return content | ({"show_caption_above_media": True} if above else {})


def captioned(text: str, entities: list[Json]) -> Json:
    if units(text) > _LONGEST_CAPTION:
        raise refusal("caption_too_long")
    if not text:
        return {}
    return {"caption": text} | ({"caption_entities": entities} if entities else {})


def media_content(
    kind: Kind, file: File, given: Json, cover: File | None = None, thumbnail: File | None = None
) -> Json:
    """Show a file as the kind it was sent as. `given` is what the sender said about it."""
    if kind == "photo":
        return {"photo": _sizes(file)}
    shown: Json = {kind: _about(kind, file, given) | file_json(file)}
    if thumbnail is not None or file.small:
        shown[kind]["thumbnail"] = file.small if thumbnail is None else size_json(thumbnail)
    if cover is not None:
        shown[kind]["cover"] = _sizes(cover)
    if kind == "video" and _number(given, "start_timestamp"):
        shown[kind]["start_timestamp"] = _number(given, "start_timestamp")
    if kind == "animation":
        # Repeated as a document for clients that do not know animations.
        shown["document"] = _named(file) | file_json(file)
    return shown


def _about(kind: Kind, file: File, given: Json) -> Json:
    length = {"duration": _number(given, "duration") or round(file.media.seconds)}
    frame = {
        "width": _number(given, "width") or file.media.width,
        "height": _number(given, "height") or file.media.height,
    }
    titles = {name: str(given[name]) for name in ("title", "performer") if given.get(name)}
    emoji = {"emoji": str(given["emoji"])} if given.get("emoji") else {}
    square = {"width": file.media.width or 512, "height": file.media.height or 512}
    parts: dict[str, Json] = {
        "video": length | frame | _named(file),
        "animation": _named(file) | length | frame,
        "audio": length | _named(file) | titles,
        "voice": length | {"mime_type": file.mime or "audio/ogg"},
        "video_note": length | {"length": _number(given, "length") or min(file.media.width, file.media.height) or 240},
        "sticker": square | {"is_animated": False, "is_video": False, "type": "regular"} | emoji,
        "document": _named(file),
    }
    return parts[kind]


def _named(file: File) -> Json:
    return {"file_name": file.name} | ({"mime_type": file.mime} if file.mime else {})


def files_in(body: Json) -> list[str]:
    """List the ids of the files of a message; for a photo, that of its largest size."""
    found = [body[kind][-1] if kind == "photo" else body[kind] for kind in MEDIA_KINDS if kind in body]
    return list(dict.fromkeys(one["file_id"] for one in found))


def location_content(call: Call) -> Json:
    place: Json = {}
    for name, longest in (("latitude", 90), ("longitude", 180)):
        require(text_of(call, name), f"{name} is empty")
        place[name] = _decimal(call, name)
        require(abs(place[name]) <= longest, "bad location")
    if text_of(call, "horizontal_accuracy"):
        place["horizontal_accuracy"] = min(max(_decimal(call, "horizontal_accuracy"), 0), _LEAST_ACCURATE)
    for name, most in _LIVE.items():
        if number_of(call, name):
            place[name] = number_of(call, name, 0, 0, most)
    period = place.get("live_period", 0)
    if period and not _LIVE_SHORTEST <= period <= _LIVE_LONGEST and period != _LIVE["live_period"]:
        raise bad_request("wrong live location period specified")
    return {"location": place}


def _decimal(call: Call, name: str) -> float:
    try:
        return float(text_of(call, name))
    except ValueError as error:
        raise bad_request("bad location") from error


def venue_content(call: Call) -> Json:
    location = location_content(call)
    for name in ("title", "address"):
        require(text_of(call, name), f"venue {name} must be non-empty")
    names = ("title", "address", "foursquare_id", "foursquare_type", "google_place_id", "google_place_type")
    return location | {"venue": location | {name: text_of(call, name) for name in names if text_of(call, name)}}


def dice_content(call: Call) -> Json:
    emoji = text_of(call, "emoji") or "🎲"
    require(emoji in _DICE, "wrong dice emoji specified")
    return {"dice": {"emoji": emoji, "value": 1 + int(digits(6)) % _DICE[emoji]}}


def contact_content(call: Call) -> Json:
    for name in ("phone_number", "first_name"):
        require(text_of(call, name), f'parameter "{name}" is required')
    names = ("phone_number", "first_name", "last_name", "vcard")
    return {"contact": {name: text_of(call, name) for name in names if text_of(call, name)}}


def markup_content(call: Call) -> Json:
    """Read the buttons. Only inline ones stay with the message."""
    markup = value_of(call, "reply_markup", "reply keyboard markup")
    if markup is None:
        return {}
    if not isinstance(markup, dict):
        raise bad_request("object expected as reply markup")
    rows = markup.get("inline_keyboard")
    if rows is None:
        return {}
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        _check_button(button)
    return {"reply_markup": {"inline_keyboard": rows}} if any(rows) else {}


def _check_button(button: Any) -> None:
    prefix = "can't parse inline keyboard button: "
    if not isinstance(button, dict):
        raise bad_request(f"{prefix}InlineKeyboardButton must be an Object")
    require(button.get("text"), f'{prefix}Can\'t find field "text"')
    if not set(button) - {"text", "style", "icon_custom_emoji_id"}:
        raise bad_request(f"{prefix}Text buttons are unallowed in the inline keyboard")
    require(len(str(button.get("callback_data", "")).encode()) <= _LONGEST_DATA, "BUTTON_DATA_INVALID")
    url = button.get("url")
    if url is not None and not str(url).startswith(("http://", "https://", "tg://", "t.me/")):
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")


def numbers_in(call: Call) -> Json:
    """Return what a sender says about a file."""
    names = ("duration", "width", "height", "length", "start_timestamp")
    return {name: number_of(call, name, 0, 0) for name in names} | {
        name: text_of(call, name) for name in ("title", "performer", "emoji")
    }


def _number(given: Json, name: str) -> int:
    return max(whole(given.get(name)), 0)


def _sizes(file: File) -> list[Json]:
    """Return a small version and the picture itself, in ascending size."""
    return [*([file.small] if file.small else []), size_json(file)]
