"""What can be sent to people: the body of a message as callers write it, validated as Meta does."""

from socialgate_sandbox.dialects.graph.errors import build_error_response, require
from socialgate_sandbox.dialects.graph.messages import build_file_fields
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.kit.media import download_media
from socialgate_sandbox.society.chats import Button, Json
from socialgate_sandbox.vendors.meta.messaging.chats import MessagingProduct
from socialgate_sandbox.vendors.meta.messaging.message_formats import Attachment, MessageBody, MessageButton

_MAX_FILE_BYTES = 25 << 20
_ASSUMED_TYPES = {"image": "image/jpeg", "video": "video/mp4", "audio": "audio/mpeg", "file": "application/pdf"}
_MAX_QUICK, _MAX_BUTTONS, _MAX_TITLE_LENGTH, _MAX_TEMPLATE_LENGTH = 13, 3, 20, 640


def validate_text(body: MessageBody, product: MessagingProduct) -> None:
    require(bool(body.text) != (body.attachment is not None), "A message must have either a text or an attachment")
    fits = product.count_length(body.text) <= product.max_text_length
    require(fits, f"Length of param message[text] must be less than or equal to {product.max_text_length}")
    few = len(body.quick_replies) <= _MAX_QUICK
    require(few, f"Param message[quick_replies] must have at most {_MAX_QUICK} items")
    _validate_titles(body.quick_replies)


def _validate_titles(buttons: list[MessageButton]) -> None:
    fit = all(1 <= len(button.title) <= _MAX_TITLE_LENGTH for button in buttons)
    require(fit, f"The title of a button must have 1 to {_MAX_TITLE_LENGTH} characters")


async def build_message_fields(call: Call, body: MessageBody, product: MessagingProduct) -> Json:
    """Return the fields of the message that a body describes, with its file."""
    attachment, quick = (
        body.attachment,
        [Button("quick_reply", quick_reply.title, quick_reply.payload) for quick_reply in body.quick_replies],
    )
    more: Json = {"buttons": quick, "content": {"metadata": body.metadata} if body.metadata else {}}
    if attachment is None:
        return {"text": body.text, **more}
    if attachment.type == "like_heart" and product.is_instagram:
        return {"text": "❤️", **more}
    if attachment.type in {"template", "like_heart"}:
        _validate_template(attachment)
        # A button with a link never calls the app.
        pressable = [button for button in attachment.payload.buttons if button.type != "web_url"]
        more["buttons"] = [
            *(
                Button(message_button.type, message_button.title, message_button.payload)
                for message_button in pressable
            ),
            *quick,
        ]
        return {"text": attachment.payload.text, **more}
    return {**await _download_attachment(call, attachment, product), **more}


async def _download_attachment(call: Call, attachment: Attachment, product: MessagingProduct) -> Json:
    known = attachment.type in _ASSUMED_TYPES and attachment.payload.url
    require(known, "Param message[attachment] must have a type, and a payload with a url")
    media = await download_media(call.context, attachment.payload.url, _ASSUMED_TYPES[attachment.type], _MAX_FILE_BYTES)
    if media is None:
        raise CallRefusedError(
            build_error_response("(#100) Failed to fetch the file from the url", 100, subcode=2018008)
        )
    largest = product.max_image_bytes if attachment.type == "image" else _MAX_FILE_BYTES
    is_other = attachment.type in {"image", "video"} and not media.content_type.startswith(f"{attachment.type}/")
    if media.size > largest or is_other:
        raise CallRefusedError(build_error_response("(#100) Upload attachment failure.", 100, subcode=2018047))
    return build_file_fields(attachment.type, media)


def _validate_template(attachment: Attachment) -> None:
    body = attachment.payload
    is_template = attachment.type == "template" and body.template_type == "button"
    fits = is_template and 1 <= len(body.text) <= _MAX_TEMPLATE_LENGTH
    require(fits, f"A button template must have a text of 1 to {_MAX_TEMPLATE_LENGTH} characters")
    few = 1 <= len(body.buttons) <= _MAX_BUTTONS
    require(few, f"Param message[attachment][payload][buttons] must have 1 to {_MAX_BUTTONS} items")
    _validate_titles(body.buttons)
    complete = all(button.url if button.type == "web_url" else button.payload for button in body.buttons)
    require(complete, "A button must have a url or a payload, as its type wants")
