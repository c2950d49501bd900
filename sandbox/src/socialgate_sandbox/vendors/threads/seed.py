"""The people of the sandbox on Threads, one profile each."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.threads.stored_objects import Profile, Webhook
from socialgate_sandbox.vendors.threads.webhooks import WEBHOOK_ID

ADA, BRAM, CLEO = "24178906543210101", "24178906543210202", "24178906543210303"
_USERNAMES = {ADA: "lindqvist.bakery", BRAM: "okafor.media", CLEO: "cleo.marchetti"}
_BIOGRAPHIES = {ADA: "Buns before noon.", BRAM: "We post so that you can work.", CLEO: ""}
_FOLLOWER_COUNTS = {ADA: 3120, BRAM: 640, CLEO: 3}


@build_seed
def seed(context: VendorContext) -> Iterator[StoredObject]:
    for key, person in zip((ADA, BRAM, CLEO), OWNERS, strict=True):
        yield Profile(
            id=key,
            username=_USERNAMES[key],
            name=person.name,
            biography=_BIOGRAPHIES[key],
            is_verified=key == ADA,
            followers_count=_FOLLOWER_COUNTS[key],
            about=person.about,
        )
    yield Webhook(id=WEBHOOK_ID, callback_url=context.app.webhook_url, verify_token=context.app.verify_token)
