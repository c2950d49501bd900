"""What messages have in common on platforms that do not show what was sent."""

from datetime import timedelta

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.messages import Contact, HistoricMessages, Looked, NewMessage
from socialgate.contracts.publishing import CannotTell


class Unseen:
    """There is no history, and a lost response cannot be looked up: a person decides. `unseen` tells them."""

    window: timedelta | None = None
    tagged_window: timedelta | None = None
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
