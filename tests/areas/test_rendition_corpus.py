"""Every difficult file, for every kind of account and form of post that takes its type: it fits, or says why not.

A few of them in every run, each for one form; all of them for all forms in the long one.
"""

import sys
from collections.abc import Iterator

import msgspec
import pytest

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError
from socialgate.areas.media.renditions.recipes import build_rendition_key
from socialgate.contracts.platforms import Kind
from support.conversions import KINDS, carry_out, inspect, plan_for
from support.corpus import CORPUS, Specimen
from support.file_judges import JUDGES, Judged, measure
from support.soak import SOAK

Form = tuple[Kind, str, str]

_SHARE = 0.99
# Each with the form for which it is the most difficult.
SHORT: dict[str, Form] = {
    "heic odd": (Kind.INSTAGRAM, "post", "image"),
    "jpeg panorama": (Kind.INSTAGRAM, "post", "image"),
    "jpeg square": (Kind.INSTAGRAM, "post", "image"),
    "tiff CMYK": (Kind.THREADS, "post", "image"),
    "png I;16": (Kind.TIKTOK, "post", "image"),
    "webp tower": (Kind.THREADS, "post", "image"),
    "bmp tiny": (Kind.GOOGLE_BUSINESS, "post", "image"),
    "avif RGBA": (Kind.TELEGRAM_BOT, "post", "image"),
    "large noise": (Kind.FACEBOOK_PAGE, "post", "image"),
    "100 megapixels": (Kind.TELEGRAM_BOT, "post", "image"),
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
}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a file: what is wrong with the result, or why there is none."""

    name: str
    form: Form
    can_fit: bool
    wrong: str = ""
    reason: str = ""


class Examiner:
    """Looks at each file once, and makes each result once."""

    def __init__(self) -> None:
        self._results: dict[str, tuple[str, bytes]] = {}

    def examine(self, specimen: Specimen, form: Form) -> Outcome:
        judged = JUDGES[form]
        outcome = Outcome(name=specimen.name, form=form, can_fit=_can_fit(specimen, judged))
        data = specimen.make()
        try:
            file = inspect(data, specimen.name)
        except UnreadableFileError as error:
            return msgspec.structs.replace(outcome, reason=str(error))
        assert file.type == specimen.type, specimen.name
        kind, name, _ = form
        plan = plan_for(KINDS[kind], file, form=name)
        if plan.faults:
            return msgspec.structs.replace(outcome, reason=plan.faults[0].detail)
        if plan.recipe is None:
            return msgspec.structs.replace(outcome, wrong=judged.judge(measure(data)))
        assert judged.judge(measure(data)), f"{specimen.name} is accepted as it is, and was changed for {form}"
        key = build_rendition_key(file.sha256, plan.recipe)
        if key not in self._results:
            try:
                self._results[key] = "", carry_out(data, file, plan.recipe)
            except ConversionError as error:
                self._results[key] = str(error), b""
        reason, result = self._results[key]
        if reason:
            return msgspec.structs.replace(outcome, reason=reason)
        return msgspec.structs.replace(outcome, wrong=judged.judge(measure(result)))


def _can_fit(specimen: Specimen, judged: Judged) -> bool:
    if not specimen.is_fixable:
        return False
    if judged.seconds is None or specimen.seconds is None or specimen.type == "image":
        return True
    shortest, longest = judged.seconds
    return shortest <= specimen.seconds <= longest


def list_cases() -> Iterator[tuple[Specimen, Form]]:
    if not SOAK:
        yield from ((CORPUS[name], form) for name, form in SHORT.items())
        return
    for specimen in CORPUS.values():
        for form in JUDGES:
            if specimen.type in {None, form[2]}:
                yield specimen, form


def test_the_corpus_is_large_and_its_files_differ() -> None:
    assert len(CORPUS) >= 200
    assert set(SHORT) <= set(CORPUS)


@pytest.mark.soak
def test_what_can_be_made_to_fit_is_accepted_and_the_rest_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    examiner = Examiner()
    outcomes = [examiner.examine(specimen, form) for specimen, form in list_cases()]
    can_fit = [outcome for outcome in outcomes if outcome.can_fit]
    missed = [outcome for outcome in can_fit if outcome.wrong or outcome.reason]
    with capsys.disabled():
        accepted = len(can_fit) - len(missed)
        sys.stdout.write(f"\n{accepted} of {len(can_fit)} files that can fit ({accepted / len(can_fit):.2%}) do.\n")
    assert len(missed) <= (1 - _SHARE) * len(can_fit), missed
    for outcome in outcomes:
        if not outcome.can_fit and not outcome.reason:
            assert not outcome.wrong, f"{outcome} was published and is rejected there"
        # One sentence that says what is wrong, and one that says what to do.
        assert not outcome.reason or outcome.reason.count(".") >= 1, outcome
