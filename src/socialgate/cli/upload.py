"""`socialgate upload`, also as `socialgate media upload`: send a file, show the progress, and resume after a break."""

import shlex
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import click

from socialgate.cli.config import DEFAULT_URL
from socialgate.cli.failures import describe_failure, describe_response, is_unreachable
from socialgate.cli.output import clean, format_size, format_size_of_total, note, print_json
from socialgate.cli.profiles import find_profile
from socialgate.cli.session import EXIT_INTERRUPTED, Session, until_stopped, with_session
from socialgate_client import (
    ApiError,
    AuthenticationError,
    ConnectionError,  # noqa: A004 - its own
    NotFound,
    PermissionDenied,
    Socialgate,
    SocialgateError,
    UploadInterrupted,
)
from socialgate_client.types import MediaItem

# How long to retry without progress. Enough for a service to restart, short enough for a person to wait.
PATIENCE_SECONDS = 300.0
# The rate shown is that of the last seconds, not of a slow hour before.
_RATE_WINDOW_SECONDS = 10.0
_PROGRESS_STEPS = 10


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--profile", metavar="TEXT", help="Profile that the file belongs to, by id or name.")
@click.option("--resume", metavar="TEXT", help="Upload to resume, such as upl_….")
@with_session
def upload(session: Session, file: Path, profile: str | None, resume: str | None) -> None:
    """Upload a FILE of any size, show the progress, and resume automatically after a break."""
    size = _read_size(file)
    if resume is not None and not resume.startswith("upl_"):
        raise click.UsageError(f"--resume: `{resume}` is not an upload id. Upload ids start with upl_.")
    profile_id = None if profile is None else find_profile(session.client, profile).id
    progress = ProgressDisplay(_choose_output(session), size=size, live=_is_live(session))
    uploader = Uploader(session.client, session.url, file, progress)
    with until_stopped():
        uploader.run(profile_id, resume)
    media = uploader.media
    if media is None:
        progress.print_line(f"Stopped.{uploader.resume_hint}")
        sys.exit(EXIT_INTERRUPTED)
    if session.is_json:
        print_json(media.to_dict())
    else:
        progress.print_line(_describe_media(media))


def _read_size(path: Path) -> int:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}. Check the path.") from None
    if not size:
        raise click.UsageError(f"{path} is empty. Choose another file.")
    return size


class Uploader:
    """Has a file uploaded, and reports each problem once, however long it lasts."""

    def __init__(
        self,
        client: Socialgate,
        url: str,
        file: Path,
        progress: "ProgressDisplay",
        *,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        # Every failure is reported: the upload itself repeats what may pass.
        self._client = client.with_options(max_retries=0)
        self._url = url
        self._file = file
        self._progress = progress
        self._patience = patience
        self._upload_id: str | None = None
        # The current problem, if it was reported, and what was received before it.
        self._trouble: str | None = None
        self._received = 0
        # What the service has in the end.
        self.media: MediaItem | None = None

    @property
    def resume_hint(self) -> str:
        """Say how to resume later, once there is something to resume."""
        if self._upload_id is None:
            return ""
        where = "" if self._url == DEFAULT_URL else f" --url {shlex.quote(self._url)}"
        return f" To resume: socialgate upload {shlex.quote(str(self._file))} --resume {self._upload_id}{where}"

    def run(self, profile_id: str | None, resume: str | None) -> None:
        self._upload_id = resume
        try:
            self.media = self._client.media.upload(
                self._file,
                profile_id=profile_id,
                resume=resume,
                patience=self._patience,
                on_start=self._note_start,
                on_progress=self._note_progress,
                on_retry=self._note_trouble,
            )
        except OSError as error:
            raise SocialgateError(f"{self._file} can no longer be read: {error.strerror}.{self.resume_hint}") from None
        except NotFound as error:
            if self._upload_id is None:
                raise
            raise SocialgateError(
                f"There is no upload {self._upload_id}, or it has expired. Upload the file again without --resume."
            ) from error
        except UploadInterrupted as error:
            trouble = self._describe_trouble(error.__cause__)
            text = f"{trouble} This has lasted {self._patience / 60:g} minutes.{self.resume_hint}"
            kind = SocialgateError if isinstance(error.__cause__, ApiError) else ConnectionError
            raise kind(text) from error
        except (AuthenticationError, PermissionDenied):
            if self.resume_hint:
                note(self.resume_hint.strip())
            raise
        finally:
            self._progress.end_line()

    def _note_start(self, upload_id: str) -> None:
        self._upload_id = upload_id
        size = format_size(self._progress.size)
        self._progress.print_line(f"Uploading {clean(self._file.name)}, {size}, to {self._url} as {upload_id}.")

    def _note_progress(self, received: int, _size: int) -> None:
        if received > self._received:
            self._trouble = None
        self._received = received
        self._progress.show(received)

    def _describe_trouble(self, error: BaseException | None) -> str:
        if isinstance(error, ApiError):
            return describe_response(error)
        failure = error.__cause__ if isinstance(error, ConnectionError) else error
        problem = f"{self._url} is not reachable" if is_unreachable(failure) else "The connection broke"
        return f"{problem} ({describe_failure(failure)})."

    def _note_trouble(self, error: SocialgateError) -> None:
        trouble = self._describe_trouble(error)
        if trouble != self._trouble:
            self._progress.print_line(f"{trouble} Retrying.")
            self._trouble = trouble


class ProgressDisplay:
    """Shows the progress: on a terminal in one line that is rewritten, elsewhere in a line for every 10%."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        size: int,
        live: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = size
        self._write = write
        self._live = live
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._tenth = 0
        self._open = False

    def show(self, received_bytes: int) -> None:
        line = (
            f"{100 * received_bytes // self.size:3d} %  "
            f"{format_size_of_total(received_bytes, self.size)}{self._format_rate(received_bytes)}"
        )
        if self._live:
            self._write(f"\r{line}\x1b[K")
            self._open = True
        elif received_bytes * _PROGRESS_STEPS // self.size > self._tenth:
            self._tenth = received_bytes * _PROGRESS_STEPS // self.size
            self._write(f"{line}\n")

    def print_line(self, text: str) -> None:
        self.end_line()
        self._write(f"{text}\n")

    def end_line(self) -> None:
        """Leave the line that is being rewritten as it is."""
        if self._open:
            self._write("\n")
            self._open = False

    def _format_rate(self, received_bytes: int) -> str:
        """Format the rate and the time left."""
        now = self._clock()
        if self._seen and received_bytes < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, received_bytes))
        while len(self._seen) > 2 and self._seen[1][0] <= now - _RATE_WINDOW_SECONDS:  # noqa: PLR2004 - two make a rate
            self._seen.popleft()
        since, before = self._seen[0]
        if now <= since or received_bytes <= before:
            return ""
        rate = (received_bytes - before) / (now - since)
        left = "" if received_bytes == self.size else f"  {_format_duration((self.size - received_bytes) / rate)} left"
        return f"  {format_size(rate)}/s{left}"


def _format_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _describe_media(media: MediaItem) -> str:
    """Describe the file, in a line that starts with its id."""
    facts = [media.mime_type, media.codec]
    facts.append(f"{media.width} x {media.height}" if media.width else None)
    facts.append(f"{media.duration:,.1f} s" if media.duration else None)
    facts.append(format_size(media.size))
    until = f"; unless it is used, it is deleted {media.expires_at:%Y-%m-%d %H:%M} UTC" if media.expires_at else ""
    undo = f"Undo with: socialgate media delete {media.id}"
    return f"{media.id}  {', '.join(clean(fact) for fact in facts if fact)}{until}. {undo}"


def _choose_output(session: Session) -> Callable[[str], None]:
    """Find where the progress is written. With --json, the standard output is for the result."""
    return lambda text: click.echo(text, nl=False, err=session.is_json)


def _is_live(session: Session) -> bool:
    return (sys.stderr if session.is_json else sys.stdout).isatty()
