"""`socialgate media`: files for posts and messages."""

from pathlib import Path

import click

from socialgate.cli.output import Progress, format_size, format_time
from socialgate.cli.profiles import find_profile
from socialgate.cli.session import Session, limit_option, with_session
from socialgate_client import UploadInterrupted


@click.group(invoke_without_command=True)
@limit_option
@with_session
def media(session: Session, limit: int) -> None:
    """List files, newest first. The commands below upload and delete them."""
    session.print_rows(
        iter(session.client.media.list()),
        limit,
        ("FILE", "TYPE", "SIZE", "DELETED", "NAME"),
        lambda row: (
            row.id,
            row.mime_type,
            format_size(row.size),
            format_time(row.expires_at) if row.expires_at else "in use",
            row.file_name,
        ),
        "There are no files. Upload one with: socialgate media upload FILE",
    )


@media.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--profile", metavar="TEXT", help="Profile that it belongs to, by id or name.")
@click.option("--resume", metavar="TEXT", help="Continue an upload that stopped, such as upl_….")
@with_session
def upload(session: Session, file: Path, profile: str | None, resume: str | None) -> None:
    """Upload a FILE of any size. After a break it continues where it stopped."""
    profile_id = None if profile is None else find_profile(session.client, profile).id
    progress = Progress(f"Uploading {file.name}")
    try:
        row = session.client.media.upload(file, profile_id=profile_id, resume=resume, on_progress=progress.show_bytes)
    except UploadInterrupted as error:
        progress.end()
        click.echo(
            f"Continue with: socialgate media upload {click.format_filename(file)} --resume {error.upload_id}", err=True
        )
        raise
    finally:
        progress.end()
    until = f", and is deleted {format_time(row.expires_at)} unless it is used" if row.expires_at else ""
    session.print_result(
        row,
        f"Uploaded {file.name} as {row.id}. It is {row.mime_type}, {format_size(row.size)}{until}.",
        f"Undo with: socialgate media delete {row.id}",
    )


@media.command()
@click.argument("media_id", metavar="FILE")
@with_session
def delete(session: Session, media_id: str) -> None:
    """Delete a FILE, such as med_…. What was published stays on the platforms."""
    result = session.client.media.delete(media_id)
    session.print_result(result, f"Deleted {media_id}. This cannot be undone: upload it again if you need it.")
