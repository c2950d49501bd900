"""The settings that the sandbox is started with."""

from collections.abc import Mapping
from pathlib import Path

import msgspec


class AppRegistration(msgspec.Struct, frozen=True, kw_only=True):
    """The product as it is registered with a vendor. Empty addresses default to those of the gateway."""

    id: str
    secret: str
    name: str = "Socialgate"
    verify_token: str = "sandbox-verify-token"
    webhook_url: str = ""
    redirect_urls: tuple[str, ...] = ()
    more: Mapping[str, str] = {}


class ControlCredentials(msgspec.Struct, frozen=True):
    """Who may control the sandbox and see its data."""

    user: str
    password: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True):
    data_dir: Path
    port: int = 8790
    receiver_port: int = 8791
    host: str = "127.0.0.1"
    # Where others reach the sandbox, and where the product runs.
    base_url: str = ""
    gateway_url: str = "http://127.0.0.1:8080"
    # Where the product shows what a page here is about: the query names the platform, the account and the page, and the
    # URL of a post. Empty if it has no such page.
    console_url: str = ""
    # Names the deployment at the gateway URL. Empty if the sandbox runs on its own: deployments announce themselves.
    deployment: str = ""
    # None: everybody on this machine may control it.
    control_credentials: ControlCredentials | None = None
    # By vendor. A vendor without an entry uses the app that its package provides.
    apps: Mapping[str, AppRegistration] = {}

    @property
    def public_url(self) -> str:
        return self.base_url.rstrip("/") or f"http://{self.host}:{self.port}"
