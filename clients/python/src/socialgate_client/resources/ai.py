# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Generate texts, images, videos and audio with AI models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import AiModels, Generation, GenerationPage


class AiResource(Resource):
    """Generate texts, images, videos and audio with AI models."""

    @cached_property
    def with_raw_response(self) -> AiResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AiResourceWithRawResponse(AiResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        type: params.GenerationTypeInput | None = None,
        status: params.JobStatusInput | None = None,
        profile_id: str | None = None,
    ) -> Pages[Generation, GenerationPage]:
        """List generations, newest first.

        Args:
            limit: Maximum number of rows per page.
            type: Only generations of this type.
            status: Only generations with this status.
            profile_id: Only generations of this profile.

        """
        call: Call[GenerationPage] = Call(
            method="GET",
            path="/ai/generations",
            returns=GenerationPage,
            query=pack_query({"limit": limit, "type": type, "status": status, "profileId": profile_id}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        task_id: str,
        *,
        wait: int | None = None,
    ) -> Generation:
        """Return a generation: its status, its request, and its results so far.

        With `wait`, the response is sent as soon as the generation has finished. Generations are kept for 30 days after
        that.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            wait: Respond when it has finished, or after this many seconds.

        """
        call: Call[Generation] = Call(
            method="GET",
            path=fill("/ai/generate/{}", task_id),
            returns=Generation,
            query=pack_query({"wait": wait}),
        )
        return self._client.send(call)

    def audio(
        self,
        *,
        text: str,
        model: str | None = None,
        profile_id: str | None = None,
        voice: str | Omit = OMIT,
        format: params.AudioGenerationBodyFormat | Omit = OMIT,
        speed: float | None = None,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Convert a text to speech. The response is a task; its result is an audio file.

        Args:
            text: The text to read aloud.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            voice: One of the provider's voices, such as `alloy`.
            format: The format of the file.
            speed: How fast to speak: 1 is normal, 2 twice as fast.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-audio",
            returns=Generation,
            body=pack(
                "AudioGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "text": text,
                    "voice": voice,
                    "format": format,
                    "speed": speed,
                },
                without_none=("model", "profile_id", "speed"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def image(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        size: str | None = None,
        aspect_ratio: params.ImageGenerationBodyAspectRatio | None = None,
        count: int | Omit = OMIT,
        quality: str | None = None,
        format: params.ImageGenerationBodyFormat | None = None,
        media_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Generate images. The response is a task; its result lists files, which posts can use by their `mediaId`.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            size: Width and height in pixels, such as `1024x1024`, or `auto`. The model must support it.
            aspect_ratio: The shape of the image; the model chooses the size.
            count: How many images to generate.
            quality: Such as `low`, `medium` or `high`.
            format: Unset: JPEG, which every platform accepts.
            media_ids: Images to base the new one on: JPEG, PNG or WebP of up to 10 MiB. Not every model accepts images.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-image",
            returns=Generation,
            body=pack(
                "ImageGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "size": size,
                    "aspect_ratio": aspect_ratio,
                    "count": count,
                    "quality": quality,
                    "format": format,
                    "media_ids": media_ids,
                },
                without_none=("model", "profile_id", "size", "aspect_ratio", "quality", "format"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def models(
        self,
    ) -> AiModels:
        """List the models of this deployment's provider that can generate texts, images, videos or audio.

        The list is cached for a minute. Providers do not report what a model generates, so `type` is derived from its
        name. `unavailable` lists the types for which there is no model.

        Error codes beside the common ones: `ai_account_rejected`, `ai_not_configured`, `platform_rate_limited`,
        `platform_unavailable`.

        """
        call: Call[AiModels] = Call(
            method="GET",
            path="/ai/models",
            returns=AiModels,
        )
        return self._client.send(call)

    def text(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        kinds: Sequence[params.TextKind] | Omit = OMIT,
        account_ids: Sequence[str] | Omit = OMIT,
        tone: str | None = None,
        language: str | None = None,
        variants: int | Omit = OMIT,
        max_length: int | None = None,
        hashtags: bool | None = None,
        emoji: bool | None = None,
        media_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Write texts for posts. The response is a task; its result has a text for each variant.

        `kinds` and `accountIds` say where you want to publish the texts: the length limits of these accounts apply. If
        a text is too long, the model is asked once for a shorter one, and a warning says so. Texts are never cut off.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            kinds: Kinds of accounts that the text is for: their length limits apply. See `kind` in `GET /platforms`. Ad
                accounts and calendars accept no texts.
            account_ids: Accounts that the text is for: the limits of their kinds apply.
            tone: Such as `friendly` or `formal, without irony`.
            language: Such as `pt-BR` or `Portuguese`.
            variants: How many texts to generate.
            max_length: Maximum number of characters.
            hashtags: Whether to add hashtags. Unset: the model decides.
            emoji: Whether to use emoji. Unset: the model decides.
            media_ids: Images for the model to look at: JPEG, PNG, WebP or GIF of up to 10 MiB. Not every model accepts
                images.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-copy",
            returns=Generation,
            body=pack(
                "CopyGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "kinds": kinds,
                    "account_ids": account_ids,
                    "tone": tone,
                    "language": language,
                    "variants": variants,
                    "max_length": max_length,
                    "hashtags": hashtags,
                    "emoji": emoji,
                    "media_ids": media_ids,
                },
                without_none=("model", "profile_id", "tone", "language", "max_length", "hashtags", "emoji"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def video(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        seconds: int | None = None,
        aspect_ratio: params.VideoGenerationBodyAspectRatio | None = None,
        image_media_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Generate a video, which takes several minutes. The response is a task; its result is a file that posts can
        use.

        The video is requested at most once. If the provider's response is lost, the task fails with `outcome_unknown`.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            seconds: Length of the video. OpenAI's models accept 4, 8 or 12.
            aspect_ratio: Landscape or portrait. By default the model decides.
            image_media_id: An image for the first frame, with the size of the video.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-video",
            returns=Generation,
            body=pack(
                "VideoGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "seconds": seconds,
                    "aspect_ratio": aspect_ratio,
                    "image_media_id": image_media_id,
                },
                without_none=("model", "profile_id", "seconds", "aspect_ratio", "image_media_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AiResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AiResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.audio = raw(resource.audio)
        self.image = raw(resource.image)
        self.models = raw(resource.models)
        self.text = raw(resource.text)
        self.video = raw(resource.video)


class AsyncAiResource(AsyncResource):
    """Generate texts, images, videos and audio with AI models."""

    @cached_property
    def with_raw_response(self) -> AsyncAiResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAiResourceWithRawResponse(AsyncAiResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        type: params.GenerationTypeInput | None = None,
        status: params.JobStatusInput | None = None,
        profile_id: str | None = None,
    ) -> AsyncPages[Generation, GenerationPage]:
        """List generations, newest first.

        Args:
            limit: Maximum number of rows per page.
            type: Only generations of this type.
            status: Only generations with this status.
            profile_id: Only generations of this profile.

        """
        call: Call[GenerationPage] = Call(
            method="GET",
            path="/ai/generations",
            returns=GenerationPage,
            query=pack_query({"limit": limit, "type": type, "status": status, "profileId": profile_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        task_id: str,
        *,
        wait: int | None = None,
    ) -> Generation:
        """Return a generation: its status, its request, and its results so far.

        With `wait`, the response is sent as soon as the generation has finished. Generations are kept for 30 days after
        that.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            wait: Respond when it has finished, or after this many seconds.

        """
        call: Call[Generation] = Call(
            method="GET",
            path=fill("/ai/generate/{}", task_id),
            returns=Generation,
            query=pack_query({"wait": wait}),
        )
        return await self._client.send(call)

    async def audio(
        self,
        *,
        text: str,
        model: str | None = None,
        profile_id: str | None = None,
        voice: str | Omit = OMIT,
        format: params.AudioGenerationBodyFormat | Omit = OMIT,
        speed: float | None = None,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Convert a text to speech. The response is a task; its result is an audio file.

        Args:
            text: The text to read aloud.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            voice: One of the provider's voices, such as `alloy`.
            format: The format of the file.
            speed: How fast to speak: 1 is normal, 2 twice as fast.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-audio",
            returns=Generation,
            body=pack(
                "AudioGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "text": text,
                    "voice": voice,
                    "format": format,
                    "speed": speed,
                },
                without_none=("model", "profile_id", "speed"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def image(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        size: str | None = None,
        aspect_ratio: params.ImageGenerationBodyAspectRatio | None = None,
        count: int | Omit = OMIT,
        quality: str | None = None,
        format: params.ImageGenerationBodyFormat | None = None,
        media_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Generate images. The response is a task; its result lists files, which posts can use by their `mediaId`.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            size: Width and height in pixels, such as `1024x1024`, or `auto`. The model must support it.
            aspect_ratio: The shape of the image; the model chooses the size.
            count: How many images to generate.
            quality: Such as `low`, `medium` or `high`.
            format: Unset: JPEG, which every platform accepts.
            media_ids: Images to base the new one on: JPEG, PNG or WebP of up to 10 MiB. Not every model accepts images.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-image",
            returns=Generation,
            body=pack(
                "ImageGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "size": size,
                    "aspect_ratio": aspect_ratio,
                    "count": count,
                    "quality": quality,
                    "format": format,
                    "media_ids": media_ids,
                },
                without_none=("model", "profile_id", "size", "aspect_ratio", "quality", "format"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def models(
        self,
    ) -> AiModels:
        """List the models of this deployment's provider that can generate texts, images, videos or audio.

        The list is cached for a minute. Providers do not report what a model generates, so `type` is derived from its
        name. `unavailable` lists the types for which there is no model.

        Error codes beside the common ones: `ai_account_rejected`, `ai_not_configured`, `platform_rate_limited`,
        `platform_unavailable`.

        """
        call: Call[AiModels] = Call(
            method="GET",
            path="/ai/models",
            returns=AiModels,
        )
        return await self._client.send(call)

    async def text(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        kinds: Sequence[params.TextKind] | Omit = OMIT,
        account_ids: Sequence[str] | Omit = OMIT,
        tone: str | None = None,
        language: str | None = None,
        variants: int | Omit = OMIT,
        max_length: int | None = None,
        hashtags: bool | None = None,
        emoji: bool | None = None,
        media_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Write texts for posts. The response is a task; its result has a text for each variant.

        `kinds` and `accountIds` say where you want to publish the texts: the length limits of these accounts apply. If
        a text is too long, the model is asked once for a shorter one, and a warning says so. Texts are never cut off.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            kinds: Kinds of accounts that the text is for: their length limits apply. See `kind` in `GET /platforms`. Ad
                accounts and calendars accept no texts.
            account_ids: Accounts that the text is for: the limits of their kinds apply.
            tone: Such as `friendly` or `formal, without irony`.
            language: Such as `pt-BR` or `Portuguese`.
            variants: How many texts to generate.
            max_length: Maximum number of characters.
            hashtags: Whether to add hashtags. Unset: the model decides.
            emoji: Whether to use emoji. Unset: the model decides.
            media_ids: Images for the model to look at: JPEG, PNG, WebP or GIF of up to 10 MiB. Not every model accepts
                images.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-copy",
            returns=Generation,
            body=pack(
                "CopyGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "kinds": kinds,
                    "account_ids": account_ids,
                    "tone": tone,
                    "language": language,
                    "variants": variants,
                    "max_length": max_length,
                    "hashtags": hashtags,
                    "emoji": emoji,
                    "media_ids": media_ids,
                },
                without_none=("model", "profile_id", "tone", "language", "max_length", "hashtags", "emoji"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def video(
        self,
        *,
        prompt: str,
        model: str | None = None,
        profile_id: str | None = None,
        seconds: int | None = None,
        aspect_ratio: params.VideoGenerationBodyAspectRatio | None = None,
        image_media_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Generation:
        """Generate a video, which takes several minutes. The response is a task; its result is a file that posts can
        use.

        The video is requested at most once. If the provider's response is lost, the task fails with `outcome_unknown`.

        Args:
            prompt: What to generate, in your own words.
            model: A model from `GET /ai/models`. Unset: the operator's default for this type.
            profile_id: The profile that the generation and its files belong to. Required for a key limited to several
                profiles.
            seconds: Length of the video. OpenAI's models accept 4, 8 or 12.
            aspect_ratio: Landscape or portrait. By default the model decides.
            image_media_id: An image for the first frame, with the size of the video.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Generation] = Call(
            method="POST",
            path="/ai/generate-video",
            returns=Generation,
            body=pack(
                "VideoGenerationBody",
                {
                    "model": model,
                    "profile_id": profile_id,
                    "prompt": prompt,
                    "seconds": seconds,
                    "aspect_ratio": aspect_ratio,
                    "image_media_id": image_media_id,
                },
                without_none=("model", "profile_id", "seconds", "aspect_ratio", "image_media_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAiResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAiResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.audio = async_raw(resource.audio)
        self.image = async_raw(resource.image)
        self.models = async_raw(resource.models)
        self.text = async_raw(resource.text)
        self.video = async_raw(resource.video)
