"""The models that requests can use: what the provider lists, what the operator allows, and the defaults."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from socialgate.areas.generation.schemas import AiModel
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.generation import GenerationType, Generator, Generators, ModelItem, require_generator
from socialgate.core.errors import Invalid
from socialgate.core.settings import Settings, variable_of

# Providers add models a few times a month; a list that somebody looks at must not cost a call each time.
_CACHE_SECONDS = 60.0
_OPENAI_DEFAULTS = {
    GenerationType.COPY: "gpt-5.4-mini",
    GenerationType.IMAGE: "gpt-image-2",
    GenerationType.VIDEO: "sora-2",
    GenerationType.AUDIO: "gpt-4o-mini-tts",
}

_MADE = {
    GenerationType.COPY: "texts",
    GenerationType.IMAGE: "images",
    GenerationType.VIDEO: "videos",
    GenerationType.AUDIO: "audio",
}


class ModelBook:
    def __init__(self, generators: Generators, settings: Settings) -> None:
        self._generators = generators
        self._allowed = frozenset(filter(None, (name.strip() for name in settings.ai_models.split(","))))
        self._defaults = _defaults(settings)
        self._is_openai = not settings.ai_url
        self._cached: tuple[float, Sequence[ModelItem]] | None = None
        self._request: asyncio.Task[Sequence[ModelItem]] | None = None

    def choose(self, kind: GenerationType, wanted: str | None) -> str:
        """Return the model for a request: the one that it names, otherwise the default."""
        require_generator(self._generators)
        model = wanted or self._defaults.get(kind)
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
        is_known = bool(types) and (self._is_openai or types != (GenerationType.COPY,))
        if not is_known or kind in types or model == self._defaults.get(kind):
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
        listed = {one.id: one.types for one in await self._provided(generator)}
        for kind, model in self._defaults.items():
            # The operator says what it is for, whatever its name suggests.
            if model in listed and kind not in listed[model]:
                listed[model] = (*listed[model], kind)
        return [
            AiModel(
                id=model,
                type=list(types),
                default=any(self._defaults.get(kind) == model for kind in types),
                provider=generator.provider,
            )
            for model, types in sorted(listed.items())
            if not self._allowed or model in self._allowed
        ]

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


def _defaults(settings: Settings) -> Mapping[GenerationType, str]:
    """Return the default models. OpenAI's are not used with another server, which has other models."""
    usual = {} if settings.ai_url else _OPENAI_DEFAULTS
    own = {kind: getattr(settings, f"ai_{kind}_model") for kind in GenerationType}
    return {**usual, **{kind: model for kind, model in own.items() if model}}
