"""What comments add to automations: new comments trigger them, and can be answered or hidden."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate.areas.comments.schemas import CommentHidden, CommentVisibility, NewCommentBody
from socialgate.areas.comments.service import CommentService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.automations import (
    CONTACT_FIELD_DESCRIPTIONS,
    ActionStep,
    ActionType,
    AutomationContact,
    AutomationOptions,
    AutomationSubject,
    Reply,
    TriggerOccurrence,
    TriggerOptions,
    TriggerType,
    contact_fields,
    requires_capability,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment, CommentAuthor, CommentReceived
from socialgate.contracts.platforms import KindManifest
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_OBJECT_IDS_DESCRIPTION = "Only comments on these posts, by the platform's own ids. Empty: all posts."
_FIELD_DESCRIPTIONS = {
    **CONTACT_FIELD_DESCRIPTIONS,
    "comment.text": "The text of the comment.",
    "comment.id": "The platform's id of the comment.",
    "post.objectId": "The platform's id of the post.",
    "account.id": "The account whose post it is.",
}


class CommentTrigger(TriggerOptions, frozen=True, kw_only=True, tag="comment.received"):
    """Somebody comments on an account's post, or reviews a business. The account's own comments do not trigger it."""

    object_ids: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=300)]],
        Meta(max_length=100, description=_OBJECT_IDS_DESCRIPTION),
    ] = msgspec.field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "comment.received", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


class HideCommentAction(AutomationOptions, frozen=True, kw_only=True, tag="hideComment"):
    """Hide the comment from everybody except its author."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "hideComment"}


def _build_comment_occurrences(fact: CommentReceived, accounts: Sequence[AccountRow]) -> Sequence[TriggerOccurrence]:
    comment = fact.comment
    if fact.change != "created" or comment.own:
        return []
    return [
        TriggerOccurrence(account.owner_id, account.profile_id, _build_subject(account, comment))
        for account in accounts
    ]


def _build_subject(account: AccountRow, comment: Comment) -> AutomationSubject:
    contact = _build_contact(comment.author)
    takes_answers = comment.can_reply or comment.parent_id is None
    return AutomationSubject(
        key=f"comment {comment.id}",
        account_id=account.id,
        platform=account.platform,
        at=comment.created_at,
        text=comment.text,
        contact=contact,
        comment_id=comment.id,
        thread_id=comment.id if takes_answers else comment.parent_id,
        object_id=comment.object_id,
        fields={
            **contact_fields(contact),
            "comment.text": comment.text,
            "comment.id": comment.id,
            "post.objectId": comment.object_id,
            "account.id": account.id,
        },
    )


def _build_contact(author: CommentAuthor | None) -> AutomationContact | None:
    known = None if author is None else author.id or author.username
    if author is None or known is None:
        return None
    return AutomationContact(id=known, name=author.name or author.username, username=author.username)


class ReplyToCommentPerformer:
    def __init__(self, discussion: CommentService) -> None:
        self._discussion = discussion

    async def execute(self, work: UnitOfWork, step: ActionStep[Reply]) -> Comment:
        subject = step.subject
        if subject.object_id is None and subject.thread_id is None:
            raise NotFound("The platform reported no id for the post, so no comment can be added to it.")
        body = NewCommentBody(text=step.options.text, post_id=subject.object_id, parent_id=subject.thread_id)
        return await self._discussion.create(work, subject.account_id, body)


class HideCommentPerformer:
    def __init__(self, discussion: CommentService) -> None:
        self._discussion = discussion

    async def execute(self, work: UnitOfWork, step: ActionStep[HideCommentAction]) -> CommentHidden:
        assert step.subject.comment_id is not None, "it goes with comments alone"
        comment_visibility = CommentVisibility(comment_id=step.subject.comment_id)
        return await self._discussion.hide(work, step.subject.account_id, comment_visibility)


def _has_comments(kind: KindManifest) -> bool:
    """Return whether a kind has comments on posts, which can be added and hidden. Reviews can only be answered."""
    return COMMENTS_CAPABILITY in kind.capabilities and not kind.comments_are_reviews


AUTOMATION_TYPES = (
    TriggerType(
        options=CommentTrigger,
        subject_type="comment",
        has_contact=True,
        fact=CommentReceived,
        extract_occurrences=_build_comment_occurrences,
        matches_options=lambda options, subject: not options.object_ids or subject.object_id in options.object_ids,
        object_field="post.objectId",
        is_supported_by=requires_capability(COMMENTS_CAPABILITY),
        fields=_FIELD_DESCRIPTIONS,
    ),
    ActionType(
        options=Reply,
        subject_types=frozenset({"comment"}),
        handler=ReplyToCommentPerformer,
        summarize_outcome=lambda comment: {"commentId": comment.id},
        is_supported_by=requires_capability(COMMENTS_CAPABILITY),
    ),
    ActionType(
        options=Reply,
        subject_types=frozenset({"post"}),
        handler=ReplyToCommentPerformer,
        summarize_outcome=lambda comment: {"commentId": comment.id},
        is_supported_by=_has_comments,
    ),
    ActionType(
        options=HideCommentAction,
        subject_types=frozenset({"comment"}),
        handler=HideCommentPerformer,
        summarize_outcome=lambda hidden: {"commentId": hidden.id},
        is_supported_by=_has_comments,
    ),
)
