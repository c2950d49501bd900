"""The people of the sandbox on Threads, one profile each."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.threads.state import Profile, Webhook
from socialgate_sandbox.vendors.threads.webhooks import DASHBOARD

ADA, BRAM, CLEO = "24178906543210101", "24178906543210202", "24178906543210303"
_USERNAMES = {ADA: "lindqvist.bakery", BRAM: "okafor.media", CLEO: "cleo.marchetti"}
_BIOGRAPHIES = {ADA: "Buns before noon.", BRAM: "We post so that you can work.", CLEO: ""}
_FOLLOWERS = {ADA: 3120, BRAM: 640, CLEO: 3}


@seeded
def seed(world: World) -> Iterator[Thing]:
    for key, person in zip((ADA, BRAM, CLEO), OWNERS, strict=True):
        yield Profile(
            id=key,
            username=_USERNAMES[key],
            name=person.name,
            biography=_BIOGRAPHIES[key],
            is_verified=key == ADA,
            followers_count=_FOLLOWERS[key],
            about=person.about,
        )
    yield Webhook(id=DASHBOARD, callback_url=world.app.webhook_url, verify_token=world.app.verify_token)
