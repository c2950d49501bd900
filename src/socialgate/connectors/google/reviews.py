"""Reviews of a location, and the one reply that its owner can give to each."""

import re
from functools import partial

from socialgate.connectors.commenting import Commenting, CommentRules
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Page, Review, ReviewReply
from socialgate.connectors.google.wire import GoogleApi, checked_id, location_url
from socialgate.connectors.message_checks import same_text
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, Looked, NewComment
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported, PlatformNotFound
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import NotThere

# The reply has no id of its own. This is used in the path of a request, where a slash would end it.
_REPLY = "~reply"
_EDGE = "/reply"
_ID = re.compile(r"[\w=-]{1,300}", re.ASCII)
_STARS = {"ONE": 1, "TWO": 2, "THREE": 3, "FOUR": 4, "FIVE": 5}


class Reviews(Commenting):
    of_account = True
    rules = CommentRules(vendor="Google", target="/parentId", most=4096, measure=lambda text: len(text.encode()))

    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.for_account, Product.BUSINESS)

    async def list(
        self, held: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        if object_id not in {None, held.platform_account_id}:
            raise PlatformNotFound("Reviews belong to the location: omit postId.", platform=Platform.GOOGLE)
        how = {"pageSize": min(limit, 50), "orderBy": "updateTime desc", "pageToken": cursor}
        found = await self._open(held).get(f"{location_url(held)}/reviews", Page, **how)
        return CommentPage(items=[_item(held, review) for review in found.reviews], cursor=found.next_page_token)

    async def create(self, held: AccountCredentials, new: NewComment) -> Comment:
        """Set the reply, replacing an earlier one. Repeating that would do no harm, but would report a lost response as
        a failure although the reply may be public.
        """
        review_id, write = new.parent_id or "", partial(self._open(held).call, "PUT", repeatable=False)
        sent = await write(_url(held, review_id) + _EDGE, ReviewReply, json={"comment": new.text})
        return _reply(held, review_id, sent)

    async def look(self, held: AccountCredentials, new: NewComment) -> Looked:
        """Read the reply. There is at most one, and setting it again does not create a second."""
        review = await self._open(held).get(_url(held, new.parent_id or ""), Review)
        reply = review.review_reply
        return _reply(held, review.review_id, reply) if reply and same_text(reply.comment, new.text) else NotThere()

    async def hide(self, held: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        raise _not_ours(held, comment_id, "hidden" if hidden else "shown")

    async def delete(self, held: AccountCredentials, comment_id: str) -> None:
        if not comment_id.endswith(_REPLY):
            raise _not_ours(held, comment_id, "deleted")
        await self._open(held).delete(_url(held, comment_id.removesuffix(_REPLY)) + _EDGE)


def _url(held: AccountCredentials, review_id: str) -> str:
    return f"{location_url(held)}/reviews/{checked_id(review_id, _ID)}"


def _not_ours(held: AccountCredentials, comment_id: str, what: str) -> NotSupported:
    _url(held, comment_id.removesuffix(_REPLY))
    return NotSupported(
        f"Businesses cannot have reviews {what}. Report the review to Google, in the Business Profile under Read "
        "reviews. You can delete your own reply: its id ends in ~reply.",
        platform=Platform.GOOGLE,
    )


def _item(held: AccountCredentials, review: Review) -> Comment:
    replies = (_reply(held, review.review_id, review.review_reply),) if review.review_reply else ()
    return Comment(
        id=review.review_id,
        object_id=held.platform_account_id,
        text=review.comment,
        author=CommentAuthor(name=review.reviewer.display_name, avatar_url=review.reviewer.profile_photo_url),
        created_at=review.create_time,
        reply_count=len(replies),
        can_reply=True,
        rating=_STARS.get(review.star_rating),
        replies=replies,
    )


def _reply(held: AccountCredentials, review_id: str, reply: ReviewReply) -> Comment:
    return Comment(
        id=review_id + _REPLY,
        object_id=held.platform_account_id,
        text=reply.comment,
        parent_id=review_id,
        created_at=reply.update_time,
        can_delete=True,
        own=True,
    )
