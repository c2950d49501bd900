"""Ada has a subscription and nothing else, Bram two numbers, one of them linked; Cleo's subscription has ended."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.wasender.state import Customer, Session

# The prefix that tokens once had in every data directory: those are publicly known.
_PUBLISHED = "sandbox-wasender-token"
LINKED = "51"
UNLINKED = "52"
LINKED_KEY = "5a" * 32
UNLINKED_KEY = "5b" * 32


def tokens_of(secret: str) -> dict[str, str]:
    """Return the personal access tokens: Ada's is the one that the product uses, the others are derived from it."""
    return {person.key: secret if person.key == "ada" else f"{secret}-{person.key}" for person in OWNERS}


def seed(world: World) -> None:
    tokens = tokens_of(world.app.secret)
    for known in world.store.find(Customer):
        if known.token.startswith(_PUBLISHED):
            known.token = tokens[known.id]
            world.store.put(known)
    _first(world)


@seeded
def _first(world: World) -> Iterator[Thing]:
    tokens, now = tokens_of(world.app.secret), world.clock.now()
    for person in OWNERS:
        yield Customer(id=person.key, name=person.name, token=tokens[person.key], active=person.key != "cleo")
    yield Session(
        id=LINKED,
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
        id=UNLINKED,
        parent="bram",
        name="Agency spare",
        phone_number="+15550100052",
        api_key=UNLINKED_KEY,
        webhook_secret="5d" * 16,
        created=now,
        updated=now,
    )
