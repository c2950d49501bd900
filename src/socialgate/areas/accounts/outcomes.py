"""How an attempt to connect by redirect ended, for a customer's page and for the person on ours."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import msgspec

from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import DiscoveredAccount, Grant, Secretive
from socialgate.contracts.platforms import Kind, Manifest

# Characters that a path may contain unescaped (RFC 3986, 3.3), and existing escapes.
_IN_PATHS = "/%:@!$&'()*+,;=~"
# For the person on our page, who is the customer's customer and cannot change the plan.
NO_ROOM = (
    "No more accounts can be connected at the moment. Contact the company that sent you this link, then open the link "
    "again."
)


class ShownAccount(msgspec.Struct, frozen=True, kw_only=True):
    """An account as a person knows it. `connected` says that the profile has it already."""

    id: str
    kind: str
    name: str
    username: str | None
    avatar_url: str | None
    connected: bool = False


class Choice(Secretive, frozen=True, kw_only=True):
    """What a person can still choose from: the accounts that their grant gives access to."""

    grant: Grant
    kinds: tuple[Kind, ...]
    found: Sequence[DiscoveredAccount]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a redirect ended. `error` is a slug for programs, `detail` a sentence for people."""

    owner_id: str
    profile_id: str
    redirect_url: str | None
    account_ids: tuple[str, ...] = ()
    accounts: tuple[ShownAccount, ...] = ()
    choice: Choice | None = None
    error: str | None = None
    detail: str = ""

    def location(self) -> str | None:
        """The customer's URL, with the result."""
        if self.redirect_url is None:
            return None
        said = {"profileId": self.profile_id}
        if self.error is not None:
            said |= {"error": self.error, "error_message": self.detail}
        else:
            said |= {"connected": "1"}
        if self.account_ids:
            said["accountId"] = self.account_ids[0]
        if len(self.account_ids) > 1:
            said["accountIds"] = ",".join(self.account_ids)
        parts = urlsplit(self.redirect_url)
        query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *said.items()])
        # A header only accepts ASCII.
        return parts._replace(path=quote(parts.path, safe=_IN_PATHS), query=query).geturl()

    def of(self, manifest: Manifest, rows: Sequence[AccountRow], choice: Choice | None = None) -> "Outcome":
        """Return this with what was connected."""
        return msgspec.structs.replace(
            self,
            account_ids=tuple(row.id for row in rows),
            accounts=tuple(shown(manifest, row) for row in rows),
            choice=choice,
        )


def shown(manifest: Manifest, account: AccountRow | DiscoveredAccount, *, connected: bool = False) -> ShownAccount:
    return ShownAccount(
        id=account.platform_account_id,
        kind=manifest.of(Kind(account.kind)).name,
        name=account.name,
        username=account.username,
        avatar_url=account.avatar_url,
        connected=connected,
    )
