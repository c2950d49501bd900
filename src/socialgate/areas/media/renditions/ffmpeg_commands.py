"""The command lines of ffmpeg for recipes. It reads one open file (`fd:`), and no protocol that reaches anything else.

The working directory is empty except for what it writes.
"""

from collections.abc import Mapping

from socialgate.areas.media.renditions.recipes import AudioRecipe, CoverRecipe, Frame, PictureRecipe, VideoRecipe
from socialgate.areas.media.renditions.video_plan import ANIMATION

RESULT = "result"
FRAMES = "frames.ffconcat"
STILL = "source"
_THREADS = 2
_STATISTICS = "statistics"
# Visually the same as what is encoded, at a speed that two cores keep up with.
_QUALITY = ("-preset", "veryfast", "-crf", "18")
_KEYFRAME_SECONDS = 2
# From high dynamic range to what every screen shows, as the standards of television say.
_TONE_MAP = (
    "zscale=transfer=linear:npl=100",
    "format=gbrpf32le",
    "zscale=primaries=bt709",
    "tonemap=tonemap=hable:desat=0",
    "zscale=transfer=bt709:matrix=bt709:range=tv",
)
# Converted, not only named: small videos have other colors than those that the result says it has.
_SDR_COLORS = "out_color_matrix=bt709:out_range=tv"
_AUDIO_FORMATS: Mapping[str, tuple[str, ...]] = {
    "audio/mp4": ("-c:a", "aac", "-movflags", "+faststart", "-f", "ipod"),
    "audio/mpeg": ("-c:a", "libmp3lame", "-f", "mp3"),
    "audio/ogg": ("-c:a", "libopus", "-f", "ogg"),
}
_COMMON = ("-nostdin", "-hide_banner", "-v", "error", "-y", "-threads", str(_THREADS), "-filter_threads", "1")


def build_input(demuxer: str, fd: int, *, start: float | None = None) -> list[str]:
    """Name the input: an open file, or the frames of an animated image, which were written here."""
    seek = [] if start is None else ["-ss", f"{start:.3f}"]
    if demuxer == ANIMATION:
        return ["-protocol_whitelist", "file", "-f", "concat", "-safe", "1", "-i", FRAMES]
    return [*seek, "-protocol_whitelist", "fd", "-fd", str(fd), "-f", demuxer, "-i", "fd:"]


def build_metadata_command(demuxer: str, fd: int) -> list[str]:
    """Print the metadata of a file."""
    return [*_COMMON, *build_input(demuxer, fd), "-f", "ffmetadata", "pipe:1"]


def build_packets_command(demuxer: str, fd: int) -> list[str]:
    """List the packets of all streams, with warnings. What is attached has no time."""
    quiet = ["-nostdin", "-hide_banner", "-v", "warning", "-copyts"]
    streams = ["-map", "0", "-map", "-0:t?", "-ignore_unknown", "-c", "copy"]
    return [*quiet, *build_input(demuxer, fd), *streams, "-f", "framecrc", "pipe:1"]


def build_video_commands(recipe: VideoRecipe, fd: int, rights: Mapping[str, str]) -> list[list[str]]:
    """Return the commands that make a video, one after the other."""
    source = [*_COMMON, "-progress", "pipe:1"]
    source += build_input(recipe.demuxer, fd, start=recipe.start)
    source += ["-map", "0:v:0", "-t", f"{recipe.duration:.3f}"]
    picture = recipe.picture
    result = [*_build_sound(recipe), *_build_metadata(rights), "-movflags", "+faststart", "-f", "mp4", RESULT]
    if picture is None:
        # The tag by which players of Apple recognize HEVC.
        return [[*source, "-c:v", "copy", *(["-tag:v:0", "hvc1"] if recipe.copies_hevc else []), *result]]
    encoding = _build_picture(picture)
    if picture.bit_rate is None:
        limit = picture.max_bit_rate
        ceiling = [] if limit is None else ["-maxrate", str(limit), "-bufsize", str(2 * limit)]
        return [[*source, *encoding, *_QUALITY, *ceiling, *result]]
    rate = ["-preset", "veryfast", "-b:v", str(picture.bit_rate), "-passlogfile", _STATISTICS]
    return [
        [*source, *encoding, *rate, "-pass", "1", "-an", "-f", "null", "-"],
        [*source, *encoding, *rate, "-pass", "2", *result],
    ]


def build_audio_command(recipe: AudioRecipe, fd: int, rights: Mapping[str, str]) -> list[str]:
    source = [*_COMMON, "-progress", "pipe:1", *build_input(recipe.demuxer, fd, start=recipe.start)]
    source += ["-map", "0:a:0", "-vn", *([] if recipe.duration is None else ["-t", f"{recipe.duration:.3f}"])]
    encoding = ["-b:a", str(recipe.bit_rate), "-ac", str(recipe.channels), "-ar", "48000"]
    return [*source, *encoding, *_build_metadata(rights), *_AUDIO_FORMATS[recipe.mime_type], RESULT]


def build_still_command(recipe: CoverRecipe, fd: int) -> list[str]:
    source = [*_COMMON, *build_input(recipe.demuxer, fd, start=recipe.at)]
    return [*source, "-map", "0:v:0", "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1", STILL]


def _build_sound(recipe: VideoRecipe) -> list[str]:
    sound = recipe.sound
    if sound is None:
        return ["-an"]
    if sound.codec is None:
        return ["-map", "0:a:0?", "-c:a", "copy"]
    encoding = ["-c:a", sound.codec, "-b:a", str(sound.bit_rate)]
    return ["-map", "0:a:0?", *encoding, "-ar", str(sound.sample_rate), "-ac", str(sound.channels)]


def _build_metadata(rights: Mapping[str, str]) -> list[str]:
    """Leave out all metadata, such as the place and the device, except whose work it is."""
    named = [argument for name, value in rights.items() for argument in ("-metadata", f"{name}={value}")]
    return ["-map_metadata", "-1", "-map_chapters", "-1", "-sn", "-dn", *named]


def _build_picture(picture: PictureRecipe) -> list[str]:
    keyframes = round(picture.fps * _KEYFRAME_SECONDS)
    return [
        *("-vf", build_filters(picture)),
        *("-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-threads:v", str(_THREADS)),
        *("-fps_mode", "cfr", "-r", f"{picture.fps:g}", "-g", str(keyframes)),
        *("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
    ]


def build_filters(picture: PictureRecipe) -> str:
    """Return the filters: turned upright by ffmpeg itself, then square pixels, cut, scaled, and on its canvas."""
    frame = picture.frame
    steps = ["yadif=deint=interlaced"] if picture.deinterlace else []
    steps += _TONE_MAP if picture.tone_map else ()
    steps += [] if picture.assumed_matrix is None else [f"setparams=colorspace={picture.assumed_matrix}"]
    steps += ["scale=iw*sar:ih", "setsar=1"]
    if frame.crop is not None:
        left, top, width, height = frame.crop
        steps.append(f"crop={width}:{height}:{left}:{top}")
    steps += [f"scale={frame.width}:{frame.height}:flags=lanczos+accurate_rnd:{_SDR_COLORS}", "format=yuv420p"]
    return ",".join(steps) + _build_canvas(frame, picture.background) + f",setsar=1,fps={picture.fps:g},format=yuv420p"


def _build_canvas(frame: Frame, background: str) -> str:
    if frame.canvas is None:
        return ""
    width, height = frame.canvas
    if background != "blur":
        return f",pad={width}:{height}:(ow-iw)/2:(oh-ih)/2:color=0x{background[1:]}"
    small = f"scale={max(2, width // 16)}:{max(2, height // 16)}:force_original_aspect_ratio=increase"
    return (
        f",split[over][under];[under]{small},crop={max(2, width // 16)}:{max(2, height // 16)},gblur=2,"
        f"scale={width}:{height}:flags=bicubic,setsar=1[back];[back][over]overlay=(W-w)/2:(H-h)/2"
    )
