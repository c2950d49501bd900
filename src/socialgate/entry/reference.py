"""`python -m socialgate.entry.reference`: write the pages of docs/reference, and the tables of options, from the code.

With `--check` nothing is written; the exit code is 1 if a page differs, and its name is printed. The file has so many
lines because it contains the introduction of each page.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import cleandoc
from itertools import groupby
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
from prometheus_client import Metric
from prometheus_client.metrics import MetricWrapperBase

from socialgate.contracts.automations import AutomationTypeRegistry
from socialgate.core.clock import SystemClock
from socialgate.core.encryption import KEY_BYTES
from socialgate.core.errors import ServiceError, list_error_types
from socialgate.core.events import EVENT_TYPES, EventData
from socialgate.core.field_error_codes import FIELD_ERROR_CODES
from socialgate.core.metrics import Metrics
from socialgate.core.settings import (
    CONFIG_VARIABLE,
    DEFAULT_CONFIG_PATH,
    Settings,
    describe_allowed_values,
    get_env_variable,
    get_setting_types,
)
from socialgate.entry.connections import build_api_protocol  # noqa: F401 - its errors are part of the reference
from socialgate.entry.deployment import AREAS, Deployment
from socialgate.entry.doctor import get_setting_description
from socialgate.entry.mcp_reference import render_mcp_page
from socialgate.entry.option_tables import PLATFORM_PAGES_DIR as OPTIONS_FOLDER
from socialgate.entry.option_tables import option_pages
from socialgate.web.api_description import (
    ApiOperation,
    FieldDescription,
    describe_access,
    describe_query_parameters,
    describe_union_member,
    get_example,
    get_status_phrase,
    get_union_tag,
    list_fields,
    list_operations,
)
from socialgate.web.route import HeaderDescription
from socialgate.web.schemas import Page

REFERENCE_DIR = Path("docs/reference")
# Any fixed URL will do: the pages must be the same on every machine.
_EXAMPLE_PUBLIC_URL = "https://gate.example.com"
# A fixed key keeps the settings from creating a key file in the data directory.
_DUMMY_SECRET_KEY = b64encode(bytes(KEY_BYTES)).decode()
_METRIC_SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}

_GENERATED_NOTICE = (
    "<!-- Generated from the code by `make reference`. Do not edit: change the code and run it again. -->"
)

_ROUTES_INTRODUCTION = """\
# Routes

Every route of the service. A running service serves the same reference as a page (`/docs`), as OpenAPI 3.1
(`/openapi.json`) and as plain text (`/llms.txt`, with all details in `/llms-full.txt`).

Errors are returned as `application/problem+json`; [errors.md](errors.md) explains the codes.
"""

_ERRORS_INTRODUCTION = """\
# Errors

Errors are returned as `application/problem+json` (RFC 9457). `code` is stable and meant for programs; `detail` is a
sentence that says what to change; `requestId` identifies the request in the log. `errors[]` lists everything that is
wrong with the input. Each entry has a `pointer`: a JSON pointer into the body, `?name` for a query parameter, or the
name of a header.
"""

_FAULTS_INTRODUCTION = """## Faults

If a request is not valid, `errors` lists everything that is wrong, each with a `pointer`, one of these codes, and a
sentence that says what to do. The warnings of `POST /posts/validate` have the same format.
"""
_SETTINGS_INTRODUCTION = f"""\
# Settings

A setting comes from an environment variable, otherwise from a TOML file (`{DEFAULT_CONFIG_PATH}` in the working \
directory,
or the file that `{CONFIG_VARIABLE}` points to), otherwise it has its default. In the file, use the short names:

```toml
port = 8090
data_dir = "data"
```

The service does not start with an unknown setting, so a typo is never silently ignored. `socialgate doctor` shows and
checks the settings.
"""

_METRICS_INTRODUCTION = """\
# Metrics

Each process has its own metrics in Prometheus format: at `/metrics` with the token from `SOCIALGATE_METRICS_TOKEN`, or
without a token on the loopback port `SOCIALGATE_METRICS_PORT` (see [settings.md](settings.md)).
"""

_AUTOMATIONS_INTRODUCTION = """\
# Automations

The triggers, conditions and actions of automations. [automations](../automations.md) explains how they work together.
`type` selects one of them; the other fields are its options.
"""

_EVENTS_INTRODUCTION = """\
# Events

What a hook receives. Every event has the same four top-level fields; the details of the event are in `data`:

```json
{
  "event": "message.received",
  "ownerId": "own_01h455vb4pex5vsknk084sn02q",
  "profileId": "prf_01h455vb4pex5vsknk084sn02q",
  "data": {}
}
```

The id and the time of an event are not in the body. In a delivery they are in the headers: `webhook-id` is the id, the
same in every delivery of the event, and `webhook-timestamp` is when the attempt was made. `GET /events` shows them as
`id` and `createdAt`. The times in `data` say when the thing itself happened.

Later versions may add fields to `data`. If `data` would exceed 256 KiB, its long texts and lists are shortened and it
contains `truncated: true`.
"""


def load_operations() -> list[ApiOperation]:
    """Assemble the service without starting it, and read its routes."""
    return list_operations(
        Deployment(Settings(base_url=_EXAMPLE_PUBLIC_URL, secret_key=_DUMMY_SECRET_KEY), SystemClock()).app
    )


def routes_page() -> str:
    groups = [
        (tag, list(members)) for tag, members in groupby(sorted(load_operations(), key=_get_sort_key), key=_get_tag)
    ]
    lines = [_ROUTES_INTRODUCTION]
    for tag, members in groups:
        lines += [f"**{tag}**", "", *_build_table(("Route", "What it does"), [_index_row(o) for o in members]), ""]
    for tag, members in groups:
        lines += [f"## {tag}", ""]
        for operation in members:
            lines += _build_operation_section(operation)
    return _join_page(lines)


def errors_page() -> str:
    catalogue = list_error_types()
    lines = [
        _ERRORS_INTRODUCTION,
        *_build_table(
            ("Code", "Status", "Meaning"),
            [
                (f"[`{kind.code}`](#{_build_heading_slug(kind.code)})", str(int(kind.status)), kind.title)
                for kind in catalogue
            ],
        ),
        "",
    ]
    for kind in catalogue:
        lines += _build_error_section(kind)
    lines += [
        _FAULTS_INTRODUCTION,
        *_build_table(("Code", "Meaning"), [(f"`{code}`", means) for code, means in FIELD_ERROR_CODES.items()]),
        "",
    ]
    return _join_page(lines)


def settings_page() -> str:
    lines = [
        _SETTINGS_INTRODUCTION,
        *_build_table(
            ("Variable", "In the file", "Default"),
            [
                (
                    f"[`{get_env_variable(name)}`](#{_build_heading_slug(get_env_variable(name))})",
                    f"`{name}`",
                    _describe_default(name),
                )
                for name in get_setting_types()
            ],
        ),
        "",
    ]
    for name, kind in get_setting_types().items():
        lines += [f"## `{get_env_variable(name)}`", "", get_setting_description(kind), ""]
        lines += [f"Must be {describe_allowed_values(kind)}. Default: {_describe_default(name)}.", ""]
    return _join_page(lines)


def metrics_page() -> str:
    lines = [_METRICS_INTRODUCTION]
    for family, labels in _list_metrics():
        lines += _build_metric_section(family, labels)
    return _join_page(lines)


def events_page() -> str:
    lines = [
        _EVENTS_INTRODUCTION,
        *_build_table(
            ("Event", "When it is sent"),
            [
                (f"[`{name}`](#{_build_heading_slug(name)})", _escape_cell(_get_doc_paragraphs(kind)))
                for name, kind in EVENT_TYPES.items()
            ],
        ),
        "",
    ]
    for name, kind in EVENT_TYPES.items():
        lines += _build_event_section(name, kind)
    return _join_page(lines)


def automations_page() -> str:
    types = AutomationTypeRegistry([automate for area in AREAS for automate in area.automation_types])
    lines = [_AUTOMATIONS_INTRODUCTION]
    for title, members in zip(("Triggers", "Conditions", "Actions"), types.types_by_union.values(), strict=True):
        lines += [f"## {title}", ""]
        for member in members:
            lines += [f"### `{get_union_tag(member)}`", "", describe_union_member(member), ""]
            lines += _build_field_table("Options", list_fields(member))
            if (kind := types.triggers.get(get_union_tag(member))) is not None:
                fields = [(f"`{name}`", meaning) for name, meaning in kind.fields.items()]
                lines += ["**Fields and placeholders**", "", *_build_table(("Name", "What it is"), fields), ""]
            fitting = [
                name
                for name, trigger in types.triggers.items()
                if types.find_action(get_union_tag(member), trigger.subject_type)
            ]
            if fitting:
                lines += [f"Can be used with: {', '.join(f'`{name}`' for name in fitting)}.", ""]
            lines += _example(member.example())
    return _join_page(lines)


def mcp_page() -> str:
    deployment = Deployment(Settings(base_url=_EXAMPLE_PUBLIC_URL, secret_key=_DUMMY_SECRET_KEY), SystemClock())
    return _join_page([render_mcp_page(deployment)])


PAGE_BUILDERS: dict[str, Callable[[], str]] = {
    "routes.md": routes_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
    "metrics.md": metrics_page,
    "events.md": events_page,
    "automations.md": automations_page,
    "mcp.md": mcp_page,
}


def build_pages() -> dict[str, str]:
    return {name: make() for name, make in PAGE_BUILDERS.items()}


def list_stale_pages(pages: Mapping[str, str], folder: Path) -> list[str]:
    """Name the pages that the folder lacks, has in another form, or should not have."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in {*pages, *there} if pages.get(name) != there.get(name))


def main(arguments: Sequence[str], folder: Path = REFERENCE_DIR) -> int:
    wrong = 0
    for created, place in ((build_pages(), folder), (option_pages(), OPTIONS_FOLDER)):
        wrong += _check_pages(created, place) if "--check" in arguments else _write_pages(created, place)
    return 1 if wrong else 0


def _check_pages(pages: Mapping[str, str], folder: Path) -> int:
    differing = list_stale_pages(pages, folder)
    for name in differing:
        sys.stderr.write(f"{folder / name} does not show what the code says. Run `make reference`.\n")
    return len(differing)


def _write_pages(pages: Mapping[str, str], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name in list_stale_pages(pages, folder):
        if name in pages:
            (folder / name).write_text(pages[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 0


def _get_tag(operation: ApiOperation) -> str:
    return operation.spec.tag


def _get_sort_key(operation: ApiOperation) -> tuple[str, str, str]:
    return operation.spec.tag, operation.path, operation.method


def _format_title(operation: ApiOperation) -> str:
    return f"{operation.method} {operation.path}"


def _index_row(operation: ApiOperation) -> tuple[str, str]:
    return f"[`{_format_title(operation)}`](#{_build_heading_slug(_format_title(operation))})", operation.summary


def _build_operation_section(operation: ApiOperation) -> list[str]:
    lines = [f"### `{_format_title(operation)}`", "", operation.summary, ""]
    if operation.description:
        lines += [operation.description, ""]
    lines += [f"Who may call: {describe_access(operation.spec)}.{_describe_headers(operation)}", ""]
    if operation.path_parameters:
        lines += [f"Path parameters: {', '.join(f'`{name}`' for name in operation.path_parameters)}.", ""]
    lines += _build_field_table("Query", describe_query_parameters(operation.spec.query))
    lines += _own_headers("Headers", operation.spec.takes)
    if operation.body is not None:
        lines += _build_field_table("Body", list_fields(operation.body))
        lines += _example(get_example(operation.body))
    for media_type, shape in operation.spec.body_formats.items():
        lines += _build_body_format(media_type, shape)
    lines += _build_response(operation)
    lines += _own_headers("Response headers", operation.spec.sends)
    lines += [f"**Errors**: {', '.join(_error_link(kind) for kind in operation.list_error_types())}", ""]
    return lines


def _build_body_format(media_type: str, shape: Any) -> list[str]:
    """Show one format of a body that the route reads itself."""
    title = f"Body, `{media_type}`"
    if shape is bytes:
        return [f"**{title}**: the file itself.", ""]
    if isinstance(shape, str):
        return [f"**{title}**", "", "```", *shape.splitlines(), "```", ""]
    return [*_build_field_table(title, list_fields(shape)), *_example(get_example(shape))]


def _own_headers(title: str, headers: Sequence[HeaderDescription]) -> list[str]:
    rows = [(f"`{header.name}`", "yes" if header.required else "", header.description) for header in headers]
    return [f"**{title}**", "", *_build_table(("Name", "Always", "Description"), rows), ""] if rows else []


def _describe_headers(operation: ApiOperation) -> str:
    named = [
        name
        for name, taken in (
            ("Idempotency-Key", operation.spec.idempotent),
            ("If-Match", operation.takes_if_match),
        )
        if taken
    ]
    return "".join(f" Supports `{name}`." for name in named)


def _build_response(operation: ApiOperation) -> list[str]:
    title = f"Response {operation.status}"
    kind = operation.answer
    if kind is None:
        return [f"**{title}** without a body.", ""]
    if kind in {str, bytes}:
        return [f"**{title}** as `{operation.spec.answers}`.", ""]
    if get_origin(kind) is Page:
        title, kind = f"{title}, a list of", get_args(kind)[0]
    forms = [
        f"Also available as {', '.join(f'`{form}`' for form in operation.spec.other_media_types)}, with `Accept`.",
        "",
    ]
    shown = [*_build_field_table(title, list_fields(kind), required=False), *_example(operation.answer_example)]
    return [*shown, *(forms if operation.spec.other_media_types else [])]


def _build_field_table(title: str, fields: Sequence[FieldDescription], *, required: bool = True) -> list[str]:
    """Show fields as a table. A column that would say nothing is left out."""
    if not fields:
        return []
    columns = {
        "Field": [f"`{field.name}`" for field in fields],
        "Type": [_escape_cell(field.kind) for field in fields],
        "Required": ["yes" if required and field.required else "" for field in fields],
        "Description": [_escape_cell(field.rule) for field in fields],
    }
    filled = {head: cells for head, cells in columns.items() if any(cells)}
    return [f"**{title}**", "", *_build_table(filled, zip(*filled.values(), strict=True)), ""]


def _example(value: Any) -> list[str]:
    return [] if value is None else ["```json", _format_json(value), "```", ""]


def _error_link(kind: type[ServiceError]) -> str:
    return f"[{int(kind.status)} `{kind.code}`](errors.md#{_build_heading_slug(kind.code)})"


def _build_error_section(kind: type[ServiceError]) -> list[str]:
    status = int(kind.status)
    return [
        f"## `{kind.code}`",
        "",
        f"**{kind.title}.** Status {status} {get_status_phrase(status)}.",
        "",
        _get_doc_paragraphs(kind),
        "",
    ]


def _build_event_section(name: str, kind: type[EventData]) -> list[str]:
    return [
        f"## `{name}`",
        "",
        _get_doc_paragraphs(kind),
        "",
        *_build_field_table("data", list_fields(kind)),
        *_example(kind.example()),
    ]


def _list_metrics() -> list[tuple[Metric, Iterable[str]]]:
    """List what is measured, each with the names of its labels."""
    known = Metrics().registry._collector_to_names  # noqa: SLF001 - the only place where all collectors are known
    result: list[tuple[Metric, Iterable[str]]] = []
    for collector in known:
        if isinstance(collector, MetricWrapperBase):
            # It has no samples yet, and then its labels stand here only.
            result += [(family, collector._labelnames) for family in collector.describe()]  # noqa: SLF001 - see above
        else:
            result += [(family, _labels_in(family)) for family in collector.collect()]
    return sorted(result, key=lambda each: each[0].name)


def _labels_in(family: Metric) -> Iterable[str]:
    return dict.fromkeys(label for sample in family.samples for label in sample.labels if label != "le")


def _build_metric_section(family: Metric, labels: Iterable[str]) -> list[str]:
    names = [f"`{family.name}{suffix}`" for suffix in _METRIC_SUFFIXES.get(family.type, ("",))]
    shown = ", ".join(f"`{label}`" for label in labels) or "none"
    return [
        f"## `{family.name}`",
        "",
        family.documentation,
        "",
        *_build_table(("Type", "Series", "Labels"), [(family.type, ", ".join(names), shown)]),
        "",
    ]


def _describe_default(name: str) -> str:
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == name)
    if field.default is None:
        return "unset"
    return "empty" if field.default == "" else f"`{field.default}`"


def _get_doc_paragraphs(kind: type) -> str:
    """Return a docstring with each paragraph on one line, as Markdown needs it."""
    text = cleandoc(kind.__doc__ or "")
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _build_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    heads = list(heads)
    return [_build_table_row(heads), _build_table_row(["---"] * len(heads)), *(_build_table_row(row) for row in rows)]


def _build_table_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escape_cell(text: str) -> str:
    """A bar would end the cell, a brace or a star might be read as something else."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*")


def _build_heading_slug(heading: str) -> str:
    """Name a heading as Markdown renderers do in links."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _format_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _join_page(lines: Sequence[str]) -> str:
    return "\n".join([_GENERATED_NOTICE, "", *lines]).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
