"""What is done with a file so that it fits what a platform accepts. Pure: the file's facts and the rule decide."""

from collections.abc import Mapping

import msgspec

from socialgate.areas.media.renditions.image_plan import plan_image
from socialgate.areas.media.renditions.plans import Plan
from socialgate.areas.media.renditions.recipes import ImageRecipe
from socialgate.areas.media.renditions.video_plan import plan_animation, plan_audio, plan_cover, plan_video
from socialgate.contracts.media_rules import accepts_frames, find_rule
from socialgate.contracts.platforms import KindManifest
from socialgate.contracts.publishing import MediaDetails, MediaFile
from socialgate.contracts.renditions import Change, Fit, Trim
from socialgate.core.errors import Fault


def plan_file(
    manifest: KindManifest,
    options: Mapping[str, object],
    file: MediaFile,
    fit: Fit,
    *,
    trim: Trim | None = None,
    is_alone: bool = True,
) -> Plan:
    """Plan one file of a post. A type that the platform does not accept at all is left to validation.

    An animated image becomes a video where images of its type are not accepted, if it is the only file.
    """
    rule = find_rule(manifest, file.type, options, file.mime_type)
    film = find_rule(manifest, "video", options) if _is_animated(file) and (is_alone or rule is None) else None
    if film is not None and (rule is None or not (rule.accepts_format(file.mime_type) and accepts_frames(rule, file))):
        return plan_animation(manifest.name, film, file, fit)
    if rule is None:
        return Plan(file=file)
    if file.type == "image":
        plan = plan_image(manifest.name, rule, file, fit)
        # Where only what moves may have its format, it is not saved as another image.
        is_refused = plan.faults and fit.mode != "none"
        return plan if film is None or not is_refused else plan_animation(manifest.name, film, file, fit)
    if file.type == "video":
        return plan_video(manifest.name, rule, file, fit, trim)
    if file.type == "audio":
        return plan_audio(manifest.name, rule, file, fit, trim)
    return Plan(file=file)


def plan_cover_image(manifest: KindManifest, options: Mapping[str, object], cover: MediaFile, fit: Fit) -> Plan:
    """Plan the cover of a video that is a file of its own."""
    rule = find_rule(manifest, "cover", options)
    return Plan(file=cover) if rule is None else plan_image(f"a cover on {manifest.name}", rule, cover, fit)


def plan_cover_frame(
    manifest: KindManifest, options: Mapping[str, object], video: MediaFile, at: float, fit: Fit
) -> Plan | None:
    """Plan a frame of the video as its cover. None: the platform does not accept covers."""
    rule = find_rule(manifest, "cover", options)
    if rule is None:
        return None
    # As if the frame were a large file of a format that nobody accepts: it is always encoded.
    still = msgspec.structs.replace(
        video, type="image", mime_type="image/x-frame", duration=None, details=MediaDetails(), thumbnail=None, size=0
    )
    image = plan_image(f"a cover on {manifest.name}", rule, still, Fit() if fit.mode == "none" else fit)
    if image.recipe is None:
        return msgspec.structs.replace(image, file=video)
    assert isinstance(image.recipe, ImageRecipe)
    recipe = plan_cover(video, at, image.recipe)
    if isinstance(recipe, Fault):
        return Plan(file=video, faults=(recipe,))
    why = "You set `coverAt`."
    changes = (Change(aspect="cover", before="none", after=f"the frame at {at:g} s", why=why),)
    return Plan(file=image.file, recipe=recipe, changes=changes)


def _is_animated(file: MediaFile) -> bool:
    return file.type == "image" and file.details is not None and file.details.is_animated
