"""Speech: a tone for each word, at a pitch of its own for each voice."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route
from socialgate_sandbox.kit.media import of_file
from socialgate_sandbox.kit.studio import SoundFormat, speak
from socialgate_sandbox.vendors.openai.access import admit, generated, limits, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model

_VOICES = (
    *("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin"),
    "cedar",
)
_LOWEST, _APART = 110, 12
_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}


class CustomVoice(msgspec.Struct, frozen=True):
    id: str


class Speech(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = "instructions"
    model: str
    input: Annotated[str, Meta(min_length=1, max_length=4096)]
    voice: str | CustomVoice
    response_format: SoundFormat = "mp3"
    speed: Annotated[float, Meta(ge=0.25, le=4)] = 1.0
    stream_format: str = "audio"


async def say(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Speech)
    require_model(call, body.model, "speech")
    voice = body.voice if isinstance(body.voice, str) else body.voice.id
    known = ", ".join(f"'{name}'" for name in _VOICES)
    require(voice in _VOICES, f"Invalid value: '{voice}'. Supported values are: {known}.", "voice", "invalid_value")
    require(body.stream_format == "audio", "Invalid value: only 'audio' is supported here.", "stream_format")
    admit(call, body.input, is_text=False)
    pitch = _LOWEST + _APART * _VOICES.index(voice)
    sound = await speak(body.input, body.response_format, pitch=pitch, speed=body.speed)
    kept = of_file(call.world, call.world.files.save(sound), _TYPES[body.response_format])
    generated(call, "speech", body.model, body.input, media=[kept], voice=voice, format=body.response_format)
    return Response(sound, headers=limits(call, 0), media_type=_TYPES[body.response_format])


ROUTES = [Route("POST", "/api.openai.com/v1/audio/speech", say)]
