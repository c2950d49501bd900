"""Connecting accounts through a link: the ways of connecting that everybody has, limited to what the link allows."""

from collections.abc import Sequence

import msgspec

from socialgate.areas.accounts.capability_matrix import CapabilityMatrix
from socialgate.areas.accounts.connect_schemas import ConnectQuery, ConnectStarted, PairingQrCode
from socialgate.areas.accounts.credential_connect import CredentialConnectService
from socialgate.areas.accounts.redirect_connect import RedirectConnectService
from socialgate.areas.accounts.schemas import Account, AdAccount, PlatformKind
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.connect_links.store import LinkRow, LinkUseRow
from socialgate.areas.connect_links.uses import ConnectLinkUses
from socialgate.contracts.connect_links import LinkVisit, build_use_scope
from socialgate.contracts.platforms import ConnectMethod, Kind
from socialgate.contracts.sign_in_forms import ConnectBody, SignInForm
from socialgate.core.caller import Caller
from socialgate.core.db import Database
from socialgate.core.errors import NotFound, ServiceError
from socialgate.core.unit_of_work import UnitOfWork


class OfferedKind(msgspec.Struct, frozen=True):
    """A kind of account on the page of a link. A full one was connected as often as the link allows."""

    kind: Kind
    name: str
    method: ConnectMethod
    is_full: bool


class LinkConnectService:
    def __init__(
        self,
        *,
        db: Database,
        matrix: CapabilityMatrix,
        connect: RedirectConnectService,
        connecting: CredentialConnectService,
        accounts: AccountService,
        uses: ConnectLinkUses,
    ) -> None:
        self._db = db
        self._matrix = matrix
        self._connect = connect
        self._connecting = connecting
        self._accounts = accounts
        self._uses = uses

    async def list_offers(self, link: LinkRow) -> Sequence[OfferedKind]:
        """List what the link connects, as far as the deployment has set it up."""
        full = await self._uses.list_full_scopes(link.owner_id, link.id)
        return [
            OfferedKind(kind=shown.kind, name=shown.name, method=shown.connect, is_full=self._get_scope(shown) in full)
            for shown in self._matrix.build().data
            if _is_offered(link, shown)
        ]

    def require_offered(self, link: LinkRow, kind: str) -> PlatformKind:
        shown = self._matrix.show_kind(kind)
        if not _is_offered(link, shown):
            raise NotFound("This link does not connect accounts of this kind.")
        return shown

    async def begin_sign_in(self, link: LinkRow, visit: LinkVisit, kind: str) -> ConnectStarted:
        """Start signing in on a platform. Only the browser that starts can finish."""
        shown = self.require_offered(link, kind)
        query = ConnectQuery(
            profile_id=link.profile_id,
            kind=self._connect.list_sign_in_kinds(shown.platform, shown.kind),
            same_browser=True,
        )
        return await self._connect.begin_connect(self._work(link), shown.platform, query, visit)

    async def connect_with_form(self, link: LinkRow, visit: LinkVisit, form: SignInForm, body: ConnectBody) -> Account:
        """Connect an account with a credential, or start pairing a phone."""
        scope, work = self._get_scope(self.require_offered(link, form.kind)), self._work(link)
        if form.method is not ConnectMethod.QR:
            return await self._uses.connect_once(
                visit,
                scope,
                lambda: self._connecting.connect_with_credential(
                    work, form.platform, link.profile_id, body.form_values
                ),
                lambda account: [account.id],
            )
        await self._abandon_pairings(link, visit, scope)
        return await self._uses.start_pairing(
            visit,
            scope,
            lambda: self._connecting.start_pairing(work, form.platform, link.profile_id, body.form_values),
            lambda account: [account.id],
        )

    async def get_code(self, link: LinkRow, visit: LinkVisit, account_id: str) -> tuple[Account, PairingQrCode]:
        """Return the code to scan, for the visitor who started the pairing and for nobody else."""
        use = next((use for use in await self._uses.list_uses(visit) if account_id in use.account_ids), None)
        if use is None:
            raise NotFound("There is no code to scan here.")
        work = self._work(link)
        account = await work.read(self._accounts.get, work.caller, account_id)
        code = await self._connecting.get_qr_code(work, account_id)
        if code.image is None:
            await self._uses.confirm(use)
        return account, code

    async def list_connected(self, link: LinkRow, visit: LinkVisit) -> Sequence[Account | AdAccount]:
        """List what this visitor has connected, oldest first."""
        shown: list[Account | AdAccount] = []
        work = self._work(link)
        for use in await self._uses.list_uses(visit):
            for account_id in use.account_ids:
                account = await self._find_account(work, account_id)
                if account is not None and account.status == "connected" and account not in shown:
                    shown.append(account)
        return shown

    async def _abandon_pairings(self, link: LinkRow, visit: LinkVisit, scope: str) -> None:
        """Disconnect what the visitor started to pair and did not finish: the phone could still scan its code."""
        work = self._work(link)
        for use in await self._uses.list_uses(visit):
            if use.scope == scope and use.reserved_until is not None and use.account_ids:
                await self._abandon_pairing(work, use)

    async def _abandon_pairing(self, work: UnitOfWork, use: LinkUseRow) -> None:
        for account_id in use.account_ids:
            account = await self._find_account(work, account_id)
            if account is not None and account.status == "connected":
                await self._uses.confirm(use)
                return
            if account is not None:
                await self._accounts.disconnect(work, account_id, is_ad_account=False)
        await self._uses.release(use)

    async def _find_account(self, work: UnitOfWork, account_id: str) -> Account | AdAccount | None:
        """Find an account, unless it was disconnected or moved to another profile in the meantime."""
        try:
            return await work.read(self._accounts.get_any, work.caller, account_id)
        except ServiceError:
            return None

    def _get_scope(self, shown: PlatformKind) -> str:
        return build_use_scope(shown.platform, self._connect.list_sign_in_kinds(shown.platform, shown.kind) or ())

    def _work(self, link: LinkRow) -> UnitOfWork:
        """Act for the owner of the link, in its profile and in no other."""
        caller = Caller(owner_id=link.owner_id, credential_id=link.id, allowed_profile_ids=frozenset({link.profile_id}))
        return UnitOfWork(self._db, caller)


def _is_offered(link: LinkRow, shown: PlatformKind) -> bool:
    return shown.configured and (link.platforms is None or shown.platform in link.platforms)
