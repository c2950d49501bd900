"""Publishing in a channel or a group: one call of the Bot API posts everything.

    check ─ send*

Bots cannot read what stands in a chat, so an answer that was lost cannot be looked up: a person decides.
"""

from collections.abc import Iterator, Sequence

import msgspec

from socialgate.connectors.stages import leads_to, read_pieces, state_of
from socialgate.connectors.telegram import forms
from socialgate.connectors.telegram.posting_wire import Attached, Chat, Member, Message, PostingApi
from socialgate.connectors.telegram.posts import post_id
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    CannotTell,
    Content,
    Continue,
    Done,
    LookupResult,
    MediaReader,
    Progress,
    Step,
)
from socialgate.core.errors import Fault

_FIELD = "/options/chatId"
_PRIVATE_PREFIX = "-100"
_NO_COMMENTS = "Bots cannot comment on what they post: the first comment was left out."
_NO_ALT = "Telegram has no alt texts for bots: those given were left out."
_NO_COVER = "Telegram shows a preview picture for videos only: the one given was left out."
_UNSEEN = "Telegram shows bots nothing of what stands in a chat. Look there whether the post is."


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the check leaves to the sending: the chat, by the number that stays when its name changes."""

    chat: int = 0
    username: str | None = None


class BotPublishing:
    once = frozenset({"send"})

    def __init__(self, posting: PostingApi) -> None:
        self._posting = posting

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(forms.faults(content))

    def left_out(self, content: Content) -> Sequence[str]:
        return list(_warnings(content))

    def begin(self, content: Content) -> Progress:
        del content
        return leads_to("check", State()).progress

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        if progress.stage == "check":
            return await self._check(held, content)
        return await self._send(held, content, state_of(progress, State), media)

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        del held, content
        return CannotTell(_UNSEEN) if progress.stage == "send" else Continue(progress=progress)

    async def _check(self, held: AccountCredentials, content: Content) -> Step:
        chat = await self._posting.chat(held, content.options["chatId"])
        if chat.type == "private":
            raise Rejected(
                "This is the chat with a person. Posts go to channels and groups; send a message instead.",
                platform=Platform.TELEGRAM,
                category="user_content",
                field=_FIELD,
            )
        refuse_without_right(chat, await self._posting.member(held, chat))
        return leads_to("send", State(chat=chat.number, username=chat.username))

    async def _send(self, held: AccountCredentials, content: Content, state: State, media: MediaReader) -> Step:
        method, parameters = forms.message(content, state.chat)
        files = [
            Attached(
                name=name,
                file_name=file.file_name,
                mime_type=file.mime_type,
                pieces=await read_pieces(media, file.id, 0, file.size),
            )
            for name, file in forms.attachments(content)
        ]
        return _done(content, state, await self._posting.send(held, method, parameters, files))


def refuse_without_right(chat: Chat, member: Member) -> None:
    """Telegram would refuse the post as well, only later and in fewer words."""
    if chat.type == "channel":
        may = member.status == "creator" or (member.status == "administrator" and member.can_post_messages is not False)
        wanted = "an administrator who may post messages"
    else:
        may = member.status in {"creator", "administrator", "member"} or bool(member.can_send_messages)
        wanted = "a member who may write"
    if not may:
        raise PermissionMissing(
            f"The bot may not post in {chat.name}. Make it {wanted} there.", platform=Platform.TELEGRAM, field=_FIELD
        )


def _done(content: Content, state: State, messages: Sequence[Message]) -> Done:
    first = messages[0]
    return Done(
        platform_post_id=post_id(state.chat, [message.message_id for message in messages]),
        url=_url(state, first.message_id),
        published_at=first.sent_at,
        warnings=tuple(_warnings(content)),
    )


def _warnings(content: Content) -> Iterator[str]:
    """Tell what Telegram has no place for."""
    if content.first_comment:
        yield _NO_COMMENTS
    if any(file.thumbnail and forms.item_form(content, file) != "video" for file in content.media):
        yield _NO_COVER
    if any(file.alt for file in content.media):
        yield _NO_ALT


def _url(state: State, message_id: int) -> str | None:
    if state.username:
        return f"https://t.me/{state.username}/{message_id}"
    number = str(state.chat)
    if number.startswith(_PRIVATE_PREFIX):
        # Only its members can open it.
        return f"https://t.me/c/{number.removeprefix(_PRIVATE_PREFIX)}/{message_id}"
    return None
