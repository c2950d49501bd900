"""Accounts on platforms: connecting, reading, health checks, token renewal, and disconnecting."""

from collections.abc import Sequence

from socialgate.areas.accounts.connect_operations import ConnectOperations
from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.facts import AccountFactHandlers
from socialgate.areas.accounts.jobs import AccountMaintenance
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.platform_routes import routes as platform_routes
from socialgate.areas.accounts.redirect_connect import RedirectConnectService
from socialgate.areas.accounts.routes import routes
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.store import purge_connect_states
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.contracts.connect_links import LinkUses
from socialgate.contracts.operations import AnyConnectType
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.webhooks import AccessLost, AccessRestored, HealthChanged
from socialgate.core.db import Database
from socialgate.core.facts import FactListener
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _build_registrar(
    db: Database, session: AccountSession, vault: CredentialCipher, settings: Settings
) -> WebhookRegistrar:
    return WebhookRegistrar(db, session, vault, settings.public_url)


def _build_redirect_connect_service(
    db: Database,
    session: AccountSession,
    lifecycle: AccountLifecycle,
    vault: CredentialCipher,
    registrar: WebhookRegistrar,
    profiles: ProfileDirectory,
    links: LinkUses,
    settings: Settings,
) -> RedirectConnectService:
    return RedirectConnectService(
        db=db,
        session=session,
        lifecycle=lifecycle,
        vault=vault,
        registrar=registrar,
        profiles=profiles,
        links=links,
        public_url=settings.public_url,
        allowed_redirect_origins=[part.strip() for part in settings.connect_redirects.split(",") if part.strip()],
        # Then anybody who can start connecting can also run a server there.
        allows_loopback=settings.is_local_only,
    )


def _build_listeners(facts: AccountFactHandlers) -> Sequence[FactListener]:
    return [
        AccessLost.build_listener(facts.handle_access_lost),
        AccessRestored.build_listener(facts.handle_access_restored),
        HealthChanged.build_listener(facts.handle_health_changed),
    ]


def _connect_types(connections: ConnectOperations) -> Sequence[AnyConnectType]:
    return connections.types


AREA = Area(
    routes=[*routes, *platform_routes],
    services={WebhookRegistrar: _build_registrar, RedirectConnectService: _build_redirect_connect_service},
    workers=[AccountMaintenance],
    connect_types=_connect_types,
    fact_listeners=_build_listeners,
    purges={"connect_states": purge_connect_states},
)
