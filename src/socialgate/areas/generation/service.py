"""Generations as their owner sees them: created as a task, read with their results, listed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from socialgate.areas.accounts.service import Accounts
from socialgate.areas.generation import store
from socialgate.areas.generation.models import ModelBook
from socialgate.areas.generation.schemas import (
    AiModels,
    AudioBody,
    CopyBody,
    Generation,
    GenerationError,
    GenerationProgress,
    GenerationResult,
    GenerationsQuery,
    GenerationUsage,
    ImageBody,
    NewGeneration,
    VideoBody,
)
from socialgate.areas.generation.store import Found
from socialgate.areas.generation.tables import GenerationRow
from socialgate.areas.media import store as media
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.service import Library
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.generation import GenerationType
from socialgate.contracts.platforms import Kind
from socialgate.contracts.profiles import ProfileBook
from socialgate.contracts.publishing import MediaFile
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid, NotFound, error_catalogue
from socialgate.core.jobs import table
from socialgate.core.jobs.jobs import Jobs
from socialgate.core.jobs.table import JobRow, JobStatus
from socialgate.core.jobs.waiting import finished
from socialgate.core.metering import Metric, meter
from socialgate.core.settings import Settings
from socialgate.core.work import Work
from socialgate.web.schema import Page

# What a model looks at is sent with the request, and held in memory for that.
MOST_PICTURE_BYTES = 10 * 1024 * 1024
_PICTURES = ("image/jpeg", "image/png", "image/webp", "image/gif")
_REFERENCES = ("image/jpeg", "image/png", "image/webp")
_HIDDEN = frozenset({"model", "profileId"})
# What failures advise their callers, who need not do anything about a generation that is retried.
_ADVICE = re.compile(r"[.;] try again[^.]*\.$", re.IGNORECASE)
_RETRIED = "The generation is retried automatically."


def job_of(kind: GenerationType) -> str:
    """The name of the job type."""
    return f"ai.{kind}"


class Generations:
    def __init__(
        self,
        jobs: Jobs,
        book: ModelBook,
        library: Library,
        links: MediaLinks,
        accounts: Accounts,
        profiles: ProfileBook,
        catalogue: Catalogue,
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

    async def models(self) -> AiModels:
        models = await self._book.listed()
        return AiModels(data=models, next_cursor=None, unavailable=self._book.unavailable(models))

    async def copy(self, work: Work, body: CopyBody) -> Generation:
        return await self._create(work, GenerationType.COPY, body)

    async def image(self, work: Work, body: ImageBody) -> Generation:
        if body.size is not None and body.aspect_ratio is not None:
            raise Invalid.at("/aspectRatio", "contradiction", "Set either size or aspectRatio, not both.")
        return await self._create(work, GenerationType.IMAGE, body)

    async def video(self, work: Work, body: VideoBody) -> Generation:
        return await self._create(work, GenerationType.VIDEO, body)

    async def audio(self, work: Work, body: AudioBody) -> Generation:
        return await self._create(work, GenerationType.AUDIO, body)

    async def read(self, work: Work, generation_id: str, wait: int) -> Generation:
        """Return a generation, when it has finished or the wait is over."""
        await finished(work.db, generation_id, lambda: work.read(self._job, work.caller, generation_id), wait)
        return await work.read(self._read, work.caller, generation_id)

    async def list(self, tx: Tx, caller: Caller, query: GenerationsQuery) -> Page[Generation]:
        if query.profile_id is not None:
            await self._profiles.require(tx, caller, query.profile_id)
        chosen, found = await store.page(tx, caller.owner_id, caller, query)
        ids = [media_id for one in found for media_id in _media_ids(one.row)]
        files = await media.find_all(tx, caller.owner_id, ids)
        return chosen.page(found, lambda one: self._show(one, files))

    async def add(self, tx: Tx, row: GenerationRow, kind: str, job_input: Mapping[str, Any]) -> JobRow:
        """Queue a generation in the caller's transaction. From now on it counts towards the owner's usage."""
        job = await self._jobs.add(tx, kind, row.owner_id, job_input, profile_id=row.profile_id)
        await store.insert(tx, replace(row, id=job.id))
        meter(tx, row.owner_id, row.profile_id, Metric.AI_GENERATIONS)
        return job

    async def _create(self, work: Work, kind: GenerationType, body: NewGeneration) -> Generation:
        model = await self._book.choose(kind, body.model)
        await self._book.require(kind, model)
        return await work.write(self._add, work.caller, kind, model, body)

    async def _add(self, tx: Tx, caller: Caller, kind: GenerationType, model: str, body: NewGeneration) -> Generation:
        profile_id = await self._profile(tx, caller, body.profile_id)
        job_input: dict[str, Any] = {}
        if isinstance(body, CopyBody):
            job_input["kinds"] = await self._kinds(tx, caller, body)
        await self._require_pictures(tx, caller, body)
        given = msgspec.to_builtins(body)
        row = GenerationRow(
            owner_id=caller.owner_id,
            id="",
            profile_id=profile_id,
            type=kind,
            model=model,
            request={name: value for name, value in given.items() if name not in _HIDDEN},
            result=None,
            input_tokens=None,
            output_tokens=None,
            failure=None,
            run_key=None,
            subject_key=None,
            created_at=tx.now,
        )
        job = await self.add(tx, row, job_of(kind), job_input)
        return self._show(Found(replace(row, id=job.id), job), {})

    async def _profile(self, tx: Tx, caller: Caller, profile_id: str | None) -> str | None:
        """Determine the profile as for a file: a limited key may omit it only if it covers a single profile."""
        if profile_id is not None:
            await self._profiles.require(tx, caller, profile_id)
            return profile_id
        if caller.profiles is None:
            return None
        if len(caller.profiles) != 1:
            detail = "profileId is required, because this key covers several profiles."
            raise Invalid.at("/profileId", "required", detail)
        return next(iter(caller.profiles))

    async def _kinds(self, tx: Tx, caller: Caller, body: CopyBody) -> Sequence[str]:
        """Return the kinds whose limits apply: the named ones, and those of the accounts."""
        kinds = [Kind(kind) for kind in body.kinds]
        for place, account_id in enumerate(body.account_ids):
            try:
                account = await self._accounts.find(tx, caller, account_id, ads=None)
            except NotFound:
                detail = "There is no account with this id. GET /accounts lists them."
                raise Invalid.at(f"/accountIds/{place}", "not_found", detail) from None
            self._require_texts(Kind(account.kind), f"/accountIds/{place}")
            kinds.append(Kind(account.kind))
        return [str(kind) for kind in dict.fromkeys(kinds)]

    def _require_texts(self, kind: Kind, pointer: str) -> None:
        """Reject kinds that accept no texts, such as ad accounts: they have no length limit that could apply."""
        known = {one.kind: one for manifest in self._manifests.values() for one in manifest.kinds}
        if known[kind].limits.text_max is None:
            able = ", ".join(sorted(one.kind for one in known.values() if one.limits.text_max is not None))
            detail = f"{known[kind].name} accepts no posts or messages. Use one of these kinds: {able}."
            raise Invalid.at(pointer, "not_supported", detail)

    async def _require_pictures(self, tx: Tx, caller: Caller, body: NewGeneration) -> None:
        """Reject files that no model could look at."""
        if isinstance(body, CopyBody):
            for place, media_id in enumerate(body.media_ids):
                await self._picture(tx, caller, media_id, f"/mediaIds/{place}", _PICTURES)
        elif isinstance(body, ImageBody):
            for place, media_id in enumerate(body.media_ids):
                await self._picture(tx, caller, media_id, f"/mediaIds/{place}", _REFERENCES)
        elif isinstance(body, VideoBody) and body.image_media_id is not None:
            await self._picture(tx, caller, body.image_media_id, "/imageMediaId", _REFERENCES)

    async def _picture(self, tx: Tx, caller: Caller, media_id: str, pointer: str, accepted: Sequence[str]) -> MediaFile:
        found = await self._library.picture(tx, caller, media_id, pointer)
        if found.mime_type not in accepted:
            detail = f"The type of the file is {found.mime_type}. Convert it to one of: {', '.join(accepted)}."
            raise Invalid.at(pointer, "media_type", detail)
        if found.size > MOST_PICTURE_BYTES:
            detail = f"The file has {found.size:,} bytes. Use one of at most {MOST_PICTURE_BYTES:,} bytes."
            raise Invalid.at(pointer, "too_large", detail)
        return found

    async def _job(self, tx: Tx, caller: Caller, generation_id: str) -> JobRow:
        return (await self._find(tx, caller, generation_id)).job

    async def _read(self, tx: Tx, caller: Caller, generation_id: str) -> Generation:
        found = await self._find(tx, caller, generation_id)
        return self._show(found, await media.find_all(tx, caller.owner_id, _media_ids(found.row)))

    async def _find(self, tx: Tx, caller: Caller, generation_id: str) -> Found:
        row = await store.find(tx, caller.owner_id, generation_id)
        job = None if row is None else await table.find(tx, caller.owner_id, generation_id)
        if row is None or job is None:
            raise NotFound("There is no generation with this id. GET /ai/generations lists them.")
        if row.profile_id is not None:
            caller.require_profile(row.profile_id)
        else:
            caller.require_all_profiles("see generations that concern every profile")
        return Found(row, job)

    def _show(self, found: Found, files: Mapping[str, media.MediaRow]) -> Generation:
        row, job = found
        failure = job.error or row.failure
        error = None if failure is None else self._error(failure, row.failure or {})
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
            result=None if row.result is None else self._result(row.result, files),
            usage=GenerationUsage(input_tokens=row.input_tokens or 0, output_tokens=row.output_tokens or 0)
            if used
            else None,
            error=error if job.status is JobStatus.FAILED else None,
            last_error=_retried(error) if error is not None and job.finished_at is None else None,
            created_at=job.created_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
            expires_at=job.expires_at,
        )

    def _result(self, result: Mapping[str, Any], files: Mapping[str, media.MediaRow]) -> GenerationResult:
        items = [self._links.show(files[one]) for one in result["mediaIds"] if one in files]
        return msgspec.convert({**result, "media": msgspec.to_builtins(items)}, GenerationResult)

    def _error(self, error: Mapping[str, Any], failure: Mapping[str, Any]) -> GenerationError:
        """Show why it failed, with the provider's own words if that is the same failure."""
        code: str = error["code"]
        more = failure if failure.get("code") == code else {}
        title = next((one.title for one in error_catalogue() if one.code == code), "The generation failed")
        return GenerationError(
            type=f"{self._errors_url}{code}",
            title=title,
            code=code,
            detail=error["detail"],
            category=more.get("category"),
            platform=more.get("platform"),
            platform_error=more.get("platformError"),
        )


def _retried(error: GenerationError) -> GenerationError:
    return replace(error, detail=f"{_ADVICE.sub('.', error.detail)} {_RETRIED}")


def _media_ids(row: GenerationRow) -> list[str]:
    return [] if row.result is None else list(row.result["mediaIds"])
