"""Deleting what a bot has posted. Bots cannot read what stands in a chat, so there is no history."""

import re
from collections.abc import Sequence

from socialgate.connectors.telegram.posting_wire import PostingApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform

_ID = re.compile(r"(-?[0-9]{1,20}):([0-9]{1,20}(?:,[0-9]{1,20}){0,9})", re.ASCII)


def post_id(chat: int, message_ids: Sequence[int]) -> str:
    """Name a post by its chat and its messages: an album has several, and all of them must go with it."""
    return f"{chat}:{','.join(map(str, message_ids))}"


class BotRemoving:
    def __init__(self, posting: PostingApi) -> None:
        self._posting = posting

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        found = _ID.fullmatch(platform_post_id)
        if found is None:
            raise PlatformNotFound("This is no post of a Telegram bot.", platform=Platform.TELEGRAM)
        await self._posting.delete(held, int(found[1]), [int(number) for number in found[2].split(",")])
