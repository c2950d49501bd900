"""How long files take to be made to fit, and what everybody else notices of it."""

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import imageio_ffmpeg
import msgspec
from benchmarks.harness import MIB, Bench, Figure, percentile, quietest, rounded
from benchmarks.processes import Command
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
_INSTAGRAM = next(kind for kind in MANIFESTS[Platform.META].kinds if kind.kind is Kind.INSTAGRAM)
_PERSON = {"password": "a long enough password"}
_HEALTH_PAUSE_SECONDS = 0.01
_GIVE_UP_SECONDS = 600


def measure(bench: Bench) -> list[Figure]:
    rounds, seconds = bench.sized(3, 1), bench.sized(60, 4)
    bench.uses("renditions", rounds=rounds, videoSeconds=seconds, owners=_OWNERS)
    folder = bench.folder / "renditions"
    folder.mkdir()
    photo, film = folder / "photo.heic", folder / "film.mkv"
    photo.write_bytes(_take_photo())
    _record_film(film, seconds)
    photos = [_time_conversion(photo) for _ in range(rounds)]
    bench.say(f"photo: {min(photos):.2f} s")
    films = [_time_conversion(film) for _ in range(bench.sized(2, 1))]
    bench.say(f"film: {min(films):.1f} s")
    shared = folder / "service"
    shared.mkdir()
    return [
        quietest("12 megapixels of HEIC to JPEG", photos, unit="s", bar=1.0, detail={"rounds": rounded(photos)}),
        quietest(f"{seconds} s of 1080p HEVC to H.264", films, unit="s", bar=float(seconds), note="two cores"),
        *_measure_service(bench, shared, film),
    ]


def _take_photo() -> bytes:
    import pillow_heif  # noqa: PLC0415 - it registers itself with Pillow

    pillow_heif.register_heif_opener()
    out = BytesIO()
    picture = Image.radial_gradient("L").resize(_PHOTO).convert("RGB")
    picture.paste(Image.effect_noise((_PHOTO[0], _PHOTO[1] // 4), 40).convert("RGB"))
    picture.save(out, "HEIF", quality=85)
    return out.getvalue()


def _record_film(film: Path, seconds: int) -> None:
    source = f"testsrc2=s=1920x1080:r=30:d={seconds}"
    encoding = ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params", "log-level=none"]
    subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", source, *encoding, str(film)], check=True
    )


def _time_conversion(path: Path) -> float:
    """Make a file fit Instagram, as a worker does. A film is encoded, although its codec would be accepted."""
    file = asyncio.run(inspect_local_file(path.parent, path.name, path.name))
    video = msgspec.structs.replace(_INSTAGRAM.media["video"], video_codecs=("h264",))
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
    return taken


def _measure_service(bench: Bench, folder: Path, film: Path) -> Iterator[Figure]:
    """Measure `/health` alone and while four owners have films made, and the memory of the service."""
    with started(folder, signup="open", login_limit=0) as (running, port, _):
        url = f"http://127.0.0.1:{port}"
        alone = percentile(_call_health(url, 3.0), 99)
        with ThreadPoolExecutor(_OWNERS) as pool:
            posts = list(pool.map(lambda number: _publish(url, film, number), range(_OWNERS)))
        beside, peak = _watch(url, running, posts)
    bench.say(f"/health p99 {alone:.1f} ms alone, {beside:.1f} ms beside {_OWNERS} conversions, {peak:.0f} MiB")
    yield Figure(
        name=f"/health beside {_OWNERS} conversions, p99",
        measured=beside / alone,
        unit="x",
        bar=1.5,
        note=f"{beside:.1f} ms against {alone:.1f} ms",
    )
    yield Figure(name="memory of a process that has files converted", measured=peak, unit="MiB", bar=400.0)


def _call_health(url: str, seconds: float) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds
    with httpx.Client(base_url=url, timeout=60) as client:
        while (began := time.perf_counter()) < until:
            client.get("/health").raise_for_status()
            taken.append((time.perf_counter() - began) * 1000)
            time.sleep(_HEALTH_PAUSE_SECONDS)
    return taken


def _publish(url: str, film: Path, number: int) -> tuple[httpx.Client, str]:
    """Register an owner with an account on Threads, and publish the film there."""
    client = httpx.Client(base_url=url, timeout=_GIVE_UP_SECONDS)
    opened = client.post("/auth/register", json={"email": f"owner{number}@example.com", **_PERSON}).raise_for_status()
    client.headers["Authorization"] = f"Bearer {opened.json()['token']}"
    [profile] = client.get("/profiles").raise_for_status().json()["data"]
    begun = client.get("/connect/threads", params={"profileId": profile["id"]}).raise_for_status().json()
    back = urlsplit(httpx.post(begun["authUrl"], data={"decision": "allow"}, timeout=60).headers["location"])
    client.get(f"{back.path}?{back.query}")
    [account] = client.get("/accounts").raise_for_status().json()["data"]
    item = client.post("/upload", params={"fileName": "film.mkv"}, content=film.read_bytes()).raise_for_status().json()
    # What is cut has to be encoded.
    cut = [{"mediaId": item["id"], "trim": {"start": 0.5}}]
    body = {"profileId": profile["id"], "content": "Film", "media": cut, "targets": [{"accountId": account["id"]}]}
    post = client.post("/posts", json=body).raise_for_status().json()
    return client, str(post["id"])


def _watch(url: str, running: Command, posts: list[tuple[httpx.Client, str]]) -> tuple[float, float]:
    """Call `/health` until no post is preparing any more."""
    taken: list[float] = []
    peak = 0.0
    until = time.perf_counter() + _GIVE_UP_SECONDS
    while any(client.get(f"/posts/{post}").json()["status"] == "preparing" for client, post in posts):
        if time.perf_counter() > until:
            raise TimeoutError("The conversions did not end.")
        taken += _call_health(url, 1.0)
        peak = max(peak, running.rss / MIB)
    for client, _ in posts:
        client.close()
    return percentile(taken or _call_health(url, 1.0), 99), peak
