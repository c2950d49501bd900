"""The real service on a real socket, in a thread of the test process so that tests can hand it a clock."""

import asyncio
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx
import msgspec
import sqlalchemy as sa
import uvloop
from argon2 import PasswordHasher

from socialgate.areas.identity.schemas import Registration, SessionOpened
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.profiles.store import profiles
from socialgate.core.db import TransactionFunction, Tx
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings
from socialgate.core.statements import CompiledStatement
from socialgate.core.wakeups import ALL_KEYS
from socialgate.entry.api_server import ApiServer, build_server, open_socket
from socialgate.entry.deployment import AREAS, Deployment
from socialgate.entry.platforms import SandboxConnection
from socialgate.entry.sandbox import run_embedded_sandbox
from socialgate.entry.sandbox_keys import SANDBOX_KEY_FILE_NAME as SANDBOX_KEY_FILE
from socialgate.entry.sandbox_keys import derive_sandbox_keys
from socialgate.web.area import Area
from socialgate.web.connections import DEFAULT_CONNECTION_LIMITS, ConnectionLimits
from support.operation_area import COUNTING
from support.templates import copy_sqlite
from support.watchdog import watched_loop

PASSWORD = "a long enough password"
# The sandboxes of all test services have the same secrets, so that tests can sign as platforms do.
_SANDBOX_KEY = bytes(range(32))
SANDBOX_KEYS = derive_sandbox_keys(_SANDBOX_KEY)
# The statements that services of this process have compiled, by the name of the dialect.
_COMPILED: dict[str, dict[Any, CompiledStatement]] = {}
# The services that run now in this process.
RUNNING: "list[RunningService]" = []


class MovableClock:
    """The system's time, moved by as much as a test says, and stopped if it says so."""

    def __init__(self) -> None:
        # Whether many tests use the service: what one of them did to its time, the others would meet.
        self.is_shared = False
        self._ahead = timedelta()
        self._stopped_at: datetime | None = None

    @property
    def offset(self) -> timedelta:
        return self._ahead

    @offset.setter
    def offset(self, moved: timedelta) -> None:
        assert not self.is_shared, "other tests use this service too: start one with `start_service` to move its clock"
        self._ahead = moved

    def stop(self) -> None:
        """Let time pass only through `offset` from now on."""
        assert not self.is_shared, "other tests use this service too: start one with `start_service` to stop its clock"
        self._stopped_at = datetime.now(UTC)

    def now(self) -> datetime:
        return (self._stopped_at or datetime.now(UTC)) + self._ahead


class RunningService:
    """A started service: its address, its database, and new owners on demand."""

    def __init__(
        self,
        service: Deployment,
        clock: MovableClock,
        loop: asyncio.AbstractEventLoop,
        simulated: SandboxConnection | None,
    ) -> None:
        self.service = service
        self._simulated = simulated
        self.settings = service.settings
        self.clock = clock
        self.url = service.settings.public_url
        # Where it really listens, also when it is known to others under another address.
        self.address = f"http://127.0.0.1:{service.settings.port}"
        self._loop = loop
        self.transport = httpx.HTTPTransport(limits=httpx.Limits(max_connections=200))
        # The ids of all owners that tests have made here.
        self.owners: list[str] = []

    @property
    def sandbox(self) -> SandboxConnection:
        """The simulated platforms of this service."""
        assert self._simulated is not None, "this service runs on real platforms"
        return self._simulated

    def client(self, token: str | None = None, **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=120, transport=self.transport, **options)

    def read(self, unit: TransactionFunction[..., Any], *args: Any) -> Any:
        """Look into the service's database, on its own loop."""
        return self.run(self.service.db.read(unit, *args))

    def write(self, unit: TransactionFunction[..., Any], *args: Any) -> Any:
        return self.run(self.service.db.write(unit, *args))

    def run(self, job: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(job, self._loop).result(60)

    def advance_time(self, time: timedelta) -> None:
        """Let time pass, and wake whoever sleeps until then."""
        self.clock.offset += time
        self.run(self._wake_everyone())

    async def _wake_everyone(self) -> None:
        self.service.db.wakeups.publish({ALL_KEYS})

    def new_owner(self) -> "OwnerFixture":
        return OwnerFixture(self)


def _share_compiled_statements(service: Deployment) -> None:
    """Compile each statement once for all services of this process: that is most of what a new one does at first."""
    statements = service.db._statements
    statements._compiled_by_key = _COMPILED.setdefault(statements.dialect.name, statements._compiled_by_key)


@cache
def _password_hash() -> str:
    """Hash the password of all owners once: it takes longer than most tests."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


async def _registered(tx: Tx, identity: IdentityService, email: str) -> tuple[SessionOpened, str]:
    """Do what `POST /auth/register` does, and give the first profile as well."""
    user = await identity.add_owner(tx, Registration(email=email, password=PASSWORD), _password_hash())
    opened = await identity.open_session(tx, user)
    return opened, await tx.scalar(sa.select(profiles.c.id).where(profiles.c.owner_id == user.owner_id))


class OwnerFixture:
    """A new owner with a signed-in user, a first profile, and API keys on demand."""

    def __init__(self, running: RunningService) -> None:
        self.running = running
        self.email = f"{uuid4().hex}@example.com"
        self.profile_id: str
        opened, self.profile_id = running.write(_registered, running.service.container.get(IdentityService), self.email)
        self.opened: dict[str, Any] = msgspec.to_builtins(opened)
        self.id: str = opened.owner.id
        running.owners.append(self.id)
        self.session_token: str = opened.token
        self.session = running.client(self.session_token)
        # What `support.factories` made for this owner, by the name it has in paths.
        self.things: dict[str, str] = {}
        # What platforms take from this owner in bodies, by the address that it is sent to.
        self.known: dict[str, dict[str, Any]] = {}

    def key(self, **fields: Any) -> httpx.Client:
        """Make an API key and give a client that uses it."""
        return self.running.client(self.key_value(**fields))

    def key_value(self, **fields: Any) -> str:
        response = self.session.post("/api-keys", json={"name": "test", "scope": "all", **fields})
        assert response.status_code == 201, response.text
        return str(response.json()["key"])

    def limited_key(self, *profile_ids: str, **fields: Any) -> httpx.Client:
        return self.key(scope="profiles", profileIds=list(profile_ids), **fields)

    def new_profile(self, name: str = "Another") -> str:
        response = self.session.post("/profiles", json={"name": name})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])


# Starts a service of one's own with these settings, on a database of its own.
StartService = Callable[..., AbstractContextManager[RunningService]]


class Host:
    """Runs the server's loop in a thread."""

    def __init__(
        self, settings: Settings, limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS, areas: Sequence[Area] = AREAS
    ) -> None:
        self._socket, self._settings = open_socket(settings)
        self._limits = limits
        self._areas = areas
        self._clock = MovableClock()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.running: RunningService | None = None
        self._server: ApiServer | None = None
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(60)
        if self._failure is not None:
            raise self._failure
        assert self.running is not None, "the service did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        assert self.running is not None
        self.running.transport.close()
        self._server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive(), "the service did not stop"
        self._socket.close()

    def _run(self) -> None:
        try:
            uvloop.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - it is handed to the test's own thread
            self._failure = error
            self._ready.set()

    async def _serve(self) -> None:
        async with AsyncExitStack() as stack:
            simulated = None
            if self._settings.simulates_platforms:
                simulated = await stack.enter_async_context(run_embedded_sandbox(self._settings, self._limits))
            service = Deployment(self._settings, self._clock, simulated, self._areas)
            _share_compiled_statements(service)
            await migrate(service.db)
            self.running = RunningService(service, self._clock, asyncio.get_running_loop(), simulated)
            self._server = build_server(service, self._ready.set, self._limits)
            stack.enter_context(watched_loop())
            # Signals belong to pytest's main thread.
            await self._server._serve(sockets=[self._socket])


@contextmanager
def running_service(
    data_dir: Path,
    database_url: str | None = None,
    limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
    areas: Sequence[Area] = (),
    **fields: Any,
) -> Iterator[RunningService]:
    """Start a service with these settings on any free port, with the areas of tests beside its own."""
    defaults: dict[str, Any] = {
        "rate_limit": 0,
        "login_limit": 0,
        "connect_page_limit": 0,
        "worker": "embedded",
        "sandbox": True,
        "sandbox_port": 0,
        "stop_seconds": 5,
    }
    settings = Settings(data_dir=data_dir, database_url=database_url, port=0, **{**defaults, **fields})
    data_dir.mkdir(parents=True, exist_ok=True)
    (data_dir / SANDBOX_KEY_FILE).write_bytes(b64encode(_SANDBOX_KEY))
    if database_url is None:
        copy_sqlite(settings.sqlite_path)
    with Host(settings, limits, (*AREAS, COUNTING, *areas)) as host:
        assert host.running is not None
        RUNNING.append(host.running)
        try:
            yield host.running
        finally:
            RUNNING.remove(host.running)
