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

from socialgate.connectors import stages
from socialgate.connectors.forms import left_out
from socialgate.connectors.multipart import Attached
from socialgate.connectors.stages import Stage, Stages, build_job, leads_to, read_pieces
from socialgate.connectors.telegram import forms
from socialgate.connectors.telegram.wire import BotApi, Chat, Member
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, Done, LookupResult, Progress, Step
from socialgate.core.errors import Fault

_FIELD = "/options/chatId"
_PRIVATE_PREFIX = "-100"
_ID = re.compile(r"(-?[0-9]{1,20}):([0-9]{1,20}(?:,[0-9]{1,20}){0,9})", re.ASCII)
_NO_COVER = "Telegram only shows a preview image for videos: it was left out."
_UNSEEN = "Telegram does not show bots what is in a chat. Check there whether the post exists."
_PERSON = "This is a chat with a person. Posts go to channels and groups; send a message instead."


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the check leaves for sending: the chat, by the number that stays when its name changes."""

    chat: int = 0
    username: str | None = None


Job: TypeAlias = stages.Job[State]


class BotPublishing(Stages[Job]):
    def __init__(self, api: BotApi) -> None:
        super().__init__(
            partial(build_job, State),
            {"check": Stage(self._check), "send": Stage(self._send, self._look_send)},
        )
        self._api = api

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(forms.faults(content))

    def left_out(self, content: Content) -> Sequence[str]:
        covers = (file.thumbnail and forms.item_form(content, file) != "video" for file in content.media)
        return left_out("Telegram", content, {_NO_COVER: any(covers)})

    def begin(self, content: Content) -> Progress:  # noqa: ARG002 - all begin alike
        return leads_to("check", State()).progress

    async def _check(self, job: Job) -> Step:
        chat = await self._api.chat(job.held, job.content.options["chatId"])
        if chat.type == "private":
            raise Rejected(_PERSON, platform=Platform.TELEGRAM, category="user_content", field=_FIELD)
        refuse_without_right(chat, await self._api.member(job.held, chat))
        return leads_to("send", State(chat=chat.number, username=chat.username))

    async def _send(self, job: Job) -> Step:
        assert job.media is not None
        method, parameters = forms.message(job.content, job.state.chat)
        files = [
            Attached(
                name=name,
                file_name=file.file_name,
                mime_type=file.mime_type,
                pieces=await read_pieces(job.media, file.id, 0, file.size),
            )
            for name, file in forms.attachments(job.content)
        ]
        posted = await self._api.post(job.held, method, parameters, files)
        return Done(
            platform_post_id=post_id(job.state.chat, [message.message_id for message in posted]),
            url=_url(job.state, posted[0].message_id),
            published_at=posted[0].sent_at,
            warnings=tuple(self.left_out(job.content)),
        )

    async def _look_send(self, job: Job) -> LookupResult:  # noqa: ARG002 - there is nothing to look at
        return CannotTell(_UNSEEN)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        found = _ID.fullmatch(platform_post_id)
        if found is None:
            raise PlatformNotFound("This is not a post of a Telegram bot.", platform=Platform.TELEGRAM)
        await self._api.delete(held, int(found[1]), [int(number) for number in found[2].split(",")])


def post_id(chat: int, message_ids: Sequence[int]) -> str:
    """Identify a post by its chat and its messages: an album has several, and all of them must be deleted with it."""
    return f"{chat}:{','.join(map(str, message_ids))}"


def refuse_without_right(chat: Chat, member: Member) -> None:
    """Telegram would reject the post as well, only later and with a less helpful message."""
    if chat.type == "channel":
        may = member.status == "creator" or (member.status == "administrator" and member.can_post_messages is not False)
        wanted = "an administrator who may post messages"
    else:
        may = member.status in {"creator", "administrator", "member"} or bool(member.can_send_messages)
        wanted = "a member who may write"
    if not may:
        detail = f"The bot may not post in {chat.name}. Make it {wanted} there."
        raise PermissionMissing(detail, platform=Platform.TELEGRAM, field=_FIELD)


def _url(state: State, message_id: int) -> str | None:
    if state.username:
        return f"https://t.me/{state.username}/{message_id}"
    number = str(state.chat)
    # Only its members can open it.
    is_private = number.startswith(_PRIVATE_PREFIX)
    return f"https://t.me/c/{number.removeprefix(_PRIVATE_PREFIX)}/{message_id}" if is_private else None
