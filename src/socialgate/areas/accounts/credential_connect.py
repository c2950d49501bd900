"""Connecting without a redirect: with a secret that the customer brings, or by a QR code that a phone scans."""

from collections.abc import Mapping
from typing import Any

import msgspec
import segno
import sqlalchemy as sa
import structlog

from socialgate.areas.accounts import store
from socialgate.areas.accounts.connect_schemas import QrCode
from socialgate.areas.accounts.lifecycle import AccountLifecycle, Place
from socialgate.areas.accounts.schemas import Account
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.accounts.vault import WebhookSecrets
from socialgate.contracts.connecting import AccountCredentials, Connection, CredentialRejected, PairingState
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid, NotFound, ServiceError
from socialgate.core.work import Work

log = structlog.get_logger(__name__)


class CredentialRefused(Invalid):
    """The platform does not accept the token or secret that was given. Nothing was stored.

    `errors` names the field; get a fresh value from the platform.
    """

    code = "credential_rejected"
    title = "The platform refuses this credential"


class PairingEnded(ServiceError):
    """Nobody scanned a code in time, or the session was removed: this pairing is over.

    Begin again with `POST /connect/wasender`.
    """

    status = 410
    code = "pairing_ended"
    title = "This pairing is over"


class CredentialConnect:
    def __init__(
        self,
        *,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        accounts: Accounts,
        subscriber: Subscriber,
        profiles: ProfileBook,
    ) -> None:
        self._session = session
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._subscriber = subscriber
        self._profiles = profiles

    async def with_credential(
        self, work: Work, platform: Platform, profile_id: str, form: Mapping[str, str]
    ) -> Account:
        await work.read(self._profiles.require, work.caller, profile_id)
        credential = self._session.connector(platform).credential
        assert credential is not None, "only platforms with a credential come here"
        try:
            connection = await credential.verify(form)
        except CredentialRejected as rejected:
            raise _refused(rejected) from None
        place = Place(work.caller.owner_id, profile_id, platform)
        answer = await work.write(self._attach, place, connection, "connected")
        row = await work.db.read(store.find_account, place.owner_id, answer.id)
        if row is not None:
            await self._subscriber.set_up(row)
        return answer

    async def by_pairing(self, work: Work, platform: Platform, profile_id: str, form: Mapping[str, str]) -> Account:
        await work.read(self._profiles.require, work.caller, profile_id)
        pairing = self._session.connector(platform).pairing
        assert pairing is not None, "only platforms with a pairing come here"
        callback, routing_id, made = self._subscriber.new_callback(platform)
        try:
            connection = await pairing.begin(form, callback)
        except CredentialRejected as rejected:
            raise _refused(rejected) from None
        if connection.webhook_secret is not None:
            made = msgspec.structs.replace(made, brought=(connection.webhook_secret,))
        place = Place(work.caller.owner_id, profile_id, platform)
        before = await self._paired_before(work, place, connection)
        try:
            answer = await work.write(self._begin_pairing, place, connection, routing_id, made)
        except ServiceError:
            await self._drop(platform, _held(connection))
            raise
        if before is not None and before.grant.subject != connection.grant.subject:
            await self._drop(platform, before)
        return answer

    async def qr(self, work: Work, account_id: str) -> QrCode:
        row = await work.read(self._accounts.find, work.caller, account_id)
        pairing = self._session.connector(row.platform).pairing
        if pairing is None:
            raise NotFound("This account is not paired by QR code. GET /accounts lists each account's kind.")
        if row.status == "expired":
            raise PairingEnded("This pairing is over. Begin again with POST /connect/wasender.")
        try:
            state = await pairing.state(await self._session.held(row))
        except NeedsReconnection as failure:
            await work.db.write(self._end_pairing, row)
            raise PairingEnded(f"{failure.detail} Begin again with POST /connect/wasender.") from None
        return await self._told(work, row, state)

    async def _paired_before(self, work: Work, place: Place, connection: Connection) -> AccountCredentials | None:
        """Find the session that this one takes the place of."""
        (found,) = connection.accounts
        row = await work.db.read(store.find_connected, place.owner_id, found.kind, found.platform_account_id)
        if row is None or row.profile_id != place.profile_id:
            return None
        try:
            return await self._session.held(row)
        except PlatformFailure:
            return None

    async def _drop(self, platform: Platform, held: AccountCredentials) -> None:
        """End a session that nobody will use: it would count against the customer's plan."""
        revoking = self._session.connector(platform).revoking
        try:
            if revoking is not None:
                await revoking.revoke(held, last=True)
        except PlatformFailure as failure:
            log.warning("session_left_behind", platform=platform, code=failure.code, detail=failure.detail)

    async def _told(self, work: Work, row: sa.Row[Any], state: PairingState) -> QrCode:
        if state.status == "connected":
            await work.db.write(self._paired, row.owner_id, row.id, state)
            return QrCode(status="connected", qr=None, image=None, svg=None, expires_at=None)
        if state.status == "ended" or state.qr is None:
            await work.db.write(self._end_pairing, row)
            raise PairingEnded("This pairing is over. Begin again with POST /connect/wasender.")
        code = segno.make(state.qr, micro=False)
        return QrCode(
            status=row.status,
            qr=state.qr,
            image=code.png_data_uri(scale=6),
            svg=code.svg_inline(scale=6),
            expires_at=state.expires_at,
        )

    async def _attach(self, tx: Tx, place: Place, connection: Connection, status: str) -> Account:
        """Connect the one account that a credential opens."""
        connector = self._session.connector(place.platform)
        grant_id = await self._lifecycle.save_grant(
            tx, place, connection.grant, renews=connector.refreshing is not None
        )
        (found,) = connection.accounts
        row = await self._lifecycle.attach(tx, place, grant_id, found, status=status)
        await self._subscriber.plan(tx, row)
        shown = await store.with_renewal(tx, place.owner_id, row.id)
        assert shown is not None, "it was written in this very transaction"
        return self._accounts.show(shown)

    async def _begin_pairing(
        self, tx: Tx, place: Place, connection: Connection, routing_id: str, made: WebhookSecrets
    ) -> Account:
        (found,) = connection.accounts
        inbound_key = found.inbound_key or found.platform_account_id
        answer = await self._attach(tx, place, connection, "connecting")
        await self._subscriber.add(tx, place.platform, inbound_key, routing_id, made)
        return answer

    async def _paired(self, tx: Tx, owner_id: str, account_id: str, state: PairingState) -> None:
        row = await store.find_account_for_change(tx, owner_id, account_id)
        if row is not None:
            found = state.account
            await self._lifecycle.restore(tx, row, found.name if found else None, found.username if found else None)

    async def _end_pairing(self, tx: Tx, row: sa.Row[Any]) -> None:
        """Only a pairing that never succeeded expires: an account that was connected is lost in another way."""
        found = await store.find_account_for_change(tx, row.owner_id, row.id)
        if found is not None and found.status == "connecting":
            await store.update_account(tx, row.owner_id, row.id, {"status": "expired", "updated_at": tx.now})


def _held(connection: Connection) -> AccountCredentials:
    (found,) = connection.accounts
    return AccountCredentials(
        kind=found.kind,
        platform_account_id=found.platform_account_id,
        grant=connection.grant,
        secret=found.secret,
        details=found.details,
    )


def _refused(rejected: CredentialRejected) -> CredentialRefused:
    fault = Fault(f"/{rejected.field}", "credential_refused", rejected.detail)
    return CredentialRefused(rejected.detail, errors=[fault])


def form_of(body: msgspec.Struct) -> dict[str, str]:
    """What a connector is told of a body: the fields by their public names, without what says where it goes."""
    given: dict[str, Any] = msgspec.to_builtins(body)
    return {name: value for name, value in given.items() if name != "profileId" and value is not None}
