"""The models, by what they generate. Some have a date on which they are shut down, and are gone from then on.

Three are not OpenAI's: with them, videos, audio and a model that does not reason can be tried although OpenAI has ended
its own models of that kind, or will.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext
from socialgate_sandbox.vendors.openai.access import authenticate
from socialgate_sandbox.vendors.openai.errors import build_error_response, build_unknown_model_error

_CHAT_KIND = "chat"


class Model(NamedTuple):
    kind: str
    created_at: int
    shutdown_date: str | None = None


def _build_models(kind: str, created: int, names: str, shutdown_date: str | None = None) -> dict[str, Model]:
    return dict.fromkeys(names.split(), Model(kind, created, shutdown_date))


MODELS = {
    **_build_models(_CHAT_KIND, 1_788_220_800, "gpt-6-astra gpt-6.1-sol gpt-6.1-terra gpt-6-sol gpt-6-luna"),
    **_build_models(
        _CHAT_KIND, 1_780_272_000, "gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-5.2"
    ),
    **_build_models(_CHAT_KIND, 1_773_705_600, "gpt-5.4-nano gpt-5.1", "2027-04-01"),
    **_build_models(_CHAT_KIND, 1_754_524_800, "gpt-5 gpt-5-mini gpt-5-nano o3", "2026-12-11"),
    **_build_models(_CHAT_KIND, 1_744_588_800, "gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-mini", "2027-01-14"),
    **_build_models("image", 1_788_825_600, "gpt-image-2.5-sunburst gpt-image-2.5-flare gpt-image-2.6-sunburst"),
    **_build_models("image", 1_776_729_600, "gpt-image-2.6-flare gpt-image-2 gpt-image-1.5 gpt-image-1-mini"),
    **_build_models("image", 1_776_729_600, "chatgpt-image-latest"),
    **_build_models("speech", 1_742_256_000, "gpt-4o-mini-tts tts-1 tts-1-hd", "2027-01-06"),
    **_build_models("video", 1_759_708_800, "sora-2 sora-2-pro", "2026-09-24"),
    **_build_models(_CHAT_KIND, 1_790_000_000, "sandbox-chat"),
    **_build_models("video", 1_790_000_000, "sandbox-video"),
    **_build_models("speech", 1_790_000_000, "sandbox-tts"),
    **_build_models("embedding", 1_705_953_180, "text-embedding-3-small text-embedding-3-large text-embedding-ada-002"),
    **_build_models("moderation", 1_731_689_265, "omni-moderation-latest omni-moderation-2024-09-26"),
}
_ENDPOINTS_BY_KIND = {_CHAT_KIND: "v1/chat/completions", "image": "v1/images/generations", "speech": "v1/audio/speech"}


def list_available_models(context: VendorContext) -> dict[str, Model]:
    """Return the models that are not shut down."""
    today = datetime.fromtimestamp(context.clock.get_unix_time(), UTC).date().isoformat()
    return {name: model for name, model in MODELS.items() if model.shutdown_date is None or today < model.shutdown_date}


def require_model(call: Call, name: str, kind: str) -> str:
    model = list_available_models(call.context).get(name)
    if model is None:
        raise build_unknown_model_error(name)
    if model.kind != kind:
        place = _ENDPOINTS_BY_KIND.get(kind, f"v1/{kind}s")
        raise CallRefusedError(
            build_error_response(404, f"This model is not supported in the {place} endpoint.", param="model")
        )
    return name


def list_models(call: Call) -> Any:
    authenticate(call)
    return {"object": "list", "data": [_build_model_json(name) for name in list_available_models(call.context)]}


def get_model(call: Call) -> Any:
    authenticate(call)
    name = call.path_params["model"]
    if name not in list_available_models(call.context):
        raise CallRefusedError(
            build_error_response(404, f"The model '{name}' does not exist", param="model", code="model_not_found")
        )
    return _build_model_json(name)


def _build_model_json(name: str) -> dict[str, Any]:
    model = MODELS[name]
    shown = {"id": name, "object": "model", "created": model.created_at, "owned_by": "system"}
    return shown | {"shutdown_date": model.shutdown_date}


ROUTES = [
    Route("GET", "/api.openai.com/v1/models", list_models),
    Route("GET", "/api.openai.com/v1/models/{model}", get_model),
]
