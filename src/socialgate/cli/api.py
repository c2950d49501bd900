"""`socialgate api`: any route, for what has no command of its own."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from socialgate.cli.output import note, print_json
from socialgate.cli.session import Session, with_session
from socialgate.cli.values import read_pair

METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_IN_QUERY = frozenset({"GET", "DELETE"})


@click.command()
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.argument("fields", metavar="[NAME=TEXT | NAME:=JSON | NAME==QUERY]...", nargs=-1)
@click.option("--input", "source", metavar="FILE", help="File with the JSON body; - for the standard input.")
@click.option("--idempotency-key", metavar="TEXT", help="Key that makes a repeated POST do nothing twice.")
@click.option("--include", is_flag=True, help="Show the status and the headers too.")
@with_session
def api(
    session: Session,
    method: str,
    path: str,
    fields: Sequence[str],
    source: str | None,
    idempotency_key: str | None,
    *,
    include: bool,
) -> None:
    """Call any route of the API: socialgate api POST /posts content=Hi draft:=true

    NAME=TEXT and NAME:=JSON are fields of the body, or of the query for GET and DELETE. NAME==TEXT is always in the
    query. A POST has an idempotency key by itself. The response is printed as JSON.
    """
    if not path.startswith("/"):
        raise click.UsageError(f"{path!r} is not a path. It starts with a slash, such as /posts.")
    query, body = _sort_fields(method, fields)
    if source is not None:
        if body:
            raise click.UsageError("Use either --input or fields of the body.")
        body = _read_body(source)
    response = session.client.request(method, path, query=query, body=body, idempotency_key=idempotency_key)
    if include:
        note(f"HTTP {response.status}")
        for name, value in response.headers.items():
            note(f"{name}: {value}")
    _print_response(response.http.content, str(response.headers.get("content-type", "")))


def _sort_fields(method: str, fields: Sequence[str]) -> tuple[dict[str, Any], Any]:
    query: dict[str, Any] = {}
    body: dict[str, Any] = {}
    for field in fields:
        name, equals, text = field.partition("==")
        if equals and "=" not in name and not name.endswith(":"):
            query[name] = text
            continue
        key, value = read_pair(field)
        (query if method in _IN_QUERY else body)[key] = value
    return query, body or None


def _read_body(source: str) -> Any:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise click.UsageError(f"{source} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise click.UsageError(f"{source} is not JSON: {error}.") from None


def _print_response(content: bytes, content_type: str) -> None:
    if not content:
        return
    if "json" in content_type:
        print_json(json.loads(content))
    else:
        sys.stdout.buffer.write(content)
