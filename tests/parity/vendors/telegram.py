"""Telegram's Bot API, compared with python-telegram-bot."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    InputMediaPhoto,
    InputMediaVideo,
    LinkPreviewOptions,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.request import HTTPXRequest

from parity.operations import APP, CALLBACK, FILES, IMAGE, NOW, VIDEO, Operation, Vendor, account, media
from parity.recording import SDK
from socialgate.connectors.message_validation import build_vcard
from socialgate.connectors.telegram import build_connector
from socialgate.connectors.telegram.api import ALLOWED_UPDATES
from socialgate.connectors.telegram.metrics import METRICS
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange
from socialgate.contracts.messages import MESSAGES_CAPABILITY, AttachmentItem, MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    PostContent,
    PublishingProgress,
)

HOST, CHAT, BOT_ID, PERSON = "api.telegram.org", -1001234567890, "123456789", "77001122"
TOKEN = f"{BOT_ID}:AAMadeUpTokenForTests"
KIND = Kind.TELEGRAM_BOT
HELD = account(KIND, BOT_ID, token=TOKEN)
GIF, OGG, MP3, PDF, STICKER = (
    media("image", "image/gif"),
    media("audio", "audio/ogg"),
    media("audio", "audio/mpeg"),
    media("document", "application/pdf"),
    media("image", "image/webp"),
)
KEYBOARD = InlineKeyboardMarkup([[InlineKeyboardButton("Visit", url="https://bakery.example.com")]])
CARD = {"name": "Grandma", "phones": ["+15550100"]}
OUR_HOOK = {r"GET .*/getWebhookInfo": {"ok": True, "result": {"url": "https://x.test/webhooks/telegram?r=1"}}}


def by_bot(call: Callable[[Bot], Awaitable[Any]]) -> Callable[[str], Any]:
    """Make a call with a bot of its own: its connections belong to one event loop."""

    def run(base: str) -> Any:
        async def call_bot() -> Any:
            # Without certificates, which take longer to read than the call.
            both = [HTTPXRequest(httpx_kwargs={"verify": False}) for _ in range(2)]
            try:
                return await call(Bot(TOKEN, f"{base}/bot", request=both[0], get_updates_request=both[1]))
            finally:
                for httpx_request in both:
                    await httpx_request.shutdown()

        return asyncio.run(call_bot())

    return run


def file(kind: Any) -> InputFile:
    return InputFile(b"xxxx", filename=kind.file_name, attach=True)


def run_stage(content: PostContent) -> Any:
    progress = PublishingProgress(stage="send", data={"chat": CHAT})
    return lambda ours: ours.find_adapter(KIND, PUBLISH_POST_CAPABILITY).run_stage(HELD, content, progress, FILES)


def send(kind: MessageType, **subject: Any) -> Any:
    new = NewMessage(to=PERSON, type=kind, reference="msg_1", asked_at=NOW, **subject)
    return lambda ours: ours.find_adapter(KIND, MESSAGES_CAPABILITY).send(HELD, new)


OPERATIONS = [
    Operation(
        "read a bot", by_bot(lambda bot: bot.get_me()), lambda ours: ours.credential_login.verify({"botToken": TOKEN})
    ),
    Operation(
        "read the short description of a bot",
        by_bot(lambda bot: bot.get_my_short_description()),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(HELD),
    ),
    Operation(
        "read the description of a bot",
        by_bot(lambda bot: bot.get_my_description()),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(HELD),
    ),
    Operation(
        "read the webhook",
        by_bot(lambda bot: bot.get_webhook_info()),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_HEALTH_CAPABILITY).check(HELD),
    ),
    Operation(
        "set the webhook",
        by_bot(
            lambda bot: bot.set_webhook(
                url=CALLBACK.url,
                secret_token=CALLBACK.secret,
                allowed_updates=ALLOWED_UPDATES,
                max_connections=40,
                drop_pending_updates=True,
            )
        ),
        lambda ours: ours.webhook_subscriber.subscribe(HELD, CALLBACK),
    ),
    Operation(
        "delete the webhook",
        by_bot(lambda bot: bot.delete_webhook()),
        lambda ours: ours.webhook_subscriber.unsubscribe(HELD),
        answers=OUR_HOOK,
    ),
    Operation(
        "find a file",
        by_bot(lambda bot: bot.get_file("f1")),
        lambda ours: ours.find_adapter(KIND, MESSAGES_CAPABILITY).get_download_location(
            HELD, AttachmentItem(type="image", source={"fileId": "f1"})
        ),
    ),
    Operation(
        "read a chat",
        by_bot(lambda bot: bot.get_chat(CHAT)),
        lambda ours: ours.find_adapter(KIND, PUBLISH_POST_CAPABILITY).run_stage(
            HELD, PostContent(text="x", options={"chatId": str(CHAT)}), PublishingProgress(stage="check"), FILES
        ),
    ),
    Operation(
        "read what the bot may do in a chat",
        by_bot(lambda bot: bot.get_chat_member(CHAT, int(BOT_ID))),
        lambda ours: ours.find_adapter(KIND, PUBLISH_POST_CAPABILITY).run_stage(
            HELD, PostContent(text="x", options={"chatId": str(CHAT)}), PublishingProgress(stage="check"), FILES
        ),
    ),
    Operation(
        "count the members of a chat",
        by_bot(lambda bot: bot.get_chat_member_count(CHAT)),
        lambda ours: ours.find_adapter(KIND, INSIGHTS_CAPABILITY).read_account_metrics(
            HELD, METRICS.account_metrics, DateRange(NOW.date(), NOW.date()), [f"{CHAT}:1"]
        ),
    ),
    Operation(
        "post a text",
        by_bot(
            lambda bot: bot.send_message(
                CHAT,
                "<b>Warm</b>",
                parse_mode="HTML",
                disable_notification=True,
                link_preview_options=LinkPreviewOptions(is_disabled=True),
                reply_parameters=ReplyParameters(message_id=5),
                reply_markup=KEYBOARD,
            )
        ),
        run_stage(
            PostContent(
                text="<b>Warm</b>",
                options={
                    "parseMode": "HTML",
                    "disableNotification": True,
                    "disableLinkPreview": True,
                    "replyToMessageId": 5,
                    "buttons": [[{"text": "Visit", "url": "https://bakery.example.com"}]],
                },
            )
        ),
    ),
    Operation(
        "post a photo",
        by_bot(lambda bot: bot.send_photo(CHAT, file(IMAGE), caption="Bun")),
        run_stage(PostContent(text="Bun", media=(IMAGE,))),
    ),
    Operation(
        "post a video",
        by_bot(
            lambda bot: bot.send_video(
                CHAT, file(VIDEO), caption="Oven", width=1080, height=1920, duration=10, supports_streaming=True
            )
        ),
        run_stage(PostContent(text="Oven", media=(VIDEO,))),
    ),
    Operation(
        "post a document",
        by_bot(lambda bot: bot.send_document(CHAT, file(PDF))),
        run_stage(PostContent(text="", media=(PDF,))),
    ),
    Operation(
        "post an album",
        by_bot(
            lambda bot: bot.send_media_group(
                CHAT,
                [
                    InputMediaPhoto(file(IMAGE), caption="Bun"),
                    InputMediaVideo(file(VIDEO), width=1080, height=1920, duration=10, supports_streaming=True),
                ],
            )
        ),
        run_stage(PostContent(text="Bun", media=(IMAGE, VIDEO))),
    ),
    Operation(
        "delete a post",
        by_bot(lambda bot: bot.delete_message(CHAT, 5)),
        lambda ours: ours.find_adapter(KIND, DELETE_POST_CAPABILITY).delete_post(HELD, f"{CHAT}:5"),
    ),
    Operation(
        "delete an album",
        by_bot(lambda bot: bot.delete_messages(CHAT, [5, 6])),
        lambda ours: ours.find_adapter(KIND, DELETE_POST_CAPABILITY).delete_post(HELD, f"{CHAT}:5,6"),
    ),
    Operation(
        "send a text",
        by_bot(
            lambda bot: bot.send_message(
                int(PERSON),
                "Open?",
                reply_parameters=ReplyParameters(message_id=4, allow_sending_without_reply=True),
                reply_markup=InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="yes")]]),
            )
        ),
        send(
            MessageType.TEXT, text="Open?", reply_to=f"{PERSON}:4", quick_replies=(ReplyButton(title="Yes", id="yes"),)
        ),
    ),
    Operation(
        "send a photo",
        by_bot(lambda bot: bot.send_photo(int(PERSON), IMAGE.url, caption="Bun")),
        send(MessageType.IMAGE, media=IMAGE, text="Bun"),
    ),
    Operation(
        "send a video",
        by_bot(lambda bot: bot.send_video(int(PERSON), VIDEO.url)),
        send(MessageType.VIDEO, media=VIDEO),
    ),
    Operation(
        "send an animation",
        by_bot(lambda bot: bot.send_animation(int(PERSON), GIF.url)),
        send(MessageType.IMAGE, media=GIF),
    ),
    Operation(
        "send a sound",
        by_bot(lambda bot: bot.send_audio(int(PERSON), MP3.url)),
        send(MessageType.AUDIO, media=MP3),
    ),
    Operation(
        "send a voice message",
        by_bot(lambda bot: bot.send_voice(int(PERSON), OGG.url)),
        send(MessageType.AUDIO, media=OGG),
    ),
    Operation(
        "send a document",
        by_bot(lambda bot: bot.send_document(int(PERSON), PDF.url)),
        send(MessageType.DOCUMENT, media=PDF),
    ),
    Operation(
        "send a sticker",
        by_bot(lambda bot: bot.send_sticker(int(PERSON), STICKER.url)),
        send(MessageType.STICKER, media=STICKER),
    ),
    Operation(
        "send a place",
        by_bot(lambda bot: bot.send_location(int(PERSON), 59.3, 18.0)),
        send(MessageType.LOCATION, data={"latitude": 59.3, "longitude": 18.0}),
    ),
    Operation(
        "send a place with a name",
        by_bot(lambda bot: bot.send_venue(int(PERSON), 59.3, 18.0, title="Bakery", address="Street 1")),
        send(MessageType.LOCATION, data={"latitude": 59.3, "longitude": 18.0, "name": "Bakery", "address": "Street 1"}),
    ),
    Operation(
        "send a contact",
        by_bot(lambda bot: bot.send_contact(int(PERSON), "+15550100", "Grandma", vcard=build_vcard(CARD))),
        send(MessageType.CONTACTS, data={"contacts": [CARD]}),
    ),
    Operation(
        "react to a message",
        by_bot(lambda bot: bot.set_message_reaction(int(PERSON), 4, reaction=[ReactionTypeEmoji("👍")])),
        send(MessageType.REACTION, data={"msgId": f"{PERSON}:4", "emoji": "👍"}),
    ),
    Operation(
        "take a reaction back",
        by_bot(lambda bot: bot.set_message_reaction(int(PERSON), 4, reaction=[])),
        send(MessageType.REACTION, data={"msgId": f"{PERSON}:4", "emoji": ""}),
    ),
]

_CHAT = {"id": CHAT, "type": "channel", "title": "Bakery", "accent_color_id": 0, "max_reaction_count": 1}
_CHAT["accepted_gift_types"] = dict.fromkeys(
    ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), False
)
_BOT = {"id": int(BOT_ID), "is_bot": True, "first_name": "Bakery", "username": "BakeryBot"}
_SENT = {"message_id": 9, "date": 1_700_000_000, "chat": {"id": CHAT, "type": "channel", "title": "Bakery"}}
_RIGHTS = (
    "can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages", "can_manage_video_chats",
    "can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users", "can_post_stories",
    "can_edit_stories", "can_delete_stories", "can_post_messages",
)  # fmt: skip

VENDOR = Vendor(
    name="telegram",
    sdk=lambda recorder: nullcontext(recorder.base(SDK, HOST)),
    ours=lambda wire: build_connector(APP, wire),
    operations=OPERATIONS,
    host=HOST,
    answers={
        r"/getMe$": {"ok": True, "result": _BOT},
        r"/getMyShortDescription$": {"ok": True, "result": {"short_description": "Bread"}},
        r"/getMyDescription$": {"ok": True, "result": {"description": "Bread"}},
        r"/getWebhookInfo$": {
            "ok": True,
            "result": {"url": "", "has_custom_certificate": False, "pending_update_count": 0},
        },
        r"/getFile$": {"ok": True, "result": {"file_id": "f1", "file_unique_id": "u1", "file_path": "photos/1.jpg"}},
        r"/getChat$": {"ok": True, "result": _CHAT},
        r"/getChatMember$": {
            "ok": True,
            "result": {"status": "administrator", "user": _BOT, **dict.fromkeys(_RIGHTS, True)},
        },
        r"/getChatMemberCount$": {"ok": True, "result": 12},
        r"/sendMediaGroup$": {"ok": True, "result": [_SENT, _SENT | {"message_id": 10}]},
        r"/send": {"ok": True, "result": _SENT},
        r"": {"ok": True, "result": True},
    },
)
