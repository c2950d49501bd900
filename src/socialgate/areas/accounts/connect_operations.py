"""The operations that connect an account without a redirect: what is requested from the platform, and what is stored.

A credential is verified by reading, so it can be verified again. A pairing creates a session on the platform: its
webhook URL is chosen before it is created, and is used to find it again if the response is lost.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import structlog

from socialgate.areas.accounts import grants, store
from socialgate.areas.accounts.credential_cipher import WebhookSecrets
from socialgate.areas.accounts.lifecycle import AccountLifecycle, ConnectedElsewhereError
from socialgate.areas.accounts.schemas import Account
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.contracts.account_connection import (
    AccountCredentials,
    AccountOwner,
    ConnectResult,
    CredentialRejectedError,
    RedactedStruct,
)
from socialgate.contracts.connector_registry import Connector, ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.operations import AnyConnectType, ConnectOperationType, LookupResult, NotFoundYet
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.publishing import Inconclusive
from socialgate.contracts.sign_in_forms import CONNECT_FORMS_BY_PLATFORM, uses_qr_pairing
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Fault, InvalidRequest, NotFound, PlanLimitReached

log = structlog.get_logger(__name__)


class CredentialInputError(InvalidRequest):
    """The platform does not accept the token or secret. Nothing was stored.

    `errors` names the field; get a new value from the platform.
    """

    code = "credential_rejected"
    title = "The platform rejected this credential"


class AlreadyPairedError(Conflict):
    """The platform's response was lost, and the same number was paired by another request in the meantime.

    That pairing stays as it is; what this request had started was removed. `GET /accounts` lists the account.
    """

    code = "already_paired"
    title = "The number was paired by another request"


class CredentialConnectRequest(RedactedStruct, frozen=True, kw_only=True):
    """The customer's input."""

    form: Mapping[str, str]


class PairingRequest(RedactedStruct, frozen=True, kw_only=True):
    """The customer's input, and what was chosen before the platform was called."""

    form: Mapping[str, str]
    routing_id: str
    webhook: WebhookSecrets
    asked_at: datetime


class ConnectOperationResult(RedactedStruct, frozen=True, kw_only=True):
    """The result. `replaced_credentials` is the session that a new one replaces.

    `was_looked_up` says that the response was lost and the session was looked up.
    """

    connection: ConnectResult
    replaced_credentials: AccountCredentials | None = msgspec.field(default=None, name="displaced")
    was_looked_up: bool = msgspec.field(default=False, name="found")


class ConnectOperations:
    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        accounts: AccountService,
        registrar: WebhookRegistrar,
        profiles: ProfileDirectory,
        catalogue: ConnectorRegistry,
    ) -> None:
        self._db = db
        self._session = session
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._registrar = registrar
        self._profiles = profiles
        self._manifests = catalogue.manifests
        self.credential_types = {
            platform: self._build_credential_type(platform)
            for platform in CONNECT_FORMS_BY_PLATFORM
            if not uses_qr_pairing(platform)
        }
        self.pairing_types = {
            platform: self._build_pairing_type(platform)
            for platform in CONNECT_FORMS_BY_PLATFORM
            if uses_qr_pairing(platform)
        }

    @property
    def types(self) -> Sequence[AnyConnectType]:
        return [*self.credential_types.values(), *self.pairing_types.values()]

    def _build_credential_type(
        self, platform: Platform
    ) -> ConnectOperationType[CredentialConnectRequest, ConnectOperationResult, Account]:
        return ConnectOperationType(
            name=f"connect.{platform}",
            platform=platform,
            request=CredentialConnectRequest,
            response_type=Account,
            call=_verify_credential,
            record=self._record_credential_account,
            after_stored=self._register_webhooks,
            undoable_errors=(CredentialInputError, ConnectedElsewhereError, PlanLimitReached, NotFound),
            summarize_request=lambda request: self._manifests[platform].shown_input(request.form),
            get_object_id=lambda _, operation_result: operation_result.connection.accounts[0].platform_account_id,
            get_account_id=lambda answer: answer.id,
        )

    def _build_pairing_type(
        self, platform: Platform
    ) -> ConnectOperationType[PairingRequest, ConnectOperationResult, Account]:
        return ConnectOperationType(
            name=f"connect.{platform}",
            platform=platform,
            request=PairingRequest,
            response_type=Account,
            call=self._begin_pairing,
            record=self._record_pairing,
            look=self._find_pairing,
            undo=_revoke_session,
            after_stored=self._revoke_replaced_session,
            undoable_errors=(
                CredentialInputError,
                ConnectedElsewhereError,
                AlreadyPairedError,
                PlanLimitReached,
                NotFound,
            ),
            summarize_request=lambda request: self._manifests[platform].shown_input(request.form),
            get_object_id=lambda _, operation_result: operation_result.connection.grant.platform_user_id,
            get_account_id=lambda answer: answer.id,
        )

    async def _begin_pairing(
        self, connector: Connector, place: AccountOwner, request: PairingRequest
    ) -> ConnectOperationResult:
        assert connector.qr_pairing is not None, "only platforms with a pairing come here"
        callback = self._registrar.build_webhook_endpoint(place.platform, request.routing_id, request.webhook)
        try:
            connection = await connector.qr_pairing.begin_pairing(request.form, callback)
        except CredentialRejectedError as rejected:
            raise _build_credential_rejected_error(rejected) from None
        return ConnectOperationResult(
            connection=connection, replaced_credentials=await self._find_replaced_credentials(place, connection)
        )

    async def _find_pairing(
        self, connector: Connector, place: AccountOwner, request: PairingRequest
    ) -> LookupResult[ConnectOperationResult]:
        assert connector.qr_pairing is not None, "only platforms with a pairing come here"
        callback = self._registrar.build_webhook_endpoint(place.platform, request.routing_id, request.webhook)
        try:
            connection = await connector.qr_pairing.find_connection(request.form, callback)
        except CredentialRejectedError as rejected:
            return Inconclusive(rejected.detail)
        if connection is None:
            return NotFoundYet()
        return ConnectOperationResult(
            connection=connection,
            replaced_credentials=await self._find_replaced_credentials(place, connection),
            was_looked_up=True,
        )

    async def _find_replaced_credentials(
        self, place: AccountOwner, connection: ConnectResult
    ) -> AccountCredentials | None:
        """Find the session that this one replaces."""
        (discovered_account,) = connection.accounts
        row = await self._db.read(
            store.find_by_platform_id, place.owner_id, discovered_account.kind, discovered_account.platform_account_id
        )
        if row is None or row.profile_id != place.profile_id:
            return None
        try:
            credentials = await self._session.get_credentials(row)
        except PlatformFailure:
            return None
        return None if credentials.grant.platform_user_id == connection.grant.platform_user_id else credentials

    async def _record_credential_account(
        self, tx: Tx, place: AccountOwner, request: CredentialConnectRequest, operation_result: ConnectOperationResult
    ) -> Account:
        del request
        return await self._attach_account(tx, place, operation_result.connection, "connected")

    async def _record_pairing(
        self, tx: Tx, place: AccountOwner, request: PairingRequest, operation_result: ConnectOperationResult
    ) -> Account:
        connection = operation_result.connection
        if operation_result.was_looked_up:
            await self._require_no_newer_pairing(tx, place, connection, request.asked_at)
        (discovered_account,) = connection.accounts
        secret = connection.webhook_secret
        webhook = (
            request.webhook if secret is None else msgspec.structs.replace(request.webhook, platform_secrets=(secret,))
        )
        answer = await self._attach_account(tx, place, connection, "connecting")
        inbound_key = discovered_account.inbound_key or discovered_account.platform_account_id
        await self._registrar.save_accepted(tx, place.platform, inbound_key, request.routing_id, webhook)
        return answer

    async def _require_no_newer_pairing(
        self, tx: Tx, place: AccountOwner, connection: ConnectResult, asked_at: datetime
    ) -> None:
        """Do not let a session that was found later replace one that a newer request has paired."""
        (discovered_account,) = connection.accounts
        live = await store.find_by_platform_id_for_change(
            tx, place.owner_id, discovered_account.kind, discovered_account.platform_account_id
        )
        if live is None or live.grant_id is None:
            return
        grant = await grants.find_grant(tx, place.owner_id, live.grant_id)
        if grant is not None and grant.subject != connection.grant.platform_user_id and grant.created_at > asked_at:
            raise AlreadyPairedError("Another request has paired this number in the meantime. GET /accounts lists it.")

    async def _attach_account(self, tx: Tx, place: AccountOwner, connection: ConnectResult, status: str) -> Account:
        """Connect the one account that a credential gives access to."""
        # It may have been deleted while the platform was called.
        if await self._profiles.find_unknown_ids(tx, place.owner_id, [place.profile_id]):
            raise NotFound("The profile was deleted in the meantime. GET /profiles lists the existing ones.")
        connector = self._session.get_connector(place.platform)
        grant_id = await self._lifecycle.save_grant(
            tx, place, connection.grant, supports_refresh=connector.token_refresher is not None
        )
        (discovered_account,) = connection.accounts
        row = await self._lifecycle.attach_account(tx, place, grant_id, discovered_account, status=status)
        await self._registrar.schedule_registration(tx, row)
        shown = await store.find_listed_account(tx, place.owner_id, row.id)
        assert shown is not None, "it was written in this very transaction"
        return self._accounts.build_view(shown)

    async def _register_webhooks(
        self, place: AccountOwner, operation_result: ConnectOperationResult, answer: Account
    ) -> None:
        """Register the webhooks with the platform. If this process dies first, a background worker does it."""
        del operation_result
        row = await self._db.read(store.find_account, place.owner_id, answer.id)
        if row is not None:
            await self._registrar.register(row)

    async def _revoke_replaced_session(
        self, place: AccountOwner, operation_result: ConnectOperationResult, answer: Account
    ) -> None:
        """End a session that nobody will use: it would count against the customer's plan."""
        del answer
        revoking = self._session.get_connector(place.platform).grant_revoker
        if operation_result.replaced_credentials is None or revoking is None:
            return
        try:
            await revoking.revoke(operation_result.replaced_credentials, is_last_account=True)
        except PlatformFailure as failure:
            log.warning("session_left_behind", platform=place.platform, code=failure.code, detail=failure.detail)


async def _verify_credential(
    connector: Connector, place: AccountOwner, request: CredentialConnectRequest
) -> ConnectOperationResult:
    del place
    assert connector.credential_login is not None, "only platforms with a credential come here"
    try:
        return ConnectOperationResult(connection=await connector.credential_login.verify(request.form))
    except CredentialRejectedError as rejected:
        raise _build_credential_rejected_error(rejected) from None


async def _revoke_session(connector: Connector, operation_result: ConnectOperationResult) -> None:
    (discovered_account,) = operation_result.connection.accounts
    credentials = AccountCredentials(
        kind=discovered_account.kind,
        platform_account_id=discovered_account.platform_account_id,
        grant=operation_result.connection.grant,
        secret=discovered_account.secret,
        details=discovered_account.details,
    )
    if connector.grant_revoker is not None:
        await connector.grant_revoker.revoke(credentials, is_last_account=True)


def _build_credential_rejected_error(rejected: CredentialRejectedError) -> CredentialInputError:
    fault = Fault(f"/{rejected.field}", "credential_rejected", rejected.detail)
    return CredentialInputError(rejected.detail, errors=[fault])
