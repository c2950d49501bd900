"""The secrets between a deployment and its sandbox: random for each data directory, the same for all its processes.

A file in the data directory contains one key, from which all of them are derived: `serve`, `work` and `socialgate
sandbox` in the same folder agree, and a platform that a later version adds needs no new file.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

import msgspec

from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.account_connection import RedactedStruct
from socialgate.contracts.platforms import Platform
from socialgate.core.encryption import read_or_create_keys

SANDBOX_KEY_FILE_NAME = "sandbox.key"
CONTROL_USER = "sandbox"
# Not secrets: they are in every checkout session.
_SANDBOX_PRICE_IDS = {
    "pro_month": "price_sandboxProMonth",
    "pro_year": "price_sandboxProYear",
    "scale_month": "price_sandboxScaleMonth",
    "scale_year": "price_sandboxScaleYear",
}


class StripeKeys(RedactedStruct, frozen=True, kw_only=True):
    """The account that the sandbox has for this deployment at Stripe. `prices` maps `<plan>_<interval>` to ids."""

    secret_key: str
    webhook_secret: str
    prices: Mapping[str, str]


class SandboxKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The apps that the sandbox has registered for this deployment, and the password of its controls."""

    apps: Mapping[Platform, PlatformApp]
    # The same for services that are not platforms. The secret of `openai` is the API key.
    services: Mapping[str, PlatformApp]
    stripe: StripeKeys
    control_password: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


def load_sandbox_keys(data_dir: Path) -> SandboxKeys:
    """Read them, or create them on first use."""
    return derive_sandbox_keys(read_or_create_keys(data_dir / SANDBOX_KEY_FILE_NAME)[0])


def derive_sandbox_keys(key: bytes) -> SandboxKeys:
    verify_token = _derive_secret(key, "verify token")
    return SandboxKeys(
        apps={
            platform: PlatformApp(
                # Not a secret: it is in the URL of every consent page.
                id=f"sandbox-{platform}",
                secret=_derive_secret(key, f"{platform} secret"),
                verify_token=verify_token,
            )
            for platform in Platform
        },
        services={"openai": PlatformApp(id="sandbox-openai", secret=f"sk-proj-{_derive_secret(key, 'openai secret')}")},
        stripe=StripeKeys(
            secret_key=f"sk_test_{_derive_secret(key, 'stripe secret key')}",
            webhook_secret=f"whsec_{_derive_secret(key, 'stripe webhook secret')}",
            prices=_SANDBOX_PRICE_IDS,
        ),
        control_password=_derive_secret(key, "control"),
    )


def _derive_secret(key: bytes, purpose: str) -> str:
    digest = hmac.digest(key, f"socialgate sandbox {purpose}".encode(), "sha256")
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
