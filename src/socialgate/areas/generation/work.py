"""What each type of generation does: ask the provider, check the result, store it, and resume after a crash."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta

import msgspec
from msgspec.structs import replace

from socialgate.areas.generation import store
from socialgate.areas.generation.progress import Progress, State
from socialgate.areas.generation.requests import ReplyRequest
from socialgate.areas.generation.schemas import AudioBody, CopyBody, ImageBody, VideoBody
from socialgate.areas.generation.tables import GenerationRow
from socialgate.areas.generation.writing import (
    Bound,
    bounds_of,
    copy_messages,
    excess,
    fits,
    reply_messages,
    shorter_messages,
    variant_of,
)
from socialgate.areas.media import store as media
from socialgate.areas.media.reading import MediaUnavailable
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.service import Library
from socialgate.areas.media.sniff import HEAD_BYTES, sniff
from socialgate.areas.media.uploading import MediaUploads
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.contracts.generation import (
    ChatMessage,
    GenerationType,
    Generator,
    Generators,
    ImageRequest,
    MadeImage,
    Picture,
    SpeechRequest,
    VideoRequest,
    VideoState,
    require_generator,
)
from socialgate.contracts.platforms import Kind
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import Cancelled, Run

# A call that may have been executed is made once more, except for videos.
_MOST_OPEN = 2
_MOST_OPEN_VIDEOS = 1
_PERCENT = 100
_STORAGE_SECONDS = 30
_FIRST_WAIT, _LONGEST_WAIT, _WAIT_FACTOR = 1.0, 10.0, 1.5
# Providers make a video in some minutes; after this long it is stuck.
_VIDEO_HOURS = 2
# A reply that comes much later than the message is worse than the fallback.
REPLY_WITHIN = timedelta(minutes=15)
# What is written when a text was cut off or stays too long.
_CUT_OFF = "The model reached its token limit, so the text may be incomplete."
_SHORTENED = "A text was too long, so the model was asked to shorten it."
_TOO_LONG = "A text is still too long after the model was asked to shorten it. See its checks."

Ask = Callable[[Sequence[str]], Sequence[ChatMessage]]


class GenerationWork:
    def __init__(
        self,
        db: Database,
        generators: Generators,
        uploads: MediaUploads,
        library: Library,
        catalogue: Catalogue,
    ) -> None:
        self._db = db
        self._generators = generators
        self._uploads = uploads
        self._library = library
        self._catalogue = catalogue

    async def run(self, run: Run) -> None:
        row = await self._db.read(store.find, run.owner_id, run.id)
        if row is None:
            raise Cancelled
        generator = require_generator(self._generators)
        if row.run_key is not None:
            await self._reply(run, row, generator)
            return
        steps = {
            GenerationType.COPY: self._copy,
            GenerationType.IMAGE: self._images,
            GenerationType.VIDEO: self._video,
            GenerationType.AUDIO: self._speech,
        }
        await steps[row.type](run, row, generator)

    async def _copy(self, run: Run, row: GenerationRow, generator: Generator) -> None:
        body = msgspec.convert(row.request, CopyBody)
        kinds = [Kind(kind) for kind in run.input["kinds"]]
        bounds = bounds_of(kinds, self._catalogue.manifests.values(), body.max_length)
        pictures = await self._pictures(row, body.media_ids)
        progress = Progress(self._db, run, row, provider=generator.provider, unit="variants", total=body.variants)
        ask: Ask = lambda earlier: copy_messages(body, bounds, earlier, pictures)  # noqa: E731 - it is an argument
        await _texts(progress, generator, ask, bounds, body.variants)
        await progress.finish()

    async def _reply(self, run: Run, row: GenerationRow, generator: Generator) -> None:
        request = msgspec.convert(row.request, ReplyRequest)
        limit = request.limit
        bounds = bounds_of([] if request.kind is None else [request.kind], self._catalogue.manifests.values(), limit)
        until = row.created_at + REPLY_WITHIN
        progress = Progress(self._db, run, row, provider=generator.provider, unit="variants", total=1, until=until)
        messages = reply_messages(request.instructions, request.tone, limit, request.text or "")
        await _texts(progress, generator, lambda _: messages, bounds, 1)
        await progress.finish()

    async def _images(self, run: Run, row: GenerationRow, generator: Generator) -> None:
        body = msgspec.convert(row.request, ImageBody)
        progress = Progress(self._db, run, row, provider=generator.provider, unit="images", total=body.count)
        request = ImageRequest(
            prompt=body.prompt,
            size=body.size,
            aspect_ratio=body.aspect_ratio,
            quality=body.quality,
            format=body.format,
            pictures=await self._pictures(row, body.media_ids),
        )
        while len(progress.made.media_ids) < body.count:
            if progress.state.image_url is None:
                await progress.paid(lambda: self._image(progress, generator, request), most_open=_MOST_OPEN)
            if progress.state.image_url is not None:
                await progress.free(lambda: self._fetch(progress, generator))
        await progress.finish()

    async def _image(self, progress: Progress, generator: Generator, request: ImageRequest) -> None:
        """Generate one image and store it, or its URL. One at a time: a crash then costs one image, and only one is
        held in memory.
        """
        made = await generator.draw(progress.row.model, request)
        if made.data is None:
            # It is paid for: from now on it is only downloaded.
            known = progress.made.warned(made.warnings)
            drawn = State(image_url=made.url or "")
            await progress.keep(known, state=drawn, usage=made.usage, done=len(known.media_ids))
        else:
            ending = sniff(made.data[:HEAD_BYTES], "").mime_type.rpartition("/")[2]
            await self._store(progress, "image", ending, _once(made.data), made)

    async def _fetch(self, progress: Progress, generator: Generator) -> None:
        async with generator.download_image(progress.state.image_url or "") as pieces:
            await self._store(progress, "image", "jpg", pieces)

    async def _speech(self, run: Run, row: GenerationRow, generator: Generator) -> None:
        body = msgspec.convert(row.request, AudioBody)
        progress = Progress(self._db, run, row, provider=generator.provider, unit="files", total=1)
        request = SpeechRequest(text=body.text, voice=body.voice, format=body.format, speed=body.speed)

        async def speak() -> None:
            async with generator.speak(row.model, request) as pieces:
                await self._store(progress, "audio", body.format, pieces)

        if not progress.made.media_ids:
            await progress.paid(speak, most_open=_MOST_OPEN)
        await progress.finish()

    async def _video(self, run: Run, row: GenerationRow, generator: Generator) -> None:
        body = msgspec.convert(row.request, VideoBody)
        progress = Progress(self._db, run, row, provider=generator.provider, unit="percent", total=_PERCENT)
        if progress.state.video_id is None:
            pictures = await self._pictures(row, [body.image_media_id] if body.image_media_id else [])
            request = VideoRequest(
                prompt=body.prompt,
                seconds=body.seconds,
                aspect_ratio=body.aspect_ratio,
                picture=pictures[0] if pictures else None,
            )
            await progress.paid(lambda: self._start(progress, generator, request), most_open=_MOST_OPEN_VIDEOS)
        if not progress.made.media_ids:
            await self._wait_for(progress, generator)
            await progress.free(lambda: self._download(progress, generator))
        await progress.finish()

    async def _start(self, progress: Progress, generator: Generator, request: VideoRequest) -> None:
        """Create the video, and store its id before anything else: from now on only its status is read."""
        video = await generator.start_video(progress.row.model, request)
        known = State(video_id=video.id, video_at=self._db.clock.now())
        await progress.keep(progress.made, state=known, done=video.percent or 0)

    async def _wait_for(self, progress: Progress, generator: Generator) -> None:
        video_id, wait = progress.state.video_id or "", _FIRST_WAIT
        while True:
            video = await progress.free(lambda: _checked(generator, video_id))
            if video.done:
                return
            since = progress.state.video_at
            if since is not None and self._db.clock.now() - since > timedelta(hours=_VIDEO_HOURS):
                raise TemporarilyUnavailable(
                    f"The provider did not finish the video {video_id} within {_VIDEO_HOURS} hours. Create it again.",
                    platform=generator.provider,
                )
            # A step, so that the task can be cancelled and the process stopped while it waits.
            await progress.reached(video.percent or 0)
            await asyncio.sleep(wait)
            wait = min(wait * _WAIT_FACTOR, _LONGEST_WAIT)

    async def _download(self, progress: Progress, generator: Generator) -> None:
        async with generator.download_video(progress.state.video_id or "") as pieces:
            await self._store(progress, "video", "mp4", pieces, state=replace(progress.state, open=0, failures=0))

    async def _store(
        self,
        progress: Progress,
        wanted: str,
        ending: str,
        pieces: AsyncIterator[bytes],
        made: MadeImage | None = None,
        state: State | None = None,
    ) -> None:
        """Store a file like an upload: inspected, within the owner's quota. The step is recorded with it."""
        row = progress.row
        caller = Caller(owner_id=row.owner_id, credential_id="generation")
        number = len(progress.made.media_ids) + 1

        async def within(media_id: str, add: Callable[[Tx], Awaitable[MediaItem]]) -> MediaItem:
            async def checked(tx: Tx) -> MediaItem:
                item = await add(tx)
                if item.type != wanted:
                    detail = f"The provider returned {item.mime_type} instead of {wanted}. Try another model or format."
                    raise Rejected(detail, platform=progress.provider, category="platform_error")
                return item

            warnings = () if made is None else made.warnings
            after = replace(progress.made, media_ids=(*progress.made.media_ids, media_id)).warned(warnings)
            usage = None if made is None else made.usage
            done = _PERCENT if wanted == "video" else number
            item = await progress.keep(after, state=state, usage=usage, work=checked, done=done)
            assert item is not None, "the work of this step returns it"
            return item

        name = f"{row.id}-{number}.{ending}"
        await self._uploads.store_file_within(caller, row.profile_id, name, pieces, within)

    async def _pictures(self, row: GenerationRow, media_ids: Sequence[str]) -> tuple[Picture, ...]:
        """Read the images for the model."""
        found = await self._db.read(media.find_all, row.owner_id, media_ids)
        missing = [one for one in media_ids if one not in found]
        if missing:
            raise MediaUnavailable(
                f"The file {missing[0]} was deleted in the meantime. Upload it again and create a new generation.",
                platform="storage",
            )
        return tuple([await self._picture(found[one]) for one in media_ids])

    async def _picture(self, row: media.MediaRow) -> Picture:
        try:
            data = await self._library.of(row.owner_id).read(row.id, 0, row.size)
        except MediaUnavailable as failure:
            failure.retry_after = _STORAGE_SECONDS
            raise
        return Picture(mime_type=row.mime_type, file_name=row.file_name, data=data)


async def _texts(progress: Progress, generator: Generator, ask: Ask, bounds: Sequence[Bound], wanted: int) -> None:
    """Generate texts, one call each, so that a crash costs one of them. Each call contains the earlier texts."""
    while progress.state.pending or len(progress.made.variants) < wanted:
        if progress.state.pending:
            await progress.paid(lambda: _shorten(progress, generator, bounds), most_open=_MOST_OPEN)
        else:
            await progress.paid(lambda: _write(progress, generator, ask, bounds), most_open=_MOST_OPEN)


async def _write(progress: Progress, generator: Generator, ask: Ask, bounds: Sequence[Bound]) -> None:
    earlier = [one["text"] for one in progress.made.variants]
    made = await generator.write(progress.row.model, ask(earlier))
    variant = variant_of(made.text, bounds, shortened=False)
    after = replace(progress.made, variants=(*progress.made.variants, variant))
    after = after.warned(() if made.complete else (_CUT_OFF,))
    pending = not fits(variant)
    done = len(after.variants) - pending
    await progress.keep(after, state=State(pending=pending), usage=made.usage, done=done)


async def _shorten(progress: Progress, generator: Generator, bounds: Sequence[Bound]) -> None:
    """Ask for a shorter text, once. It is never cut off here: a text that is too long can still be edited."""
    *others, long = progress.made.variants
    made = await generator.write(progress.row.model, shorter_messages(long["text"], bounds))
    shorter = variant_of(made.text, bounds, shortened=True)
    best = min(shorter, long, key=excess)
    after = replace(progress.made, variants=(*others, best)).warned((_SHORTENED if fits(best) else _TOO_LONG,))
    await progress.keep(after, usage=made.usage, done=len(after.variants))


async def _checked(generator: Generator, video_id: str) -> VideoState:
    video = await generator.check_video(video_id)
    if video.failure is not None:
        raise video.failure
    return video


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data
