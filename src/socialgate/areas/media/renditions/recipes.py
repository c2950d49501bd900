"""What is done with a file, as data: stored with jobs, and hashed to find a result that is already there."""

from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec

# Part of the key of every result: raise it when the same recipe makes another file.
_VERSION = 4

ImageFormat = Literal["JPEG", "PNG", "WEBP"]


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a picture goes: a part of it (left, top, width, height), scaled to `width` and `height`, in the center of a
    canvas if there is one. All of it refers to the picture as people see it, after it is turned upright.
    """

    width: int
    height: int
    crop: tuple[int, int, int, int] | None = None
    canvas: tuple[int, int] | None = None

    @property
    def size(self) -> tuple[int, int]:
        return self.canvas or (self.width, self.height)


class ImageRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="image"):
    """The first of the formats that stays below the limit is used; only JPEG and WebP can be compressed further. What
    has fewer than `min_bytes` gets an empty comment.
    """

    formats: tuple[ImageFormat, ...]
    frame: Frame
    background: str = "#ffffff"
    max_bytes: int | None = None
    min_bytes: int | None = None
    # Other sizes that are accepted, for a picture that cannot be compressed enough: the largest first.
    smaller_sizes: tuple[tuple[int, int], ...] = ()


class SoundRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The sound of a video. None for `codec` copies it."""

    codec: str | None = None
    bit_rate: int = 128_000
    sample_rate: int = 48_000
    channels: int = 2


class PictureRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The picture of a video, encoded again as H.264. With a `bit_rate` it is encoded twice, to meet it exactly."""

    frame: Frame
    fps: float
    background: str = "#000000"
    bit_rate: int | None = None
    max_bit_rate: int | None = None
    deinterlace: bool = False
    tone_map: bool = False
    # How the colors of the source are encoded, if it does not say so.
    assumed_matrix: str | None = None


class VideoRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="video"):
    """An MP4 file. `picture` is None if the picture is copied, `sound` if there is none. An animated image is repeated
    until it has the duration, and may be longer, up to `max_seconds`.
    """

    demuxer: str
    duration: float
    picture: PictureRecipe | None = None
    sound: SoundRecipe | None = None
    start: float | None = None
    max_seconds: float | None = None
    copies_hevc: bool = False
    max_bytes: int | None = None


class AudioRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="audio"):
    """A sound. `duration` is None if the file does not say how long it is: then all of it is used."""

    demuxer: str
    duration: float | None
    mime_type: Literal["audio/mpeg", "audio/mp4", "audio/ogg"]
    bit_rate: int
    channels: int
    start: float | None = None
    max_bytes: int | None = None


class CoverRecipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="cover"):
    """A frame of a video as an image."""

    demuxer: str
    at: float
    image: ImageRecipe


Recipe: TypeAlias = ImageRecipe | VideoRecipe | AudioRecipe | CoverRecipe


def build_rendition_key(source_sha256: str, recipe: Recipe) -> str:
    """Return the name of a result: the same for the same content and the same recipe."""
    content = msgspec.json.encode((_VERSION, source_sha256, recipe), order="deterministic")
    return sha256(content).hexdigest()
