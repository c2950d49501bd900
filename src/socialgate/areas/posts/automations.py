"""What posts add to automations: a published post triggers them, once for each account."""

from collections.abc import Sequence
from typing import Any

from socialgate.contracts.automations import AutomationSubject, TriggerOccurrence, TriggerOptions, TriggerType
from socialgate.contracts.publishing import PostFinished, PublishedTarget

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_FIELD_DESCRIPTIONS = {
    "post.text": "The published text.",
    "post.id": "Our id of the post.",
    "post.objectId": "The platform's id of the post.",
    "post.url": "Its URL, if the platform reports it.",
    "account.id": "The account on which it was published.",
}


class PostTrigger(TriggerOptions, frozen=True, kw_only=True, tag="post.published"):
    """A post was published on an account: one run for each account, when all targets of the post are finished."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "post.published", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


def _build_post_occurrences(fact: PostFinished, profile_id: str) -> Sequence[TriggerOccurrence]:
    return [TriggerOccurrence(fact.owner_id, profile_id, _build_subject(fact, target)) for target in fact.targets]


def _build_subject(fact: PostFinished, target: PublishedTarget) -> AutomationSubject:
    return AutomationSubject(
        key=f"post {fact.post_id} {target.account_id}",
        account_id=target.account_id,
        platform=target.platform,
        at=fact.at,
        text=target.text,
        post_id=fact.post_id,
        object_id=target.object_id,
        fields={
            "post.text": target.text,
            "post.id": fact.post_id,
            "post.objectId": target.object_id,
            "post.url": target.url,
            "account.id": target.account_id,
        },
    )


AUTOMATION_TYPES = (
    TriggerType(
        options=PostTrigger,
        subject_type="post",
        fact=PostFinished,
        extract_occurrences=_build_post_occurrences,
        fields=_FIELD_DESCRIPTIONS,
    ),
)
