"""What messages have in common: the rules of a platform, and how a lost response is looked up, if it can be."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from socialgate.connectors.message_checks import SKEW, MessageRules, same_text
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.messages import Contact, HistoricMessages, Looked, NewMessage, Sent
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault

_RECENT = 50


class Ruled:
    """Checks messages by the rules of the platform."""

    window: timedelta | None = None
    tagged_window: timedelta | None = None
    tag_remedy = ""
    rules: MessageRules

    def faults(self, new: NewMessage) -> Sequence[Fault]:
        return [*self.rules_for(new).faults(new), *self.own_faults(new)]

    def rules_for(self, new: NewMessage) -> MessageRules:  # noqa: ARG002 - most platforms have the same for all
        return self.rules

    def own_faults(self, new: NewMessage) -> Iterable[Fault]:  # noqa: ARG002 - most rules are in the table
        """List what no table can say."""
        return ()

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        del held, contact_id, message_id
        detail = f"{self.rules.vendor} does not support marking messages as read."
        raise NotSupported(detail, platform=self.rules.platform)


class Listed(Ruled, ABC):
    """The platform shows what was sent: after a lost response it is found there."""

    keeps_history = True

    @abstractmethod
    async def older(
        self, held: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> HistoricMessages: ...

    async def look(self, held: AccountCredentials, new: NewMessage) -> Looked:
        """If nothing is found, that proves nothing: a platform may execute a call long after it timed out."""
        since, recent = new.asked_at - SKEW, (await self.older(held, new.to, _RECENT, None)).items
        own = [item for item in recent if item.outbound and item.at >= since and item.id not in new.others]
        found = [item for item in own if item.type is new.type and same_text(item.text, new.text)]
        if len(found) == 1:
            return Sent(id=found[0].id, at=found[0].at)
        seen = "several messages like this one" if found else "no message like this one yet"
        return CannotTell(f"{self.rules.vendor} shows {seen}. Check the conversation before you send it again.")


class Unseen(Ruled):
    """There is no history, and a lost response cannot be looked up: a person decides. `unseen` tells them."""

    keeps_history = answers_comments = False
    unseen: str

    async def look(self, held: AccountCredentials, new: NewMessage) -> Looked:  # noqa: ARG002 - nothing to look at
        return CannotTell(self.unseen)

    async def profile(self, held: AccountCredentials, contact_id: str) -> Contact:
        del held
        return Contact(id=contact_id)

    async def older(
        self, held: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> HistoricMessages:
        del held, contact_id, limit, cursor
        return HistoricMessages(items=(), cursor=None)


def place_of(latitude: float | None, longitude: float | None, **named: str) -> dict[str, Any]:
    """Describe a location as it is sent, with the names that it has; nothing without coordinates."""
    if latitude is None or longitude is None:
        return {}
    return {"latitude": latitude, "longitude": longitude} | {name: value for name, value in named.items() if value}
