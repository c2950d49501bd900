"""What generation adds to automations: a reply with a generated text."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate.areas.accounts import store as accounts
from socialgate.areas.generation import store
from socialgate.areas.generation.jobs import AI_REPLY_JOB
from socialgate.areas.generation.models import ModelRegistry
from socialgate.areas.generation.prompts import build_reply_messages, fits_limits
from socialgate.areas.generation.reply_request import ReplyRequest
from socialgate.areas.generation.schemas import ModelName, Tone
from socialgate.areas.generation.service import GenerationService
from socialgate.areas.generation.tables import GenerationRow
from socialgate.contracts.automations import (
    ActionHandlerProvider,
    ActionStep,
    ActionType,
    AutomationOptions,
    AutomationSubject,
    PlaceholderText,
    Reply,
    SubjectType,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY
from socialgate.contracts.generation import GenerationType
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind, KindManifest
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Fault, InvalidRequest, ServiceError, Unavailable
from socialgate.core.ids import is_id
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JobRow, JobStatus
from socialgate.core.jobs.wait import wait_until_finished
from socialgate.core.unit_of_work import UnitOfWork

# Fits into a message or a comment on every platform.
DEFAULT_MAX_REPLY_LENGTH = 500
# How long a run keeps its place while its text is written. Then it makes room for others, and comes back.
_WAIT_SECONDS = 15.0
_RETRY_SECONDS = 5
_PLACEHOLDER_START = "{{"


class ReplyNotGeneratedError(Conflict):
    """The text of an automatic reply could not be generated, and the action has no `fallback`. Nothing was sent.

    `detail` says why. `GET /ai/generations` shows the generation with the error of the provider.
    """

    code = "reply_not_generated"
    title = "The reply could not be generated"

    def __init__(self, detail: str, *, reason: str, generation_id: str) -> None:
        """Take the error code and the generation that failed."""
        super().__init__(detail)
        self.reason = reason
        self.generation_id = generation_id


class ReplyText(msgspec.Struct, frozen=True, kw_only=True):
    """The text to send. `fallback_reason` is the error code if it is the fallback, and None if it is the generated
    text.
    """

    text: str
    generation_id: str | None
    fallback_reason: str | None = None


class SentReply(msgspec.Struct, frozen=True, kw_only=True):
    """The message or comment that a step has sent, and its text."""

    id: str
    chosen: ReplyText


class AiReplyAction(AutomationOptions, frozen=True, kw_only=True, tag="aiReply"):
    """Reply in the same place with a text that an AI model writes according to your instructions.

    What the person wrote is sent to the model separately from the instructions, so these cannot have placeholders. If
    no text can be generated, or it is still longer than `maxLength`, `fallback` is sent; without a fallback the run
    fails.
    """

    instructions: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=10_000,
            pattern=r"\S",
            description="What the model should do, and what it needs to know, such as opening hours.",
        ),
    ]
    model: ModelName | None = None
    tone: Tone | None = None
    max_length: Annotated[int, Meta(ge=20, le=4000, description="Maximum number of characters.")] = (
        DEFAULT_MAX_REPLY_LENGTH
    )
    fallback: PlaceholderText | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "type": "aiReply",
            "instructions": "We are a bakery in Lima, open from 7 to 20. Answer questions about bread and prices.",
            "tone": "friendly",
            "fallback": "Thank you, {{contact.name|friend}}. We will answer soon.",
        }


class AiReplyPerformer:
    """Generates the text in a separate task, once for each step of a run, and then does what `reply` does."""

    def __init__(
        self, db: Database, performers: ActionHandlerProvider, generations: GenerationService, models: ModelRegistry
    ) -> None:
        self._db = db
        self._performers = performers
        self._generations = generations
        self._book = models

    async def execute(self, work: UnitOfWork, step: ActionStep[AiReplyAction]) -> object:
        performer = self._performers.get_reply_handler("message" if step.subject.comment_id is None else "comment")
        chosen, fallback = await self._choose_text(work, step), step.options.fallback
        try:
            return await performer.execute(_record_reply_text(work, chosen), _replace_text(step, chosen.text))
        except InvalidRequest as failure:
            # The platform's own rules, such as bytes instead of characters. Nothing was sent.
            if fallback is None or chosen.fallback_reason is not None:
                raise
            reason = failure.errors[0].code if failure.errors else failure.code
            other = msgspec.structs.replace(chosen, text=fallback, fallback_reason=reason)
            return await performer.execute(_record_reply_text(work, other), _replace_text(step, fallback))

    async def _choose_text(self, work: UnitOfWork, step: ActionStep[AiReplyAction]) -> ReplyText:
        fallback = step.options.fallback
        try:
            return await self._generate_text(work, step)
        except ServiceError as failure:
            if fallback is None or failure.retry_after is not None:
                raise
            if isinstance(failure, ReplyNotGeneratedError):
                return ReplyText(text=fallback, fallback_reason=failure.reason, generation_id=failure.generation_id)
            # It was not even started, for example because the plan does not allow more.
            return ReplyText(text=fallback, fallback_reason=failure.code, generation_id=None)

    async def _generate_text(self, work: UnitOfWork, step: ActionStep[AiReplyAction]) -> ReplyText:
        key = work.request_key
        assert key is not None, "every step of a run has a name"
        model = await self._book.resolve_model(GenerationType.COPY, step.options.model)
        generation_id = await self._db.write(self._queue_or_find, work.caller.owner_id, key, step, model)
        job = await wait_until_finished(
            self._db, generation_id, lambda: self._db.read(_get_job, work.caller.owner_id, generation_id), _WAIT_SECONDS
        )
        if job.finished_at is None:
            detail = "The text of the reply is not generated yet. The step is retried automatically."
            raise Unavailable(detail, retry_after=_RETRY_SECONDS)
        row = await self._db.read(store.find_generation, work.caller.owner_id, generation_id)
        variants = [] if row is None or row.result is None else row.result["variants"]
        if job.status is not JobStatus.SUCCEEDED or not variants:
            raise _build_not_generated_error(job)
        if not fits_limits(variants[0]):
            detail = "The generated text is longer than allowed, even after the model was asked to shorten it."
            remedy = "Raise maxLength, or ask for short answers in the instructions."
            raise ReplyNotGeneratedError(f"{detail} {remedy}", reason="too_long", generation_id=generation_id)
        return ReplyText(text=str(variants[0]["text"]), generation_id=generation_id)

    async def _queue_or_find(self, tx: Tx, owner_id: str, key: str, step: ActionStep[AiReplyAction], model: str) -> str:
        """Queue the generation of a step, or find it: a run that is resumed uses the same text."""
        known = await store.find_generation_by_run(tx, owner_id, key)
        if known is not None:
            return known.id
        options = step.options
        account = await accounts.find_account(tx, owner_id, step.subject.account_id)
        request = ReplyRequest(
            instructions=options.instructions,
            tone=options.tone,
            limit=options.max_length,
            kind=None if account is None else Kind(account.kind),
            text=step.subject.text,
        )
        row = GenerationRow(
            owner_id=owner_id,
            id="",
            profile_id=step.profile_id,
            type=GenerationType.COPY,
            model=model,
            request=msgspec.to_builtins(request),
            result=None,
            input_tokens=None,
            output_tokens=None,
            failure=None,
            run_key=key,
            subject_key=step.subject.key,
            created_at=tx.now,
        )
        return (await self._generations.queue_generation(tx, row, AI_REPLY_JOB, {})).id


def _record_reply_text(work: UnitOfWork, chosen: ReplyText) -> UnitOfWork:
    """Record in the step which text was sent."""
    return work.with_recorded_response(lambda answer: SentReply(id=answer.id, chosen=chosen))


def _replace_text(step: ActionStep[AiReplyAction], text: str) -> ActionStep[Reply]:
    return ActionStep(
        run_id=step.run_id,
        event_id=step.event_id,
        profile_id=step.profile_id,
        subject=step.subject,
        options=Reply(text=text),
    )


async def _get_job(tx: Tx, owner_id: str, job_id: str) -> JobRow:
    row = await job_store.find_job(tx, owner_id, job_id)
    if row is None:
        detail = "The generation was deleted before its text was sent. Add a `fallback` to send something in that case."
        raise ReplyNotGeneratedError(detail, reason="not_found", generation_id=job_id)
    return row


def _build_not_generated_error(job: JobRow) -> ReplyNotGeneratedError:
    if job.error is None:
        detail = "The generation of the text was cancelled. Add a `fallback` to send something in that case."
        return ReplyNotGeneratedError(detail, reason="cancelled", generation_id=job.id)
    detail = f"The text could not be generated: {job.error['detail']}"
    return ReplyNotGeneratedError(detail, reason=job.error["code"], generation_id=job.id)


def _validate_instructions(options: AiReplyAction, about: SubjectType) -> Sequence[Fault]:
    """Reject placeholders in instructions to the model: they would contain what strangers write."""
    del about
    detail = "Placeholders cannot be used here. Remove them: the model gets what the person wrote separately."
    params = {"/instructions": options.instructions, "/tone": options.tone or ""}
    return [
        Fault(pointer, "unknown_placeholder", detail) for pointer, text in params.items() if _PLACEHOLDER_START in text
    ]


def _build_planned_view(options: AiReplyAction, subject: AutomationSubject) -> Mapping[str, Any]:
    """Show the messages that the model would get."""
    messages = build_reply_messages(options.instructions, options.tone, options.max_length, subject.text)
    request = [{"role": message.role, "content": message.text} for message in messages]
    return {"model": options.model, "messages": request}


def _build_step_view(sent: SentReply) -> Mapping[str, Any]:
    chosen = sent.chosen
    shown: dict[str, Any] = {"messageId" if is_id("msg", sent.id) else "commentId": sent.id}
    if chosen.generation_id is not None:
        shown["generationId"] = chosen.generation_id
    return shown if chosen.fallback_reason is None else {**shown, "fallback": True, "reason": chosen.fallback_reason}


def _can_reply(kind: KindManifest) -> bool:
    return MESSAGES_CAPABILITY in kind.capabilities or COMMENTS_CAPABILITY in kind.capabilities


AUTOMATION_TYPES = (
    ActionType(
        options=AiReplyAction,
        subject_types=frozenset({"message", "comment"}),
        handler=AiReplyPerformer,
        faults=_validate_instructions,
        summarize_outcome=_build_step_view,
        describe_plan=_build_planned_view,
        is_supported_by=_can_reply,
    ),
)
