"""Structured logs on standard error, with all secrets removed from every line."""

import logging
import re
import sys
from types import ModuleType
from typing import Any, Literal, cast

# structlog loads Rich if it is installed, for tracebacks that print local variables. These may contain secrets, so they
# are never used, and loading Rich would take a tenth of every start.
_HIDES_RICH = "rich" not in sys.modules
if _HIDES_RICH:
    sys.modules["rich"] = cast("ModuleType", None)
import structlog  # noqa: E402 - because of the lines above
from structlog.typing import EventDict, Processor, WrappedLogger  # noqa: E402 - as above

if _HIDES_RICH:
    del sys.modules["rich"]

# Anything that looks like one of our credentials is removed, wherever it occurs.
_SECRET_VALUE_PATTERN = re.compile(r"(sg_(?:live|test)_|ses_|whsec_|(?i:Bearer) )[A-Za-z0-9+/=_\-.~]{8,}")
_SECRET_NAME_PATTERN = re.compile(r"password|secret|token|authorization|cookie|api_?key", re.IGNORECASE)
# A password may contain an @ itself: everything up to the last one before the path is removed.
_URL_CREDENTIALS_PATTERN = re.compile(r"((?<!\w)\w+://[^:/@\s]*:)[^/\s]+@")
# The renderers turn these into a traceback themselves, and scrub it then.
_UNSCRUBBED_KEYS = {"exc_info", "_record", "_from_structlog"}


def scrub_secrets(text: str) -> str:
    """Remove credentials from a text."""
    return _URL_CREDENTIALS_PATTERN.sub(r"\1***@", _SECRET_VALUE_PATTERN.sub(r"\1***", text))


def configure_logs(style: Literal["pretty", "json"] | None, level: str) -> None:
    pretty = sys.stderr.isatty() if style is None else style == "pretty"
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        *([] if pretty else [structlog.processors.format_exc_info]),
        _scrub_event,
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=_print_plain_traceback)
        if pretty
        else structlog.processors.JSONRenderer(sort_keys=False)
    )
    structlog.configure(
        processors=[*shared, renderer],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
    # Messages that libraries log through the standard library get the same format.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=shared,
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for quiet in ("alembic", "uvicorn"):
        logging.getLogger(quiet).setLevel(logging.WARNING)


def _print_plain_traceback(stream: Any, exc_info: Any) -> None:
    # The colored traceback prints local variables, which may contain secrets.
    formatted = structlog.processors.format_exc_info(None, "", {"exc_info": exc_info})
    stream.write("\n" + scrub_secrets(str(formatted.get("exception", ""))))


def _scrub_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    for name, value in event.items():
        if name not in _UNSCRUBBED_KEYS:
            event[name] = _scrub_field(name, value)
    return event


def _scrub_field(name: str, value: Any) -> Any:
    # A number under such a name is a count, not a secret.
    if _SECRET_NAME_PATTERN.search(name) and not isinstance(value, int | float | None):
        return "***"
    return _scrub_value(value)


def _scrub_value(value: Any) -> Any:
    """Scrub what a renderer would show. For types it does not know (an exception, a struct), scrub their text."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return scrub_secrets(value)
        case bytes():
            return scrub_secrets(value.decode(errors="replace"))
        case dict():
            return {scrub_secrets(str(name)): _scrub_field(str(name), part) for name, part in value.items()}
        case list() | tuple():
            return [_scrub_value(part) for part in value]
        case _:
            return scrub_secrets(repr(value))
