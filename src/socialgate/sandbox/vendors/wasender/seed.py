"""Ada has a subscription and nothing else, Bram two numbers, one of them linked; Cleo's subscription has ended."""

from socialgate.sandbox.kit import OWNERS, World
from socialgate.sandbox.vendors.wasender.state import Customer, Session

TOKENS = {
    "ada": "sandbox-wasender-token",
    "bram": "sandbox-wasender-token-bram",
    "cleo": "sandbox-wasender-token-cleo",
}
LINKED = "51"
UNLINKED = "52"
LINKED_KEY = "5a" * 32
UNLINKED_KEY = "5b" * 32


def seed(world: World) -> None:
    if world.store.get(Customer, "ada") is not None:
        return
    for person in OWNERS:
        world.store.put(
            Customer(id=person.key, name=person.name, token=TOKENS[person.key], active=person.key != "cleo")
        )
    now = world.clock.now()
    world.store.put(
        Session(
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
    )
    world.store.put(
        Session(
            id=UNLINKED,
            parent="bram",
            name="Agency spare",
            phone_number="+15550100052",
            api_key=UNLINKED_KEY,
            webhook_secret="5d" * 16,
            created=now,
            updated=now,
        )
    )
