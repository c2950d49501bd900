"""Connecting without a redirect: with a secret from the customer, or with a QR code that a phone scans."""

from collections.abc import Mapping
from typing import cast

from socialgate.areas.accounts import store
from socialgate.areas.accounts.connect_operations import ConnectOperations, CredentialConnectRequest, PairingRequest
from socialgate.areas.accounts.connect_schemas import PairingQrCode
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import Account, ListedAccountStatus
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.contracts.account_connection import AccountOwner, PairingState
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import NeedsReconnectionError
from socialgate.contracts.operations import ConnectOperationRunner
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound, ServiceError
from socialgate.core.unit_of_work import UnitOfWork


class PairingEndedError(ServiceError):
    """Nobody scanned a code in time, or the session was removed, so this pairing has ended.

    Start again with `POST /connect/wasender`.
    """

    status = 410
    code = "pairing_ended"
    title = "This pairing has ended"


class CredentialConnectService:
    def __init__(
        self,
        *,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        accounts: AccountService,
        registrar: WebhookRegistrar,
        profiles: ProfileDirectory,
        connections: ConnectOperations,
        connect_runner: ConnectOperationRunner,
    ) -> None:
        self._session = session
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._registrar = registrar
        self._profiles = profiles
        self._connections = connections
        self._connecting = connect_runner

    async def connect_with_credential(
        self, work: UnitOfWork, platform: Platform, profile_id: str, form: Mapping[str, str]
    ) -> Account:
        await work.read(self._profiles.require_access, work.caller, profile_id)
        place = AccountOwner(work.caller.owner_id, profile_id, platform)
        kind = self._connections.credential_types[platform]
        return await self._connecting.run_connect_operation(work, place, kind, CredentialConnectRequest(form=form))

    async def start_pairing(
        self, work: UnitOfWork, platform: Platform, profile_id: str, form: Mapping[str, str]
    ) -> Account:
        await work.read(self._profiles.require_access, work.caller, profile_id)
        place = AccountOwner(work.caller.owner_id, profile_id, platform)
        routing_id, webhook = self._registrar.generate_routing_id_and_secrets()
        request = PairingRequest(form=form, routing_id=routing_id, webhook=webhook, asked_at=work.db.clock.now())
        return await self._connecting.run_connect_operation(
            work, place, self._connections.pairing_types[platform], request
        )

    async def get_qr_code(self, work: UnitOfWork, account_id: str) -> PairingQrCode:
        row = await work.read(self._accounts.find, work.caller, account_id)
        pairing = self._session.get_connector(row.platform).qr_pairing
        if pairing is None:
            raise NotFound("This account is not paired by QR code. GET /accounts lists each account's kind.")
        if row.status == "expired":
            raise PairingEndedError(f"This pairing has ended. Start again with POST /connect/{row.platform}.")
        try:
            state = await pairing.get_state(await self._session.get_credentials(row))
        except NeedsReconnectionError as failure:
            await work.db.write(self._expire_pairing, row)
            raise PairingEndedError(f"{failure.detail} Start again with POST /connect/{row.platform}.") from None
        return await self._apply_pairing_state(work, row, state)

    async def _apply_pairing_state(self, work: UnitOfWork, row: AccountRow, state: PairingState) -> PairingQrCode:
        if state.status == "connected":
            await work.db.write(self._mark_paired, row, state)
            return PairingQrCode(status="connected", qr=None, image=None, svg=None, expires_at=None)
        if state.status == "ended" or state.qr is None:
            await work.db.write(self._expire_pairing, row)
            raise PairingEndedError(f"This pairing has ended. Start again with POST /connect/{row.platform}.")
        import segno  # noqa: PLC0415 - takes a while, and only pairing a phone needs it

        code = segno.make(state.qr, micro=False)
        return PairingQrCode(
            status=cast("ListedAccountStatus", row.status.value),
            qr=state.qr,
            image=code.png_data_uri(scale=6),
            svg=code.svg_inline(scale=6),
            expires_at=state.expires_at,
        )

    async def _mark_paired(self, tx: Tx, row_before_call: AccountRow, state: PairingState) -> None:
        row = await store.find_account_for_change(tx, row_before_call.owner_id, row_before_call.id)
        # If the account was paired again during the call, the response is about the previous session.
        if row is not None and row.grant_id == row_before_call.grant_id:
            discovered_account = state.account
            await self._lifecycle.mark_connected(
                tx,
                row,
                discovered_account.name if discovered_account else None,
                discovered_account.username if discovered_account else None,
            )

    async def _expire_pairing(self, tx: Tx, row: AccountRow) -> None:
        """Only a pairing that never succeeded expires: an account that was connected is lost in another way."""
        existing_row = await store.find_account_for_change(tx, row.owner_id, row.id)
        if existing_row is not None and existing_row.status == "connecting":
            await store.update_account(tx, row.owner_id, row.id, {"status": "expired", "updated_at": tx.now})
