"""`socialgate media`: files for posts and messages."""

import click

from socialgate.cli.output import format_size, format_time
from socialgate.cli.session import Session, limit_option, with_session
from socialgate.cli.upload import upload


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


media.add_command(upload)


@media.command()
@click.argument("media_id", metavar="FILE")
@with_session
def delete(session: Session, media_id: str) -> None:
    """Delete a FILE, such as med_…. What was published stays on the platforms."""
    result = session.client.media.delete(media_id)
    session.print_result(result, f"Deleted {media_id}. This cannot be undone: upload it again if you need it.")
