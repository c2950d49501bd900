"""Every difficult file, for every kind of account and form of post that takes its type: it fits, or says why not.

A few of them in every run, each for one form; all of them for all forms in the long one.
"""

import math
import sys
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError
from socialgate.areas.media.renditions.planner import plan_cover_image
from socialgate.areas.media.renditions.recipes import CoverRecipe, ImageRecipe, Recipe, VideoRecipe, build_rendition_key
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY, MediaFile
from socialgate.contracts.renditions import Fit
from socialgate_sandbox.kit.media import Media
from support.conversions import KINDS, carry_out, inspect, open_picture, plan_for
from support.corpus import CORPUS, Specimen, has_location
from support.file_judges import JUDGES, Judged, measure
from support.soak import SOAK

Form = tuple[Kind, str, str]

_COVER = "cover"
_SHARE = 0.99
# Of a limit on bytes, what a result uses that a limit forced.
_CLOSE_ENOUGH = 0.95
_TYPES = ("image", "video", "audio", "cover")
# In the long form the files are examined in parts, so that several processes share them. Each part meets all bars.
_PARTS = {"image": 6, "video": 8, "audio": 1, "cover": 2} if SOAK else dict.fromkeys(_TYPES, 1)
# Each with the form for which it is the most difficult. That limits on bytes are used is in `test_rendition_files`.
SHORT: dict[str, Form] = {
    "heic odd": (Kind.INSTAGRAM, "post", "image"),
    "jpeg panorama": (Kind.INSTAGRAM, "post", "image"),
    "jpeg square": (Kind.INSTAGRAM, "post", "image"),
    "tiff CMYK": (Kind.THREADS, "post", "image"),
    "png I;16": (Kind.TIKTOK, "post", "image"),
    "webp tower": (Kind.THREADS, "post", "image"),
    "bmp tiny": (Kind.GOOGLE_BUSINESS, "post", "image"),
    "avif RGBA": (Kind.TELEGRAM_BOT, "post", "image"),
    "png bomb": (Kind.INSTAGRAM, "post", "image"),
    "bmp truncated": (Kind.INSTAGRAM, "post", "image"),
    "gif animated 12": (Kind.YOUTUBE, "post", "video"),
    "video h264 mkv": (Kind.INSTAGRAM, "reel", "video"),
    "video vp8 webm": (Kind.THREADS, "post", "video"),
    "video hdr pq": (Kind.TIKTOK, "post", "video"),
    "video with aac 5.1": (Kind.INSTAGRAM, "story", "video"),
    "video turned 90": (Kind.FACEBOOK_PAGE, "reel", "video"),
    "video variable frame rate": (Kind.THREADS, "post", "video"),
    "video eleven minutes": (Kind.TIKTOK, "post", "video"),
    "audio flac": (Kind.TELEGRAM_BOT, "post", "audio"),
    "tiff with a place": (Kind.YOUTUBE, "post", "cover"),
    "jpeg orientation 6": (Kind.TIKTOK, "post", "image"),
    "video prores mov": (Kind.YOUTUBE, "post", "video"),
    "audio wav 5.1": (Kind.TELEGRAM_BOT, "document", "audio"),
}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a file: what is wrong with what is published, or why nothing is.

    `used` is the size of a result as a share of the limit that forced it, if one did.
    """

    name: str
    form: Form
    can_fit: bool
    wrong: str = ""
    reason: str = ""
    is_changed: bool = False
    was_accepted: bool = False
    has_location: bool = False
    used: float | None = None


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A result, and what is known of it without the form of post that it is for; or why there is none."""

    media: Media | None = None
    reason: str = ""
    has_location: bool = False
    used: float | None = None


class Examiner:
    """Looks at each file once, and makes each result once."""

    def __init__(self) -> None:
        self._seen: tuple[str, bytes, Media | None, MediaFile | str] = "", b"", None, ""
        self._results: dict[str, Made] = {}

    def examine(self, specimen: Specimen, form: Form) -> Outcome:
        kind, name, media_type = form
        data, seen, file = self._inspect(specimen)
        outcome = Outcome(name=specimen.name, form=form, can_fit=_can_fit(specimen, JUDGES[form]))
        if isinstance(file, str) or seen is None:
            return msgspec.structs.replace(outcome, reason=str(file))
        assert file.type == specimen.type, specimen.name
        is_cover = media_type == _COVER
        plan = (
            plan_cover_image(KINDS[kind], {"form": name}, file, Fit())
            if is_cover
            else plan_for(KINDS[kind], file, form=name)
        )
        if plan.faults:
            return msgspec.structs.replace(outcome, reason=plan.faults[0].detail)
        # What moves may have become a video.
        judged = JUDGES[kind, name, plan.file.type if plan.recipe and not is_cover else media_type]
        outcome = msgspec.structs.replace(outcome, can_fit=_can_fit(specimen, judged))
        # Of videos in other containers than MP4 judges know nothing but the format.
        is_known = file.type != "video" or bool(seen.width)
        was_accepted = is_known and file.type == _get_file_type(form) and not JUDGES[form].judge(seen)
        if plan.recipe is None:
            return msgspec.structs.replace(outcome, wrong=judged.judge(seen), was_accepted=was_accepted)
        result = self._make(data, file, plan.recipe)
        outcome = msgspec.structs.replace(outcome, reason=result.reason, is_changed=True, was_accepted=was_accepted)
        if result.media is None:
            return outcome
        return msgspec.structs.replace(
            outcome, wrong=judged.judge(result.media), has_location=result.has_location, used=result.used
        )

    def _inspect(self, specimen: Specimen) -> tuple[bytes, Media | None, MediaFile | str]:
        if self._seen[0] != specimen.name:
            data = specimen.make()
            try:
                file = inspect(data, specimen.name)
                self._seen = specimen.name, data, measure(data), file
            except UnreadableFileError as error:
                self._seen = specimen.name, data, None, str(error)
        return self._seen[1:]

    def _make(self, data: bytes, file: MediaFile, recipe: Recipe) -> Made:
        assert not isinstance(recipe, CoverRecipe)
        key, limit = build_rendition_key(file.sha256, recipe), recipe.max_bytes
        # Forms whose limits on bytes are far away share a result, unless those decide on its format.
        shared_key = build_rendition_key(file.sha256, msgspec.structs.replace(recipe, max_bytes=None))
        shared = self._results.get(shared_key)
        if shared is not None and shared.media is not None and shared.media.size < (limit or math.inf) * _CLOSE_ENOUGH:
            return shared
        if key not in self._results:
            try:
                result = carry_out(data, file, recipe)
            except ConversionError as error:
                return self._results.setdefault(key, Made(reason=str(error)))
            used = _measure_use(data, file, recipe, result)
            self._results[key] = Made(media=measure(result), has_location=has_location(result), used=used)
            if used is None and not (isinstance(recipe, ImageRecipe) and len(recipe.formats) > 1):
                self._results[shared_key] = self._results[key]
        return self._results[key]


def _is_best_jpeg(data: bytes) -> bool:
    """Return whether nothing is rounded away that the format can keep."""
    tables: dict[int, list[int]] = getattr(open_picture(data), "quantization", {})
    return {value for table in tables.values() for value in table} == {1}


def _measure_use(data: bytes, file: MediaFile, recipe: Recipe, result: bytes) -> float | None:
    """Return how much of the limit a result uses that would exceed it in the best quality."""
    limit: int | None = getattr(recipe, "max_bytes", None)
    if limit is None or not isinstance(recipe, ImageRecipe | VideoRecipe):
        return None
    if len(result) < _CLOSE_ENOUGH * limit:
        at_best = len(data) <= limit if isinstance(recipe, VideoRecipe) else _is_best_jpeg(result)
        if at_best or len(carry_out(data, file, _without_limit(recipe))) <= limit:
            return None
    return len(result) / limit


def _without_limit(recipe: ImageRecipe | VideoRecipe) -> Recipe:
    if isinstance(recipe, ImageRecipe) or recipe.picture is None:
        return msgspec.structs.replace(recipe, max_bytes=None)
    picture = msgspec.structs.replace(recipe.picture, bit_rate=None, max_bit_rate=None)
    return msgspec.structs.replace(recipe, max_bytes=None, picture=picture)


def _can_fit(specimen: Specimen, judged: Judged) -> bool:
    if not specimen.is_fixable:
        return False
    if judged.seconds is None or specimen.seconds is None or specimen.type == "image":
        return True
    shortest, longest = judged.seconds
    return shortest <= specimen.seconds <= longest


def list_cases(media_type: str, part: int) -> Iterator[tuple[Specimen, Form]]:
    """List the files with the forms that they are for, of those that take this type."""
    if not SOAK:
        yield from ((CORPUS[name], form) for name, form in SHORT.items() if form[2] == media_type)
        return
    for specimen in list(CORPUS.values())[part :: _PARTS[media_type]]:
        for form in JUDGES:
            if form[2] != media_type:
                continue
            if specimen.type in {None, _get_file_type(form)} or _becomes_video(specimen, form):
                yield specimen, form


def _get_file_type(form: Form) -> str:
    return "image" if form[2] == _COVER else form[2]


def _becomes_video(specimen: Specimen, form: Form) -> bool:
    """Return whether it moves, and is only taken as a video."""
    kind, name, media_type = form
    takes_images = (kind, name, "image") in JUDGES
    return "animated" in specimen.name and "png" not in specimen.name and media_type == "video" and not takes_images


def test_the_corpus_is_large_and_its_files_differ() -> None:
    assert len(CORPUS) >= 200
    assert set(SHORT) <= set(CORPUS)


def test_every_form_that_takes_files_is_judged() -> None:
    rules = [
        (manifest.kind, rule.form or "post", rule.applies_to or name)
        for manifest in KINDS.values()
        if PUBLISH_POST_CAPABILITY in manifest.capabilities
        for name, rule in manifest.media.items()
    ]
    # A document is never changed.
    assert {rule for rule in rules if rule[2] != "document"} <= set(JUDGES)


@pytest.mark.soak
@pytest.mark.parametrize(("media_type", "part"), [(name, part) for name in _PARTS for part in range(_PARTS[name])])
def test_what_can_be_made_to_fit_is_accepted_and_the_rest_explains_itself(
    media_type: str, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    examiner = Examiner()
    outcomes = [examiner.examine(specimen, form) for specimen, form in list_cases(media_type, part)]
    can_fit = [outcome for outcome in outcomes if outcome.can_fit]
    missed = [outcome for outcome in can_fit if outcome.wrong or outcome.reason]
    with capsys.disabled():
        sys.stdout.write(describe(outcomes, len(can_fit), missed))
    assert len(missed) <= (1 - _SHARE) * len(can_fit), missed
    assert not [outcome for outcome in outcomes if outcome.was_accepted and outcome.is_changed]
    assert not [outcome for outcome in outcomes if outcome.used is not None and not _CLOSE_ENOUGH <= outcome.used <= 1]
    assert not [outcome for outcome in outcomes if outcome.has_location]
    for outcome in outcomes:
        if not outcome.can_fit and not outcome.reason:
            assert not outcome.wrong, f"{outcome} was published and is rejected there"
        # One sentence that says what is wrong, and one that says what to do.
        assert not outcome.reason or outcome.reason.count(".") >= 1, outcome


def describe(outcomes: Sequence[Outcome], can_fit: int, missed: Sequence[Outcome]) -> str:
    """Return what is measured, in words."""
    accepted = can_fit - len(missed)
    kept = [outcome for outcome in outcomes if outcome.was_accepted]
    used = sorted(outcome.used for outcome in outcomes if outcome.used is not None)
    lines = [
        f"{len({outcome.name for outcome in outcomes})} files for {len({outcome.form for outcome in outcomes})} forms:",
        f"{accepted} of {can_fit} that can fit ({accepted / can_fit:.2%}) do.",
        f"{sum(outcome.is_changed for outcome in kept)} of {len(kept)} that are accepted as they are were changed.",
        f"{len(used)} were forced by a limit on bytes and use {used[0]:.1%} to {used[-1]:.1%} of it." if used else "",
        f"{sum(outcome.has_location for outcome in outcomes)} results have a location.",
        f"{sum(bool(outcome.reason) for outcome in outcomes)} are refused with a reason.",
        *(f"missed: {outcome.name} for {outcome.form}: {outcome.wrong} {outcome.reason}" for outcome in missed),
    ]
    return "\n" + "\n".join(line for line in lines if line) + "\n"
