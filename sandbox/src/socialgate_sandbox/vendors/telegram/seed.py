"""Ada's bakery bot with its channels, two bots of Bram's agency, a channel of Cleo's that has no bot."""

from collections.abc import Iterator

from socialgate_sandbox.kit import FOLLOWERS, OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.telegram.shapes import CHANNEL_RIGHTS, GROUP_RIGHTS
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, User, Webhook, set_member

BAKERY_BOT = "7100000001"
AGENCY_BOT = "7100000002"
TAKEN_BOT = "7100000003"
BAKERY_TOKEN = f"{BAKERY_BOT}:AAsandbox-ada-bakery-token-00000001"
AGENCY_TOKEN = f"{AGENCY_BOT}:AAsandbox-bram-agency-token-0000002"
TAKEN_TOKEN = f"{TAKEN_BOT}:AAsandbox-bram-taken-token-00000003"
BAKERY_CHANNEL = "-1002000000001"
STAFF_CHANNEL = "-1002000000002"
AGENCY_CHANNEL = "-1002000000003"
CLEO_CHANNEL = "-1002000000004"
REGULARS = "-1002000000005"
OLD_GROUP = "-4000000006"

FULL_RIGHTS = {
    right: right not in {"is_anonymous", "can_promote_members", "can_manage_topics", "can_manage_tags"}
    for right in (*CHANNEL_RIGHTS, *GROUP_RIGHTS)
}
# More than 32 bits, as newer accounts have.
USER_IDS = {person.key: str(5_200_000_001 + place) for place, person in enumerate((*OWNERS, *FOLLOWERS))}


@seeded
def seed(world: World) -> Iterator[Thing]:
    for person in (*OWNERS, *FOLLOWERS):
        first, _, last = person.name.partition(" ")
        yield User(id=USER_IDS[person.key], parent=person.key, first_name=first, last_name=last, username=person.key)
    yield from _bots(world)
    for chat in _CHATS:
        yield chat
        set_member(world, chat.id, USER_IDS[chat.parent], "creator")
    _admit(world)


def _bots(world: World) -> Iterator[Bot]:
    yield Bot(
        id=BAKERY_BOT,
        parent="ada",
        secret=BAKERY_TOKEN.partition(":")[2],
        first_name="Ada's Bakery",
        username="AdasBakeryBot",
        description="Ask what is in the oven.",
        short_description="Bread, and answers.",
    )
    yield Bot(
        id=AGENCY_BOT,
        parent="bram",
        secret=AGENCY_TOKEN.partition(":")[2],
        first_name="Okafor Agency",
        username="OkaforAgencyBot",
        reads_groups=True,
    )
    yield Bot(
        id=TAKEN_BOT,
        parent="bram",
        secret=TAKEN_TOKEN.partition(":")[2],
        first_name="Okafor News",
        username="OkaforNewsBot",
        webhook=Webhook(url="https://other-service.example/telegram", made=world.clock.now()),
    )


_CHATS = (
    Chat(
        id=BAKERY_CHANNEL,
        parent="ada",
        kind="channel",
        title="Ada's Bakery",
        username="adasbakery",
        description="Fresh every morning.",
        subscribers=1284,
    ),
    Chat(id=STAFF_CHANNEL, parent="ada", kind="channel", title="Bakery staff", subscribers=9),
    Chat(
        id=AGENCY_CHANNEL,
        parent="bram",
        kind="channel",
        title="Okafor Daily",
        username="okafordaily",
        subscribers=20311,
    ),
    Chat(id=CLEO_CHANNEL, parent="cleo", kind="channel", title="Cleo's notes", username="cleosnotes", subscribers=3),
    Chat(id=REGULARS, parent="ada", kind="supergroup", title="Bakery regulars", subscribers=57),
    Chat(id=OLD_GROUP, parent="ada", kind="group", title="Bakery regulars", subscribers=57, migrated_to=REGULARS),
)


def _admit(world: World) -> None:
    """Put bots into chats; Finn has met none of them, and the agency's bot may not post in its channel."""
    for chat in (BAKERY_CHANNEL, STAFF_CHANNEL):
        set_member(world, chat, BAKERY_BOT, "administrator", FULL_RIGHTS)
    set_member(world, AGENCY_CHANNEL, AGENCY_BOT, "administrator", FULL_RIGHTS | {"can_post_messages": False})
    set_member(world, AGENCY_CHANNEL, TAKEN_BOT, "administrator", FULL_RIGHTS)
    for chat in (REGULARS, OLD_GROUP):
        set_member(world, chat, BAKERY_BOT, "member")
    for person in ("dario", "elif"):
        set_member(world, REGULARS, USER_IDS[person], "member")
        set_member(world, USER_IDS[person], BAKERY_BOT, "member")
