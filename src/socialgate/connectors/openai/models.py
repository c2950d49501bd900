"""What models are for, by their names: the list of models does not say it. And which ones OpenAI shuts down, when."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from socialgate.contracts.generation import GenerationType

_IMAGE_MODEL_PATTERN = re.compile(r"image|dall-e|flux|stable-diffusion|sdxl", re.IGNORECASE)
_VIDEO_MODEL_PATTERN = re.compile(r"sora|veo|video", re.IGNORECASE)
_AUDIO_MODEL_PATTERN = re.compile(r"(^|[-/:])tts|kokoro", re.IGNORECASE)
# The models to use at OpenAI if nobody chooses one, the best first: a good result at a low price. Those that are not
# listed are skipped. OpenAI has no model for videos any more.
PREFERRED_MODELS: Mapping[GenerationType, Sequence[str]] = {
    GenerationType.COPY: ("gpt-5.4-mini", "gpt-5.6-luna", "gpt-6-luna"),
    GenerationType.IMAGE: ("gpt-image-2", "gpt-image-2.6-flare"),
    GenerationType.VIDEO: (),
    GenerationType.AUDIO: ("gpt-4o-mini-tts", "tts-1"),
}
# The days on which OpenAI shuts models down, from its page of deprecations.
MODEL_SHUTDOWN_DATES: Mapping[str, date] = {
    **dict.fromkeys(("sora-2", "sora-2-pro"), date(2026, 9, 24)),
    **dict.fromkeys(("gpt-5", "gpt-5-mini", "gpt-5-nano", "o3"), date(2026, 12, 11)),
    **dict.fromkeys(("gpt-4o-mini-tts", "tts-1", "tts-1-hd"), date(2027, 1, 6)),
    **dict.fromkeys(("gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini"), date(2027, 1, 14)),
    **dict.fromkeys(("gpt-5.4-nano", "gpt-5.1"), date(2027, 4, 1)),
}
# They generate nothing that a person could publish.
_EXCLUDED_MODEL_PATTERN = re.compile(
    r"embed|whisper|transcribe|moderation|realtime|rerank|guard|search|audio|codex|davinci|babbage|computer-use|live",
    re.IGNORECASE,
)
# These answer with the file itself, in a format of choice.
_GPT_IMAGE_MODEL_PATTERN = re.compile(r"^(chat)?gpt-image", re.IGNORECASE)
_ANY_SIZE_MODEL_PATTERN = re.compile(r"^gpt-image-([2-9]|\d\d)", re.IGNORECASE)

_IMAGE_SIZES = {"1:1": "1024x1024", "3:2": "1536x1024", "2:3": "1024x1536"}
_FLEXIBLE_IMAGE_SIZES = {**_IMAGE_SIZES, "4:5": "1024x1280", "5:4": "1280x1024", "16:9": "1536x864", "9:16": "864x1536"}
# What comes closest where only three sizes exist.
_NEAREST_RATIOS = {"4:5": "2:3", "9:16": "2:3", "5:4": "3:2", "16:9": "3:2"}
VIDEO_SIZES = {"16:9": "1280x720", "9:16": "720x1280"}
# What OpenAI's own models accept, by the parameter that its errors name. Other servers have other models.
OPENAI_VIDEO_HINTS = {
    "seconds": "OpenAI's models make videos of 4, 8 or 12 seconds.",
    "size": "OpenAI's models make videos in 16:9 (1280x720) and 9:16 (720x1280).",
    "input_reference": "The image must have exactly the size of the video: 1280x720 for 16:9, 720x1280 for 9:16.",
}


def infer_generation_types(model: str) -> tuple[GenerationType, ...]:
    """Return what a model generates; nothing if it is for something else."""
    for pattern, kind in (
        (_IMAGE_MODEL_PATTERN, GenerationType.IMAGE),
        (_VIDEO_MODEL_PATTERN, GenerationType.VIDEO),
        (_AUDIO_MODEL_PATTERN, GenerationType.AUDIO),
    ):
        if pattern.search(model):
            return (kind,)
    return () if _EXCLUDED_MODEL_PATTERN.search(model) else (GenerationType.COPY,)


def get_shutdown_date(model: str, reported: object) -> date | None:
    """Return when a model is shut down: as the list of models reports it, otherwise as OpenAI has announced it."""
    try:
        return date.fromisoformat(reported) if isinstance(reported, str) else MODEL_SHUTDOWN_DATES.get(model)
    except ValueError:
        return MODEL_SHUTDOWN_DATES.get(model)


def supports_output_format(model: str) -> bool:
    return bool(_GPT_IMAGE_MODEL_PATTERN.search(model))


def choose_image_size(model: str, aspect_ratio: str) -> tuple[str, str | None]:
    """Return the size for an aspect ratio, and a warning if the model has none with exactly this ratio."""
    if _ANY_SIZE_MODEL_PATTERN.search(model) or aspect_ratio in _IMAGE_SIZES:
        return _FLEXIBLE_IMAGE_SIZES[aspect_ratio], None
    nearest = _NEAREST_RATIOS[aspect_ratio]
    return _IMAGE_SIZES[nearest], f"The model {model} has no images of {aspect_ratio}, so {nearest} was used."
