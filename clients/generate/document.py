"""The OpenAPI document of this version, without a running service."""

from base64 import b64encode
from typing import Any

import msgspec

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.core.clock import SystemClock
from socialgate.core.encryption import KEY_BYTES
from socialgate.core.settings import Settings
from socialgate.entry.deployment import Deployment

# Any fixed URL will do: what is written must be the same on every machine.
_ADDRESS = "https://gate.example.com"
# With a key given, none is created in the data directory.
_DUMMY_SECRET_KEY = b64encode(bytes(KEY_BYTES)).decode()


def load_document() -> dict[str, Any]:
    """Assemble the service without starting it, and read its document."""
    deployment = Deployment(Settings(base_url=_ADDRESS, secret_key=_DUMMY_SECRET_KEY), SystemClock())
    # The documents describe an app that exists.
    assert deployment.app is not None
    result: dict[str, Any] = msgspec.json.decode(deployment.container.get(ApiDocuments).openapi)
    return result
