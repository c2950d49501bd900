"""The models that requests can use: what the provider lists, what the operator allows, and the defaults."""

import asyncio
import time
from collections.abc import Sequence

from msgspec.structs import replace

from socialgate.areas.generation.schemas import AiModel, UnavailableGenerationType
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.generation import AiClient, AiClientLoader, GenerationType, ModelItem, require_ai_client
from socialgate.core.clock import Clock
from socialgate.core.errors import InvalidRequest
from socialgate.core.settings import Settings, get_env_variable

# Providers add models a few times a month; a list that somebody looks at must not cost a call each time.
_CACHE_SECONDS = 60.0
_OUTPUT_NAMES = {
    GenerationType.COPY: "texts",
    GenerationType.IMAGE: "images",
    GenerationType.VIDEO: "videos",
    GenerationType.AUDIO: "audio",
}


class ModelRegistry:
    def __init__(self, generators: AiClientLoader, settings: Settings, clock: Clock) -> None:
        self._generators = generators
        self._clock = clock
        self._allowed = frozenset(filter(None, (name.strip() for name in settings.ai_models.split(","))))
        self._configured: dict[GenerationType, str] = {
            kind: model for kind in GenerationType if (model := getattr(settings, f"ai_{kind}_model"))
        }
        self._cached: tuple[float, Sequence[ModelItem]] | None = None
        self._request: asyncio.Task[Sequence[ModelItem]] | None = None

    async def resolve_model(self, kind: GenerationType, requested: str | None) -> str:
        """Return the model for a request: the one that it names, otherwise the default."""
        generator = require_ai_client(self._generators)
        model = requested or await self._find_default_model(generator, kind)
        if model is None and generator.list_preferred_models(kind) is not None:
            raise InvalidRequest.for_field("/model", "not_available", self._explain_no_model(generator, kind))
        if model is None:
            setting = get_env_variable(f"ai_{kind}_model")
            detail = f"model is required: this deployment has no default for {kind}. The operator can set {setting}."
            raise InvalidRequest.for_field("/model", "required", detail)
        if self._allowed and model not in self._allowed:
            detail = f"This deployment does not allow the model {model}. GET /ai/models lists those that it allows."
            raise InvalidRequest.for_field("/model", "not_available", detail)
        return model

    async def require_type(self, kind: GenerationType, model: str) -> None:
        """Reject a model that generates something else, instead of paying for a call that fails."""
        generator = require_ai_client(self._generators)
        types = tuple(generator.infer_generation_types(model))
        # Other servers have models of any name: only for OpenAI's does a name without a hint mean texts.
        is_openai = generator.list_preferred_models(kind) is not None
        is_known = bool(types) and (is_openai or types != (GenerationType.COPY,))
        if not is_known or kind in types or model == self._configured.get(kind):
            return
        makes = ", ".join(_OUTPUT_NAMES[generation_type] for generation_type in types)
        detail = f"The model {model} generates {makes}, not {_OUTPUT_NAMES[kind]}. {await self._suggest_models(kind)}"
        raise InvalidRequest.for_field("/model", "not_supported", detail)

    async def _suggest_models(self, kind: GenerationType) -> str:
        try:
            able = [ai_model.id for ai_model in await self.list_models() if kind in ai_model.type]
        except PlatformFailure:
            return "GET /ai/models lists what each model generates."
        if not able:
            return f"No model of this deployment generates {_OUTPUT_NAMES[kind]}."
        return f"Models that do: {', '.join(able)}."

    async def list_models(self) -> list[AiModel]:
        generator = require_ai_client(self._generators)
        provided = {model_item.id: model_item for model_item in await self._get_provider_models(generator)}
        for kind, model in self._configured.items():
            # The operator says what it is for, whatever its name suggests.
            if model in provided and kind not in provided[model].types:
                provided[model] = replace(provided[model], types=(*provided[model].types, kind))
        defaults = {kind: await self._find_default_model(generator, kind) for kind in GenerationType}
        return [
            AiModel(
                id=model.id,
                type=list(model.types),
                default=any(defaults[kind] == model.id for kind in model.types),
                provider=generator.provider,
                ends_on=model.ends_on,
            )
            for _, model in sorted(provided.items())
            if not self._allowed or model.id in self._allowed
        ]

    def list_unavailable_types(self, models: Sequence[AiModel]) -> list[UnavailableGenerationType]:
        """Say for which types there is no model. Names without a hint say nothing on servers that are not known."""
        generator = require_ai_client(self._generators)
        return [
            UnavailableGenerationType(type=kind, detail=self._explain_no_model(generator, kind))
            for kind in GenerationType
            if generator.list_preferred_models(kind) is not None and not any(kind in model.type for model in models)
        ]

    async def _find_default_model(self, generator: AiClient, kind: GenerationType) -> str | None:
        """Return the operator's choice, otherwise the best model that the provider lists and has not shut down."""
        if kind in self._configured:
            return self._configured[kind]
        preferred = generator.list_preferred_models(kind)
        if preferred is None:
            return None
        try:
            provided = await self._get_provider_models(generator)
        except PlatformFailure:
            # The generation is retried until the provider is back.
            return next(iter(preferred), None)
        usable = [model.id for model in provided if kind in model.types and self._is_usable(model)]
        # Names contain the version: the last one is the newest.
        return next((model for model in preferred if model in usable), max(usable, default=None))

    def _is_usable(self, model: ModelItem) -> bool:
        has_ended = model.ends_on is not None and model.ends_on <= self._clock.now().date()
        return not has_ended and (not self._allowed or model.id in self._allowed)

    def _explain_no_model(self, generator: AiClient, kind: GenerationType) -> str:
        return (
            f"No model of {generator.provider} that this deployment may use generates {_OUTPUT_NAMES[kind]}. The "
            "operator can "
            f"set SOCIALGATE_AI_URL to a server with an OpenAI-compatible API that has one, and "
            f"{get_env_variable(f'ai_{kind}_model')} to its name."
        )

    async def _get_provider_models(self, generator: AiClient) -> Sequence[ModelItem]:
        """Ask the provider. Requests at the same time share one call."""
        if self._cached is not None and time.monotonic() < self._cached[0]:
            return self._cached[1]
        if self._request is None:
            self._request = asyncio.create_task(self._fetch_models(generator))
            self._request.add_done_callback(self._clear_request)
        return await asyncio.shield(self._request)

    async def _fetch_models(self, generator: AiClient) -> Sequence[ModelItem]:
        model_items = await generator.list_models()
        self._cached = (time.monotonic() + _CACHE_SECONDS, model_items)
        return model_items

    def _clear_request(self, task: "asyncio.Task[Sequence[ModelItem]]") -> None:
        self._request = None
        # Everybody who waited may have left: nobody else would look at the failure.
        if not task.cancelled():
            task.exception()
