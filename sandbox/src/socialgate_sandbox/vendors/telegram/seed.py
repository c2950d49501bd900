"""Ada's bakery bot with its channels, two bots of Bram's agency, a channel of Cleo's that has no bot."""

from collections.abc import Iterator

from socialgate_sandbox.kit import FOLLOWERS, OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.telegram.api_objects import CHANNEL_RIGHTS, GROUP_RIGHTS
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, User, Webhook, set_member

BAKERY_BOT = "7100000001"
AGENCY_BOT = "7100000002"
BOT_WITH_WEBHOOK = "7100000003"
BAKERY_TOKEN = f"{BAKERY_BOT}:AAsandbox-ada-bakery-token-00000001"
AGENCY_TOKEN = f"{AGENCY_BOT}:AAsandbox-bram-agency-token-0000002"
BOT_WITH_WEBHOOK_TOKEN = f"{BOT_WITH_WEBHOOK}:AAsandbox-bram-taken-token-00000003"
BAKERY_CHANNEL = "-1002000000001"
STAFF_CHANNEL = "-1002000000002"
AGENCY_CHANNEL = "-1002000000003"
CLEO_CHANNEL = "-1002000000004"
REGULARS_GROUP = "-1002000000005"
MIGRATED_GROUP = "-4000000006"

FULL_RIGHTS = {
    right: right not in {"is_anonymous", "can_promote_members", "can_manage_topics", "can_manage_tags"}
    for right in (*CHANNEL_RIGHTS, *GROUP_RIGHTS)
}
# More than 32 bits, as newer accounts have.
USER_IDS = {person.key: str(5_200_000_001 + place) for place, person in enumerate((*OWNERS, *FOLLOWERS))}


@build_seed
def seed(context: VendorContext) -> Iterator[StoredObject]:
    for person in (*OWNERS, *FOLLOWERS):
        first, _, last = person.name.partition(" ")
        yield User(id=USER_IDS[person.key], parent=person.key, first_name=first, last_name=last, username=person.key)
    yield from _build_bots(context)
    for chat in _CHATS:
        yield chat
        set_member(context, chat.id, USER_IDS[chat.parent], "creator")
    _add_members(context)


def _build_bots(context: VendorContext) -> Iterator[Bot]:
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
        id=BOT_WITH_WEBHOOK,
        parent="bram",
        secret=BOT_WITH_WEBHOOK_TOKEN.partition(":")[2],
        first_name="Okafor News",
        username="OkaforNewsBot",
        webhook=Webhook(url="https://other-service.example/telegram", created_at=context.clock.now()),
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
    Chat(id=REGULARS_GROUP, parent="ada", kind="supergroup", title="Bakery regulars", subscribers=57),
    Chat(
        id=MIGRATED_GROUP,
        parent="ada",
        kind="group",
        title="Bakery regulars",
        subscribers=57,
        migrated_to=REGULARS_GROUP,
    ),
)


def _add_members(context: VendorContext) -> None:
    """Put bots into chats; Finn has met none of them, and the agency's bot may not post in its channel."""
    for chat in (BAKERY_CHANNEL, STAFF_CHANNEL):
        set_member(context, chat, BAKERY_BOT, "administrator", FULL_RIGHTS)
    set_member(context, AGENCY_CHANNEL, AGENCY_BOT, "administrator", FULL_RIGHTS | {"can_post_messages": False})
    set_member(context, AGENCY_CHANNEL, BOT_WITH_WEBHOOK, "administrator", FULL_RIGHTS)
    for chat in (REGULARS_GROUP, MIGRATED_GROUP):
        set_member(context, chat, BAKERY_BOT, "member")
    for person in ("dario", "elif"):
        set_member(context, REGULARS_GROUP, USER_IDS[person], "member")
        set_member(context, USER_IDS[person], BAKERY_BOT, "member")
