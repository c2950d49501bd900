"""Connecting without a redirect: with a secret from the customer, or with a QR code that a phone scans."""

from collections.abc import Mapping
from typing import cast

from socialgate.areas.accounts import store
from socialgate.areas.accounts.connect_schemas import QrCode
from socialgate.areas.accounts.connecting import Connections, CredentialForm, PairingForm
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import Account, LiveStatus
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import PairingState, Place
from socialgate.contracts.failures import NeedsReconnection
from socialgate.contracts.operations import Connecting
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound, ServiceError
from socialgate.core.work import Work


class PairingEnded(ServiceError):
    """Nobody scanned a code in time, or the session was removed, so this pairing has ended.

    Start again with `POST /connect/wasender`.
    """

    status = 410
    code = "pairing_ended"
    title = "This pairing has ended"


class CredentialConnect:
    def __init__(
        self,
        *,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        accounts: Accounts,
        registrar: Subscriber,
        profiles: ProfileBook,
        connections: Connections,
        connecting: Connecting,
    ) -> None:
        self._session = session
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._registrar = registrar
        self._profiles = profiles
        self._connections = connections
        self._connecting = connecting

    async def with_credential(
        self, work: Work, platform: Platform, profile_id: str, form: Mapping[str, str]
    ) -> Account:
        await work.read(self._profiles.require, work.caller, profile_id)
        place = Place(work.caller.owner_id, profile_id, platform)
        kind = self._connections.by_credential[platform]
        return await self._connecting.connect(work, place, kind, CredentialForm(form=form))

    async def by_pairing(self, work: Work, platform: Platform, profile_id: str, form: Mapping[str, str]) -> Account:
        await work.read(self._profiles.require, work.caller, profile_id)
        place = Place(work.caller.owner_id, profile_id, platform)
        routing_id, webhook = self._registrar.new_route()
        request = PairingForm(form=form, routing_id=routing_id, webhook=webhook, asked_at=work.db.clock.now())
        return await self._connecting.connect(work, place, self._connections.by_pairing[platform], request)

    async def qr(self, work: Work, account_id: str) -> QrCode:
        row = await work.read(self._accounts.find, work.caller, account_id)
        pairing = self._session.connector(row.platform).pairing
        if pairing is None:
            raise NotFound("This account is not paired by QR code. GET /accounts lists each account's kind.")
        if row.status == "expired":
            raise PairingEnded(f"This pairing has ended. Start again with POST /connect/{row.platform}.")
        try:
            state = await pairing.state(await self._session.held(row))
        except NeedsReconnection as failure:
            await work.db.write(self._end_pairing, row)
            raise PairingEnded(f"{failure.detail} Start again with POST /connect/{row.platform}.") from None
        return await self._told(work, row, state)

    async def _told(self, work: Work, row: AccountRow, state: PairingState) -> QrCode:
        if state.status == "connected":
            await work.db.write(self._paired, row, state)
            return QrCode(status="connected", qr=None, image=None, svg=None, expires_at=None)
        if state.status == "ended" or state.qr is None:
            await work.db.write(self._end_pairing, row)
            raise PairingEnded(f"This pairing has ended. Start again with POST /connect/{row.platform}.")
        import segno  # noqa: PLC0415 - takes a while, and only pairing a phone needs it

        code = segno.make(state.qr, micro=False)
        return QrCode(
            status=cast("LiveStatus", row.status.value),
            qr=state.qr,
            image=code.png_data_uri(scale=6),
            svg=code.svg_inline(scale=6),
            expires_at=state.expires_at,
        )

    async def _paired(self, tx: Tx, asked: AccountRow, state: PairingState) -> None:
        row = await store.find_account_for_change(tx, asked.owner_id, asked.id)
        # If the account was paired again during the call, the response is about the previous session.
        if row is not None and row.grant_id == asked.grant_id:
            found = state.account
            await self._lifecycle.restore(tx, row, found.name if found else None, found.username if found else None)

    async def _end_pairing(self, tx: Tx, row: AccountRow) -> None:
        """Only a pairing that never succeeded expires: an account that was connected is lost in another way."""
        found = await store.find_account_for_change(tx, row.owner_id, row.id)
        if found is not None and found.status == "connecting":
            await store.update_account(tx, row.owner_id, row.id, {"status": "expired", "updated_at": tx.now})
