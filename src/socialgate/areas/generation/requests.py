"""What is stored of a reply that an automation needs, until it is written."""

import msgspec

from socialgate.contracts.platforms import Kind


class ReplyRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`text` is what somebody wrote. It is forgotten as soon as the reply is written."""

    instructions: str
    tone: str | None
    limit: int
    kind: Kind | None
    text: str | None
