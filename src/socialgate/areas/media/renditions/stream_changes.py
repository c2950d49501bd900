"""What changes about the container, the picture and the sound of a video, and which of its properties is the reason."""

from socialgate.areas.media.renditions.recipes import PictureRecipe, SoundRecipe
from socialgate.contracts.media_rules import accepts_fps, describe_fps
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaDetails, MediaFile
from socialgate.contracts.renditions import Change

MP4 = "video/mp4"
HDR_TRANSFERS = {"smpte2084", "arib-std-b67"}
# What MP4 files contain that players everywhere read, for rules that name no codecs.
COMMON_VIDEO_CODECS = ("h264", "hevc")
COMMON_AUDIO_CODECS = ("aac", "mp3")
_H264 = "h264"
_PIXEL_FORMAT = "yuv420p"
# The same pixels, with another range of values.
_EQUAL_PIXEL_FORMATS = (None, _PIXEL_FORMAT, "yuvj420p")
_FPS_TOLERANCE = 0.01


def describe_container(name: str, rule: MediaRule, file: MediaFile) -> list[Change]:
    details = file.details or MediaDetails()
    if file.mime_type != MP4:
        why = f"{name} accepts {', '.join(rule.mime_types)}."
        if file.mime_type.startswith("image/"):
            why = f"{name} does not accept this animated image. As a video it keeps moving."
        elif rule.accepts_format(file.mime_type):
            why = "It is saved again, as MP4."
        return [Change(aspect="format", before=file.mime_type, after=MP4, why=why)]
    if rule.index_first and details.index_first is False:
        why = f"{name} requires the index (moov) in front of the data."
        return [Change(aspect="index", before="at the end", after="at the start", why=why)]
    return []


def describe_picture(
    name: str, rule: MediaRule, details: MediaDetails, picture: PictureRecipe, *, is_animation: bool
) -> list[Change]:
    """List what encoding the picture again changes: what was wrong with it, and what comes with that."""
    changes = [] if is_animation else [*_describe_codec(name, rule, details), *_describe_pixels(name, rule, details)]
    if details.fps is not None and abs(details.fps - picture.fps) > _FPS_TOLERANCE:
        why = "More frames per second are not shown by most players."
        if not accepts_fps(rule, details.fps):
            why = f"{name} accepts {describe_fps(rule)} frames per second."
        changes.append(Change(aspect="frameRate", before=f"{details.fps:g}", after=f"{picture.fps:g}", why=why))
    if rule.max_bit_rate is not None and (details.bit_rate or 0) > rule.max_bit_rate:
        before, after = f"{details.bit_rate:,} bit/s", f"at most {rule.max_bit_rate:,} bit/s"
        why = f"{name} accepts {rule.max_bit_rate:,} bits per second."
        changes.append(Change(aspect="bitRate", before=before, after=after, why=why))
    if picture.deinterlace:
        why = f"{name} does not accept interlaced videos."
        if not rule.progressive:
            why = "The picture is encoded again, without the stripes of interlaced videos."
        changes.append(Change(aspect="scan", before="interlaced", after="progressive", why=why))
    if details.transfer in HDR_TRANSFERS:
        changes.append(Change(aspect="color", before="HDR", after="SDR", why="H.264 has no HDR."))
    return changes


def _describe_codec(name: str, rule: MediaRule, details: MediaDetails) -> list[Change]:
    codecs = rule.video_codecs or COMMON_VIDEO_CODECS
    if details.video_codec == _H264:
        return []
    why = "The picture is encoded again."
    if details.video_codec is None:
        why = "It is not known how the picture is encoded."
    elif details.video_codec not in codecs:
        why = f"{name} accepts {', '.join(codecs)}."
    return [Change(aspect="codec", before=details.video_codec or "unknown", after=_H264, why=why)]


def _describe_pixels(name: str, rule: MediaRule, details: MediaDetails) -> list[Change]:
    pixels = details.pixel_format
    if pixels in _EQUAL_PIXEL_FORMATS:
        return []
    why = "The picture is encoded again, with the pixels that every player shows."
    if rule.pixel_formats and pixels not in rule.pixel_formats:
        why = f"{name} accepts {', '.join(rule.pixel_formats)}."
    return [Change(aspect="pixelFormat", before=str(pixels), after=_PIXEL_FORMAT, why=why)]


def describe_sound(name: str, rule: MediaRule, details: MediaDetails, sound: SoundRecipe | None) -> list[Change]:
    """Say what encoding the sound again changes, and only what was wrong with it."""
    if sound is None or sound.codec is None:
        return []
    before = _format_sound(str(details.audio_codec), details.channels, details.sample_rate)
    after = _format_sound(sound.codec, sound.channels, sound.sample_rate)
    if before == after:
        return []
    misfits = _list_sound_limits(rule, details)
    why = f"{name} accepts sound with {' and '.join(misfits)}." if misfits else "The sound is encoded again."
    return [Change(aspect="sound", before=before, after=after, why=why)]


def describe_audio_format(name: str, rule: MediaRule, file: MediaFile, mime_type: str) -> list[Change]:
    if file.mime_type == mime_type:
        return []
    why = f"{name} accepts {', '.join(rule.mime_types)}."
    if rule.accepts_format(file.mime_type):
        why = "It is encoded again, in a format that every platform plays."
    return [Change(aspect="format", before=file.mime_type, after=mime_type, why=why)]


def describe_audio_stream(name: str, rule: MediaRule, details: MediaDetails, channels: int) -> list[Change]:
    """List what changes about a sound besides its format, because the platform does not accept it."""
    changes: list[Change] = []
    if details.audio_codec is not None and rule.audio_codecs and details.audio_codec not in rule.audio_codecs:
        why = f"{name} accepts {', '.join(rule.audio_codecs)}."
        changes.append(Change(aspect="codec", before=details.audio_codec, after=rule.audio_codecs[0], why=why))
    if rule.max_channels is not None and (details.channels or 0) > rule.max_channels:
        why = f"{name} accepts at most {rule.max_channels}."
        changes.append(Change(aspect="channels", before=str(details.channels), after=str(channels), why=why))
    return changes


def _list_sound_limits(rule: MediaRule, details: MediaDetails) -> list[str]:
    """List the limits that the sound does not meet."""
    codecs = rule.audio_codecs or COMMON_AUDIO_CODECS
    limits = []
    if details.audio_codec not in codecs:
        limits.append(f"the codec {' or '.join(codecs)}")
    if rule.max_channels is not None and (details.channels or 0) > rule.max_channels:
        limits.append(f"at most {rule.max_channels} channels")
    if rule.max_sample_rate is not None and (details.sample_rate or 0) > rule.max_sample_rate:
        limits.append(f"at most {rule.max_sample_rate:,} Hz")
    return limits


def _format_sound(codec: str, channels: int | None, sample_rate: int | None) -> str:
    return f"{codec}, {channels or '?'} channel{'' if channels == 1 else 's'}, {sample_rate or '?'} Hz"
