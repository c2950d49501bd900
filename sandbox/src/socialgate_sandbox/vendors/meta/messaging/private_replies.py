"""Private replies: a message to the author of a comment, who need not have written one. One for each comment."""

from datetime import timedelta

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.kit import Call, Refused, Thing
from socialgate_sandbox.society.chats import Chat
from socialgate_sandbox.society.comments import find_comment
from socialgate_sandbox.vendors.meta.accounts import with_instagram
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia, PageComment, on_page
from socialgate_sandbox.vendors.meta.messaging.chats import CHATS
from socialgate_sandbox.vendors.meta.state import Page

_OPEN_FOR = timedelta(days=7)


class PrivateReply(Thing):
    """Records that a comment, whose id it has, was answered with a message."""


def chat_with_author(call: Call, page: Page, comment_id: str) -> Chat:
    """Return the conversation with the author of a comment on this Page or its Instagram account."""
    world = call.world
    comment = find_comment(world, PageComment, comment_id) or find_comment(world, InstagramComment, comment_id)
    thing = comment and (on_page(world, comment.parent) or world.store.get(InstagramMedia, comment.parent))
    account = "" if thing is None else thing.parent
    if comment is None or not comment.author.person or account not in with_instagram(world, page.id):
        raise Refused(failure("(#10903) This user can't reply to this activity", 10903))
    if world.store.get(PrivateReply, comment.id) is not None:
        raise Refused(failure("(#10900) Activity already replied to", 10900))
    if world.clock.now() - comment.made >= _OPEN_FOR:
        raise Refused(failure("(#10901) The activity is too old to reply to", 10901))
    return CHATS.of(world, account, comment.author.person)
