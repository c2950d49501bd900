"""What can be sent to people: the body of a message as callers write it, validated as Meta does."""

from socialgate_sandbox.dialects.graph.errors import failure, require
from socialgate_sandbox.dialects.graph.messages import with_file
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.kit.media import download
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.vendors.meta.messaging.chats import Product
from socialgate_sandbox.vendors.meta.messaging.shapes import Attachment, Body, Pressable

_LARGEST = 25 << 20
_BELIEVED = {"image": "image/jpeg", "video": "video/mp4", "audio": "audio/mpeg", "file": "application/pdf"}
_MOST_QUICK, _MOST_BUTTONS, _LONGEST_TITLE, _LONGEST_TEMPLATE = 13, 3, 20, 640


def check_text(body: Body, about: Product) -> None:
    require(bool(body.text) != (body.attachment is not None), "A message must have either a text or an attachment")
    fits = about.measure(body.text) <= about.longest
    require(fits, f"Length of param message[text] must be less than or equal to {about.longest}")
    few = len(body.quick_replies) <= _MOST_QUICK
    require(few, f"Param message[quick_replies] must have at most {_MOST_QUICK} items")
    _check_titles(body.quick_replies)


def _check_titles(buttons: list[Pressable]) -> None:
    fit = all(1 <= len(one.title) <= _LONGEST_TITLE for one in buttons)
    require(fit, f"The title of a button must have 1 to {_LONGEST_TITLE} characters")


async def fields_of(call: Call, body: Body, about: Product) -> Json:
    """Return the fields of the message that a body describes, with its file."""
    given, quick = body.attachment, [Button("quick_reply", one.title, one.payload) for one in body.quick_replies]
    more: Json = {"buttons": quick, "content": {"metadata": body.metadata} if body.metadata else {}}
    if given is None:
        return {"text": body.text, **more}
    if given.type == "like_heart" and about.on_instagram:
        return {"text": "❤️", **more}
    if given.type in {"template", "like_heart"}:
        _check_template(given)
        # A button with a link never calls the app.
        pressable = [one for one in given.payload.buttons if one.type != "web_url"]
        more["buttons"] = [*(Button(one.type, one.title, one.payload) for one in pressable), *quick]
        return {"text": given.payload.text, **more}
    return {**await _file(call, given, about), **more}


async def _file(call: Call, given: Attachment, about: Product) -> Json:
    known = given.type in _BELIEVED and given.payload.url
    require(known, "Param message[attachment] must have a type, and a payload with a url")
    media = await download(call.world, given.payload.url, _BELIEVED[given.type], _LARGEST)
    if media is None:
        raise Refused(failure("(#100) Failed to fetch the file from the url", 100, subcode=2018008))
    largest = about.largest_image if given.type == "image" else _LARGEST
    is_other = given.type in {"image", "video"} and not media.content_type.startswith(f"{given.type}/")
    if media.size > largest or is_other:
        raise Refused(failure("(#100) Upload attachment failure.", 100, subcode=2018047))
    return with_file(given.type, media)


def _check_template(given: Attachment) -> None:
    body = given.payload
    is_template = given.type == "template" and body.template_type == "button"
    fits = is_template and 1 <= len(body.text) <= _LONGEST_TEMPLATE
    require(fits, f"A button template must have a text of 1 to {_LONGEST_TEMPLATE} characters")
    few = 1 <= len(body.buttons) <= _MOST_BUTTONS
    require(few, f"Param message[attachment][payload][buttons] must have 1 to {_MOST_BUTTONS} items")
    _check_titles(body.buttons)
    complete = all(one.url if one.type == "web_url" else one.payload for one in body.buttons)
    require(complete, "A button must have a url or a payload, as its type wants")
