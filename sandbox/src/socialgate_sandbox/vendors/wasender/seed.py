"""Ada has a subscription and nothing else, Bram two numbers, one of them linked; Cleo's subscription has ended."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.wasender.state import Customer, Session

# The prefix that tokens once had in every data directory: those are publicly known.
_PUBLIC_TOKEN_PREFIX = "sandbox-wasender-token"
LINKED_SESSION = "51"
UNLINKED_SESSION = "52"
LINKED_KEY = "5a" * 32
UNLINKED_KEY = "5b" * 32


def derive_tokens(secret: str) -> dict[str, str]:
    """Return the personal access tokens: Ada's is the one that the product uses, the others are derived from it."""
    return {person.key: secret if person.key == "ada" else f"{secret}-{person.key}" for person in OWNERS}


def seed(context: VendorContext) -> None:
    tokens = derive_tokens(context.app.secret)
    for known in context.store.find(Customer):
        if known.token.startswith(_PUBLIC_TOKEN_PREFIX):
            known.token = tokens[known.id]
            context.store.put(known)
    _seed_first_objects(context)


@build_seed
def _seed_first_objects(context: VendorContext) -> Iterator[StoredObject]:
    tokens, now = derive_tokens(context.app.secret), context.clock.now()
    for person in OWNERS:
        yield Customer(id=person.key, name=person.name, token=tokens[person.key], active=person.key != "cleo")
    yield Session(
        id=LINKED_SESSION,
        parent="bram",
        name="Agency desk",
        phone_number="+15550100051",
        status="connected",
        account_protection=False,
        api_key=LINKED_KEY,
        webhook_secret="5c" * 16,
        created=now,
        updated=now,
        last_active=now,
    )
    yield Session(
        id=UNLINKED_SESSION,
        parent="bram",
        name="Agency spare",
        phone_number="+15550100052",
        api_key=UNLINKED_KEY,
        webhook_secret="5d" * 16,
        created=now,
        updated=now,
    )
