"""How long files take to be made to fit, how much memory that takes, and what everybody else notices of it."""

import asyncio
import multiprocessing
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import imageio_ffmpeg
import msgspec
from benchmarks.harness import MIB, Bench, Figure, percentile, quietest, rounded
from benchmarks.start import started
from PIL import Image

from socialgate.areas.media.local_files import inspect_local_file
from socialgate.areas.media.renditions.converter import Converter
from socialgate.areas.media.renditions.planner import plan_file
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.renditions import Fit

_OWNERS = 4
_PHOTO = (4032, 3024)
# As many pixels as an image may have.
_LARGE_PHOTO = (12_000, 8_333)
_LARGE_FILM_SECONDS = 4
# What the programs may take at most (docs/media.md).
_IMAGE_LIMIT_MIB = 1536.0
_VIDEO_LIMIT_MIB = 2560.0
_INSTAGRAM = next(kind for kind in MANIFESTS[Platform.META].kinds if kind.kind is Kind.INSTAGRAM)
_PERSON = {"password": "a long enough password"}
_HEALTH_PAUSE_SECONDS = 0.01
_GIVE_UP_SECONDS = 600


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """How long it took, and the memory in MiB of the largest program that was needed."""

    seconds: float
    peak: float


def measure(bench: Bench) -> list[Figure]:
    rounds, seconds = bench.sized(3, 1), bench.sized(60, 4)
    bench.uses("renditions", rounds=rounds, videoSeconds=seconds, owners=_OWNERS)
    folder = bench.folder / "renditions"
    folder.mkdir()
    photo, film = folder / "photo.heic", folder / "film.mkv"
    photo.write_bytes(_take_photo())
    _record_film(film, "1920x1080", seconds)
    photos = [_measure_conversion(photo) for _ in range(rounds)]
    taken = [conversion.seconds for conversion in photos]
    bench.say(f"photo: {min(taken):.2f} s, {photos[0].peak:.0f} MiB")
    films = [_measure_conversion(film) for _ in range(bench.sized(2, 1))]
    films_taken = [conversion.seconds for conversion in films]
    bench.say(f"film: {min(films_taken):.1f} s, {films[0].peak:.0f} MiB")
    large_photo, large_film = folder / "large.jpg", folder / "large.mkv"
    _draw(_LARGE_PHOTO).save(large_photo, quality=92)
    _record_film(large_film, "3840x2160", _LARGE_FILM_SECONDS)
    large = _measure_conversion(large_photo), _measure_conversion(large_film)
    bench.say(f"100 megapixels: {large[0].peak:.0f} MiB, 4K: {large[1].peak:.0f} MiB")
    shared = folder / "service"
    shared.mkdir()
    return [
        quietest("12 megapixels of HEIC to JPEG", taken, unit="s", bar=1.0, detail={"rounds": rounded(taken)}),
        quietest(f"{seconds} s of 1080p HEVC to H.264", films_taken, unit="s", bar=float(seconds), note="two cores"),
        Figure(
            name="memory of the program that converts 100 megapixels",
            measured=large[0].peak,
            unit="MiB",
            bar=_IMAGE_LIMIT_MIB,
            note=f"{photos[0].peak:.0f} MiB for 12 megapixels of HEIC",
        ),
        Figure(
            name="memory of the program that converts 4K",
            measured=large[1].peak,
            unit="MiB",
            bar=_VIDEO_LIMIT_MIB,
            note=f"{films[0].peak:.0f} MiB for 1080p",
        ),
        *_measure_service(bench, shared, film, [large_photo, large_film]),
    ]


def _draw(size: tuple[int, int]) -> Image.Image:
    picture = Image.radial_gradient("L").resize(size).convert("RGB")
    picture.paste(Image.effect_noise((size[0], size[1] // 4), 40).convert("RGB"))
    return picture


def _take_photo() -> bytes:
    import pillow_heif  # noqa: PLC0415 - it registers itself with Pillow

    pillow_heif.register_heif_opener()
    out = BytesIO()
    _draw(_PHOTO).save(out, "HEIF", quality=85)
    return out.getvalue()


def _record_film(film: Path, size: str, seconds: int) -> None:
    source = f"testsrc2=s={size}:r=30:d={seconds}"
    encoding = ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params", "log-level=none"]
    subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", source, *encoding, str(film)], check=True
    )


def _measure_conversion(path: Path) -> Conversion:
    """Make a file fit Instagram, in a process whose only children are the programs that this needs."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_convert, path).result()


def _convert(path: Path) -> Conversion:
    """Make a file fit, as a worker does. A film is encoded in its size, although it would be accepted as it is."""
    file = asyncio.run(inspect_local_file(path.parent, path.name, path.name))
    video = msgspec.structs.replace(_INSTAGRAM.media["video"], video_codecs=("h264",), max_width=None)
    manifest = msgspec.structs.replace(_INSTAGRAM, media={**_INSTAGRAM.media, "video": video})
    plan = plan_file(manifest, {}, file, Fit())
    assert plan.recipe is not None, "it would be accepted as it is"
    work = path.parent / "work"
    work.mkdir()
    shutil.copyfile(path, work / "source")
    began = time.perf_counter()
    asyncio.run(Converter().convert(work, file.mime_type, plan.recipe))
    taken = time.perf_counter() - began
    shutil.rmtree(work)
    return Conversion(seconds=taken, peak=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)


def _measure_service(bench: Bench, folder: Path, film: Path, large: list[Path]) -> Iterator[Figure]:
    """Measure `/health` alone and while four owners have films made, and the memory of the service, which has the
    largest files made too.
    """
    with started(folder, signup="open", login_limit=0) as (running, port, _):
        url = f"http://127.0.0.1:{port}"
        alone = percentile(_call_health(url, 3.0), 99)
        with ThreadPoolExecutor(_OWNERS) as pool:
            posts = list(pool.map(lambda number: _publish(url, film, number), range(_OWNERS)))
        beside = _watch(url, posts)
        _watch(url, [_publish(url, path, _OWNERS + number) for number, path in enumerate(large)])
        peak = running.peak / MIB
    bench.say(f"/health p99 {alone:.1f} ms alone, {beside:.1f} ms beside {_OWNERS} conversions, {peak:.0f} MiB")
    yield Figure(
        name=f"/health beside {_OWNERS} conversions, p99",
        measured=beside / alone,
        unit="x",
        bar=1.5,
        note=f"{beside:.1f} ms against {alone:.1f} ms",
    )
    yield Figure(
        name="memory of a worker that has files converted",
        measured=peak,
        unit="MiB",
        bar=400.0,
        note=f"at most, with API and sandbox; {_OWNERS} films of 1080p, 100 megapixels, 4K",
    )


def _call_health(url: str, seconds: float) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds
    with httpx.Client(base_url=url, timeout=60) as client:
        while (began := time.perf_counter()) < until:
            client.get("/health").raise_for_status()
            taken.append((time.perf_counter() - began) * 1000)
            time.sleep(_HEALTH_PAUSE_SECONDS)
    return taken


def _publish(url: str, path: Path, number: int) -> tuple[httpx.Client, str]:
    """Register an owner with an account on Threads, and publish a file there that has to be made to fit."""
    client = httpx.Client(base_url=url, timeout=_GIVE_UP_SECONDS)
    opened = client.post("/auth/register", json={"email": f"owner{number}@example.com", **_PERSON}).raise_for_status()
    client.headers["Authorization"] = f"Bearer {opened.json()['token']}"
    [profile] = client.get("/profiles").raise_for_status().json()["data"]
    begun = client.get("/connect/threads", params={"profileId": profile["id"]}).raise_for_status().json()
    back = urlsplit(httpx.post(begun["authUrl"], data={"decision": "allow"}, timeout=60).headers["location"])
    client.get(f"{back.path}?{back.query}")
    [account] = client.get("/accounts").raise_for_status().json()["data"]
    item = client.post("/upload", params={"fileName": path.name}, content=path.read_bytes()).raise_for_status().json()
    # A film that is cut has to be encoded.
    cut = {"trim": {"start": 0.5}} if item["type"] == "video" else {}
    media = [{"mediaId": item["id"], **cut}]
    body = {"profileId": profile["id"], "content": "File", "media": media, "targets": [{"accountId": account["id"]}]}
    post = client.post("/posts", json=body).raise_for_status().json()
    return client, str(post["id"])


def _watch(url: str, posts: list[tuple[httpx.Client, str]]) -> float:
    """Call `/health` until no post is preparing any more, and return the p99."""
    taken: list[float] = []
    until = time.perf_counter() + _GIVE_UP_SECONDS
    while any(client.get(f"/posts/{post}").json()["status"] == "preparing" for client, post in posts):
        if time.perf_counter() > until:
            raise TimeoutError("The conversions did not end.")
        taken += _call_health(url, 1.0)
    for client, _ in posts:
        client.close()
    return percentile(taken or _call_health(url, 1.0), 99)
