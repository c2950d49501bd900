"""AI: what was generated, with its files, and new texts, images, videos and audio."""

from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.generation.schemas import (
    AiModels,
    AudioGenerationBody,
    CopyGenerationBody,
    Generation,
    GenerationsQuery,
    ImageGenerationBody,
    VideoGenerationBody,
)
from socialgate.areas.generation.service import GenerationService
from socialgate.areas.tasks.service import TaskService
from socialgate.console.formatting import list_statuses
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.media import get_own_address, is_previewed
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.generation import AiNotConfigured, GenerationType
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.job_store import JobStatus

AI_PATH = "/console/ai"
_PER_PAGE = 20
_RELOAD_SECONDS = 3
_UNFINISHED = (JobStatus.QUEUED, JobStatus.RUNNING)
TYPE_NAMES = {
    GenerationType.COPY: "Text",
    GenerationType.IMAGE: "Image",
    GenerationType.VIDEO: "Video",
    GenerationType.AUDIO: "Audio",
}
_ICONS = {
    GenerationType.COPY: "pen",
    GenerationType.IMAGE: "image",
    GenerationType.VIDEO: "video",
    GenerationType.AUDIO: "audio",
}


class AiQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which generations to show, and what to generate next."""

    type: GenerationType | None = None
    status: JobStatus | None = None
    new: GenerationType = GenerationType.COPY
    cursor: Annotated[str, Meta(max_length=200)] | None = None


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """The models of this deployment; or why there are none, and whether the operator can change that."""

    models: AiModels | None = None
    failure: str | None = None
    is_configured: bool = True

    def find_default(self, kind: GenerationType) -> str | None:
        listed = [] if self.models is None else self.models.data
        return next((model.id for model in listed if model.default and kind in model.type), None)

    def list_names(self, kind: GenerationType) -> list[str]:
        return [] if self.models is None else [model.id for model in self.models.data if kind in model.type]

    def explain(self, kind: GenerationType) -> str | None:
        """Return why nothing of a kind can be generated."""
        absent = [] if self.models is None else self.models.unavailable
        return next((item.detail for item in absent if item.type == kind), None)


@console_page(AI_PATH, "ai.html", query=AiQuery, entry=Entry(label="AI", icon="sparkle", group=Group.WORK, key="y"))
async def ai_page(visit: Visit, params: AiQuery, generations: GenerationService) -> Values:
    query = GenerationsQuery(
        limit=_PER_PAGE,
        cursor=params.cursor,
        type=params.type,
        status=params.status,
        profile_id=visit.query.profile,
    )
    listed = await visit.work.read(generations.list, visit.caller, query)
    kind = next((kind for kind in GenerationType if visit.form(kind).failure is not None), params.new)
    if any(item.status in _UNFINISHED for item in listed.data) and not visit.has_failed:
        visit.headers["Refresh"] = str(_RELOAD_SECONDS)
    return {
        "generations": listed,
        "provider": await _find_provider(generations),
        "kind": kind,
        "type_names": TYPE_NAMES,
        "icons": _ICONS,
        "status_names": list_statuses(JobStatus),
        "unfinished": _UNFINISHED,
        "address_of": get_own_address,
        "is_previewed": is_previewed,
        "title_of": get_title,
        "ai_path": AI_PATH,
    }


@ai_page.form(GenerationType.COPY, CopyGenerationBody)
async def generate_copy(visit: Visit, data: CopyGenerationBody, generations: GenerationService) -> Outcome:
    return _begin(visit, await generations.create_copy_generation(visit.work, data))


@ai_page.form(GenerationType.IMAGE, ImageGenerationBody)
async def generate_image(visit: Visit, data: ImageGenerationBody, generations: GenerationService) -> Outcome:
    return _begin(visit, await generations.create_image_generation(visit.work, data))


@ai_page.form(GenerationType.VIDEO, VideoGenerationBody)
async def generate_video(visit: Visit, data: VideoGenerationBody, generations: GenerationService) -> Outcome:
    return _begin(visit, await generations.create_video_generation(visit.work, data))


@ai_page.form(GenerationType.AUDIO, AudioGenerationBody)
async def generate_audio(visit: Visit, data: AudioGenerationBody, generations: GenerationService) -> Outcome:
    return _begin(visit, await generations.create_audio_generation(visit.work, data))


@console_page(AI_PATH + "/{generation_id:str}", "ai_generation.html")
async def generation_page(
    visit: Visit, generation_id: str, params: PageQuery, generations: GenerationService
) -> Values:
    del params  # it only has the profile
    generation = await generations.read(visit.work, generation_id, 0)
    if generation.status in _UNFINISHED and visit.button_failure is None:
        visit.headers["Refresh"] = str(_RELOAD_SECONDS)
    return {
        "generation": generation,
        "type_names": TYPE_NAMES,
        "icons": _ICONS,
        "unfinished": _UNFINISHED,
        "address_of": get_own_address,
        "is_previewed": is_previewed,
        "title_of": get_title,
        "ai_path": AI_PATH,
    }


@generation_page.form("cancel")
async def cancel_generation(visit: Visit, generation_id: str, tasks: TaskService) -> Outcome:
    await visit.work.write(tasks.cancel, visit.caller, generation_id)
    return Done("It ends after its current step. What it has generated so far stays.")


def get_title(generation: Generation) -> str:
    """Return what was asked for. An automation asks with its instructions."""
    request = generation.request
    return str(request.get("prompt") or request.get("instructions") or request.get("text") or "")


def _begin(visit: Visit, generation: Generation) -> Outcome:
    type_name = TYPE_NAMES[generation.type].lower()
    minutes = " A video takes several minutes." if generation.type is GenerationType.VIDEO else ""
    return Done(
        f"The {type_name} is being generated. It continues if you leave this page.{minutes}",
        to=visit.link(f"{AI_PATH}/{generation.id}"),
    )


async def _find_provider(generations: GenerationService) -> Provider:
    """Ask which models there are. What was generated before is shown in any case."""
    try:
        return Provider(models=await generations.list_models())
    except AiNotConfigured as failure:
        return Provider(failure=failure.detail, is_configured=False)
    except ServiceError as failure:
        return Provider(failure=failure.detail)
