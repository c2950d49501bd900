"""What a deployment configures about generation: the provider of AI models, its key, and which models are used."""

from typing import Annotated

import msgspec
from msgspec import Meta

_MODEL_DESCRIPTION = (
    "Model for {} if a request names none. Unset, at OpenAI: {}; with `SOCIALGATE_AI_URL` a request must name one."
)
_LISTED_MODEL_DEFAULT = "`{}`, or another one that is listed"
_NEWEST_MODEL_DEFAULT = "the newest video model that OpenAI lists, if there is one"
HttpUrl = Annotated[str, Meta(pattern=r"^https?://")]


class AiSettings(msgspec.Struct, frozen=True, kw_only=True):
    ai_url: Annotated[
        HttpUrl | None,
        Meta(
            description="Base URL of a server with an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1` for "
            "Ollama. It may be in a private network, because you set it. Unset: `https://api.openai.com/v1`."
        ),
    ] = None
    ai_api_key: Annotated[
        str | None,
        Meta(description="API key of the AI provider. A server of your own may need none; then set only its URL."),
    ] = None
    ai_copy_model: Annotated[
        str | None, Meta(description=_MODEL_DESCRIPTION.format("texts", _LISTED_MODEL_DEFAULT.format("gpt-5.4-mini")))
    ] = None
    ai_image_model: Annotated[
        str | None, Meta(description=_MODEL_DESCRIPTION.format("images", _LISTED_MODEL_DEFAULT.format("gpt-image-2")))
    ] = None
    ai_video_model: Annotated[
        str | None, Meta(description=_MODEL_DESCRIPTION.format("videos", _NEWEST_MODEL_DEFAULT))
    ] = None
    ai_audio_model: Annotated[
        str | None,
        Meta(description=_MODEL_DESCRIPTION.format("audio", _LISTED_MODEL_DEFAULT.format("gpt-4o-mini-tts"))),
    ] = None
    ai_models: Annotated[
        str, Meta(description="Models that requests may use, comma-separated. Unset: every model of the provider.")
    ] = ""
    ai_deadline_seconds: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="Maximum time for one call to the AI provider. Images can take two minutes, videos are made "
            "after the call.",
        ),
    ] = 300
