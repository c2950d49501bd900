"""Publishing to a channel or a group: one Bot API call posts everything.

    check ─ send*

Bots cannot read the messages in a chat: a lost response cannot be looked up, so a person decides; and there is no
history.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from socialgate.connectors import publishing_stages
from socialgate.connectors.multipart import FilePart
from socialgate.connectors.post_options import list_omission_warnings
from socialgate.connectors.publishing_stages import Stage, StageRunner, build_stage_context, continue_with, read_chunks
from socialgate.connectors.telegram import post_formats
from socialgate.connectors.telegram.api import BotApi, Chat, ChatMembership
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    LookupResult,
    PostContent,
    PublishedPost,
    PublishingProgress,
    StageResult,
)
from socialgate.core.errors import Fault

_CHAT_POINTER = "/options/chatId"
_SUPERGROUP_ID_PREFIX = "-100"
_POST_ID_PATTERN = re.compile(r"(-?[0-9]{1,20}):([0-9]{1,20}(?:,[0-9]{1,20}){0,9})", re.ASCII)
_COVER_OMITTED_WARNING = "Telegram only shows a preview image for videos: it was left out."
_LOOKUP_IMPOSSIBLE_DETAIL = "Telegram does not show bots what is in a chat. Check there whether the post exists."
_PERSON_CHAT_DETAIL = "This is a chat with a person. Posts go to channels and groups; send a message instead."


class PublishingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the check leaves for sending: the chat, by the number that stays when its name changes."""

    chat: int = 0
    username: str | None = None


TelegramStageContext: TypeAlias = publishing_stages.StageContext[PublishingState]


class BotPublishing(StageRunner[TelegramStageContext]):
    def __init__(self, api: BotApi) -> None:
        super().__init__(
            partial(build_stage_context, PublishingState),
            {"check": Stage(self._check_chat), "send": Stage(self._send, self._look_up_sent_post)},
        )
        self._api = api

    def validate_content(self, content: PostContent) -> Sequence[Fault]:
        return list(post_formats.validate_content(content))

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        covers = (file.thumbnail and post_formats.get_item_format(content, file) != "video" for file in content.media)
        return list_omission_warnings("Telegram", content, {_COVER_OMITTED_WARNING: any(covers)})

    def create_progress(self, content: PostContent) -> PublishingProgress:  # noqa: ARG002 - all begin alike
        return continue_with("check", PublishingState()).progress

    async def _check_chat(self, job: TelegramStageContext) -> StageResult:
        chat = await self._api.fetch_chat(job.credentials, job.content.options["chatId"])
        if chat.type == "private":
            raise PlatformRejectedError(
                _PERSON_CHAT_DETAIL, platform=Platform.TELEGRAM, category="user_content", field=_CHAT_POINTER
            )
        require_post_permission(chat, await self._api.fetch_own_membership(job.credentials, chat))
        return continue_with("send", PublishingState(chat=chat.numeric_id, username=chat.username))

    async def _send(self, job: TelegramStageContext) -> StageResult:
        assert job.media is not None
        method, parameters = post_formats.build_send_call(job.content, job.state.chat)
        files = [
            FilePart(
                name=name,
                file_name=file.file_name,
                mime_type=file.mime_type,
                byte_chunks=await read_chunks(job.media, file.id, 0, file.size),
            )
            for name, file in post_formats.list_attachments(job.content)
        ]
        posted = await self._api.send_post(job.credentials, method, parameters, files)
        return PublishedPost(
            platform_post_id=build_post_id(job.state.chat, [message.message_id for message in posted]),
            url=_build_post_url(job.state, posted[0].message_id),
            published_at=posted[0].sent_at,
            warnings=tuple(self.list_omission_warnings(job.content)),
        )

    async def _look_up_sent_post(self, job: TelegramStageContext) -> LookupResult:  # noqa: ARG002 - there is nothing to look at
        return Inconclusive(_LOOKUP_IMPOSSIBLE_DETAIL)

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        match = _POST_ID_PATTERN.fullmatch(platform_post_id)
        if match is None:
            raise PlatformNotFoundError("This is not a post of a Telegram bot.", platform=Platform.TELEGRAM)
        await self._api.delete_messages(credentials, int(match[1]), [int(number) for number in match[2].split(",")])


def build_post_id(chat: int, message_ids: Sequence[int]) -> str:
    """Identify a post by its chat and its messages: an album has several, and all of them must be deleted with it."""
    return f"{chat}:{','.join(map(str, message_ids))}"


def require_post_permission(chat: Chat, member: ChatMembership) -> None:
    """Telegram would reject the post as well, only later and with a less helpful message."""
    if chat.type == "channel":
        may = member.status == "creator" or (member.status == "administrator" and member.can_post_messages is not False)
        expected = "an administrator who may post messages"
    else:
        may = member.status in {"creator", "administrator", "member"} or bool(member.can_send_messages)
        expected = "a member who may write"
    if not may:
        detail = f"The bot may not post in {chat.name}. Make it {expected} there."
        raise PermissionMissingError(detail, platform=Platform.TELEGRAM, field=_CHAT_POINTER)


def _build_post_url(state: PublishingState, message_id: int) -> str | None:
    if state.username:
        return f"https://t.me/{state.username}/{message_id}"
    number = str(state.chat)
    # Only its members can open it.
    is_private = number.startswith(_SUPERGROUP_ID_PREFIX)
    return f"https://t.me/c/{number.removeprefix(_SUPERGROUP_ID_PREFIX)}/{message_id}" if is_private else None
