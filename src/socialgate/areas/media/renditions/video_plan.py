"""How a video, an animated image or a sound is made to fit a rule. What is accepted is copied, not encoded again."""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from socialgate.areas.media.renditions.geometry import FrameLimits, compute_frame
from socialgate.areas.media.renditions.plans import (
    Plan,
    describe_frame,
    describe_misfit,
    describe_size,
    format_mebibytes,
)
from socialgate.areas.media.renditions.recipes import (
    AudioRecipe,
    CoverRecipe,
    Frame,
    ImageRecipe,
    PictureRecipe,
    SoundRecipe,
    VideoRecipe,
)
from socialgate.areas.media.renditions.stream_changes import (
    COMMON_AUDIO_CODECS,
    COMMON_VIDEO_CODECS,
    HDR_TRANSFERS,
    MP4,
    describe_audio_format,
    describe_audio_stream,
    describe_container,
    describe_picture,
    describe_sound,
)
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaDetails, MediaFile
from socialgate.contracts.renditions import Change, Fit, FocusPoint, Trim
from socialgate.core.errors import Fault

# Which demuxer reads what. Explicit, because auto-detection would follow the URLs in a playlist.
DEMUXERS = {
    "video/mp4": "mov",
    "video/quicktime": "mov",
    "video/3gpp": "mov",
    "audio/mp4": "mov",
    "video/webm": "matroska",
    "video/x-matroska": "matroska",
    "video/x-msvideo": "avi",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/x-ms-wmv": "asf",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/aac": "aac",
    "audio/amr": "amr",
}
# Images that move. They are not read by a demuxer, but frame by frame.
ANIMATION = "animation"
_BLACK = "#000000"
# What can be copied into an MP4 file at all.
_MP4_VIDEO_CODECS = ("h264", "hevc", "vp9", "av1")
# From this height on, a video that does not say how its colors are encoded has those of HD.
_HD_HEIGHT = 720
_AUDIO_BIT_RATE = 128_000
_CD_SAMPLE_RATE = 44_100
_MIN_AUDIO_BIT_RATE = 32_000
_MAX_FPS = 60.0
_DEFAULT_FPS = 30.0
# What is aimed at below a limit: the rest is for the container, and for what the encoder misses.
HEADROOM = 0.97
# Below this many bits for each pixel the picture falls into blocks: a smaller picture looks better.
_MIN_BITS_PER_PIXEL = 0.04
_MIN_SIDE = 160
# No video has more: a larger budget is none.
_MAX_USEFUL_BIT_RATE = 100_000_000
_SCALES = (1.0, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125)
# A video ends with a whole frame, and may be a little shorter than planned.
_MARGIN_SECONDS = 0.1
_UNFIXABLE = {"too_long", "too_short"}
# A part of a file has at least a few frames.
MIN_TRIM_SECONDS = 0.1
# What sound is encoded as: the first that is accepted.
_AUDIO_TYPES: tuple[Literal["audio/mp4", "audio/mpeg", "audio/ogg"], ...] = ("audio/mp4", "audio/mpeg", "audio/ogg")


def plan_video(name: str, rule: MediaRule, file: MediaFile, fit: Fit, trim: Trim | None = None) -> Plan:
    cut = _apply_trim(file, trim)
    if isinstance(cut, Fault):
        return Plan(file=file, faults=(cut,))
    faults = list(validate_file(name, rule, cut, ""))
    if (not faults and cut is file) or (fit.mode == "none" and faults):
        return Plan(file=file, faults=tuple(faults))
    unfixable = _list_unfixable(name, rule, file, cut, faults)
    demuxer = DEMUXERS.get(file.mime_type)
    if unfixable or demuxer is None or not rule.accepts_format(MP4) or file.width is None or file.height is None:
        return Plan(file=file, faults=tuple(unfixable or faults))
    return _plan_mp4(name, rule, cut, fit, demuxer=demuxer, start=None if cut is file or trim is None else trim.start)


def plan_animation(name: str, rule: MediaRule, file: MediaFile, fit: Fit) -> Plan:
    """Make a video of an image that moves, repeated until it is long enough. How long it is turns out on the way."""
    film = msgspec.structs.replace(file, type="video", duration=(rule.min_seconds or 1.0) + _MARGIN_SECONDS, size=0)
    if not rule.accepts_format(MP4) or fit.mode == "none":
        return Plan(file=file, faults=tuple(validate_file(name, rule, film, "")))
    return _plan_mp4(name, rule, film, fit, demuxer=ANIMATION)


def plan_cover(file: MediaFile, at: float, image: ImageRecipe) -> CoverRecipe | Fault:
    """Take a frame of a video as its cover."""
    demuxer = DEMUXERS.get(file.mime_type)
    if demuxer is None:
        return Fault("", "media_type", "No frame can be taken from this video. Save it as MP4, or leave out `coverAt`.")
    if file.duration is not None and at >= file.duration:
        detail = f"The video lasts {file.duration:g} s, so it has no frame at {at:g} s. Choose an earlier one."
        return Fault("", "out_of_range", detail)
    return CoverRecipe(demuxer=demuxer, at=at, image=image)


def plan_audio(name: str, rule: MediaRule, file: MediaFile, fit: Fit, trim: Trim | None = None) -> Plan:
    cut = _apply_trim(file, trim)
    if isinstance(cut, Fault):
        return Plan(file=file, faults=(cut,))
    faults = list(validate_file(name, rule, cut, ""))
    mime_type = next((kind for kind in _AUDIO_TYPES if rule.accepts_format(kind)), None)
    if (not faults and cut is file) or (fit.mode == "none" and faults):
        return Plan(file=file, faults=tuple(faults))
    unfixable = _list_unfixable(name, rule, file, cut, faults)
    demuxer = DEMUXERS.get(file.mime_type)
    if unfixable or demuxer is None or mime_type is None:
        return Plan(file=file, faults=tuple(unfixable or faults))
    duration = cut.duration or 1.0
    bit_rate = 192_000
    if rule.max_bytes is not None:
        bit_rate = min(bit_rate, int(rule.max_bytes * 8 * HEADROOM / duration))
    if bit_rate < _MIN_AUDIO_BIT_RATE:
        return Plan(file=file, faults=(_too_long_for_size(name, rule, duration),))
    channels = min((file.details or MediaDetails()).channels or 2, rule.max_channels or 2, 2)
    recipe = AudioRecipe(
        demuxer=demuxer,
        duration=cut.duration,
        mime_type=mime_type,
        bit_rate=bit_rate,
        channels=channels,
        start=None if cut is file or trim is None else trim.start,
        max_bytes=rule.max_bytes,
    )
    details = file.details or MediaDetails()
    changes = [
        *describe_audio_format(name, rule, file, mime_type),
        *describe_audio_stream(name, rule, details, channels),
        *_describe_trim(file, cut),
    ]
    if rule.max_bytes is not None and file.size > rule.max_bytes:
        changes.append(describe_size(name, file.size, rule.max_bytes))
    size = min(file.size, rule.max_bytes or file.size)
    result = msgspec.structs.replace(cut, mime_type=mime_type, size=size, details=MediaDetails(channels=channels))
    return Plan(file=result, recipe=recipe, changes=tuple(changes))


def _apply_trim(file: MediaFile, trim: Trim | None) -> MediaFile | Fault:
    """Return the file as it is after it was cut; the file itself if nothing is cut off."""
    if trim is None or file.duration is None:
        return file
    end = file.duration if trim.end is None else min(trim.end, file.duration)
    # Rounded, because 0.3 - 0.2 is a little less than 0.1.
    if round(end - trim.start, 6) < MIN_TRIM_SECONDS:
        detail = f"It lasts {file.duration:g} s, and nothing is left from {trim.start:g} s to {end:g} s. Change `trim`."
        return Fault("/trim", "out_of_range", detail)
    if trim.start == 0 and end == file.duration:
        return file
    share = (end - trim.start) / file.duration
    return msgspec.structs.replace(file, duration=round(end - trim.start, 3), size=math.ceil(file.size * share))


def _list_unfixable(
    name: str, rule: MediaRule, file: MediaFile, cut: MediaFile, faults: Sequence[Fault]
) -> list[Fault]:
    """List what no conversion changes: how long a file is, or the part of it that was chosen."""
    unfixable = [fault for fault in faults if fault.code in _UNFIXABLE]
    if cut is file or cut.duration is None:
        return unfixable
    return [Fault("/trim", fault.code, _describe_part(name, rule, cut.duration, fault.code)) for fault in unfixable]


def _describe_part(name: str, rule: MediaRule, duration: float, code: str) -> str:
    if code == "too_long":
        return (
            f"The part lasts {duration:g} s, but {name} accepts at most {rule.max_seconds:g} s. Choose a shorter one."
        )
    return f"The part lasts {duration:g} s, but {name} requires at least {rule.min_seconds:g} s. Choose a longer one."


def _plan_mp4(
    name: str,
    rule: MediaRule,
    file: MediaFile,
    fit: Fit,
    *,
    demuxer: str,
    start: float | None = None,
) -> Plan:
    assert file.width is not None
    assert file.height is not None
    details = file.details or MediaDetails()
    duration = file.duration or 1.0
    is_too_large = rule.max_bytes is not None and file.size > rule.max_bytes
    keeps_picture = (
        demuxer != ANIMATION
        and start is None
        and not is_too_large
        and details.video_codec in (rule.video_codecs or COMMON_VIDEO_CODECS)
        and details.video_codec in _MP4_VIDEO_CODECS
        and not list(validate_file(name, _picture_rule(rule), file, ""))
    )
    sound = _plan_sound(rule, details, cut=start is not None)
    changes = describe_container(name, rule, file)
    picture = None
    size = file.width, file.height
    if not keeps_picture:
        seen = _square_pixels(file)
        planned = _plan_picture(name, rule, seen, fit, sound=sound, is_too_large=is_too_large)
        if isinstance(planned, Fault):
            return Plan(file=file, faults=(planned,))
        picture, size = planned, planned.frame.size
        before = seen.width or file.width, file.height
        changes += describe_picture(name, rule, details, picture, is_animation=demuxer == ANIMATION)
        changes += describe_frame(name, rule, before, picture.frame, picture.background)
        if rule.max_bytes is not None and is_too_large:
            changes.append(describe_size(name, file.size, rule.max_bytes))
    changes += describe_sound(name, rule, details, sound)
    recipe = VideoRecipe(
        demuxer=demuxer,
        duration=duration,
        picture=picture,
        sound=sound,
        start=start,
        max_seconds=rule.max_seconds if demuxer == ANIMATION else None,
        copies_hevc=keeps_picture and details.video_codec == "hevc",
        max_bytes=rule.max_bytes,
    )
    if start is not None:
        changes.append(Change(aspect="trim", before="the whole file", after=f"{duration:g} s", why="You set `trim`."))
    result = msgspec.structs.replace(
        file,
        type="video",
        mime_type=MP4,
        width=size[0],
        height=size[1],
        size=min(file.size, rule.max_bytes or file.size),
        details=_result_details(details, recipe),
    )
    return Plan(file=result, recipe=recipe, changes=tuple(changes))


def _result_details(details: MediaDetails, recipe: VideoRecipe) -> MediaDetails:
    picture, sound = recipe.picture, recipe.sound
    copied_sound = sound is not None and sound.codec is None
    return MediaDetails(
        video_codec=details.video_codec if picture is None else "h264",
        audio_codec=None if sound is None else sound.codec or details.audio_codec,
        pixel_format=details.pixel_format if picture is None else "yuv420p",
        fps=details.fps if picture is None else picture.fps,
        bit_rate=details.bit_rate if picture is None else picture.bit_rate,
        channels=None if sound is None else details.channels if copied_sound else sound.channels,
        sample_rate=None if sound is None else details.sample_rate if copied_sound else sound.sample_rate,
        index_first=True,
    )


def _picture_rule(rule: MediaRule) -> MediaRule:
    """What a rule says about the picture, without the container and the sound."""
    return msgspec.structs.replace(
        rule,
        mime_types=("*/*",),
        audio_codecs=(),
        max_channels=None,
        max_sample_rate=None,
        index_first=False,
        max_bytes=None,
    )


def _plan_sound(rule: MediaRule, details: MediaDetails, *, cut: bool) -> SoundRecipe | None:
    if details.audio_codec is None:
        return None
    channels, rate = details.channels or 2, details.sample_rate or 48_000
    fits = (
        details.audio_codec in (rule.audio_codecs or COMMON_AUDIO_CODECS)
        and channels <= (rule.max_channels or channels)
        and rate <= (rule.max_sample_rate or rate)
    )
    if fits and not cut:
        return SoundRecipe()
    return SoundRecipe(
        codec="aac",
        bit_rate=_AUDIO_BIT_RATE,
        sample_rate=_CD_SAMPLE_RATE if rate == _CD_SAMPLE_RATE else 48_000,
        channels=min(channels, rule.max_channels or 2, 2),
    )


def _plan_picture(
    name: str, rule: MediaRule, file: MediaFile, fit: Fit, *, sound: SoundRecipe | None, is_too_large: bool
) -> PictureRecipe | Fault:
    details = file.details or MediaDetails()
    duration = file.duration or 1.0
    fps = _choose_fps(rule, details)
    bit_rate = None
    if rule.max_bytes is not None:
        # Sound that is copied has about the usual bit rate.
        audio = 0 if sound is None else sound.bit_rate
        bit_rate = int(rule.max_bytes * 8 * HEADROOM / duration) - audio
    if rule.max_bit_rate is not None:
        ceiling = int(rule.max_bit_rate * HEADROOM) - (0 if sound is None else sound.bit_rate)
        bit_rate = ceiling if bit_rate is None else min(bit_rate, ceiling)
    if bit_rate is not None and bit_rate > _MAX_USEFUL_BIT_RATE:
        bit_rate = None
    exceeds_rate = rule.max_bit_rate is not None and (details.bit_rate or 0) > rule.max_bit_rate
    frame = _choose_frame(rule, file, fit, None if bit_rate is None else bit_rate / fps)
    if isinstance(frame, str):
        if frame == "bytes":
            return _too_long_for_size(name, rule, duration)
        return describe_misfit(name, file, fit)
    return PictureRecipe(
        frame=frame,
        fps=fps,
        background=fit.background or _BLACK,
        bit_rate=bit_rate if is_too_large or exceeds_rate else None,
        max_bit_rate=bit_rate,
        deinterlace=details.is_interlaced,
        tone_map=details.transfer in HDR_TRANSFERS,
        assumed_matrix=_assume_matrix(file, details),
    )


def _assume_matrix(file: MediaFile, details: MediaDetails) -> str | None:
    """Return how players decode the colors of a video that does not say how they are encoded: as HD if it is large."""
    is_known = details.matrix is not None or not (details.pixel_format or "").startswith("yuv")
    return None if is_known or min(file.width or 0, file.height or 0) < _HD_HEIGHT else "bt709"


def _square_pixels(file: MediaFile) -> MediaFile:
    """Return a video as wide as people see it: the pixels of some are not square."""
    ratio = (file.details or MediaDetails()).pixel_ratio
    if ratio is None or file.width is None:
        return file
    return msgspec.structs.replace(file, width=max(1, round(file.width * ratio)))


def _choose_fps(rule: MediaRule, details: MediaDetails) -> float:
    fps = details.fps or _DEFAULT_FPS
    return round(min(max(fps, rule.min_fps or 1.0), rule.max_fps or _MAX_FPS), 3)


def _choose_frame(rule: MediaRule, file: MediaFile, fit: Fit, bits_per_frame: float | None) -> Frame | str:
    """Place the picture, smaller if there are too few bits for all of its pixels. Else say what is missing."""
    assert file.width is not None
    assert file.height is not None
    crop = (fit.focus or FocusPoint()) if fit.mode == "crop" else None
    limits = FrameLimits.of(rule, even=True)
    missing = "frame"
    for scale in _SCALES:
        frame = compute_frame(file.width, file.height, limits, crop=crop, scale=scale)
        if frame is None:
            continue
        if bits_per_frame is None or bits_per_frame >= frame.width * frame.height * _MIN_BITS_PER_PIXEL:
            return frame
        missing = "bytes"
        if min(frame.width, frame.height) * 0.75 < _MIN_SIDE:
            break
    return missing


def _describe_trim(file: MediaFile, cut: MediaFile) -> list[Change]:
    if cut is file:
        return []
    return [Change(aspect="trim", before=f"{file.duration:g} s", after=f"{cut.duration:g} s", why="You set `trim`.")]


def _too_long_for_size(name: str, rule: MediaRule, duration: float) -> Fault:
    detail = (
        f"{name} accepts {format_mebibytes(rule.max_bytes or 0)}, which is too little for {duration:g} s. Publish a "
        "part of it with `trim`."
    )
    return Fault("", "too_large", detail)
