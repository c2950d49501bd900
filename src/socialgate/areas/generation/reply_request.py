"""What is stored about a reply for an automation until the reply is generated."""

import msgspec

from socialgate.contracts.platforms import Kind


class ReplyRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`text` is what the person wrote. It is deleted as soon as the reply is generated."""

    instructions: str
    tone: str | None
    limit: int
    kind: Kind | None
    text: str | None
