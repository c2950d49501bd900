"""`socialgate fit`: what would be done with a file on this machine, so that platforms accept it."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from rich.console import Console

from socialgate.areas.media.limited_process import ProgramKilledError
from socialgate.areas.media.local_files import inspect_local_file
from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.planner import plan_file
from socialgate.areas.media.renditions.plans import Plan
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.media_rules import describe_refused_type, find_rule
from socialgate.contracts.platforms import KindManifest
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY, MediaFile
from socialgate.contracts.renditions import Fit, FitMode
from socialgate.core.errors import Unavailable
from socialgate.core.settings import SettingsError
from socialgate.web.similar import suggest_name

EXIT_DOES_NOT_FIT = 1
_SOURCE = "source"
_DEFAULT_FORM = "post"


class FitOptions(msgspec.Struct, frozen=True, kw_only=True):
    file: Path
    # A kind of account or a platform; None for all that publish.
    platform: str | None
    form: str
    mode: FitMode
    background: str | None
    # Where to write the result for the only kind that was chosen.
    output: Path | None


async def show_fit(options: FitOptions) -> int:
    """Print what would be changed for each kind of account, and write the result if that was requested."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    manifests = _choose_form(_find_manifests(options.platform), options.form)
    fit = _parse_fit(options)
    _validate_paths(options, manifests)
    name = _show_name(options.file.name)
    try:
        file = await inspect_local_file(options.file.parent, options.file.name, options.file.name)
    except UnreadableFileError as error:
        console.print(f"{name} cannot be used: {error}")
        return EXIT_DOES_NOT_FIT
    except Unavailable:
        raise SettingsError(f"{name} cannot be inspected: the machine has too little memory. Try again.") from None
    except OSError as error:
        raise SettingsError(f"{name} cannot be read: {error.strerror}. Check its permissions.") from None
    console.print(f"{name}: {_describe_file(file)}")
    # Each of them is shown, also after one that does not accept the file.
    results = [await _show_kind(console, options, manifest, file, fit) for manifest in manifests]
    return 0 if all(results) else EXIT_DOES_NOT_FIT


async def _show_kind(console: Console, options: FitOptions, manifest: KindManifest, file: MediaFile, fit: Fit) -> bool:
    """Print what would be changed for a kind of account. False: the file cannot be made to fit."""
    plan = plan_file(manifest, {"form": options.form}, file, fit)
    takes_type = find_rule(manifest, plan.file.type, {"form": options.form}) is not None
    if not takes_type and options.platform is None:
        return True
    for line in _describe_plan(manifest, options.form, file, plan, takes_type=takes_type):
        console.print(line)
    if not takes_type or plan.faults:
        return False
    if options.output is None:
        return True
    try:
        console.print(await _write_result(options.file, options.output, file, plan))
    except (ConversionError, ProgramKilledError) as error:
        console.print(f"{manifest.name}: does not fit. {error}")
        return False
    except OSError as error:
        raise SettingsError(f"{_show_name(options.output)} cannot be written: {error.strerror}.") from None
    return True


def _validate_paths(options: FitOptions, manifests: list[KindManifest]) -> None:
    if options.output is not None and len(manifests) != 1:
        raise SettingsError(f"--output needs one kind of account with --for: {_list_kinds(manifests)}.")
    if not os.path.isfile(options.file):  # noqa: PTH113 - with pathlib, a name that is too long is an error
        raise SettingsError(f"There is no file {_show_name(options.file)}.")
    if options.output is not None:
        try:
            _require_other_file(options.file, options.output)
        except OSError as error:
            raise SettingsError(f"{_show_name(options.output)} cannot be written: {error.strerror}.") from None


def _require_other_file(file: Path, output: Path) -> None:
    """Refuse an output that would replace the original, by whatever name, or that cannot be written."""
    if output.is_dir() or not output.parent.is_dir():
        raise SettingsError(f"--output is the name of a file in a folder that exists, and {_show_name(output)} is not.")
    if output.exists() and output.samefile(file):
        raise SettingsError(
            f"--output would overwrite {_show_name(file)}. Choose another name: the original stays as it is."
        )


def _find_manifests(name: str | None) -> list[KindManifest]:
    """Find the kinds of accounts that publish, or those that a name means."""
    publishing = {
        (platform.platform.value, manifest.kind.value): manifest
        for platform in MANIFESTS.values()
        for manifest in platform.kinds
        if PUBLISH_POST_CAPABILITY in manifest.capabilities
    }
    manifests = [manifest for names, manifest in publishing.items() if name is None or name in names]
    if not manifests:
        known = sorted({part for names in publishing for part in names})
        hint = suggest_name(name or "", known)
        raise SettingsError(f"There is no platform `{name}`.{hint} Use one of: {_list_kinds(publishing.values())}.")
    return manifests


def _choose_form(manifests: list[KindManifest], form: str) -> list[KindManifest]:
    """Leave out the kinds whose posts do not have the form."""
    chosen = [manifest for manifest in manifests if form in _list_forms(manifest)]
    if not chosen:
        forms = sorted({name for manifest in manifests for name in _list_forms(manifest)})
        where = manifests[0].name if len(manifests) == 1 else "None of these platforms"
        has = "has no posts" if len(manifests) == 1 else "has posts"
        hint = suggest_name(form, forms)
        raise SettingsError(f"{where} {has} of the form `{form}`.{hint} Use one of: {', '.join(forms)}.")
    return chosen


def _list_forms(manifest: KindManifest) -> set[str]:
    options: Mapping[str, Any] = manifest.options.get("properties", {})
    of_rules = {rule.form for rule in manifest.media.values() if rule.form}
    return {_DEFAULT_FORM, *of_rules, *options.get("form", {}).get("enum", ())}


def _list_kinds(manifests: Iterable[KindManifest]) -> str:
    return ", ".join(manifest.kind.value for manifest in manifests)


def _parse_fit(options: FitOptions) -> Fit:
    values = {"mode": options.mode, "background": options.background}
    try:
        return msgspec.convert(values, Fit)
    except msgspec.ValidationError:
        raise SettingsError("--background is a color such as #ffffff, or `blur`.") from None


def _show_name(path: Path | str) -> str:
    """Return a name in one line, without characters that a terminal acts on or cannot show."""
    line = " ".join(str(path).split())
    return "".join(letter for letter in line if letter.isprintable())


def _describe_file(file: MediaFile) -> str:
    parts = [file.mime_type]
    if file.width and file.height:
        parts.append(f"{file.width} x {file.height}")
    if file.duration:
        parts.append(f"{file.duration:g} s")
    return ", ".join([*parts, f"{file.size:,} bytes"])


def _describe_plan(
    manifest: KindManifest, form: str, file: MediaFile, plan: Plan, *, takes_type: bool
) -> Iterator[str]:
    if plan.faults or not takes_type:
        details = [fault.detail for fault in plan.faults]
        if not takes_type:
            details = [describe_refused_type(manifest, {"form": form}, file.type, file.mime_type)]
        yield f"{manifest.name}: does not fit. {' '.join(details)}"
    elif plan.recipe is None:
        yield f"{manifest.name}: accepted as it is."
    else:
        yield f"{manifest.name}: would be changed."
        for change in plan.changes:
            yield f"  {change.aspect}: {change.before} → {change.after}. {change.why}"


async def _write_result(source: Path, output: Path, file: MediaFile, plan: Plan) -> str:
    name = _show_name(output)
    if plan.recipe is None:
        shutil.copyfile(source, output)
        return f"Copied to {name}."
    with TemporaryDirectory() as folder:
        shutil.copyfile(source, Path(folder, _SOURCE))
        result = await Converter().convert(Path(folder), file.mime_type, plan.recipe)
        shutil.copyfile(result, output)
    return f"Written to {name}: {_measure(output):,} bytes."


def _measure(file: Path) -> int:
    return file.stat().st_size
