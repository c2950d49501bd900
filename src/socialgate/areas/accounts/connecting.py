"""The operations that connect an account without a redirect: what is requested from the platform, and what is stored.

A credential is verified by reading, so it can be verified again. A pairing creates a session on the platform: its
webhook URL is chosen before it is created, and is used to find it again if the response is lost.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import structlog

from socialgate.areas.accounts import grants, store
from socialgate.areas.accounts.lifecycle import AccountLifecycle, ConnectedElsewhere
from socialgate.areas.accounts.schemas import Account
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.accounts.vault import WebhookSecrets
from socialgate.contracts.catalogue import Catalogue, Connector
from socialgate.contracts.connecting import AccountCredentials, Connection, CredentialRejected, Place, Secretive
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.operations import AnyConnectType, ConnectType, Looked, NotSeen
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.contracts.publishing import CannotTell
from socialgate.contracts.sign_in_forms import SIGN_IN_FORMS, is_paired
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Fault, Invalid, NotFound, PlanLimitReached

log = structlog.get_logger(__name__)


class CredentialRefused(Invalid):
    """The platform does not accept the token or secret. Nothing was stored.

    `errors` names the field; get a new value from the platform.
    """

    code = "credential_rejected"
    title = "The platform rejected this credential"


class AlreadyPaired(Conflict):
    """The platform's response was lost, and the same number was paired by another request in the meantime.

    That pairing stays as it is; what this request had started was removed. `GET /accounts` lists the account.
    """

    code = "already_paired"
    title = "The number was paired by another request"


class CredentialForm(Secretive, frozen=True, kw_only=True):
    """The customer's input."""

    form: Mapping[str, str]


class PairingForm(Secretive, frozen=True, kw_only=True):
    """The customer's input, and what was chosen before the platform was called."""

    form: Mapping[str, str]
    routing_id: str
    webhook: WebhookSecrets
    asked_at: datetime


class Made(Secretive, frozen=True, kw_only=True):
    """The result. `displaced` is the session that a new one replaces.

    It is `found` if the response was lost and the session was looked up.
    """

    connection: Connection
    displaced: AccountCredentials | None = None
    found: bool = False


class Connections:
    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        accounts: Accounts,
        registrar: Subscriber,
        profiles: ProfileBook,
        catalogue: Catalogue,
    ) -> None:
        self._db = db
        self._session = session
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._registrar = registrar
        self._profiles = profiles
        self._manifests = catalogue.manifests
        self.by_credential = {
            platform: self._by_credential(platform) for platform in SIGN_IN_FORMS if not is_paired(platform)
        }
        self.by_pairing = {platform: self._by_pairing(platform) for platform in SIGN_IN_FORMS if is_paired(platform)}

    @property
    def types(self) -> Sequence[AnyConnectType]:
        return [*self.by_credential.values(), *self.by_pairing.values()]

    def _by_credential(self, platform: Platform) -> ConnectType[CredentialForm, Made, Account]:
        return ConnectType(
            name=f"connect.{platform}",
            platform=platform,
            request=CredentialForm,
            answer=Account,
            call=_verify,
            record=self._connected,
            after=self._set_up,
            refusals=(CredentialRefused, ConnectedElsewhere, PlanLimitReached, NotFound),
            shown=lambda request: self._manifests[platform].shown_input(request.form),
            object_id=lambda _, made: made.connection.accounts[0].platform_account_id,
            account_id=lambda answer: answer.id,
        )

    def _by_pairing(self, platform: Platform) -> ConnectType[PairingForm, Made, Account]:
        return ConnectType(
            name=f"connect.{platform}",
            platform=platform,
            request=PairingForm,
            answer=Account,
            call=self._pair,
            record=self._paired,
            look=self._find_pairing,
            undo=_end,
            after=self._drop_displaced,
            refusals=(CredentialRefused, ConnectedElsewhere, AlreadyPaired, PlanLimitReached, NotFound),
            shown=lambda request: self._manifests[platform].shown_input(request.form),
            object_id=lambda _, made: made.connection.grant.subject,
            account_id=lambda answer: answer.id,
        )

    async def _pair(self, connector: Connector, place: Place, request: PairingForm) -> Made:
        assert connector.pairing is not None, "only platforms with a pairing come here"
        callback = self._registrar.callback(place.platform, request.routing_id, request.webhook)
        try:
            connection = await connector.pairing.begin(request.form, callback)
        except CredentialRejected as rejected:
            raise _refused(rejected) from None
        return Made(connection=connection, displaced=await self._held_before(place, connection))

    async def _find_pairing(self, connector: Connector, place: Place, request: PairingForm) -> Looked[Made]:
        assert connector.pairing is not None, "only platforms with a pairing come here"
        callback = self._registrar.callback(place.platform, request.routing_id, request.webhook)
        try:
            connection = await connector.pairing.find(request.form, callback)
        except CredentialRejected as rejected:
            return CannotTell(rejected.detail)
        if connection is None:
            return NotSeen()
        return Made(connection=connection, displaced=await self._held_before(place, connection), found=True)

    async def _held_before(self, place: Place, connection: Connection) -> AccountCredentials | None:
        """Find the session that this one replaces."""
        (found,) = connection.accounts
        row = await self._db.read(store.find_by_platform_id, place.owner_id, found.kind, found.platform_account_id)
        if row is None or row.profile_id != place.profile_id:
            return None
        try:
            held = await self._session.held(row)
        except PlatformFailure:
            return None
        return None if held.grant.subject == connection.grant.subject else held

    async def _connected(self, tx: Tx, place: Place, request: CredentialForm, made: Made) -> Account:
        del request
        return await self._attach(tx, place, made.connection, "connected")

    async def _paired(self, tx: Tx, place: Place, request: PairingForm, made: Made) -> Account:
        connection = made.connection
        if made.found:
            await self._require_newest(tx, place, connection, request.asked_at)
        (found,) = connection.accounts
        secret = connection.webhook_secret
        webhook = request.webhook if secret is None else msgspec.structs.replace(request.webhook, brought=(secret,))
        answer = await self._attach(tx, place, connection, "connecting")
        inbound_key = found.inbound_key or found.platform_account_id
        await self._registrar.add(tx, place.platform, inbound_key, request.routing_id, webhook)
        return answer

    async def _require_newest(self, tx: Tx, place: Place, connection: Connection, asked_at: datetime) -> None:
        """Do not let a session that was found later replace one that a newer request has paired."""
        (found,) = connection.accounts
        live = await store.find_by_platform_id_for_change(tx, place.owner_id, found.kind, found.platform_account_id)
        if live is None or live.grant_id is None:
            return
        grant = await grants.find(tx, place.owner_id, live.grant_id)
        if grant is not None and grant.subject != connection.grant.subject and grant.created_at > asked_at:
            raise AlreadyPaired("Another request has paired this number in the meantime. GET /accounts lists it.")

    async def _attach(self, tx: Tx, place: Place, connection: Connection, status: str) -> Account:
        """Connect the one account that a credential gives access to."""
        # It may have been deleted while the platform was called.
        if await self._profiles.unknown(tx, place.owner_id, [place.profile_id]):
            raise NotFound("The profile was deleted in the meantime. GET /profiles lists the existing ones.")
        connector = self._session.connector(place.platform)
        grant_id = await self._lifecycle.save_grant(
            tx, place, connection.grant, renews=connector.refreshing is not None
        )
        (found,) = connection.accounts
        row = await self._lifecycle.attach(tx, place, grant_id, found, status=status)
        await self._registrar.plan(tx, row)
        shown = await store.with_renewal(tx, place.owner_id, row.id)
        assert shown is not None, "it was written in this very transaction"
        return self._accounts.show(shown)

    async def _set_up(self, place: Place, made: Made, answer: Account) -> None:
        """Register the webhooks with the platform. If this process dies first, a background worker does it."""
        del made
        row = await self._db.read(store.find_account, place.owner_id, answer.id)
        if row is not None:
            await self._registrar.set_up(row)

    async def _drop_displaced(self, place: Place, made: Made, answer: Account) -> None:
        """End a session that nobody will use: it would count against the customer's plan."""
        del answer
        revoking = self._session.connector(place.platform).revoking
        if made.displaced is None or revoking is None:
            return
        try:
            await revoking.revoke(made.displaced, last=True)
        except PlatformFailure as failure:
            log.warning("session_left_behind", platform=place.platform, code=failure.code, detail=failure.detail)


async def _verify(connector: Connector, place: Place, request: CredentialForm) -> Made:
    del place
    assert connector.credential is not None, "only platforms with a credential come here"
    try:
        return Made(connection=await connector.credential.verify(request.form))
    except CredentialRejected as rejected:
        raise _refused(rejected) from None


async def _end(connector: Connector, made: Made) -> None:
    (found,) = made.connection.accounts
    held = AccountCredentials(
        kind=found.kind,
        platform_account_id=found.platform_account_id,
        grant=made.connection.grant,
        secret=found.secret,
        details=found.details,
    )
    if connector.revoking is not None:
        await connector.revoking.revoke(held, last=True)


def _refused(rejected: CredentialRejected) -> CredentialRefused:
    fault = Fault(f"/{rejected.field}", "credential_rejected", rejected.detail)
    return CredentialRefused(rejected.detail, errors=[fault])
