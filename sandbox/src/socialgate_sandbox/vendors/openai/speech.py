"""Speech: a tone for each word, at a pitch of its own for each voice."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route
from socialgate_sandbox.kit.media import describe_file
from socialgate_sandbox.kit.media_generation import SoundFormat, generate_audio
from socialgate_sandbox.vendors.openai.access import (
    admit_prompt,
    authenticate,
    build_rate_limit_headers,
    record_generation,
)
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body

_VOICES = (
    *("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin"),
    "cedar",
)
_LOWEST_FREQUENCY, _FREQUENCY_STEP = 110, 12
_MIME_TYPES_BY_FORMAT = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}


class CustomVoice(msgspec.Struct, frozen=True):
    id: str


class SpeechBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = "instructions"
    model: str
    input: Annotated[str, Meta(min_length=1, max_length=4096)]
    voice: str | CustomVoice
    response_format: SoundFormat = "mp3"
    speed: Annotated[float, Meta(ge=0.25, le=4)] = 1.0
    stream_format: str = "audio"


async def create_speech(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, SpeechBody)
    require_model(call, body.model, "speech")
    voice = body.voice if isinstance(body.voice, str) else body.voice.id
    known = ", ".join(f"'{name}'" for name in _VOICES)
    require(voice in _VOICES, f"Invalid value: '{voice}'. Supported values are: {known}.", "voice", "invalid_value")
    require(body.stream_format == "audio", "Invalid value: only 'audio' is supported here.", "stream_format")
    admit_prompt(call, body.input, is_text=False)
    pitch = _LOWEST_FREQUENCY + _FREQUENCY_STEP * _VOICES.index(voice)
    sound = await generate_audio(body.input, body.response_format, base_frequency=pitch, speed=body.speed)
    kept = describe_file(
        call.context, call.context.files.store_bytes(sound), _MIME_TYPES_BY_FORMAT[body.response_format]
    )
    record_generation(call, "speech", body.model, body.input, media=[kept], voice=voice, format=body.response_format)
    return Response(
        sound, headers=build_rate_limit_headers(call, 0), media_type=_MIME_TYPES_BY_FORMAT[body.response_format]
    )


ROUTES = [Route("POST", "/api.openai.com/v1/audio/speech", create_speech)]
