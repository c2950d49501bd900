"""What platforms accept, written from their documents and not from our manifests, and measured without the programs
that make our files: pictures, which Pillow writes, are decoded by ffmpeg; of videos, which ffmpeg writes, the sandbox
reads the boxes itself.
"""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import imageio_ffmpeg
import msgspec

from socialgate.contracts.platforms import Kind
from socialgate_sandbox.dialects.graph.containers import has_accepted_streams
from socialgate_sandbox.kit import probe_media
from socialgate_sandbox.kit.media import Media
from support.conversions import open_picture

_MB = 1_000_000
_MIB = 1024 * 1024
_JPEG, _PNG, _WEBP = "image/jpeg", "image/png", "image/webp"
_FILMS = {"video/mp4", "video/quicktime"}
_ORIENTATION, _TURNED = 0x0112, range(5, 9)
_GRAY_AND_COLOR = ("rgb24", 3)

Judge = Callable[[Media], str]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a form of post accepts of one type of file: how long, and `judge` names what is wrong with a file."""

    judge: Judge
    seconds: tuple[float, float] | None = None


def measure(data: bytes) -> Media:
    """Find out about a file what a platform does. Pictures that cannot be decoded to their end have no type."""
    info = probe_media(data)
    media = Media(size=len(data), **msgspec.structs.asdict(info))
    if media.content_type.startswith("image/") and not _is_decodable(data, media.width, media.height):
        return msgspec.structs.replace(media, content_type="")
    if _lies_on_its_side(data):
        return msgspec.structs.replace(media, width=media.height, height=media.width)
    return media


def _lies_on_its_side(data: bytes) -> bool:
    """Return whether people see the height of a picture as its width."""
    picture = open_picture(data)
    return picture is not None and picture.getexif().get(_ORIENTATION, 1) in _TURNED


def _is_decodable(data: bytes, width: int, height: int) -> bool:
    """Decode the first frame, and count its pixels."""
    pixels, size = _GRAY_AND_COLOR
    with TemporaryDirectory() as folder:
        source = Path(folder, "file")
        source.write_bytes(data)
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-xerror", "-noautorotate", "-i", str(source)]
        result = [*command, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", pixels, "-"]
        done = subprocess.run(result, capture_output=True, check=False)
    return done.returncode == 0 and len(done.stdout) == width * height * size


def _find(*checks: tuple[str, bool]) -> str:
    """Name the first thing that is wrong."""
    return next((name for name, is_right in checks if not is_right), "")


def _ratio(media: Media, low: float, high: float) -> bool:
    # Platforms round, as a picture of whole pixels rarely has exactly the ratio of a limit.
    return low - 0.01 <= media.aspect_ratio <= high + 0.01


def _instagram_image(media: Media) -> str:
    """Read "Image specifications: Format: JPEG. File size: 8 MB maximum. Aspect ratio: Must be within a 4:5
    to 1.91:1 range".
    """
    return _find(
        ("format", media.content_type == _JPEG),
        ("size", media.size <= 8 * _MIB),
        ("ratio", _ratio(media, 0.8, 1.91)),
    )


def _instagram_story_image(media: Media) -> str:
    return _find(("format", media.content_type == _JPEG), ("size", media.size <= 8 * _MIB))


def _instagram_video(media: Media) -> str:
    """Read "Container: MOV or MP4", "Required aspect ratio is between 0.01:1 and 10:1", "300MB maximum"."""
    return _find(
        ("format", media.content_type in _FILMS),
        ("streams", has_accepted_streams(media)),
        ("size", media.size <= 300 * _MB),
        ("ratio", _ratio(media, 0.01, 10)),
    )


def _threads_image(media: Media) -> str:
    """Read "Format: JPEG and PNG. File Size: 8 MB maximum. Aspect Ratio Limit: 10:1"."""
    return _find(
        ("format", media.content_type in {_JPEG, _PNG}),
        ("size", media.size <= 8 * _MIB),
        ("ratio", _ratio(media, 0.1, 10)),
    )


def _page_image(media: Media) -> str:
    return _find(("format", media.content_type in {_JPEG, _PNG}), ("size", media.size <= 4 * _MIB))


def _page_video(media: Media) -> str:
    return _find(("format", media.content_type in _FILMS))


def _page_reel(media: Media) -> str:
    """Read "Aspect ratio: 9 x 16. Resolution: 540 x 960 minimum. Frame rate: 24 to 60 frames per second"."""
    return _find(
        ("format", media.content_type in _FILMS),
        ("dimensions", media.width >= 540 and media.height >= 960),
        ("ratio", _ratio(media, 9 / 16, 9 / 16)),
        ("frame rate", not media.fps or 23.9 <= media.fps <= 60.1),
    )


def _tiktok_video(media: Media) -> str:
    """Read "MP4 (recommended), WebM, MOV", "H.264 (recommended), H.265, VP8, VP9", "23 FPS to 60 FPS",
    360 to 4096 pixels in both dimensions.
    """
    return _find(
        ("format", media.content_type in {*_FILMS, "video/webm"}),
        ("codec", media.video_codec in {"", "avc1", "avc3", "hvc1", "hev1", "vp08", "vp09"}),
        ("frame rate", not media.fps or 22.9 <= media.fps <= 60.1),
        ("dimensions", not media.width or (min(media.width, media.height) >= 360 and media.width <= 4096)),
    )


def _tiktok_image(media: Media) -> str:
    """Read "WebP, JPEG", "Maximum 1080p", "20MB maximum for each image"."""
    return _find(
        ("format", media.content_type in {_JPEG, _WEBP}),
        ("size", media.size <= 20 * _MIB),
        ("dimensions", max(media.width, media.height) <= 1920),
    )


def _business_image(media: Media) -> str:
    """Read "Format: JPG or PNG. Size: Between 10 KB and 5 MB. Minimum resolution: 250 px tall, 250 px wide", and "a
    file size of at least 10240 bytes".
    """
    return _find(
        ("format", media.content_type in {_JPEG, _PNG}),
        ("size", 10_240 <= media.size <= 5 * _MIB),
        ("dimensions", min(media.width, media.height) >= 250),
    )


def _telegram_photo(media: Media) -> str:
    """Read "The photo must be at most 10 MB in size. The photo's width and height must not exceed 10000 in
    total. Width and height ratio must be at most 20". What is sent as an animation, a GIF, has only the limit of files.
    """
    if media.content_type == "image/gif":
        return _telegram_document(media)
    return _find(
        ("format", media.content_type in {_JPEG, _PNG, _WEBP}),
        ("size", media.size <= 10 * _MIB),
        ("dimensions", media.width + media.height <= 10_000),
        ("ratio", _ratio(media, 1 / 20, 20)),
    )


def _telegram_video(media: Media) -> str:
    """Read "Telegram clients support MPEG4 videos", and bots can
    send "video files of up to 50 MB in size".
    """
    return _find(("format", media.content_type == "video/mp4"), ("size", media.size <= 50 * _MIB))


def _telegram_audio(media: Media) -> str:
    kinds = {"audio/mpeg", "audio/mp4", "audio/ogg"}
    return _find(("format", media.content_type in kinds), ("size", media.size <= 50 * _MIB))


def _telegram_cover(media: Media) -> str:
    """Check the cover of a video, which is a photo."""
    return "format" if media.content_type == "image/gif" else _telegram_photo(media)


def _telegram_document(media: Media) -> str:
    """Read "Bots can currently send files of any type of up to 50 MB in size"."""
    return _find(("size", media.size <= 50 * _MIB))


def _youtube_cover(media: Media) -> str:
    """Read "Maximum file size: 50MB. Accepted Media MIME types: image/jpeg, image/png"."""
    return _find(("format", media.content_type in {_JPEG, _PNG}), ("size", media.size <= 50 * _MIB))


def _youtube_video(media: Media) -> str:
    return _find(("format", media.content_type.startswith("video/")))


_INSTAGRAM_FILM = Judged(judge=_instagram_video, seconds=(3, 900))
_TELEGRAM_DOCUMENT = Judged(judge=_telegram_document)
# By kind of account, form of post and type of file.
JUDGES: Mapping[tuple[Kind, str, str], Judged] = {
    (Kind.INSTAGRAM, "post", "image"): Judged(judge=_instagram_image),
    (Kind.INSTAGRAM, "story", "image"): Judged(judge=_instagram_story_image),
    (Kind.INSTAGRAM, "post", "video"): _INSTAGRAM_FILM,
    (Kind.INSTAGRAM, "reel", "video"): _INSTAGRAM_FILM,
    (Kind.INSTAGRAM, "story", "video"): Judged(judge=_instagram_video, seconds=(3, 60)),
    (Kind.FACEBOOK_PAGE, "post", "image"): Judged(judge=_page_image),
    (Kind.FACEBOOK_PAGE, "story", "image"): Judged(judge=_page_image),
    (Kind.FACEBOOK_PAGE, "post", "video"): Judged(judge=_page_video, seconds=(0, 14_400)),
    (Kind.FACEBOOK_PAGE, "reel", "video"): Judged(judge=_page_reel, seconds=(3, 90)),
    (Kind.FACEBOOK_PAGE, "story", "video"): Judged(judge=_page_video, seconds=(0, 60)),
    (Kind.THREADS, "post", "image"): Judged(judge=_threads_image),
    (Kind.THREADS, "post", "video"): Judged(judge=_instagram_video, seconds=(0, 300)),
    (Kind.TIKTOK, "post", "image"): Judged(judge=_tiktok_image),
    (Kind.TIKTOK, "post", "video"): Judged(judge=_tiktok_video, seconds=(0, 600)),
    (Kind.YOUTUBE, "post", "video"): Judged(judge=_youtube_video, seconds=(0, 43_200)),
    (Kind.GOOGLE_BUSINESS, "post", "image"): Judged(judge=_business_image),
    (Kind.TELEGRAM_BOT, "post", "image"): Judged(judge=_telegram_photo),
    (Kind.TELEGRAM_BOT, "post", "video"): Judged(judge=_telegram_video, seconds=(0, 86_400)),
    **{(Kind.TELEGRAM_BOT, "document", name): _TELEGRAM_DOCUMENT for name in ("image", "video", "audio")},
    (Kind.INSTAGRAM, "post", "cover"): Judged(judge=_instagram_story_image),
    (Kind.YOUTUBE, "post", "cover"): Judged(judge=_youtube_cover),
    (Kind.TELEGRAM_BOT, "post", "cover"): Judged(judge=_telegram_cover),
    (Kind.TELEGRAM_BOT, "post", "audio"): Judged(judge=_telegram_audio, seconds=(0, 86_400)),
}
