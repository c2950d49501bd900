"""Whether platforms are simulated, for pages that say so and link to the sandbox."""

import msgspec


class SandboxInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`url` is where people open it; None if it is off, or only the operator has its password."""

    is_on: bool
    url: str | None
