"""The provider of AI models of this deployment: the configured one, otherwise a simulated one."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from socialgate.areas.generation.models import ModelBook
from socialgate.areas.generation.schemas import AiModel, UnavailableType
from socialgate.contracts.generation import Generator
from socialgate.core.addresses import Nets
from socialgate.core.clock import Clock
from socialgate.core.egress import Door, SystemResolver, public_only, trusted
from socialgate.core.pauses import Pauses
from socialgate.core.settings import Settings, variable_of

OPENAI, OPENAI_URL = "OpenAI", "https://api.openai.com/v1"
_PUBLIC = public_only(Nets.parse(()))


class SimulatedAi(NamedTuple):
    """The sandbox in the place of the provider."""

    url: str
    api_key: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, ...)"


class AiProvider(msgspec.Struct, frozen=True, kw_only=True):
    """Where the models are. `base` is the sandbox in its place; `own` says that the operator set the URL."""

    name: str
    url: str
    api_key: str
    own: bool = False
    base: str | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, ...)"


def ai_provider(settings: Settings, simulated: SimulatedAi | None) -> AiProvider | None:
    """Return the provider; None if none is configured and nothing is simulated."""
    key = settings.ai_api_key or ""
    if settings.ai_url is not None:
        url = settings.ai_url.rstrip("/")
        name = OPENAI if url == OPENAI_URL else urlsplit(url).netloc.rpartition("@")[2]
        return AiProvider(name=name, url=url, api_key=key, own=True)
    if key:
        return AiProvider(name=OPENAI, url=OPENAI_URL, api_key=key)
    if simulated is not None:
        return AiProvider(name=OPENAI, url=OPENAI_URL, api_key=simulated.api_key, base=simulated.url)
    return None


async def provider_in_words(settings: Settings, clock: Clock) -> str:
    """Say in one line which models can be used. Asks the provider, and raises its failure."""
    found = ai_provider(settings, None)
    if found is None and settings.simulates_platforms:
        return "simulated"
    if found is None:
        return (
            "no provider is configured. To generate texts, images, videos and audio, set SOCIALGATE_AI_API_KEY, or "
            "SOCIALGATE_AI_URL for a server with an OpenAI-compatible API"
        )
    resolver = SystemResolver(1)
    public = Door(policy=_PUBLIC, resolver=resolver, user_agent="Socialgate")
    near = Door(policy=trusted, resolver=resolver, user_agent="Socialgate")
    try:
        book = ModelBook(LateGenerators(settings, clock, _NoPauses(), public, near, None), settings, clock)
        models = await book.listed()
        missing = book.unavailable(models)
    finally:
        public.close()
        near.close()
        resolver.close()
    return "; ".join([f"{found.url} lists {len(models)} models", *_remarks(models, missing)])


def _remarks(models: Sequence[AiModel], missing: Sequence[UnavailableType]) -> Iterator[str]:
    """Say what an operator should change: defaults that are shut down soon, and types without a model."""
    for model in models:
        if model.default and model.ends_on is not None:
            settings = " or ".join(variable_of(f"ai_{kind}_model") for kind in model.type)
            yield f"{model.id}, a default, is shut down on {model.ends_on}: set {settings} before then"
    for kind in missing:
        yield f"there is no model for the type {kind.type}"


class _NoPauses(Pauses):
    """A check waits for nobody, and leaves nothing behind."""

    def __init__(self) -> None:
        """Need no database: there may be none yet."""

    async def left(self, *budgets: str) -> int:
        del budgets
        return 0

    async def set(self, budget: str, seconds: int) -> None:
        """Forget it."""


class LateGenerators:
    """Builds the provider when it is first needed: no start should wait for code that it does not use."""

    def __init__(
        self, settings: Settings, clock: Clock, pauses: Pauses, public: Door, near: Door, simulated: SimulatedAi | None
    ) -> None:
        """Take the client for public addresses, and the one for addresses that the operator set."""
        self._settings = settings
        self._clock = clock
        self._pauses = pauses
        self._public = public
        self._near = near
        self._simulated = simulated

    @cached_property
    def current(self) -> Generator | None:
        found = ai_provider(self._settings, self._simulated)
        if found is None:
            return None
        from socialgate.connectors.openai.generator import (  # noqa: PLC0415 - see above
            OpenAiGenerator,
            Provider,
        )
        from socialgate.connectors.wire import Wire  # noqa: PLC0415 - see above

        deadline = self._settings.ai_deadline_seconds
        door = self._near if found.own or found.base else self._public
        wire = Wire(door, self._clock, self._pauses, found.name.lower(), found.base, deadline)
        provider = Provider(name=found.name, url=found.url, api_key=found.api_key, deadline=deadline)
        return OpenAiGenerator(provider, wire, self._public)
