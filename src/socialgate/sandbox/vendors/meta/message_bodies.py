"""What can be sent to people: the body of a message as callers write it, validated as Meta does."""

import msgspec

from socialgate.sandbox.dialects.graph.errors import bad_parameter, failure
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.kit.media import Media, download
from socialgate.sandbox.vendors.meta.chats import LONGEST, LONGEST_ON_INSTAGRAM, Attached

_MIB = 1 << 20
_LARGEST, _LARGEST_INSTAGRAM_IMAGE = 25 * _MIB, 8 * _MIB
_BELIEVED = {"image": "image/jpeg", "video": "video/mp4", "audio": "audio/mpeg", "file": "application/pdf"}
_MOST_QUICK, _MOST_BUTTONS, _LONGEST_TITLE, _LONGEST_TEMPLATE = 13, 3, 20, 640


class Recipient(msgspec.Struct):
    """A person, or the author of a comment."""

    id: str = ""
    comment_id: str = ""


class Pressable(msgspec.Struct):
    title: str
    type: str = "postback"
    content_type: str = "text"
    payload: str = ""
    url: str = ""


class Payload(msgspec.Struct):
    url: str = ""
    template_type: str = ""
    text: str = ""
    buttons: list[Pressable] = []


class Attachment(msgspec.Struct):
    type: str
    payload: Payload = msgspec.field(default_factory=Payload)


class Body(msgspec.Struct):
    text: str = ""
    attachment: Attachment | None = None
    quick_replies: list[Pressable] = []
    metadata: str = ""


class Reply(msgspec.Struct):
    mid: str


class Reaction(msgspec.Struct):
    message_id: str
    reaction: str = "love"


class Given(msgspec.Struct):
    recipient: Recipient
    message: Body | None = None
    messaging_type: str = ""
    tag: str = ""
    sender_action: str = ""
    reply_to: Reply | None = None
    payload: Reaction | None = None


def check_text(body: Body, *, on_instagram: bool) -> None:
    if bool(body.text) == (body.attachment is not None):
        raise Refused(bad_parameter("A message must have either a text or an attachment"))
    # Instagram counts bytes, Messenger characters.
    size, most = (len(body.text.encode()), LONGEST_ON_INSTAGRAM) if on_instagram else (len(body.text), LONGEST)
    if size > most:
        raise Refused(bad_parameter(f"Length of param message[text] must be less than or equal to {most}"))
    if len(body.quick_replies) > _MOST_QUICK:
        raise Refused(bad_parameter(f"Param message[quick_replies] must have at most {_MOST_QUICK} items"))
    _check_titles(body.quick_replies)


def _check_titles(buttons: list[Pressable]) -> None:
    if any(not 1 <= len(one.title) <= _LONGEST_TITLE for one in buttons):
        raise Refused(bad_parameter(f"The title of a button must have 1 to {_LONGEST_TITLE} characters"))


async def fetch_attached(call: Call, given: Attachment | None, *, on_instagram: bool) -> Attached | None:
    if given is None or given.type in {"template", "like_heart"}:
        _check_template(given, on_instagram=on_instagram)
        return None
    if given.type not in _BELIEVED or not given.payload.url:
        raise Refused(bad_parameter("Param message[attachment] must have a type, and a payload with a url"))
    media = await download(call.world, given.payload.url, _BELIEVED[given.type], _LARGEST)
    if media is None:
        raise Refused(failure("(#100) Failed to fetch the file from the url", 100, subcode=2018008))
    _check_media(given.type, media, on_instagram=on_instagram)
    return Attached(given.type, media)


def _check_media(kind: str, media: Media, *, on_instagram: bool) -> None:
    largest = _LARGEST_INSTAGRAM_IMAGE if on_instagram and kind == "image" else _LARGEST
    is_other = kind in {"image", "video"} and not media.content_type.startswith(f"{kind}/")
    if media.size > largest or is_other:
        raise Refused(failure("(#100) Upload attachment failure.", 100, subcode=2018047))


def _check_template(given: Attachment | None, *, on_instagram: bool) -> None:
    if given is None or (given.type == "like_heart" and on_instagram):
        return
    body = given.payload
    if given.type != "template" or body.template_type != "button" or not 1 <= len(body.text) <= _LONGEST_TEMPLATE:
        raise Refused(bad_parameter(f"A button template must have a text of 1 to {_LONGEST_TEMPLATE} characters"))
    if not 1 <= len(body.buttons) <= _MOST_BUTTONS:
        raise Refused(
            bad_parameter(f"Param message[attachment][payload][buttons] must have 1 to {_MOST_BUTTONS} items")
        )
    _check_titles(body.buttons)
    if any(not (one.url if one.type == "web_url" else one.payload) for one in body.buttons):
        raise Refused(bad_parameter("A button must have a url or a payload, as its type wants"))
