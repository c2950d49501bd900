"""The models that requests can use: what the provider lists, what the operator allows, and the defaults."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from socialgate.areas.generation.schemas import AiModel
from socialgate.contracts.generation import GenerationType, Generator, Generators, ModelItem, require_generator
from socialgate.core.errors import Invalid
from socialgate.core.settings import Settings, variable_of

# Providers add models a few times a month; a list that somebody looks at must not cost a call each time.
_KEPT_SECONDS = 60.0
_AT_OPENAI = {
    GenerationType.COPY: "gpt-5.4-mini",
    GenerationType.IMAGE: "gpt-image-2",
    GenerationType.VIDEO: "sora-2",
    GenerationType.AUDIO: "gpt-4o-mini-tts",
}


class ModelBook:
    def __init__(self, generators: Generators, settings: Settings) -> None:
        self._generators = generators
        self._allowed = frozenset(filter(None, (name.strip() for name in settings.ai_models.split(","))))
        self._defaults = _defaults(settings)
        self._known: tuple[float, Sequence[ModelItem]] | None = None
        self._asking: asyncio.Task[Sequence[ModelItem]] | None = None

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

    async def shown(self) -> list[AiModel]:
        generator = require_generator(self._generators)
        listed = {one.id: one.types for one in await self._listed(generator)}
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

    async def _listed(self, generator: Generator) -> Sequence[ModelItem]:
        """Ask the provider, once for everybody who asks at the same time."""
        if self._known is not None and time.monotonic() < self._known[0]:
            return self._known[1]
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask(generator))
            self._asking.add_done_callback(self._asked)
        return await asyncio.shield(self._asking)

    async def _ask(self, generator: Generator) -> Sequence[ModelItem]:
        found = await generator.models()
        self._known = (time.monotonic() + _KEPT_SECONDS, found)
        return found

    def _asked(self, task: "asyncio.Task[Sequence[ModelItem]]") -> None:
        self._asking = None
        # Everybody who waited may have left: nobody else would look at the failure.
        if not task.cancelled():
            task.exception()


def _defaults(settings: Settings) -> Mapping[GenerationType, str]:
    """Return the models that are used without being named. Another server has other models than OpenAI."""
    usual = {} if settings.ai_url else _AT_OPENAI
    own = {kind: getattr(settings, f"ai_{kind}_model") for kind in GenerationType}
    return {**usual, **{kind: model for kind, model in own.items() if model}}
