"""Where a picture goes, so that its dimensions and its aspect ratio are accepted. Pictures are never enlarged."""

import math

import msgspec

from socialgate.areas.media.renditions.recipes import Frame
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.renditions import FocusPoint

# Limits whose quotient is smaller mean one aspect ratio.
_CLOSE_RATIOS = 1.1
# Rounding to whole pixels can miss a limit by one: then it is tried a little smaller.
_SHRINK = 0.998
_MAX_ATTEMPTS = 60
# A picture that cannot be compressed enough is tried smaller, so often at most.
_SMALLER = 0.85
_MAX_SMALLER_SIZES = 24
_NEIGHBORS = ((0, 0), (-1, 0), (0, -1), (1, 0), (0, 1))
# The most that is read of any image, so that a result can be inspected like every other file.
_MAX_PIXELS = 100_000_000
# The largest frames of H.264 at level 5.2, which is the highest that phones play. Larger ones take gigabytes to encode.
_MAX_VIDEO_PIXELS = 36_864 * 16 * 16


class FrameLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a rule, and whether dimensions must be even, as those of most videos."""

    min_width: int = 1
    min_height: int = 1
    max_width: int = 1_000_000
    max_height: int = 1_000_000
    max_sum: int = 2_000_000
    max_pixels: int = _MAX_PIXELS
    min_ratio: float = 0.0
    max_ratio: float = math.inf
    step: int = 1

    @classmethod
    def of(cls, rule: MediaRule, *, even: bool) -> "FrameLimits":
        return cls(
            min_width=rule.min_width or 1,
            min_height=rule.min_height or 1,
            max_width=rule.max_width or 1_000_000,
            max_height=rule.max_height or 1_000_000,
            max_sum=rule.max_width_plus_height or 2_000_000,
            min_ratio=rule.min_ratio or 0.0,
            max_ratio=rule.max_ratio or math.inf,
            max_pixels=_MAX_VIDEO_PIXELS if even else _MAX_PIXELS,
            step=2 if even else 1,
        )

    @property
    def aimed_ratios(self) -> tuple[float, float]:
        """The aspect ratios that a picture gets whose own is below or above the limits. Those that are close to each
        other stand for one between them, such as 9 to 16, and how much platforms tolerate is a guess.
        """
        if self.max_ratio > self.min_ratio * _CLOSE_RATIOS:
            return self.min_ratio, self.max_ratio
        middle = (self.min_ratio + self.max_ratio) / 2
        return middle, middle

    def accept(self, width: int, height: int) -> bool:
        return (
            self.min_width <= width <= self.max_width
            and self.min_height <= height <= self.max_height
            and width + height <= self.max_sum
            and width * height <= self.max_pixels
            and self.min_ratio <= width / height <= self.max_ratio
            and width % self.step == height % self.step == 0
        )

    def round_down(self, length: float) -> int:
        return max(self.step, math.floor(length + 1e-6) // self.step * self.step)

    def round_up(self, length: float) -> int:
        return max(self.step, math.ceil((length - 1e-6) / self.step) * self.step)


def crop_to_ratio(width: int, height: int, limits: FrameLimits, focus: FocusPoint) -> tuple[int, int, int, int] | None:
    """Return the largest part of a picture whose aspect ratio is accepted, around a point. None: all of it."""
    ratio = width / height
    kept_width, kept_height = width, height
    lowest, highest = limits.aimed_ratios
    if ratio > limits.max_ratio:
        kept_width = max(1, math.floor(height * highest))
    elif ratio < limits.min_ratio:
        kept_height = max(1, math.floor(width / lowest))
    else:
        return None
    left = min(max(0, round(width * focus.x - kept_width / 2)), width - kept_width)
    top = min(max(0, round(height * focus.y - kept_height / 2)), height - kept_height)
    return left, top, kept_width, kept_height


def compute_frame(
    width: int, height: int, limits: FrameLimits, *, crop: FocusPoint | None, scale: float = 1.0
) -> Frame | None:
    """Place a picture: cropped around a point, or with margins (None). None if it cannot be accepted."""
    part = None if crop is None else crop_to_ratio(width, height, limits, crop)
    if part is not None:
        width, height = part[2:]
    most = min(scale, limits.max_width / width, limits.max_height / height, limits.max_sum / (width + height))
    most = min(most, math.sqrt(limits.max_pixels / (width * height)))
    for attempt in range(_MAX_ATTEMPTS):
        factor = most * _SHRINK**attempt
        picture = limits.round_down(width * factor), limits.round_down(height * factor)
        canvas = picture if crop is not None else _add_margins(*picture, limits)
        if limits.accept(*canvas):
            return Frame(width=picture[0], height=picture[1], crop=part, canvas=None if canvas == picture else canvas)
        # Margins for the aspect ratio may be what is too large.
        most = min(most, factor * limits.max_width / canvas[0], factor * limits.max_height / canvas[1])
        most = min(most, factor * limits.max_sum / sum(canvas))
        most = min(most, factor * math.sqrt(limits.max_pixels / (canvas[0] * canvas[1])))
    return None


def list_smaller_sizes(size: tuple[int, int], limits: FrameLimits) -> tuple[tuple[int, int], ...]:
    """List smaller sizes of a picture that are accepted, the largest first. Rounding may not change its aspect ratio by
    so much that it is not.
    """
    sizes: list[tuple[int, int]] = []
    width, height = float(size[0]), float(size[1])
    while len(sizes) < _MAX_SMALLER_SIZES:
        width, height = width * _SMALLER, height * _SMALLER
        if min(width, height) < 1:
            break
        around = [(round(width) + wider, round(height) + higher) for wider, higher in _NEIGHBORS]
        accepted = [pair for pair in around if min(pair) >= 1 and limits.accept(*pair)]
        if not accepted:
            break
        if accepted[0] not in sizes:
            sizes.append(accepted[0])
    return tuple(sizes)


def _add_margins(width: int, height: int, limits: FrameLimits) -> tuple[int, int]:
    """Return the smallest canvas around a picture that has an accepted aspect ratio and size."""
    wide, high = limits.round_up(max(width, limits.min_width)), limits.round_up(max(height, limits.min_height))
    lowest, highest = limits.aimed_ratios
    if wide / high > limits.max_ratio:
        high = limits.round_up(wide / highest)
    elif wide / high < limits.min_ratio:
        wide = limits.round_up(high * lowest)
    return wide, high
