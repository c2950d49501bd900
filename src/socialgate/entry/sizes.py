"""Sizes of files for people, in a unit that leaves few digits."""

_KIB = 1024
_MIB = 1024 * 1024


def format_size(size: float) -> str:
    return f"{_format_number(size, size)} {_choose_unit(size)[1]}"


def format_size_of_total(size: float, whole: float) -> str:
    """Say how much of a whole there is, with one unit for both: `1.5 of 3.0 KiB`."""
    return f"{_format_number(size, whole)} of {format_size(whole)}"


def _format_number(size: float, whole: float) -> str:
    unit = _choose_unit(whole)[0]
    return f"{size:,.0f}" if unit == 1 else f"{size / unit:,.1f}"


def _choose_unit(size: float) -> tuple[int, str]:
    if size < _KIB:
        return 1, "bytes"
    return (_KIB, "KiB") if size < _MIB else (_MIB, "MiB")
