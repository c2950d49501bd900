import msgspec
from litestar import Response

from socialgate.areas.generation.schemas import (
    AiModels,
    AudioGenerationBody,
    CopyGenerationBody,
    Generation,
    GenerationQuery,
    GenerationsQuery,
    ImageGenerationBody,
    VideoGenerationBody,
)
from socialgate.areas.generation.service import GenerationService
from socialgate.contracts.failures import PlatformRateLimitError, PlatformUnavailableError
from socialgate.contracts.generation import AiAccountRejected, AiNotConfigured, GenerationType
from socialgate.core.errors import NotFound
from socialgate.core.jobs.service import TooManyTasks
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import LOCATION_HEADER, RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("AI", "Generate texts, images, videos and audio with AI models.")
_CREATE_ERRORS = (AiNotConfigured, NotFound, TooManyTasks)
_LOCATION_HEADER = msgspec.structs.replace(
    LOCATION_HEADER, example="/ai/generate/gen_01h455vb4pex5vsknk084sn02q", required=True
)
_METERED_METRICS = (UsageMetric.AI_GENERATIONS,)


@route(
    "GET",
    "/ai/models",
    sdk="ai.models",
    tag=TAG,
    raises=(AiNotConfigured, AiAccountRejected, PlatformRateLimitError, PlatformUnavailableError),
)
async def list_models(generations: GenerationService) -> AiModels:
    """List the models of this deployment's provider that can generate texts, images, videos or audio.

    The list is cached for a minute. Providers do not report what a model generates, so `type` is derived from its name.
    `unavailable` lists the types for which there is no model.
    """
    return await generations.list_models()


@route(
    "POST",
    "/ai/generate-copy",
    sdk="ai.text",
    tag=TAG,
    status=202,
    raises=_CREATE_ERRORS,
    meters=_METERED_METRICS,
    sends=(_LOCATION_HEADER,),
    example=Generation.example_of(GenerationType.COPY, "gpt-5.4-mini", CopyGenerationBody.example()),
)
async def generate_copy(
    data: CopyGenerationBody, work: UnitOfWork, generations: GenerationService
) -> Response[Generation]:
    """Write texts for posts. The response is a task; its result has a text for each variant.

    `kinds` and `accountIds` say where you want to publish the texts: the length limits of these accounts apply. If a
    text is too long, the model is asked once for a shorter one, and a warning says so. Texts are never cut off.
    """
    return _build_accepted_response(await generations.create_copy_generation(work, data))


@route(
    "POST",
    "/ai/generate-image",
    sdk="ai.image",
    tag=TAG,
    status=202,
    raises=_CREATE_ERRORS,
    meters=_METERED_METRICS,
    sends=(_LOCATION_HEADER,),
    example=Generation.example_of(GenerationType.IMAGE, "gpt-image-2", ImageGenerationBody.example()),
)
async def generate_image(
    data: ImageGenerationBody, work: UnitOfWork, generations: GenerationService
) -> Response[Generation]:
    """Generate images. The response is a task; its result lists files, which posts can use by their `mediaId`."""
    return _build_accepted_response(await generations.create_image_generation(work, data))


@route(
    "POST",
    "/ai/generate-video",
    sdk="ai.video",
    tag=TAG,
    status=202,
    raises=_CREATE_ERRORS,
    meters=_METERED_METRICS,
    sends=(_LOCATION_HEADER,),
    example=Generation.example_of(GenerationType.VIDEO, "sandbox-video", VideoGenerationBody.example()),
)
async def generate_video(
    data: VideoGenerationBody, work: UnitOfWork, generations: GenerationService
) -> Response[Generation]:
    """Generate a video, which takes several minutes. The response is a task; its result is a file that posts can use.

    The video is requested at most once. If the provider's response is lost, the task fails with `outcome_unknown`.
    """
    return _build_accepted_response(await generations.create_video_generation(work, data))


@route(
    "POST",
    "/ai/generate-audio",
    sdk="ai.audio",
    tag=TAG,
    status=202,
    raises=_CREATE_ERRORS,
    meters=_METERED_METRICS,
    sends=(_LOCATION_HEADER,),
    example=Generation.example_of(GenerationType.AUDIO, "gpt-4o-mini-tts", AudioGenerationBody.example()),
)
async def generate_audio(
    data: AudioGenerationBody, work: UnitOfWork, generations: GenerationService
) -> Response[Generation]:
    """Convert a text to speech. The response is a task; its result is an audio file."""
    return _build_accepted_response(await generations.create_audio_generation(work, data))


@route("GET", "/ai/generate/{task_id:str}", sdk="ai.get", tag=TAG, query=GenerationQuery, raises=(NotFound,))
async def read_generation(
    task_id: str, params: GenerationQuery, work: UnitOfWork, generations: GenerationService
) -> Generation:
    """Return a generation: its status, its request, and its results so far.

    With `wait`, the response is sent as soon as the generation has finished. Generations are kept for 30 days after
    that.
    """
    return await generations.read(work, task_id, params.wait)


@route("GET", "/ai/generations", sdk="ai.list", tag=TAG, query=GenerationsQuery, raises=(NotFound,))
async def list_generations(
    params: GenerationsQuery, work: UnitOfWork, generations: GenerationService
) -> Page[Generation]:
    """List generations, newest first."""
    return await work.read(generations.list, work.caller, params)


def _build_accepted_response(generation: Generation) -> Response[Generation]:
    return Response(generation, headers={"Location": f"/ai/generate/{generation.id}"})


routes = [
    list_models,
    generate_copy,
    generate_image,
    generate_video,
    generate_audio,
    read_generation,
    list_generations,
]
