"""`socialgate fit`: what would be done with a file on this machine, so that platforms accept it."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from rich.console import Console

from socialgate.areas.media.limited_process import ProgramKilledError
from socialgate.areas.media.local_files import inspect_local_file
from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.planner import plan_file
from socialgate.areas.media.renditions.plans import Plan
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.media_rules import find_rule
from socialgate.contracts.platforms import KindManifest
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY, MediaFile
from socialgate.contracts.renditions import Fit, FitMode
from socialgate.core.settings import SettingsError

EXIT_DOES_NOT_FIT = 1
_SOURCE = "source"


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
    manifests = _find_manifests(options.platform)
    if options.output is not None and len(manifests) != 1:
        raise SettingsError(f"--output needs one kind of account with --for: {_list_kinds(manifests)}.")
    if not options.file.is_file():
        raise SettingsError(f"There is no file {options.file}.")
    if options.output is not None:
        _require_other_file(options.file, options.output)
    try:
        file = await inspect_local_file(options.file.parent.resolve(), options.file.name, options.file.name)
    except UnreadableFileError as error:
        console.print(f"{options.file.name} cannot be used: {error}")
        return EXIT_DOES_NOT_FIT
    console.print(f"{options.file.name}: {_describe_file(file)}")
    fit = _parse_fit(options)
    is_accepted = True
    for manifest in manifests:
        plan = plan_file(manifest, {"form": options.form}, file, fit)
        takes_type = find_rule(manifest, plan.file.type, {"form": options.form}) is not None
        if not takes_type and options.platform is None:
            continue
        for line in _describe_plan(manifest, file, plan, takes_type=takes_type):
            console.print(line)
        fits = takes_type and not plan.faults
        if options.output is not None and fits:
            try:
                console.print(await _write_result(options, file, plan))
            except (ConversionError, ProgramKilledError) as error:
                console.print(f"{manifest.name}: does not fit. {error}")
                fits = False
        is_accepted = is_accepted and fits
    return 0 if is_accepted else EXIT_DOES_NOT_FIT


def _require_other_file(file: Path, output: Path) -> None:
    """Refuse an output that would replace the original, by whatever name, or that cannot be written."""
    if output.is_dir() or not output.parent.is_dir():
        raise SettingsError(f"--output is the name of a file in a folder that exists, and {output} is not.")
    if output.exists() and output.samefile(file):
        raise SettingsError(f"--output would overwrite {file}. Choose another name: the original stays as it is.")


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
        raise SettingsError(f"There is no platform `{name}`. Use one of: {_list_kinds(publishing.values())}.")
    return manifests


def _list_kinds(manifests: Iterable[KindManifest]) -> str:
    return ", ".join(manifest.kind.value for manifest in manifests)


def _parse_fit(options: FitOptions) -> Fit:
    values = {"mode": options.mode, "background": options.background}
    try:
        return msgspec.convert(values, Fit)
    except msgspec.ValidationError:
        raise SettingsError("--background is a color such as #ffffff, or `blur`.") from None


def _describe_file(file: MediaFile) -> str:
    parts = [file.mime_type]
    if file.width and file.height:
        parts.append(f"{file.width} x {file.height}")
    if file.duration:
        parts.append(f"{file.duration:g} s")
    return ", ".join([*parts, f"{file.size:,} bytes"])


def _describe_plan(manifest: KindManifest, file: MediaFile, plan: Plan, *, takes_type: bool) -> Iterator[str]:
    if plan.faults or not takes_type:
        details = [fault.detail for fault in plan.faults] or [f"It takes no files of the type {file.type} here."]
        yield f"{manifest.name}: does not fit. {' '.join(details)}"
    elif plan.recipe is None:
        yield f"{manifest.name}: accepted as it is."
    else:
        yield f"{manifest.name}: would be changed."
        for change in plan.changes:
            yield f"  {change.aspect}: {change.before} → {change.after}. {change.why}"


async def _write_result(options: FitOptions, file: MediaFile, plan: Plan) -> str:
    assert options.output is not None
    if plan.recipe is None:
        shutil.copyfile(options.file, options.output)
        return f"Copied to {options.output}."
    with TemporaryDirectory() as folder:
        shutil.copyfile(options.file, Path(folder, _SOURCE))
        result = await Converter().convert(Path(folder), file.mime_type, plan.recipe)
        shutil.copyfile(result, options.output)
    return f"Written to {options.output}: {options.output.stat().st_size:,} bytes."
