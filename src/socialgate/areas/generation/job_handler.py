"""What each type of generation does: ask the provider, check the result, store it, and resume after a crash."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta

import msgspec
from msgspec.structs import replace

from socialgate.areas.generation import store
from socialgate.areas.generation.progress import GenerationRun, GenerationState
from socialgate.areas.generation.prompts import (
    LengthLimit,
    build_copy_messages,
    build_copy_variant,
    build_length_limits,
    build_reply_messages,
    build_shorten_messages,
    compute_excess,
    fits_limits,
)
from socialgate.areas.generation.reply_request import ReplyRequest
from socialgate.areas.generation.schemas import (
    AudioGenerationBody,
    CopyGenerationBody,
    ImageGenerationBody,
    VideoGenerationBody,
)
from socialgate.areas.generation.tables import GenerationRow
from socialgate.areas.media import store as media
from socialgate.areas.media.file_reader import MediaUnavailableError
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.sniff import HEAD_BYTES, detect_type
from socialgate.areas.media.uploading import MediaUploads
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.generation import (
    AiClient,
    AiClientLoader,
    ChatMessage,
    GeneratedImage,
    GenerationType,
    ImageRequest,
    InputImage,
    SpeechRequest,
    VideoRequest,
    VideoState,
    require_ai_client,
)
from socialgate.contracts.platforms import Kind
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobCancelled, JobRun

# A call that may have been executed is made once more, except for videos.
_MAX_OPEN_CALLS = 2
_MAX_OPEN_VIDEO_CALLS = 1
_TOTAL_PERCENT = 100
_STORAGE_RETRY_SECONDS = 30
_MIN_POLL_SECONDS, _MAX_POLL_SECONDS, _POLL_BACKOFF_FACTOR = 1.0, 10.0, 1.5
# Providers make a video in some minutes; after this long it is stuck.
_VIDEO_TIMEOUT_HOURS = 2
# A reply that comes much later than the message is worse than the fallback.
REPLY_DEADLINE = timedelta(minutes=15)
# What is written when a text was cut off or stays too long.
_CUT_OFF_WARNING = "The model reached its token limit, so the text may be incomplete."
_SHORTENED_WARNING = "A text was too long, so the model was asked to shorten it."
_TOO_LONG_WARNING = "A text is still too long after the model was asked to shorten it. See its checks."

BuildMessages = Callable[[Sequence[str]], Sequence[ChatMessage]]


class GenerationJobHandler:
    def __init__(
        self,
        db: Database,
        generators: AiClientLoader,
        uploads: MediaUploads,
        library: MediaService,
        catalogue: ConnectorRegistry,
    ) -> None:
        self._db = db
        self._generators = generators
        self._uploads = uploads
        self._library = library
        self._catalogue = catalogue

    async def run(self, run: JobRun) -> None:
        row = await self._db.read(store.find_generation, run.owner_id, run.id)
        if row is None:
            raise JobCancelled
        generator = require_ai_client(self._generators)
        if row.run_key is not None:
            await self._generate_reply(run, row, generator)
            return
        steps = {
            GenerationType.COPY: self._generate_copy,
            GenerationType.IMAGE: self._generate_images,
            GenerationType.VIDEO: self._generate_video,
            GenerationType.AUDIO: self._generate_audio,
        }
        await steps[row.type](run, row, generator)

    async def _generate_copy(self, run: JobRun, row: GenerationRow, generator: AiClient) -> None:
        body = msgspec.convert(row.request, CopyGenerationBody)
        kinds = [Kind(kind) for kind in run.input["kinds"]]
        bounds = build_length_limits(kinds, self._catalogue.manifests.values(), body.max_length)
        pictures = await self._read_images(row, body.media_ids)
        progress = GenerationRun(self._db, run, row, provider=generator.provider, unit="variants", total=body.variants)
        ask: BuildMessages = lambda earlier: build_copy_messages(body, bounds, earlier, pictures)  # noqa: E731 - it is an argument
        await _generate_texts(progress, generator, ask, bounds, body.variants)
        await progress.finish()

    async def _generate_reply(self, run: JobRun, row: GenerationRow, generator: AiClient) -> None:
        request = msgspec.convert(row.request, ReplyRequest)
        limit = request.limit
        bounds = build_length_limits(
            [] if request.kind is None else [request.kind], self._catalogue.manifests.values(), limit
        )
        until = row.created_at + REPLY_DEADLINE
        progress = GenerationRun(self._db, run, row, provider=generator.provider, unit="variants", total=1, until=until)
        messages = build_reply_messages(request.instructions, request.tone, limit, request.text or "")
        await _generate_texts(progress, generator, lambda _: messages, bounds, 1)
        await progress.finish()

    async def _generate_images(self, run: JobRun, row: GenerationRow, generator: AiClient) -> None:
        body = msgspec.convert(row.request, ImageGenerationBody)
        progress = GenerationRun(self._db, run, row, provider=generator.provider, unit="images", total=body.count)
        request = ImageRequest(
            prompt=body.prompt,
            size=body.size,
            aspect_ratio=body.aspect_ratio,
            quality=body.quality,
            format=body.format,
            input_images=await self._read_images(row, body.media_ids),
        )
        while len(progress.result.media_ids) < body.count:
            if progress.state.image_url is None:
                await progress.call_paid(
                    lambda: self._generate_image(progress, generator, request), max_open_calls=_MAX_OPEN_CALLS
                )
            if progress.state.image_url is not None:
                await progress.call_free(lambda: self._download_image(progress, generator))
        await progress.finish()

    async def _generate_image(self, progress: GenerationRun, generator: AiClient, request: ImageRequest) -> None:
        """Generate one image and store it, or its URL. One at a time: a crash then costs one image, and only one is
        held in memory.
        """
        generated_image = await generator.generate_image(progress.row.model, request)
        if generated_image.data is None:
            # It is paid for: from now on it is only downloaded.
            known = progress.result.with_warnings(generated_image.warnings)
            drawn = GenerationState(image_url=generated_image.url or "")
            await progress.save_result(known, state=drawn, usage=generated_image.usage, done=len(known.media_ids))
        else:
            ending = detect_type(generated_image.data[:HEAD_BYTES], "").mime_type.rpartition("/")[2]
            await self._store_file(progress, "image", ending, _to_async_iterator(generated_image.data), generated_image)

    async def _download_image(self, progress: GenerationRun, generator: AiClient) -> None:
        async with generator.download_image(progress.state.image_url or "") as pieces:
            await self._store_file(progress, "image", "jpg", pieces)

    async def _generate_audio(self, run: JobRun, row: GenerationRow, generator: AiClient) -> None:
        body = msgspec.convert(row.request, AudioGenerationBody)
        progress = GenerationRun(self._db, run, row, provider=generator.provider, unit="files", total=1)
        request = SpeechRequest(text=body.text, voice=body.voice, format=body.format, speed=body.speed)

        async def speak() -> None:
            async with generator.generate_speech(row.model, request) as pieces:
                await self._store_file(progress, "audio", body.format, pieces)

        if not progress.result.media_ids:
            await progress.call_paid(speak, max_open_calls=_MAX_OPEN_CALLS)
        await progress.finish()

    async def _generate_video(self, run: JobRun, row: GenerationRow, generator: AiClient) -> None:
        body = msgspec.convert(row.request, VideoGenerationBody)
        progress = GenerationRun(self._db, run, row, provider=generator.provider, unit="percent", total=_TOTAL_PERCENT)
        if progress.state.video_id is None:
            pictures = await self._read_images(row, [body.image_media_id] if body.image_media_id else [])
            request = VideoRequest(
                prompt=body.prompt,
                seconds=body.seconds,
                aspect_ratio=body.aspect_ratio,
                picture=pictures[0] if pictures else None,
            )
            await progress.call_paid(
                lambda: self._start_video(progress, generator, request), max_open_calls=_MAX_OPEN_VIDEO_CALLS
            )
        if not progress.result.media_ids:
            await self._wait_for_video(progress, generator)
            await progress.call_free(lambda: self._download_video(progress, generator))
        await progress.finish()

    async def _start_video(self, progress: GenerationRun, generator: AiClient, request: VideoRequest) -> None:
        """Create the video, and store its id before anything else: from now on only its status is read."""
        video = await generator.start_video(progress.row.model, request)
        known = GenerationState(video_id=video.id, video_at=self._db.clock.now())
        await progress.save_result(progress.result, state=known, done=video.percent or 0)

    async def _wait_for_video(self, progress: GenerationRun, generator: AiClient) -> None:
        video_id, wait = progress.state.video_id or "", _MIN_POLL_SECONDS
        while True:
            video = await progress.call_free(lambda: _read_video_state(generator, video_id))
            if video.done:
                return
            since = progress.state.video_at
            if since is not None and self._db.clock.now() - since > timedelta(hours=_VIDEO_TIMEOUT_HOURS):
                raise PlatformUnavailableError(
                    f"The provider did not finish the video {video_id} within {_VIDEO_TIMEOUT_HOURS} hours. "
                    "Create it again.",
                    platform=generator.provider,
                )
            # A step, so that the task can be cancelled and the process stopped while it waits.
            await progress.report_progress(video.percent or 0)
            await asyncio.sleep(wait)
            wait = min(wait * _POLL_BACKOFF_FACTOR, _MAX_POLL_SECONDS)

    async def _download_video(self, progress: GenerationRun, generator: AiClient) -> None:
        async with generator.download_video(progress.state.video_id or "") as pieces:
            await self._store_file(
                progress, "video", "mp4", pieces, state=replace(progress.state, open_calls=0, failures=0)
            )

    async def _store_file(
        self,
        progress: GenerationRun,
        media_type: str,
        extension: str,
        pieces: AsyncIterator[bytes],
        generated_image: GeneratedImage | None = None,
        state: GenerationState | None = None,
    ) -> None:
        """Store a file like an upload: inspected, within the owner's quota. The step is recorded with it."""
        row = progress.row
        caller = Caller(owner_id=row.owner_id, credential_id="generation")
        number = len(progress.result.media_ids) + 1

        async def within(media_id: str, add: Callable[[Tx], Awaitable[MediaItem]]) -> MediaItem:
            async def checked(tx: Tx) -> MediaItem:
                item = await add(tx)
                if item.type != media_type:
                    detail = (
                        f"The provider returned {item.mime_type} instead of {media_type}. Try another model or format."
                    )
                    raise PlatformRejectedError(detail, platform=progress.provider, category="platform_error")
                return item

            warnings = () if generated_image is None else generated_image.warnings
            after = replace(progress.result, media_ids=(*progress.result.media_ids, media_id)).with_warnings(warnings)
            usage = None if generated_image is None else generated_image.usage
            done = _TOTAL_PERCENT if media_type == "video" else number
            item = await progress.save_result(after, state=state, usage=usage, unit=checked, done=done)
            assert item is not None, "the work of this step returns it"
            return item

        name = f"{row.id}-{number}.{extension}"
        await self._uploads.store_file_in_transaction(caller, row.profile_id, name, pieces, within)

    async def _read_images(self, row: GenerationRow, media_ids: Sequence[str]) -> tuple[InputImage, ...]:
        """Read the images for the model."""
        rows = await self._db.read(media.find_all_media, row.owner_id, media_ids)
        missing = [media_id for media_id in media_ids if media_id not in rows]
        if missing:
            raise MediaUnavailableError(
                f"The file {missing[0]} was deleted in the meantime. Upload it again and create a new generation.",
                platform="storage",
            )
        return tuple([await self._read_image(rows[media_id]) for media_id in media_ids])

    async def _read_image(self, row: media.MediaRow) -> InputImage:
        try:
            data = await self._library.get_reader(row.owner_id).read(row.id, 0, row.size)
        except MediaUnavailableError as failure:
            failure.retry_after = _STORAGE_RETRY_SECONDS
            raise
        return InputImage(mime_type=row.mime_type, file_name=row.file_name, data=data)


async def _generate_texts(
    progress: GenerationRun, generator: AiClient, ask: BuildMessages, bounds: Sequence[LengthLimit], number: int
) -> None:
    """Generate texts, one call each, so that a crash costs one of them. Each call contains the earlier texts."""
    while progress.state.needs_shortening or len(progress.result.variants) < number:
        if progress.state.needs_shortening:
            await progress.call_paid(
                lambda: _generate_shorter_text(progress, generator, bounds), max_open_calls=_MAX_OPEN_CALLS
            )
        else:
            await progress.call_paid(
                lambda: _generate_text(progress, generator, ask, bounds), max_open_calls=_MAX_OPEN_CALLS
            )


async def _generate_text(
    progress: GenerationRun, generator: AiClient, ask: BuildMessages, bounds: Sequence[LengthLimit]
) -> None:
    earlier = [variant["text"] for variant in progress.result.variants]
    generated_text = await generator.generate_text(progress.row.model, ask(earlier))
    variant = build_copy_variant(generated_text.text, bounds, shortened=False)
    after = replace(progress.result, variants=(*progress.result.variants, variant))
    after = after.with_warnings(() if generated_text.complete else (_CUT_OFF_WARNING,))
    pending = not fits_limits(variant)
    done = len(after.variants) - pending
    await progress.save_result(
        after, state=GenerationState(needs_shortening=pending), usage=generated_text.usage, done=done
    )


async def _generate_shorter_text(progress: GenerationRun, generator: AiClient, bounds: Sequence[LengthLimit]) -> None:
    """Ask for a shorter text, once. It is never cut off here: a text that is too long can still be edited."""
    *others, long = progress.result.variants
    generated_text = await generator.generate_text(progress.row.model, build_shorten_messages(long["text"], bounds))
    shorter = build_copy_variant(generated_text.text, bounds, shortened=True)
    best = min(shorter, long, key=compute_excess)
    after = replace(progress.result, variants=(*others, best)).with_warnings(
        (_SHORTENED_WARNING if fits_limits(best) else _TOO_LONG_WARNING,)
    )
    await progress.save_result(after, usage=generated_text.usage, done=len(after.variants))


async def _read_video_state(generator: AiClient, video_id: str) -> VideoState:
    video = await generator.fetch_video_state(video_id)
    if video.failure is not None:
        raise video.failure
    return video


async def _to_async_iterator(data: bytes) -> AsyncIterator[bytes]:
    yield data
