"""Who writes to an account: people by the ids that they have for a Page, or for its Instagram account."""

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.picture import picture_url
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.vendors.meta.accounts import CDN, linked_instagram
from socialgate.sandbox.vendors.meta.chats import contact_of, person_in, thread_of
from socialgate.sandbox.vendors.meta.conversations import let_in
from socialgate.sandbox.vendors.meta.viewer import viewer

MESSENGER_USER = NodeType(
    "User",
    {
        **own("id", "name"),
        "first_name": lambda _call, who, _field: who.name.partition(" ")[0],
        "last_name": lambda _call, who, _field: who.name.partition(" ")[2],
        "profile_pic": lambda call, who, _field: picture_url(call, CDN, who.person, 1024),
    },
    ("first_name", "last_name", "profile_pic", "id"),
)
INSTAGRAM_USER = NodeType(
    "IGBusinessScopedID",
    {
        **own("id", "name", "username"),
        "profile_pic": lambda call, who, _field: picture_url(call, CDN, who.person, 1024),
        "follower_count": lambda _call, _who, _field: 152,
        "is_user_follow_business": lambda _call, _who, _field: True,
        "is_business_follow_user": lambda _call, _who, _field: False,
        "is_verified_user": lambda _call, _who, _field: False,
    },
    ("name", "username", "profile_pic", "id"),
)


def person_node(call: Call, key: str) -> Node | None:
    """Find a person by the id that they have for the caller's Page or its Instagram account."""
    page = viewer(call).page
    linked = linked_instagram(call.world, page) if page else None
    for account in [page, *([linked.id] if linked is not None else [])]:
        person = person_in(account, key) if account else None
        if person is not None and let_in(call, account):
            return _known(call, account, person.key, on_instagram=account != page)
    return None


def _known(call: Call, account: str, person: str, *, on_instagram: bool) -> Node | None:
    """Show only people who wrote to the account."""
    thread = thread_of(call.world, account, person)
    if thread is None:
        if on_instagram:
            message = "(#230) User consent is required to access user profile"
            raise Refused(failure(message, 230, kind="IGApiException"))
        return None
    return Node(INSTAGRAM_USER if on_instagram else MESSENGER_USER, contact_of(thread))
