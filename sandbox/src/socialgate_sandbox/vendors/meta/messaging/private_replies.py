"""Private replies: a message to the author of a comment, who need not have written one. One for each comment."""

from datetime import timedelta

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject
from socialgate_sandbox.society.chats import Chat
from socialgate_sandbox.society.comments import find_comment
from socialgate_sandbox.vendors.meta.account_nodes import list_page_and_instagram
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia, PageComment, find_page_content
from socialgate_sandbox.vendors.meta.messaging.chats import CHAT_SERVICE
from socialgate_sandbox.vendors.meta.stored_objects import Page

_REPLY_WINDOW = timedelta(days=7)


class PrivateReply(StoredObject):
    """Records that a comment, whose id it has, was answered with a message."""


def get_comment_author_chat(call: Call, page: Page, comment_id: str) -> Chat:
    """Return the conversation with the author of a comment on this Page or its Instagram account."""
    world = call.context
    comment = find_comment(world, PageComment, comment_id) or find_comment(world, InstagramComment, comment_id)
    thing = comment and (find_page_content(world, comment.parent) or world.store.get(InstagramMedia, comment.parent))
    account = "" if thing is None else thing.parent
    if comment is None or not comment.author.person or account not in list_page_and_instagram(world, page.id):
        raise CallRefusedError(build_error_response("(#10903) This user can't reply to this activity", 10903))
    if world.store.get(PrivateReply, comment.id) is not None:
        raise CallRefusedError(build_error_response("(#10900) Activity already replied to", 10900))
    if world.clock.now() - comment.created_at >= _REPLY_WINDOW:
        raise CallRefusedError(build_error_response("(#10901) The activity is too old to reply to", 10901))
    return CHAT_SERVICE.get_or_build_chat(world, account, comment.author.person)
