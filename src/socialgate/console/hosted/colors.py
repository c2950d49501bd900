"""The text on a color that a customer chose must be readable."""

_LINEAR_UP_TO = 0.03928
_WEIGHTS = (0.2126, 0.7152, 0.0722)
# At this luminance, black and white have the same contrast.
_MIDDLE_LUMINANCE = 0.179

LIGHT_TEXT = "#ffffff"
DARK_TEXT = "#000000"


def get_text_color(background: str) -> str:
    """Return the color of text with the higher contrast, which is at least 4.5 to 1 on any color (WCAG 2.2, AA)."""
    channels = (int(background[place : place + 2], 16) / 255 for place in (1, 3, 5))
    luminance = sum(weight * _to_linear(channel) for weight, channel in zip(_WEIGHTS, channels, strict=True))
    return DARK_TEXT if luminance > _MIDDLE_LUMINANCE else LIGHT_TEXT


def _to_linear(channel: float) -> float:
    return channel / 12.92 if channel <= _LINEAR_UP_TO else float(((channel + 0.055) / 1.055) ** 2.4)
