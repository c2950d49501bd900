"""Converting files by hand: made here, planned for a platform and converted, without a service."""

import asyncio
import subprocess
import warnings
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import imageio_ffmpeg
from PIL import Image, UnidentifiedImageError

from socialgate.areas.media.local_files import inspect_local_file
from socialgate.areas.media.renditions.converter import Converter
from socialgate.areas.media.renditions.planner import plan_cover_frame, plan_file
from socialgate.areas.media.renditions.plans import Plan
from socialgate.areas.media.renditions.recipes import Recipe
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import Kind, KindManifest
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.renditions import Fit, Trim

KINDS: Mapping[Kind, KindManifest] = {
    manifest.kind: manifest for platform in MANIFESTS.values() for manifest in platform.kinds
}
_SOURCE = "source"


def save(image: Image.Image, form: str, **options: Any) -> bytes:
    """Encode an image."""
    out = BytesIO()
    if form == "HEIF":
        import pillow_heif  # noqa: PLC0415 - only for the tests that need it

        pillow_heif.register_heif_opener()
        options = {"quality": 80, "enc_params": {"preset": "ultrafast"}, **options}
    image.save(out, form, **options)
    return out.getvalue()


@cache
def film(suffix: str, *options: str, source: str = "testsrc2=s=320x240:r=30:d=3", sound: str | None = None) -> bytes:
    """Encode a test picture, with a sound if there is one."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / f"film.{suffix}"
        inputs = ["-f", "lavfi", "-i", source, *(["-f", "lavfi", "-i", sound] if sound else [])]
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *inputs, *options, "-threads", "1", str(target)]
        subprocess.run(command, check=True)
        return target.read_bytes()


def inspect(data: bytes, name: str = "file") -> MediaFile:
    """Return what an upload finds out about a file."""
    with TemporaryDirectory() as folder:
        Path(folder, _SOURCE).write_bytes(data)
        return asyncio.run(inspect_local_file(Path(folder), _SOURCE, name))


def plan_for(manifest: KindManifest, file: MediaFile, *, form: str = "post", fit: Fit | None = None) -> Plan:
    return plan_file(manifest, {"form": form}, file, fit or Fit())


def carry_out(data: bytes, file: MediaFile, recipe: Recipe) -> bytes:
    """Make a file as a recipe says."""
    with TemporaryDirectory() as folder:
        Path(folder, _SOURCE).write_bytes(data)
        return asyncio.run(Converter().convert(Path(folder), file.mime_type, recipe)).read_bytes()


def open_picture(data: bytes) -> Image.Image | None:
    """Open a picture, however many pixels it has; None if it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            return Image.open(BytesIO(data))
        except UnidentifiedImageError:
            return None


class Converted:
    """A file as it was made to fit: `plan` says how, `data` are its bytes, `left` what else is in its folder."""

    def __init__(self, plan: Plan, data: bytes) -> None:
        self.plan = plan
        self.data = data

    @property
    def image(self) -> Image.Image:
        return Image.open(BytesIO(self.data))


def convert(
    data: bytes,
    kind: Kind,
    fit: Fit | None = None,
    *,
    form: str = "post",
    trim: Trim | None = None,
    cover_at: float | None = None,
    manifest: KindManifest | None = None,
) -> Converted:
    """Make a file fit, or return it as it is."""
    file = inspect(data)
    manifest, options = manifest or KINDS[kind], {"form": form}
    plan = plan_file(manifest, options, file, fit or Fit(), trim=trim)
    if cover_at is not None:
        plan = plan_cover_frame(manifest, options, file, cover_at, fit or Fit()) or plan
    if plan.recipe is None:
        return Converted(plan, data)
    return Converted(plan, carry_out(data, file, plan.recipe))
