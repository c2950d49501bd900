"""Reviews of a location, and the one reply that its owner can give to each."""

import re
from functools import partial

from socialgate.connectors.comment_helpers import CommentAdapterBase, CommentRules
from socialgate.connectors.google.api import GoogleApi, build_location_url, require_valid_id
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.responses import BusinessPage, Review, ReviewReply
from socialgate.connectors.message_validation import is_same_text
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, LookupResult, NewComment
from socialgate.contracts.failures import NotSupportedError, PlatformNotFoundError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import SafeToRetry

# The reply has no id of its own. This is used in the path of a request, where a slash would end it.
_REPLY_ID_SUFFIX = "~reply"
_REPLY_PATH = "/reply"
_REVIEW_ID_PATTERN = re.compile(r"[\w=-]{1,300}", re.ASCII)
_STAR_COUNTS = {"ONE": 1, "TWO": 2, "THREE": 3, "FOUR": 4, "FIVE": 5}


class GoogleReviewAdapter(CommentAdapterBase):
    lists_whole_account = True
    rules = CommentRules(
        vendor="Google", required_field="/parentId", max_length=4096, count_length=lambda text: len(text.encode())
    )

    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.build_client_for_account, GoogleProduct.BUSINESS)

    async def list(
        self, credentials: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        if object_id not in {None, credentials.platform_account_id}:
            raise PlatformNotFoundError("Reviews belong to the location: omit postId.", platform=Platform.GOOGLE)
        values = {"pageSize": min(limit, 50), "orderBy": "updateTime desc", "pageToken": cursor}
        business_page = await self._open(credentials).get(
            f"{build_location_url(credentials)}/reviews", BusinessPage, **values
        )
        return CommentPage(
            items=[_parse_review(credentials, review) for review in business_page.reviews],
            cursor=business_page.next_page_token,
        )

    async def create(self, credentials: AccountCredentials, new: NewComment) -> Comment:
        """Set the reply, replacing an earlier one. Repeating that would do no harm, but would report a lost response as
        a failure although the reply may be public.
        """
        review_id, write = new.parent_id or "", partial(self._open(credentials).call, "PUT", repeatable=False)
        sent = await write(_review_url(credentials, review_id) + _REPLY_PATH, ReviewReply, json={"comment": new.text})
        return _parse_reply(credentials, review_id, sent)

    async def look_up_result(self, credentials: AccountCredentials, new: NewComment) -> LookupResult:
        """Read the reply. There is at most one, and setting it again does not create a second."""
        review = await self._open(credentials).get(_review_url(credentials, new.parent_id or ""), Review)
        reply = review.review_reply
        return (
            _parse_reply(credentials, review.review_id, reply)
            if reply and is_same_text(reply.comment, new.text)
            else SafeToRetry()
        )

    async def set_hidden(self, credentials: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        raise _build_not_supported_error(credentials, comment_id, "hidden" if hidden else "shown")

    async def delete(self, credentials: AccountCredentials, comment_id: str) -> None:
        if not comment_id.endswith(_REPLY_ID_SUFFIX):
            raise _build_not_supported_error(credentials, comment_id, "deleted")
        await self._open(credentials).delete(
            _review_url(credentials, comment_id.removesuffix(_REPLY_ID_SUFFIX)) + _REPLY_PATH
        )


def _review_url(credentials: AccountCredentials, review_id: str) -> str:
    return f"{build_location_url(credentials)}/reviews/{require_valid_id(review_id, _REVIEW_ID_PATTERN)}"


def _build_not_supported_error(credentials: AccountCredentials, comment_id: str, label: str) -> NotSupportedError:
    _review_url(credentials, comment_id.removesuffix(_REPLY_ID_SUFFIX))
    return NotSupportedError(
        f"Businesses cannot have reviews {label}. Report the review to Google, in the Business Profile under Read "
        "reviews. You can delete your own reply: its id ends in ~reply.",
        platform=Platform.GOOGLE,
    )


def _parse_review(credentials: AccountCredentials, review: Review) -> Comment:
    replies = (_parse_reply(credentials, review.review_id, review.review_reply),) if review.review_reply else ()
    return Comment(
        id=review.review_id,
        object_id=credentials.platform_account_id,
        text=review.comment,
        author=CommentAuthor(name=review.reviewer.display_name, avatar_url=review.reviewer.profile_photo_url),
        created_at=review.create_time,
        reply_count=len(replies),
        can_reply=True,
        rating=_STAR_COUNTS.get(review.star_rating),
        replies=replies,
    )


def _parse_reply(credentials: AccountCredentials, review_id: str, reply: ReviewReply) -> Comment:
    return Comment(
        id=review_id + _REPLY_ID_SUFFIX,
        object_id=credentials.platform_account_id,
        text=reply.comment,
        parent_id=review_id,
        created_at=reply.update_time,
        can_delete=True,
        own=True,
    )
