"""The people of the sandbox on Threads, one profile each."""

from socialgate.sandbox.kit import OWNERS, World
from socialgate.sandbox.vendors.threads.state import Profile, Webhook
from socialgate.sandbox.vendors.threads.webhooks import DASHBOARD

ADA, BRAM, CLEO = "24178906543210101", "24178906543210202", "24178906543210303"
_USERNAMES = {ADA: "lindqvist.bakery", BRAM: "okafor.media", CLEO: "cleo.marchetti"}
_BIOGRAPHIES = {ADA: "Buns before noon.", BRAM: "We post so that you can work.", CLEO: ""}
_FOLLOWERS = {ADA: 3120, BRAM: 640, CLEO: 3}


def seed(world: World) -> None:
    if world.store.get(Profile, ADA) is not None:
        return
    for key, person in zip((ADA, BRAM, CLEO), OWNERS, strict=True):
        world.store.put(
            Profile(
                id=key,
                username=_USERNAMES[key],
                name=person.name,
                biography=_BIOGRAPHIES[key],
                is_verified=key == ADA,
                followers_count=_FOLLOWERS[key],
                about=person.about,
            )
        )
    app = world.app
    world.store.put(Webhook(id=DASHBOARD, callback_url=app.webhook_url, verify_token=app.verify_token))
