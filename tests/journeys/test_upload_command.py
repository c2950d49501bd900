"""`socialgate upload`: as a person runs it, over lines that break, and against services that misbehave."""

import asyncio
import hashlib
import os
import pty
import re
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from journeys.commands import COMMAND, DEADLINE_SECONDS, Running, run, started
from socialgate.cli.upload import ProgressDisplay, Uploader
from socialgate.core.settings import Settings
from socialgate_client import Socialgate, SocialgateError
from socialgate_client.types import MediaItem
from support.cutting_proxy import CuttingProxy
from support.processes import environment
from support.publishing import mp4
from support.service import Host, OwnerFixture, RunningService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

MIB = 1024 * 1024
PIECE = "application/offset+octet-stream"
ADDRESS = re.compile(r"as (upl_\w+)\.$", re.MULTILINE)


def make_file(folder: Path, size: int, name: str = "large.bin") -> Path:
    path = folder / name
    path.write_bytes(hashlib.shake_128(name.encode()).digest(size))
    return path


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def uploading(file: Path, url: str, key: str, *arguments: str) -> AbstractContextManager[Running]:
    return started(file.parent, "upload", str(file), *arguments, url=url, api_key=key)


def upload(file: Path, url: str, key: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run(file.parent, "upload", str(file), *arguments, url=url, api_key=key)


def state_of(owner: OwnerFixture, out: str) -> dict[str, Any]:
    """Ask the service about the upload that the command named."""
    (upload_id,) = ADDRESS.findall(out)
    client = owner.running.client(owner.session_token)
    state: dict[str, Any] = client.get(f"/uploads/{upload_id}").json()
    return state


def begun(owner: OwnerFixture, size: int, came: bytes = b"") -> str:
    """Begin an upload, and send some of it, as another client would."""
    path = str(owner.session.post("/uploads", headers={"Upload-Length": str(size)}).headers["location"])
    headers = {"Upload-Offset": "0", "Content-Type": PIECE}
    assert owner.session.patch(path, content=came, headers=headers).status_code == 204
    return path.rpartition("/")[2]


def one_line(finished: "subprocess.CompletedProcess[str]", code: int) -> str:
    assert finished.returncode == code, finished.stderr
    *usage, line = finished.stderr.splitlines()
    assert len(usage) == (3 if code == 2 else 0), finished.stderr
    return line.removeprefix("socialgate: ").removeprefix("Error: ")


def test_a_file_goes_over_a_line_that_breaks_and_nothing_much_twice(owner: OwnerFixture, tmp_path: Path) -> None:
    file = make_file(tmp_path, 40 * MIB)
    with CuttingProxy(owner.running.address) as line:
        line.cut_after(5 * MIB)
        with uploading(file, line.url, owner.key_value()) as command:
            eventually(lambda: line.cuts == 1 or None, "the first break")
            line.cut_after(9 * MIB)
            assert command.process.wait(DEADLINE_SECONDS) == 0
            out, err = command.out, command.err
        assert line.cuts == 2
        # A break costs at most the piece that was on its way.
        assert line.passed < file.stat().st_size + 2 * 8 * MIB
    assert err == ""
    media = state_of(owner, out)["media"]
    assert (media["sha256"], media["fileName"]) == (sha256(file), "large.bin")
    lines = out.splitlines()
    assert lines[0].startswith(f"Uploading large.bin, 40.0 MiB, to {line.url} as upl_")
    assert "Retrying." in out
    percents = [int(result) for result in re.findall(r"^ *(\d+) %  [\d.]+ of 40\.0 MiB", out, re.MULTILINE)]
    assert percents == sorted(set(percents))
    assert percents[-1] == 100
    assert lines[-1].startswith(f"{media['id']}  ")
    assert lines[-1].partition("; unless it is used, it is deleted ")[0].endswith(", 40.0 MiB")


def test_what_it_is_and_whose_is_told(owner: OwnerFixture, tmp_path: Path) -> None:
    film = tmp_path / "día.mp4"
    film.write_bytes(mp4(1))
    finished = upload(film, owner.running.address, owner.key_value(), "--profile", owner.profile_id)
    assert finished.returncode == 0, finished.stderr
    media = state_of(owner, finished.stdout)["media"]
    assert (media["profileId"], media["fileName"]) == (owner.profile_id, "día.mp4")
    assert f"{media['id']}  video/mp4, h264, 720 x 1280, 1.0 s, " in finished.stdout


class Narrow(CuttingProxy):
    """Lets so many bytes through, and then holds whatever comes."""

    def __init__(self, server_url: str, most: int) -> None:
        super().__init__(server_url)
        self._most = most
        self.is_full = threading.Event()
        self._over = threading.Event()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        super().__exit__()

    def _passes(self, count: int) -> int:
        if self.passed + count > self._most:
            self.is_full.set()
            self._over.wait()
        return super()._passes(count)


def test_whoever_stops_it_is_told_how_to_go_on(owner: OwnerFixture, tmp_path: Path) -> None:
    file, key = make_file(tmp_path, 20 * MIB, "with a blank.bin"), owner.key_value()
    with Narrow(owner.running.address, 12 * MIB) as line:
        with uploading(file, line.url, key) as command:
            assert line.is_full.wait(DEADLINE_SECONDS)
            command.process.send_signal(signal.SIGINT)
            assert command.process.wait(DEADLINE_SECONDS) == 130
            out, err = command.out, command.err
        assert (err, key in out) == ("", False)
        stopped, _, value = out.splitlines()[-1].partition(" To resume: ")
        assert stopped == "Stopped."
        verb, *arguments = shlex.split(value)
        assert verb == "socialgate"
        assert arguments[-2:] == ["--url", line.url]
        assert arguments[:3:2] == ["upload", "--resume"]
    finished = upload(file, owner.running.address, key, *arguments[2:-2])
    assert finished.returncode == 0, finished.stderr
    came = int(re.findall(r"^ *(\d+) %", finished.stdout, re.MULTILINE)[0])
    assert came >= 30
    assert state_of(owner, finished.stdout)["media"]["sha256"] == sha256(file)


@contextmanager
def serving(settings: Settings) -> Iterator[RunningService]:
    with Host(settings) as host:
        assert host.running is not None
        host.running.address = host.running.url
        yield host.running


def test_it_waits_for_a_service_that_restarts(tmp_path: Path) -> None:
    # An address of its own, so that nobody takes the port in between.
    settings = Settings(
        data_dir=tmp_path / "data", host="127.0.0.3", port=0, sandbox=False, worker="separate", stop_seconds=5
    )
    file = make_file(tmp_path, 3 * MIB)
    with serving(settings) as running:
        owner = running.new_owner()
        key, upload_id = owner.key_value(), begun(owner, 3 * MIB, file.read_bytes()[:MIB])
    with uploading(file, running.url, key, "--resume", upload_id) as command:
        eventually(lambda: "is not reachable (connect_refused: " in command.out or None, "word of the outage")
        with serving(msgspec.structs.replace(settings, port=running.settings.port)) as owner.running:
            assert command.process.wait(DEADLINE_SECONDS) == 0, command.err
            assert state_of(owner, command.out)["media"]["sha256"] == sha256(file)
        assert command.out.count("is not reachable") == 1


def test_on_a_terminal_one_line_is_rewritten(owner: OwnerFixture, tmp_path: Path) -> None:
    file = make_file(tmp_path, 5 * MIB)
    ours, theirs = pty.openpty()
    command = [*COMMAND, "upload", str(file)]
    settings = environment({"url": owner.running.address, "api_key": owner.key_value()})
    with subprocess.Popen(command, env=settings, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        # Reading from a terminal that nobody holds any more is an error.
        with suppress(OSError):
            while piece := os.read(ours, 4096):
                shown += piece
        assert process.wait(DEADLINE_SECONDS) == 0
    os.close(ours)
    first, rewritten, last = shown.decode().split("\r\n")[:3]
    assert first.startswith("Uploading large.bin, 5.0 MiB, to ")
    states = rewritten.split("\r")
    assert len(states) > 3
    assert all(re.fullmatch(r"( *\d+ %  [\d.]+ of 5\.0 MiB.*\x1b\[K)?", state) for state in states), states
    assert states[-1].startswith("100 %  5.0 of 5.0 MiB  ")
    assert re.search(r"  [\d,.]+ MiB/s  \d+ s left", rewritten)
    assert last.startswith("med_")


@pytest.mark.parametrize(
    ("arguments", "settings", "line"),
    [
        (["missing.bin"], {}, "missing.bin cannot be read: No such file or directory. Check the path."),
        (["."], {}, ". cannot be read: Is a directory. Check the path."),
        (["empty.bin"], {}, "empty.bin is empty. Choose another file."),
        (
            ["a.bin"],
            {"api_key": ""},
            "You are not signed in to http://127.0.0.1:1. Run: socialgate login http://127.0.0.1:1",
        ),
        (["a.bin"], {"url": "gate"}, "'gate' is not the URL of a service. It starts with https:// or http://."),
        (
            ["a.bin"],
            {"api_key": "bad\n"},
            "The API key contains characters that no key has, such as a line break. Copy it again.",
        ),
        (["a.bin", "--resume", "5"], {}, "--resume: `5` is not an upload id. Upload ids start with upl_."),
    ],
)
def test_what_is_asked_for_wrongly_is_said_in_one_line(
    arguments: list[str], settings: dict[str, str], line: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.bin").touch()
    make_file(tmp_path, 10, "a.bin")
    finished = run(tmp_path, "upload", *arguments, **{"url": "http://127.0.0.1:1", "api_key": "k", **settings})
    assert one_line(finished, 2) == line
    assert finished.stdout == ""


def test_what_the_service_refuses_is_said_in_one_line(owner: OwnerFixture, tmp_path: Path) -> None:
    address, key = owner.running.address, owner.key_value()
    file, huge, damaged = make_file(tmp_path, 10), tmp_path / "huge.bin", tmp_path / "a.png"
    with huge.open("wb") as hole:
        hole.truncate(5 * 1024**3 + 1)
    damaged.write_bytes(b"\x89PNG\r\n\x1a\nnot a picture")
    wrong = "This is not a complete API key, or it has a typo: its checksum is wrong. Copy the whole key."
    assert one_line(upload(file, address, "sg_test_wrong"), 1) == wrong
    reading = upload(file, address, owner.key_value(permission="read"))
    assert one_line(reading, 1).startswith("This API key is read-only.")
    assert one_line(upload(huge, address, key), 1) == "A file can have at most 5 GiB."
    assert one_line(upload(file, address, key, "--profile", "prf_1"), 2) == "There is no profile 'prf_1'."
    assert "cannot be read" in one_line(upload(damaged, address, key), 1)
    assert one_line(upload(file, f"{address}/console", key), 1).endswith(
        "Check that the URL is that of a Socialgate service."
    )


def test_only_the_same_file_goes_on(owner: OwnerFixture, other_owner: OwnerFixture, tmp_path: Path) -> None:
    address, key = owner.running.address, owner.key_value()
    file = make_file(tmp_path, 10)
    longer = begun(owner, 11, b"x")
    line = one_line(upload(file, address, key, "--resume", longer), 1)
    assert line == f"{longer} expects 11 bytes, and the file has 10."
    line = one_line(upload(file, address, key, "--resume", begun(other_owner, 10, b"x")), 1)
    assert line.endswith("or it has expired. Upload the file again without --resume.")
    line = one_line(upload(file, address, key, "--resume", begun(owner, 10, b"other")), 1)
    assert line.startswith("The service received other bytes than the file contains: ")


class Scripted:
    """A service that gives these answers, one to each request, and an uploader that sends a file to it."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = list(answers)
        self.requests: list[str] = []
        self.said: list[str] = []
        self._handlers: list[Any] = []

    async def run(self, file: Path, size: int = 10, **options: Any) -> MediaItem:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        meter = ProgressDisplay(self.said.append, size=size, live=False)
        try:
            with Socialgate(base_url=url, api_key="k") as client:
                uploader = Uploader(client, url, file, meter, **options)
                await asyncio.to_thread(uploader.run, None, "upl_01h455vb4pex5vsknk084sn02q")
                assert uploader.media is not None
                return uploader.media
        finally:
            server.close()
            await asyncio.gather(*self._handlers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handlers.append(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if match := re.search(r"content-length: (\d+)", head, re.IGNORECASE):
            await reader.readexactly(int(match[1]))
        self.requests.append(head.partition(" ")[0])
        writer.write(self._answers.pop(0))
        writer.close()
        await writer.wait_closed()


def answer(status: int, body: bytes = b"", **headers: object) -> bytes:
    lines = {"Connection": "close", "Content-Length": len(body), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + body


STANDS_AT_0 = answer(200, Upload_Offset=0, Upload_Length=10)
STANDS_AT_4 = answer(200, Upload_Offset=4, Upload_Length=10)


def problem(status: int, detail: str, **headers: object) -> bytes:
    body = msgspec.json.encode({"status": status, "code": "said", "detail": detail})
    return answer(status, body, Content_Type="application/problem+json", **headers)


BUSY = problem(503, "The database does not answer.", Retry_After=0)


def test_what_may_pass_is_tried_again_from_where_it_stands(tmp_path: Path) -> None:
    file = make_file(tmp_path, 10)
    media = {"id": "med_1", "mimeType": "a/b", "size": 10, "sha256": sha256(file), "expiresAt": None}
    media |= dict.fromkeys(("width", "height", "duration", "codec"))
    whole = answer(200, msgspec.json.encode({"media": media}))
    scene = Scripted(
        BUSY, STANDS_AT_0, answer(409, b"{}"), STANDS_AT_4, b"nonsense", STANDS_AT_4, answer(204), BUSY, whole
    )
    taken = asyncio.run(scene.run(file))
    assert taken.id == "med_1"
    assert scene.requests == ["HEAD", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "GET", "GET"]
    assert "The service returned 503. The database does not answer. Retrying.\n" in scene.said


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ([answer(200)], r"\S+: the response does not say how much was received\. Check that the URL is .+"),
        ([answer(302, Location="/elsewhere")], r"The server responded with 302 Said\..+"),
        ([answer(401)], r"The server responded with 401 Said\. \(401 unknown\).*"),
        ([STANDS_AT_4, answer(204), answer(200, b"[]")], r"\S+: the response has no file, though .+"),
        ([STANDS_AT_4, answer(204), answer(200, b"<p>")], r"\S+ \S+: the response is not JSON\. Check .+"),
        ([STANDS_AT_4, problem(422, "Damaged.")], r"Damaged\. \(422 said\).*"),
        (
            [BUSY],
            r"The service returned 503\. This has lasted 0 minutes\. To resume: .+ --resume upl_.+",
        ),
    ],
)
def test_what_will_not_pass_ends_it(answers: list[bytes], line: str, tmp_path: Path) -> None:
    with pytest.raises(SocialgateError) as caught:
        asyncio.run(Scripted(*answers).run(make_file(tmp_path, 10), patience=0))
    assert re.fullmatch(line, str(caught.value))


def test_a_small_file_is_measured_in_small_units() -> None:
    for size, line in ((900, "100 %  900 of 900 bytes"), (1536, "100 %  1.5 of 1.5 KiB")):
        payload: list[str] = []
        ProgressDisplay(payload.append, size=size, live=False, clock=lambda: 0.0).show(size)
        assert payload == [f"{line}\n"]


def test_the_meter_tells_the_pace_of_the_last_seconds() -> None:
    payload: list[str] = []
    now = [0.0]
    meter = ProgressDisplay(payload.append, size=8000 * MIB, live=True, clock=lambda: now[0])
    for seconds, came in ((0, 800), (1, 810), (100, 1800), (105, 2000), (110, 2600), (111, 2500), (112, 8000)):
        now[0] = seconds
        meter.show(came * MIB)
    meter.end_line()
    assert [line.strip("\r").removesuffix("\x1b[K") for line in payload] == [
        " 10 %  800.0 of 8,000.0 MiB",
        " 10 %  810.0 of 8,000.0 MiB  10.0 MiB/s  11 min 59 s left",
        " 22 %  1,800.0 of 8,000.0 MiB  10.0 MiB/s  10 min 20 s left",
        " 25 %  2,000.0 of 8,000.0 MiB  11.4 MiB/s  8 min 44 s left",
        " 32 %  2,600.0 of 8,000.0 MiB  80.0 MiB/s  1 min 08 s left",
        " 31 %  2,500.0 of 8,000.0 MiB",
        "100 %  8,000.0 of 8,000.0 MiB  5,500.0 MiB/s",
        "\n",
    ]


def test_the_meter_shows_each_tenth_once_where_nothing_can_be_rewritten() -> None:
    payload: list[str] = []
    meter = ProgressDisplay(payload.append, size=100 * MIB, live=False, clock=lambda: 0.0)
    for came in (0, 5, 10, 15, 45, 44, 46, 100):
        meter.show(came * MIB)
    meter.print_line("done")
    assert [line.split()[0] for line in payload] == ["10", "45", "100", "done"]
