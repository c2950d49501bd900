"""What `socialgate doctor --through URL` checks: a node, or all of them behind a proxy, as clients reach them.

The requests are made with the standard library: to see what a proxy does with a request, it has to be sent in parts.
The operator names the URL, so no policy for addresses applies.
"""

import asyncio
import secrets
import ssl
from collections.abc import Callable
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_network
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import sqlalchemy as sa

from socialgate import __version__
from socialgate.areas.identity.service import normalize_email
from socialgate.core.clock import Clock
from socialgate.core.db import Database, Tx
from socialgate.core.settings import Settings
from socialgate.entry.customer_egress import parse_networks
from socialgate.entry.doctor_report import CheckFailed, DoctorReport
from socialgate.web.rate_limits import rate_windows

T = TypeVar("T")

_TIMEOUT_SECONDS = 10.0
# A file that the service accepts. Only its size is sent, and a few bytes of it.
_UPLOAD_BYTES = 5 * 1024**3
_FIRST_BYTES = b"x" * 16
# Enough to get to each of a few nodes with a proxy that takes turns.
_REQUESTS_FOR_ALL_NODES = 8
_STATUS_TOO_LARGE = 413
_STATUS_UNAUTHORIZED = 401
_STATUS_OK = 200
_PROBLEM_PATH = "/docs/errors/"
_PROXIES_GUIDE = "docs/deployment.md#tls-and-proxies"


class OutsideProbe(msgspec.Struct, frozen=True, kw_only=True):
    """Where to send requests, and what is expected of the service there."""

    url: str
    settings: Settings
    clock: Clock
    api_key: str | None

    def connect(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        if parts.scheme == "https":
            context = ssl.create_default_context()
            return HTTPSConnection(parts.netloc, timeout=_TIMEOUT_SECONDS, context=context)
        return HTTPConnection(parts.netloc, timeout=_TIMEOUT_SECONDS)

    def build_path(self, path: str) -> str:
        return urlsplit(self.url).path.rstrip("/") + path

    def request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request on a connection of its own, and read all of the response."""
        return self._with_connection(lambda connection: self._request(connection, method, path, body))

    def announce_upload(self) -> tuple[int, bytes]:
        """Begin to send a large file without a credential. The service refuses it before it has arrived."""
        return self._with_connection(self._announce_upload)

    def read_first_event(self) -> tuple[int, bytes]:
        """Open the stream of events, which begins with a line at once, and read that line."""
        return self._with_connection(self._read_first_event)

    def find_own_address(self) -> str:
        """Return the address of this machine in the connection to the service or its proxy."""
        return str(self._with_connection(lambda connection: connection.sock.getsockname()[0]))

    def _with_connection(self, job: Callable[[HTTPConnection], T]) -> T:
        connection = self.connect()
        try:
            connection.connect()
            return job(connection)
        except (OSError, HTTPException) as error:
            raise CheckFailed(_describe_connection_error(self.url, error)) from error
        finally:
            connection.close()

    def _request(self, connection: HTTPConnection, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, self.build_path(path), body=body, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()

    def _announce_upload(self, connection: HTTPConnection) -> tuple[int, bytes]:
        connection.putrequest("POST", self.build_path("/upload"))
        connection.putheader("Content-Type", "multipart/form-data; boundary=doctor")
        connection.putheader("Content-Length", str(_UPLOAD_BYTES))
        connection.endheaders(_FIRST_BYTES)
        try:
            response = connection.getresponse()
        except TimeoutError as error:
            raise CheckFailed(
                "the proxy keeps uploads until they have arrived completely. Turn that off, in nginx with: "
                f"proxy_request_buffering off ({_PROXIES_GUIDE})."
            ) from error
        return response.status, response.read()

    def _read_first_event(self, connection: HTTPConnection) -> tuple[int, bytes]:
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {self.api_key}"}
        connection.request("GET", self.build_path("/events/stream"), headers=headers)
        try:
            response: HTTPResponse = connection.getresponse()
            return response.status, response.readline()
        except TimeoutError as error:
            raise CheckFailed(
                "the proxy keeps the stream of events back. Turn the buffering of responses off, in nginx with: "
                f"proxy_buffering off ({_PROXIES_GUIDE})."
            ) from error


def _describe_connection_error(url: str, error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of {url} is not valid: {error.verify_message}. Renew it, or serve its whole chain."
    if isinstance(error, ssl.SSLError):
        return (
            f"{url} does not speak TLS as clients do ({error.reason}). Correct the certificate and port of the proxy."
        )
    if isinstance(error, TimeoutError):
        return f"{url} did not respond within {_TIMEOUT_SECONDS:g} s. Check the name, the firewall and the proxy."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return f"{url} cannot be reached ({reason}). Check the name in DNS, the firewall and that the proxy is running."


async def check_outside(settings: Settings, clock: Clock, url: str, api_key: str | None, report: DoctorReport) -> None:
    """Run all checks of one URL. If it cannot be reached, that is all there is to say."""
    probe = OutsideProbe(url=url.rstrip("/"), settings=settings, clock=clock, api_key=api_key)
    if not await report.run(f"through {probe.url}", asyncio.to_thread(_check_service, probe)):
        return
    await report.run("  public URL", asyncio.to_thread(_check_public_url, probe))
    await report.run("  uploads", asyncio.to_thread(_check_uploads, probe))
    await report.run("  streaming", asyncio.to_thread(_check_streaming, probe))
    await report.run("  client addresses", _check_client_addresses(probe))


def _check_service(probe: OutsideProbe) -> str:
    status, body = probe.request("GET", "/health")
    health = _decode(body)
    if "checks" not in health and _PROBLEM_PATH not in str(health.get("type")):
        raise CheckFailed(
            f"something else than Socialgate answers with status {status}. Let the proxy pass requests on to the API."
        )
    if status != _STATUS_OK:
        raise CheckFailed(f"it answers with status {status}: {health.get('detail')}")
    if health["version"] != __version__:
        raise CheckFailed(
            f"it runs version {health['version']}, and this is {__version__}. Finish the upgrade of all nodes."
        )
    return f"Socialgate {__version__} answers" + (" with a valid certificate" if probe.url.startswith("https") else "")


def _check_public_url(probe: OutsideProbe) -> str:
    """Errors contain the public URL of the node that answers. Each request may get to another one."""
    seen = set()
    for _ in range(_REQUESTS_FOR_ALL_NODES):
        _, body = probe.request("GET", "/auth/me")
        seen.add(str(_decode(body).get("type")).partition(_PROBLEM_PATH)[0])
    others = seen - {probe.settings.public_url}
    if others:
        raise CheckFailed(
            f"a node has the public URL {min(others)}, and this one {probe.settings.public_url}. Set the same "
            "SOCIALGATE_BASE_URL on all nodes."
        )
    return f"{probe.settings.public_url} in {_REQUESTS_FOR_ALL_NODES} requests"


def _check_uploads(probe: OutsideProbe) -> str:
    status, body = probe.announce_upload()
    if _PROBLEM_PATH in str(_decode(body).get("type")):
        return "files of 5 GiB are passed on as they arrive"
    if status == _STATUS_TOO_LARGE:
        raise CheckFailed(
            "the proxy limits the size of requests. Remove its limit, in nginx with: client_max_body_size 0 "
            f"({_PROXIES_GUIDE})."
        )
    raise CheckFailed(
        f"the proxy answers an upload itself, with status {status}. Let it pass on requests of any size "
        f"({_PROXIES_GUIDE})."
    )


def _check_streaming(probe: OutsideProbe) -> str:
    if probe.api_key is None:
        return "not checked. Set SOCIALGATE_API_KEY to the key of an owner to check it"
    status, line = probe.read_first_event()
    if status == _STATUS_UNAUTHORIZED:
        raise CheckFailed("the API key is not accepted. Set SOCIALGATE_API_KEY to a key of this service.")
    if status != _STATUS_OK or not line:
        raise CheckFailed(f"/events/stream answers with status {status}. Let the proxy pass it on ({_PROXIES_GUIDE}).")
    return "events are passed on as they are written"


async def _check_client_addresses(probe: OutsideProbe) -> str:
    """Sign in with a name that nobody has. The attempt is counted for the address that the service sees."""
    if not probe.settings.login_limit:
        return "not checked, because SOCIALGATE_LOGIN_LIMIT is 0"
    email = f"{secrets.token_hex(8)}@doctor.invalid"
    db = Database(probe.settings.effective_database_url, probe.clock, pool_size=2)
    try:
        before = await db.read(_count_attempts)
        body = msgspec.json.encode({"email": email, "password": secrets.token_hex(16)})
        await asyncio.to_thread(probe.request, "POST", "/auth/login", body)
        after = await db.read(_count_attempts)
        is_counted = await db.read(_is_attempt_counted, email)
    finally:
        await db.close()
    counted = {subject for subject, used in after.items() if used > before.get(subject, 0)}
    if not is_counted or not counted:
        raise CheckFailed(
            f"{probe.url} uses another database. Set the same SOCIALGATE_DATABASE_URL on all nodes, and let the proxy "
            "pass requests on to them."
        )
    return _judge_addresses(probe, counted, await asyncio.to_thread(probe.find_own_address))


def _judge_addresses(probe: OutsideProbe, counted: set[str], own: str) -> str:
    """Others may sign in at the same time, so one address that fits is enough."""
    if any(own == subject.partition("/")[0] for subject in counted):
        return f"the service sees {own}, which is this machine"
    seen = min(counted)
    trusted = parse_networks("TRUSTED_PROXIES", probe.settings.trusted_proxies.replace("*", "0.0.0.0/0,::/0"))
    if not trusted.networks:
        raise CheckFailed(
            f"the service sees {seen} instead of this machine ({own}), so all clients may share the limits of one. If "
            "that is the proxy, list it in SOCIALGATE_TRUSTED_PROXIES."
        )
    if probe.settings.trusted_proxies != "*" and ip_network(seen).network_address in trusted:
        raise CheckFailed(
            f"the service sees the proxy ({seen}) instead of this machine ({own}). Let the proxy set X-Forwarded-For "
            f"to the address of the client ({_PROXIES_GUIDE})."
        )
    return f"the service sees {seen}. This machine is {own}; check that another one translates its address"


async def _count_attempts(tx: Tx) -> dict[str, int]:
    rows = await tx.all(
        sa.select(rate_windows.c.subject, sa.func.sum(rate_windows.c.used).label("used"))
        .where(rate_windows.c.policy == "login-address")
        .group_by(rate_windows.c.subject)
    )
    return {str(row.subject): int(row.used) for row in rows}


async def _is_attempt_counted(tx: Tx, email: str) -> bool:
    subject = sha256(normalize_email(email).encode()).hexdigest()
    counted = sa.select(rate_windows.c.used).where(
        rate_windows.c.policy == "login-email", rate_windows.c.subject == subject
    )
    return await tx.first(counted) is not None


def _decode(body: bytes) -> dict[str, Any]:
    """Read a JSON object. Whatever else a proxy answers counts as an empty one."""
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}
