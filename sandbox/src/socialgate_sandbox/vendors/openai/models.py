"""The models, by what they generate. Some have a date on which they are shut down, and are gone from then on.

Three are not OpenAI's: with them, videos, audio and a model that does not reason can be tried although OpenAI has ended
its own models of that kind, or will.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from socialgate_sandbox.kit import Call, Refused, Route, World
from socialgate_sandbox.vendors.openai.access import signed_in
from socialgate_sandbox.vendors.openai.errors import failed, no_model

_CHAT = "chat"


class Model(NamedTuple):
    kind: str
    created: int
    shutdown: str | None = None


def _family(kind: str, created: int, names: str, shutdown: str | None = None) -> dict[str, Model]:
    return dict.fromkeys(names.split(), Model(kind, created, shutdown))


MODELS = {
    **_family(_CHAT, 1_788_220_800, "gpt-6-astra gpt-6.1-sol gpt-6.1-terra gpt-6-sol gpt-6-luna"),
    **_family(_CHAT, 1_780_272_000, "gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-5.2"),
    **_family(_CHAT, 1_773_705_600, "gpt-5.4-nano gpt-5.1", "2027-04-01"),
    **_family(_CHAT, 1_754_524_800, "gpt-5 gpt-5-mini gpt-5-nano o3", "2026-12-11"),
    **_family(_CHAT, 1_744_588_800, "gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-mini", "2027-01-14"),
    **_family("image", 1_788_825_600, "gpt-image-2.5-sunburst gpt-image-2.5-flare gpt-image-2.6-sunburst"),
    **_family("image", 1_776_729_600, "gpt-image-2.6-flare gpt-image-2 gpt-image-1.5 gpt-image-1-mini"),
    **_family("image", 1_776_729_600, "chatgpt-image-latest"),
    **_family("speech", 1_742_256_000, "gpt-4o-mini-tts tts-1 tts-1-hd", "2027-01-06"),
    **_family("video", 1_759_708_800, "sora-2 sora-2-pro", "2026-09-24"),
    **_family(_CHAT, 1_790_000_000, "sandbox-chat"),
    **_family("video", 1_790_000_000, "sandbox-video"),
    **_family("speech", 1_790_000_000, "sandbox-tts"),
    **_family("embedding", 1_705_953_180, "text-embedding-3-small text-embedding-3-large text-embedding-ada-002"),
    **_family("moderation", 1_731_689_265, "omni-moderation-latest omni-moderation-2024-09-26"),
}
_PLACES = {_CHAT: "v1/chat/completions", "image": "v1/images/generations", "speech": "v1/audio/speech"}


def models_at(world: World) -> dict[str, Model]:
    """Return the models that are not shut down."""
    today = datetime.fromtimestamp(world.clock.time(), UTC).date().isoformat()
    return {name: model for name, model in MODELS.items() if model.shutdown is None or today < model.shutdown}


def require_model(call: Call, name: str, kind: str) -> str:
    model = models_at(call.world).get(name)
    if model is None:
        raise no_model(name)
    if model.kind != kind:
        place = _PLACES.get(kind, f"v1/{kind}s")
        raise Refused(failed(404, f"This model is not supported in the {place} endpoint.", param="model"))
    return name


def list_models(call: Call) -> Any:
    signed_in(call)
    return {"object": "list", "data": [_shown(name) for name in models_at(call.world)]}


def get_model(call: Call) -> Any:
    signed_in(call)
    name = call.args["model"]
    if name not in models_at(call.world):
        raise Refused(failed(404, f"The model '{name}' does not exist", param="model", code="model_not_found"))
    return _shown(name)


def _shown(name: str) -> dict[str, Any]:
    model = MODELS[name]
    shown = {"id": name, "object": "model", "created": model.created, "owned_by": "system"}
    return shown | {"shutdown_date": model.shutdown}


ROUTES = [
    Route("GET", "/api.openai.com/v1/models", list_models),
    Route("GET", "/api.openai.com/v1/models/{model}", get_model),
]
