"""The provider of AI models of this deployment: the configured one, otherwise a simulated one."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from socialgate.areas.generation.models import ModelRegistry
from socialgate.areas.generation.schemas import AiModel, UnavailableGenerationType
from socialgate.contracts.generation import AiClient
from socialgate.core.addresses import NetworkSet
from socialgate.core.clock import Clock
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address, build_public_address_policy
from socialgate.core.pauses import PlatformPauses
from socialgate.core.settings import Settings, get_env_variable

OPENAI, OPENAI_URL = "OpenAI", "https://api.openai.com/v1"
_PUBLIC_ADDRESS_POLICY = build_public_address_policy(NetworkSet.parse(()))


class SandboxAi(NamedTuple):
    """The sandbox in the place of the provider."""

    url: str
    api_key: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, ...)"


class AiProvider(msgspec.Struct, frozen=True, kw_only=True):
    """Where the models are. `sandbox_url` is the sandbox in its place; `is_operator_url` says that the operator set the
    URL.
    """

    name: str
    url: str
    api_key: str
    is_operator_url: bool = False
    sandbox_url: str | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, ...)"


def get_ai_provider(settings: Settings, simulated: SandboxAi | None) -> AiProvider | None:
    """Return the provider; None if none is configured and nothing is simulated."""
    key = settings.ai_api_key or ""
    if settings.ai_url is not None:
        url = settings.ai_url.rstrip("/")
        name = OPENAI if url == OPENAI_URL else urlsplit(url).netloc.rpartition("@")[2]
        return AiProvider(name=name, url=url, api_key=key, is_operator_url=True)
    if key:
        return AiProvider(name=OPENAI, url=OPENAI_URL, api_key=key)
    if simulated is not None:
        return AiProvider(name=OPENAI, url=OPENAI_URL, api_key=simulated.api_key, sandbox_url=simulated.url)
    return None


async def describe_ai_provider(settings: Settings, clock: Clock) -> str:
    """Say in one line which models can be used. Asks the provider, and raises its failure."""
    existing_ai_provider = get_ai_provider(settings, None)
    if existing_ai_provider is None and settings.simulates_platforms:
        return "simulated"
    if existing_ai_provider is None:
        return (
            "no provider is configured. To generate texts, images, videos and audio, set SOCIALGATE_AI_API_KEY, or "
            "SOCIALGATE_AI_URL for a server with an OpenAI-compatible API"
        )
    resolver = SystemResolver(1)
    public = EgressClient(policy=_PUBLIC_ADDRESS_POLICY, resolver=resolver, user_agent="Socialgate")
    near = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Socialgate")
    try:
        book = ModelRegistry(LazyAiClientLoader(settings, clock, _NoPauses(), public, near, None), settings, clock)
        models = await book.list_models()
        missing = book.list_unavailable_types(models)
    finally:
        public.close()
        near.close()
        resolver.close()
    return "; ".join([f"{existing_ai_provider.url} lists {len(models)} models", *_list_remarks(models, missing)])


def _list_remarks(models: Sequence[AiModel], missing: Sequence[UnavailableGenerationType]) -> Iterator[str]:
    """Say what an operator should change: defaults that are shut down soon, and types without a model."""
    for model in models:
        if model.default and model.ends_on is not None:
            settings = " or ".join(get_env_variable(f"ai_{kind}_model") for kind in model.type)
            yield f"{model.id}, a default, is shut down on {model.ends_on}: set {settings} before then"
    for kind in missing:
        yield f"there is no model for the type {kind.type}"


class _NoPauses(PlatformPauses):
    """A check waits for nobody, and leaves nothing behind."""

    def __init__(self) -> None:
        """Need no database: there may be none yet."""

    async def get_remaining_seconds(self, *budgets: str) -> int:
        del budgets
        return 0

    async def pause_for(self, budget: str, seconds: int) -> None:
        """Forget it."""


class LazyAiClientLoader:
    """Builds the provider when it is first needed: no start should wait for code that it does not use."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        pauses: PlatformPauses,
        public_client: EgressClient,
        trusted_client: EgressClient,
        simulated: SandboxAi | None,
    ) -> None:
        """Take the client for public addresses, and the one for addresses that the operator set."""
        self._settings = settings
        self._clock = clock
        self._pauses = pauses
        self._public = public_client
        self._near = trusted_client
        self._simulated = simulated

    @cached_property
    def current_client(self) -> AiClient | None:
        existing_ai_provider = get_ai_provider(self._settings, self._simulated)
        if existing_ai_provider is None:
            return None
        from socialgate.connectors.openai.ai_client import (  # noqa: PLC0415 - see above
            OpenAiClient,
            ProviderConfig,
        )
        from socialgate.connectors.transport import VendorTransport  # noqa: PLC0415 - see above

        deadline = self._settings.ai_deadline_seconds
        door = self._near if existing_ai_provider.is_operator_url or existing_ai_provider.sandbox_url else self._public
        wire = VendorTransport(
            door,
            self._clock,
            self._pauses,
            existing_ai_provider.name.lower(),
            existing_ai_provider.sandbox_url,
            deadline,
        )
        provider = ProviderConfig(
            name=existing_ai_provider.name,
            url=existing_ai_provider.url,
            api_key=existing_ai_provider.api_key,
            deadline=deadline,
        )
        return OpenAiClient(provider, wire, self._public)
