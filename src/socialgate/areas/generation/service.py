"""Generations as their owner sees them: created as a task, read with their results, listed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.generation import store
from socialgate.areas.generation.models import ModelRegistry
from socialgate.areas.generation.schemas import (
    AiModels,
    AudioGenerationBody,
    CopyGenerationBody,
    Generation,
    GenerationError,
    GenerationProgress,
    GenerationResult,
    GenerationsQuery,
    GenerationUsage,
    ImageGenerationBody,
    NewGeneration,
    VideoGenerationBody,
)
from socialgate.areas.generation.store import GenerationWithJob
from socialgate.areas.generation.tables import GenerationRow
from socialgate.areas.media import store as media
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.service import MediaService
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.generation import GenerationType
from socialgate.contracts.platforms import Kind
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.publishing import MediaFile
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound, list_error_types
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JobRow, JobStatus
from socialgate.core.jobs.service import JobService
from socialgate.core.jobs.wait import wait_until_finished
from socialgate.core.metering import UsageMetric, count_usage
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page
from socialgate.web.schemas import Page

# What a model looks at is sent with the request, and held in memory for that.
MAX_INPUT_IMAGE_BYTES = 10 * 1024 * 1024
_INPUT_IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")
_REFERENCE_IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp")
_HIDDEN_FIELDS = frozenset({"model", "profileId"})
# What failures advise their callers, who need not do anything about a generation that is retried.
_RETRY_ADVICE_PATTERN = re.compile(r"[.;] try again[^.]*\.$", re.IGNORECASE)
_RETRY_NOTICE = "The generation is retried automatically."


def get_generation_job_name(kind: GenerationType) -> str:
    """The name of the job type."""
    return f"ai.{kind}"


class GenerationService:
    def __init__(
        self,
        jobs: JobService,
        book: ModelRegistry,
        library: MediaService,
        links: MediaLinks,
        accounts: AccountService,
        profiles: ProfileDirectory,
        catalogue: ConnectorRegistry,
        settings: Settings,
    ) -> None:
        self._jobs = jobs
        self._book = book
        self._library = library
        self._links = links
        self._accounts = accounts
        self._profiles = profiles
        self._manifests = catalogue.manifests
        self._errors_url = f"{settings.public_url}/docs/errors/"

    async def list_models(self) -> AiModels:
        models = await self._book.list_models()
        return AiModels(data=models, next_cursor=None, unavailable=self._book.list_unavailable_types(models))

    async def create_copy_generation(self, work: UnitOfWork, body: CopyGenerationBody) -> Generation:
        return await self._create(work, GenerationType.COPY, body)

    async def create_image_generation(self, work: UnitOfWork, body: ImageGenerationBody) -> Generation:
        if body.size is not None and body.aspect_ratio is not None:
            raise InvalidRequest.for_field("/aspectRatio", "contradiction", "Set either size or aspectRatio, not both.")
        return await self._create(work, GenerationType.IMAGE, body)

    async def create_video_generation(self, work: UnitOfWork, body: VideoGenerationBody) -> Generation:
        return await self._create(work, GenerationType.VIDEO, body)

    async def create_audio_generation(self, work: UnitOfWork, body: AudioGenerationBody) -> Generation:
        return await self._create(work, GenerationType.AUDIO, body)

    async def read(self, work: UnitOfWork, generation_id: str, wait: int) -> Generation:
        """Return a generation, when it has finished or the wait is over."""
        await wait_until_finished(
            work.db, generation_id, lambda: work.read(self._require_job, work.caller, generation_id), wait
        )
        return await work.read(self._read, work.caller, generation_id)

    async def list(self, tx: Tx, caller: Caller, query: GenerationsQuery) -> Page[Generation]:
        if query.profile_id is not None:
            await self._profiles.require_access(tx, caller, query.profile_id)
        result, more = await store.list_generations_page(tx, caller.owner_id, caller, query)
        ids = [media_id for item in result for media_id in _media_ids(item.row)]
        files = await media.find_all_media(tx, caller.owner_id, ids)
        return build_page(result, lambda item: self._build_view(item, files), more=more)

    async def queue_generation(self, tx: Tx, row: GenerationRow, kind: str, job_input: Mapping[str, Any]) -> JobRow:
        """Queue a generation in the caller's transaction. From now on it counts towards the owner's usage."""
        job = await self._jobs.enqueue(tx, kind, row.owner_id, job_input, profile_id=row.profile_id)
        await store.insert_generation(tx, replace(row, id=job.id))
        count_usage(tx, row.owner_id, row.profile_id, UsageMetric.AI_GENERATIONS)
        return job

    async def _create(self, work: UnitOfWork, kind: GenerationType, body: NewGeneration) -> Generation:
        model = await self._book.resolve_model(kind, body.model)
        await self._book.require_type(kind, model)
        return await work.write(self._build_and_queue_generation, work.caller, kind, model, body)

    async def _build_and_queue_generation(
        self, tx: Tx, caller: Caller, kind: GenerationType, model: str, body: NewGeneration
    ) -> Generation:
        profile_id = await self._resolve_profile_id(tx, caller, body.profile_id)
        job_input: dict[str, Any] = {}
        if isinstance(body, CopyGenerationBody):
            job_input["kinds"] = await self._list_kinds(tx, caller, body)
        await self._require_input_images(tx, caller, body)
        input_value = msgspec.to_builtins(body)
        row = GenerationRow(
            owner_id=caller.owner_id,
            id="",
            profile_id=profile_id,
            type=kind,
            model=model,
            request={name: value for name, value in input_value.items() if name not in _HIDDEN_FIELDS},
            result=None,
            input_tokens=None,
            output_tokens=None,
            failure=None,
            run_key=None,
            subject_key=None,
            created_at=tx.now,
        )
        job = await self.queue_generation(tx, row, get_generation_job_name(kind), job_input)
        return self._build_view(GenerationWithJob(replace(row, id=job.id), job), {})

    async def _resolve_profile_id(self, tx: Tx, caller: Caller, profile_id: str | None) -> str | None:
        """Determine the profile as for a file: a limited key may omit it only if it covers a single profile."""
        if profile_id is not None:
            await self._profiles.require_access(tx, caller, profile_id)
            return profile_id
        if caller.allowed_profile_ids is None:
            return None
        if len(caller.allowed_profile_ids) != 1:
            detail = "profileId is required, because this key covers several profiles."
            raise InvalidRequest.for_field("/profileId", "required", detail)
        return next(iter(caller.allowed_profile_ids))

    async def _list_kinds(self, tx: Tx, caller: Caller, body: CopyGenerationBody) -> Sequence[str]:
        """Return the kinds whose limits apply: the named ones, and those of the accounts."""
        kinds = [Kind(kind) for kind in body.kinds]
        for place, account_id in enumerate(body.account_ids):
            try:
                account = await self._accounts.find(tx, caller, account_id, is_ad_account=None)
            except NotFound:
                detail = "There is no account with this id. GET /accounts lists them."
                raise InvalidRequest.for_field(f"/accountIds/{place}", "not_found", detail) from None
            self._require_text_kind(Kind(account.kind), f"/accountIds/{place}")
            kinds.append(Kind(account.kind))
        return [str(kind) for kind in dict.fromkeys(kinds)]

    def _require_text_kind(self, kind: Kind, pointer: str) -> None:
        """Reject kinds that accept no texts, such as ad accounts: they have no length limit that could apply."""
        known = {kind.kind: kind for manifest in self._manifests.values() for kind in manifest.kinds}
        if known[kind].limits.text_max is None:
            able = ", ".join(
                sorted(
                    kind_manifest.kind for kind_manifest in known.values() if kind_manifest.limits.text_max is not None
                )
            )
            detail = f"{known[kind].name} accepts no posts or messages. Use one of these kinds: {able}."
            raise InvalidRequest.for_field(pointer, "not_supported", detail)

    async def _require_input_images(self, tx: Tx, caller: Caller, body: NewGeneration) -> None:
        """Reject files that no model could look at."""
        if isinstance(body, CopyGenerationBody):
            for place, media_id in enumerate(body.media_ids):
                await self._require_image(tx, caller, media_id, f"/mediaIds/{place}", _INPUT_IMAGE_TYPES)
        elif isinstance(body, ImageGenerationBody):
            for place, media_id in enumerate(body.media_ids):
                await self._require_image(tx, caller, media_id, f"/mediaIds/{place}", _REFERENCE_IMAGE_TYPES)
        elif isinstance(body, VideoGenerationBody) and body.image_media_id is not None:
            await self._require_image(tx, caller, body.image_media_id, "/imageMediaId", _REFERENCE_IMAGE_TYPES)

    async def _require_image(
        self, tx: Tx, caller: Caller, media_id: str, pointer: str, accepted: Sequence[str]
    ) -> MediaFile:
        media_file = await self._library.require_image(tx, caller, media_id, pointer)
        if media_file.mime_type not in accepted:
            detail = f"The type of the file is {media_file.mime_type}. Convert it to one of: {', '.join(accepted)}."
            raise InvalidRequest.for_field(pointer, "media_type", detail)
        if media_file.size > MAX_INPUT_IMAGE_BYTES:
            detail = f"The file has {media_file.size:,} bytes. Use one of at most {MAX_INPUT_IMAGE_BYTES:,} bytes."
            raise InvalidRequest.for_field(pointer, "too_large", detail)
        return media_file

    async def _require_job(self, tx: Tx, caller: Caller, generation_id: str) -> JobRow:
        return (await self._find(tx, caller, generation_id)).job

    async def _read(self, tx: Tx, caller: Caller, generation_id: str) -> Generation:
        result = await self._find(tx, caller, generation_id)
        return self._build_view(result, await media.find_all_media(tx, caller.owner_id, _media_ids(result.row)))

    async def _find(self, tx: Tx, caller: Caller, generation_id: str) -> GenerationWithJob:
        row = await store.find_generation(tx, caller.owner_id, generation_id)
        job = None if row is None else await job_store.find_job(tx, caller.owner_id, generation_id)
        if row is None or job is None:
            raise NotFound("There is no generation with this id. GET /ai/generations lists them.")
        if row.profile_id is not None:
            caller.require_profile_access(row.profile_id)
        else:
            caller.require_all_profiles("see generations that concern every profile")
        return GenerationWithJob(row, job)

    def _build_view(self, result: GenerationWithJob, files: Mapping[str, media.MediaRow]) -> Generation:
        row, job = result
        failure = job.error or row.failure
        error = None if failure is None else self._build_error(failure, row.failure or {})
        used = row.input_tokens is not None and row.output_tokens is not None
        return Generation(
            id=row.id,
            type=row.type,
            status=job.status,
            progress=None if job.done is None else GenerationProgress(done=job.done, total=job.total, unit=job.unit),
            profile_id=row.profile_id,
            model=row.model,
            source="api" if row.run_key is None else "automation",
            request=dict(row.request),
            result=None if row.result is None else self._build_result(row.result, files),
            usage=GenerationUsage(input_tokens=row.input_tokens or 0, output_tokens=row.output_tokens or 0)
            if used
            else None,
            error=error if job.status is JobStatus.FAILED else None,
            last_error=_add_retry_notice(error) if error is not None and job.finished_at is None else None,
            created_at=job.created_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
            expires_at=job.expires_at,
        )

    def _build_result(self, result: Mapping[str, Any], files: Mapping[str, media.MediaRow]) -> GenerationResult:
        items = [self._links.build_media_view(files[item]) for item in result["mediaIds"] if item in files]
        return msgspec.convert({**result, "media": msgspec.to_builtins(items)}, GenerationResult)

    def _build_error(self, error: Mapping[str, Any], failure: Mapping[str, Any]) -> GenerationError:
        """Show why it failed, with the provider's own words if that is the same failure."""
        code: str = error["code"]
        more = failure if failure.get("code") == code else {}
        title = next((type_.title for type_ in list_error_types() if type_.code == code), "The generation failed")
        return GenerationError(
            type=f"{self._errors_url}{code}",
            title=title,
            code=code,
            detail=error["detail"],
            category=more.get("category"),
            platform=more.get("platform"),
            platform_error=more.get("platformError"),
        )


def _add_retry_notice(error: GenerationError) -> GenerationError:
    return replace(error, detail=f"{_RETRY_ADVICE_PATTERN.sub('.', error.detail)} {_RETRY_NOTICE}")


def _media_ids(row: GenerationRow) -> list[str]:
    return [] if row.result is None else list(row.result["mediaIds"])
