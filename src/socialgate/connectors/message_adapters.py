"""What messages have in common: the rules of a platform, and how a lost response is looked up, if it can be."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.message_validation import MAX_CLOCK_SKEW, MessageRules, is_same_text
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import Contact, LookupResult, MessagePage, NewMessage, SentMessage
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.errors import Fault

_LOOKUP_MESSAGE_COUNT = 50


class ValidatingMessageAdapter:
    """Checks messages by the rules of the platform."""

    free_form_window: timedelta | None = None
    tagged_reply_window: timedelta | None = None
    tag_remedy = ""
    rules: MessageRules

    def validate_new_message(self, new: NewMessage) -> Sequence[Fault]:
        return [*self.get_rules(new).validate_new_message(new), *self.validate_platform_rules(new)]

    def get_rules(self, new: NewMessage) -> MessageRules:  # noqa: ARG002 - most platforms have the same for all
        return self.rules

    def validate_platform_rules(self, new: NewMessage) -> Iterable[Fault]:  # noqa: ARG002 - most rules are in the table
        """List what no table can say."""
        return ()

    async def mark_read(self, credentials: AccountCredentials, contact_id: str, message_id: str) -> None:
        del credentials, contact_id, message_id
        detail = f"{self.rules.vendor} does not support marking messages as read."
        raise NotSupportedError(detail, platform=self.rules.platform)


class HistoryMessageAdapter(ValidatingMessageAdapter, ABC):
    """The platform shows what was sent: after a lost response it is found there."""

    keeps_history = True

    @abstractmethod
    async def list_history(
        self, credentials: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> MessagePage: ...

    async def look_up_result(self, credentials: AccountCredentials, new: NewMessage) -> LookupResult:
        """If nothing is found, that proves nothing: a platform may execute a call long after it timed out."""
        since, recent = (
            new.asked_at - MAX_CLOCK_SKEW,
            (await self.list_history(credentials, new.to, _LOOKUP_MESSAGE_COUNT, None)).items,
        )
        own = [
            item
            for item in recent
            if item.outbound and item.sent_at >= since and item.id not in new.excluded_message_ids
        ]
        message_items = [item for item in own if item.type is new.type and is_same_text(item.text, new.text)]
        if len(message_items) == 1:
            return SentMessage(id=message_items[0].id, sent_at=message_items[0].sent_at)
        seen = "several messages like this one" if message_items else "no message like this one yet"
        return Inconclusive(f"{self.rules.vendor} shows {seen}. Check the conversation before you send it again.")


class NoHistoryMessageAdapter(ValidatingMessageAdapter):
    """There is no history, and a lost response cannot be looked up: a person decides. `lookup_impossible_detail` tells
    them.
    """

    keeps_history = can_reply_to_comments = False
    lookup_impossible_detail: str

    async def look_up_result(self, credentials: AccountCredentials, new: NewMessage) -> LookupResult:  # noqa: ARG002 - nothing to look at
        return Inconclusive(self.lookup_impossible_detail)

    async def get_contact_profile(self, credentials: AccountCredentials, contact_id: str) -> Contact:
        del credentials
        return Contact(id=contact_id)

    async def list_history(
        self, credentials: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> MessagePage:
        del credentials, contact_id, limit, cursor
        return MessagePage(items=(), cursor=None)


def build_location(latitude: float | None, longitude: float | None, **named: str) -> dict[str, Any]:
    """Describe a location as it is sent, with the names that it has; nothing without coordinates."""
    if latitude is None or longitude is None:
        return {}
    return {"latitude": latitude, "longitude": longitude} | {name: value for name, value in named.items() if value}
