"""Whether platforms are simulated, for pages that say so and link to the sandbox."""

from collections.abc import Callable
from urllib.parse import urlencode

import msgspec

from socialgate.contracts.platforms import Platform

# The page of the console that leads on to what a page of the sandbox is about.
SANDBOX_PATH = "/console/sandbox"


class SandboxInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`url` is where people open it; None if it is off, or only the operator has its password.

    `simulates` says whether it takes the place of a platform: some may have an app of their own.
    """

    is_on: bool
    url: str | None
    receiver_url: str | None
    """Where the sandbox receives deliveries of hooks."""
    simulates: Callable[[Platform], bool]

    def find_page(self, platform: Platform, page: str, **params: str | None) -> str | None:
        """Return the address of a page of the sandbox, such as `feed`; None if there is none for the platform."""
        if self.url is None or not self.simulates(platform):
            return None
        known_params = {name: value for name, value in params.items() if value is not None}
        return f"{self.url}/_control/{page}?{urlencode({'platform': platform.value, **known_params})}"
