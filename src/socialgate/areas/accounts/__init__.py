"""Accounts on platforms: connecting, reading, health checks, token renewal, and disconnecting."""

from collections.abc import Sequence

from socialgate.areas.accounts.connect import Connect
from socialgate.areas.accounts.connecting import Connections
from socialgate.areas.accounts.facts import AccountFacts
from socialgate.areas.accounts.jobs import AccountMaintenance
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.platform_routes import routes as platform_routes
from socialgate.areas.accounts.routes import routes
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.store import purge_states
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.accounts.vault import Vault
from socialgate.contracts.inbound import AccessLost, AccessRestored, HealthChanged
from socialgate.contracts.operations import AnyConnectType
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Database
from socialgate.core.facts import FactListener
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _registrar(db: Database, session: AccountSession, vault: Vault, settings: Settings) -> Subscriber:
    return Subscriber(db, session, vault, settings.public_url)


def _connect(
    db: Database,
    session: AccountSession,
    lifecycle: AccountLifecycle,
    vault: Vault,
    registrar: Subscriber,
    profiles: ProfileBook,
    settings: Settings,
) -> Connect:
    return Connect(
        db=db,
        session=session,
        lifecycle=lifecycle,
        vault=vault,
        registrar=registrar,
        profiles=profiles,
        public_url=settings.public_url,
        redirects=[part.strip() for part in settings.connect_redirects.split(",") if part.strip()],
        # Then anybody who can start connecting can also run a server there.
        allows_loopback=settings.for_this_machine,
    )


def _listens(facts: AccountFacts) -> Sequence[FactListener]:
    return [
        AccessLost.heard_by(facts.lost),
        AccessRestored.heard_by(facts.restored),
        HealthChanged.heard_by(facts.changed),
    ]


def _connects(connections: Connections) -> Sequence[AnyConnectType]:
    return connections.types


AREA = Area(
    routes=[*routes, *platform_routes],
    services={Subscriber: _registrar, Connect: _connect},
    workers=[AccountMaintenance],
    connects=_connects,
    listens=_listens,
    purges={"connect_states": purge_states},
)
