"""The models that requests can use: what the provider lists, what the operator allows, and the defaults."""

import asyncio
import time
from collections.abc import Sequence

from msgspec.structs import replace

from socialgate.areas.generation.schemas import AiModel, UnavailableType
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.generation import GenerationType, Generator, Generators, ModelItem, require_generator
from socialgate.core.clock import Clock
from socialgate.core.errors import Invalid
from socialgate.core.settings import Settings, variable_of

# Providers add models a few times a month; a list that somebody looks at must not cost a call each time.
_CACHE_SECONDS = 60.0
_MADE = {
    GenerationType.COPY: "texts",
    GenerationType.IMAGE: "images",
    GenerationType.VIDEO: "videos",
    GenerationType.AUDIO: "audio",
}


class ModelBook:
    def __init__(self, generators: Generators, settings: Settings, clock: Clock) -> None:
        self._generators = generators
        self._clock = clock
        self._allowed = frozenset(filter(None, (name.strip() for name in settings.ai_models.split(","))))
        self._configured: dict[GenerationType, str] = {
            kind: model for kind in GenerationType if (model := getattr(settings, f"ai_{kind}_model"))
        }
        self._cached: tuple[float, Sequence[ModelItem]] | None = None
        self._request: asyncio.Task[Sequence[ModelItem]] | None = None

    async def choose(self, kind: GenerationType, requested: str | None) -> str:
        """Return the model for a request: the one that it names, otherwise the default."""
        generator = require_generator(self._generators)
        model = requested or await self._default(generator, kind)
        if model is None and generator.preferred(kind) is not None:
            raise Invalid.at("/model", "not_available", self._none(generator, kind))
        if model is None:
            setting = variable_of(f"ai_{kind}_model")
            detail = f"model is required: this deployment has no default for {kind}. The operator can set {setting}."
            raise Invalid.at("/model", "required", detail)
        if self._allowed and model not in self._allowed:
            detail = f"This deployment does not allow the model {model}. GET /ai/models lists those that it allows."
            raise Invalid.at("/model", "not_available", detail)
        return model

    async def require(self, kind: GenerationType, model: str) -> None:
        """Reject a model that generates something else, instead of paying for a call that fails."""
        generator = require_generator(self._generators)
        types = tuple(generator.types_of(model))
        # Other servers have models of any name: only for OpenAI's does a name without a hint mean texts.
        is_openai = generator.preferred(kind) is not None
        is_known = bool(types) and (is_openai or types != (GenerationType.COPY,))
        if not is_known or kind in types or model == self._configured.get(kind):
            return
        makes = ", ".join(_MADE[one] for one in types)
        detail = f"The model {model} generates {makes}, not {_MADE[kind]}. {await self._instead(kind)}"
        raise Invalid.at("/model", "not_supported", detail)

    async def _instead(self, kind: GenerationType) -> str:
        try:
            able = [one.id for one in await self.listed() if kind in one.type]
        except PlatformFailure:
            return "GET /ai/models lists what each model generates."
        if not able:
            return f"No model of this deployment generates {_MADE[kind]}."
        return f"Models that do: {', '.join(able)}."

    async def listed(self) -> list[AiModel]:
        generator = require_generator(self._generators)
        provided = {one.id: one for one in await self._provided(generator)}
        for kind, model in self._configured.items():
            # The operator says what it is for, whatever its name suggests.
            if model in provided and kind not in provided[model].types:
                provided[model] = replace(provided[model], types=(*provided[model].types, kind))
        defaults = {kind: await self._default(generator, kind) for kind in GenerationType}
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

    def unavailable(self, models: Sequence[AiModel]) -> list[UnavailableType]:
        """Say for which types there is no model. Names without a hint say nothing on servers that are not known."""
        generator = require_generator(self._generators)
        return [
            UnavailableType(type=kind, detail=self._none(generator, kind))
            for kind in GenerationType
            if generator.preferred(kind) is not None and not any(kind in model.type for model in models)
        ]

    async def _default(self, generator: Generator, kind: GenerationType) -> str | None:
        """Return the operator's choice, otherwise the best model that the provider lists and has not shut down."""
        if kind in self._configured:
            return self._configured[kind]
        preferred = generator.preferred(kind)
        if preferred is None:
            return None
        try:
            provided = await self._provided(generator)
        except PlatformFailure:
            # The generation is retried until the provider is back.
            return next(iter(preferred), None)
        usable = [model.id for model in provided if kind in model.types and self._is_usable(model)]
        # Names contain the version: the last one is the newest.
        return next((model for model in preferred if model in usable), max(usable, default=None))

    def _is_usable(self, model: ModelItem) -> bool:
        has_ended = model.ends_on is not None and model.ends_on <= self._clock.now().date()
        return not has_ended and (not self._allowed or model.id in self._allowed)

    def _none(self, generator: Generator, kind: GenerationType) -> str:
        return (
            f"No model of {generator.provider} that this deployment may use generates {_MADE[kind]}. The operator can "
            f"set SOCIALGATE_AI_URL to a server with an OpenAI-compatible API that has one, and "
            f"{variable_of(f'ai_{kind}_model')} to its name."
        )

    async def _provided(self, generator: Generator) -> Sequence[ModelItem]:
        """Ask the provider. Requests at the same time share one call."""
        if self._cached is not None and time.monotonic() < self._cached[0]:
            return self._cached[1]
        if self._request is None:
            self._request = asyncio.create_task(self._fetch(generator))
            self._request.add_done_callback(self._forget_request)
        return await asyncio.shield(self._request)

    async def _fetch(self, generator: Generator) -> Sequence[ModelItem]:
        found = await generator.models()
        self._cached = (time.monotonic() + _CACHE_SECONDS, found)
        return found

    def _forget_request(self, task: "asyncio.Task[Sequence[ModelItem]]") -> None:
        self._request = None
        # Everybody who waited may have left: nobody else would look at the failure.
        if not task.cancelled():
            task.exception()
