"""`socialgate fit`: what would be done with a file, without a service."""

from pathlib import Path

import pytest
from PIL import Image

from journeys.commands import run, run_afresh
from support.conversions import film, save

_H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart")


def test_what_would_be_changed_is_shown_and_written(tmp_path: Path) -> None:
    (tmp_path / "wide.heic").write_bytes(save(Image.new("RGB", (800, 100), "teal"), "HEIF"))
    shown = run_afresh(tmp_path, "fit", "wide.heic", "--for", "instagram", "--output", "wide.jpg")
    assert (shown.returncode, shown.stderr) == (0, "")
    first, *lines = shown.stdout.splitlines()
    assert first.startswith("wide.heic: image/heic, 800 x 100, ")
    assert lines[0] == "Instagram: would be changed."
    assert lines[1] == "  format: image/heic → image/jpeg. Instagram accepts image/jpeg."
    assert "800 x 419 with margins of #ffffff" in lines[2]
    with Image.open(tmp_path / "wide.jpg") as result:
        assert (result.format, result.size) == ("JPEG", (800, 419))


def test_a_file_that_does_not_fit_says_why(tmp_path: Path) -> None:
    clip = film("mp4", *_H264)
    (tmp_path / "clip.mp4").write_bytes(clip)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    every = run(tmp_path, "fit", "clip.mp4")
    assert every.returncode == 0, every.stdout
    assert "YouTube channel: accepted as it is." in every.stdout
    refused = run(tmp_path, "fit", "clip.mp4", "--for", "google_business")
    assert (refused.returncode, refused.stdout.count("does not fit. ")) == (1, 1)
    (tmp_path / "half.bmp").write_bytes(save(Image.new("RGB", (80, 80), "navy"), "BMP")[:-5000])
    half = run(tmp_path, "fit", "half.bmp", "--for", "instagram", "--output", "half.jpg")
    assert (half.returncode, half.stdout.count("does not fit. ")) == (1, 1), half.stdout
    assert not (tmp_path / "half.jpg").exists()
    broken = run(tmp_path, "fit", "broken.png")
    assert broken.returncode == 1
    assert broken.stdout.startswith("broken.png cannot be used: ")


def test_what_cannot_be_asked_is_one_line(tmp_path: Path) -> None:
    for arguments, expected in (
        (("none.jpg",), "There is no file none.jpg."),
        (("none.jpg", "--for", "myspace"), "There is no platform `myspace`. Use one of: facebook_page, "),
        (("none.jpg", "--for", "instagrm"), "There is no platform `instagrm`. Did you mean instagram? Use one of: "),
        (("none.jpg", "--form", "rel"), "None of these platforms has posts of the form `rel`. Did you mean reel? Use"),
        (
            ("none.jpg", "--form", "banana", "--for", "instagram"),
            "Instagram has no posts of the form `banana`. Use one of: post, reel, story.",
        ),
        (
            ("none.jpg", "--form", "reel", "--for", "threads"),
            "Threads has no posts of the form `reel`. Use one of: post.",
        ),
        (("none.jpg", "--background", "banana"), "--background is a color such as #ffffff, or `blur`."),
        (("n" * 300,), "There is no file nnn"),
        (("none.jpg", "--output", "x"), "--output needs one kind of account with --for: facebook_page, "),
    ):
        finished = run(tmp_path, "fit", *arguments)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr.startswith(f"socialgate: {expected}")


def test_the_original_is_never_overwritten(tmp_path: Path) -> None:
    original = save(Image.new("RGB", (800, 100), "teal"), "PNG")
    (tmp_path / "wide.png").write_bytes(original)
    (tmp_path / "link.png").symlink_to("wide.png")
    (tmp_path / "same.png").hardlink_to(tmp_path / "wide.png")
    for output in ("wide.png", "./wide.png", "link.png", "same.png"):
        finished = run(tmp_path, "fit", "wide.png", "--for", "instagram", "--output", output)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr.startswith("socialgate: --output would overwrite wide.png. Choose another name")
        assert (tmp_path / "wide.png").read_bytes() == original


def test_an_output_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "wide.png").write_bytes(save(Image.new("RGB", (800, 100), "teal"), "PNG"))
    for output in (".", "missing/wide.jpg"):
        finished = run(tmp_path, "fit", "wide.png", "--for", "instagram", "--output", output)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr.startswith("socialgate: --output is the name of a file in a folder that exists")


def test_a_mode_that_does_not_exist_lists_those_that_do(tmp_path: Path) -> None:
    finished = run(tmp_path, "fit", "none.jpg", "--fit", "banana")
    assert finished.returncode == 2
    assert "'banana' is not one of 'auto', 'pad', 'crop', 'none'" in finished.stderr


def test_a_form_is_shown_for_the_platforms_that_have_it(tmp_path: Path) -> None:
    (tmp_path / "wide.png").write_bytes(save(Image.new("RGB", (800, 100), "teal"), "PNG"))
    shown = run(tmp_path, "fit", "wide.png", "--form", "story")
    assert [line.partition(":")[0] for line in shown.stdout.splitlines() if not line.startswith(" ")] == [
        "wide.png",
        "Facebook Page",
        "Instagram",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("photo#1.png", "photo#1.png"),
        ("a b%20c?.png", "a b%20c?.png"),
        ("two\nlines.png", "two lines.png"),
        ("panader\u00eda \u9eb5\u5305.png", "panader\u00eda \u9eb5\u5305.png"),
        ("[red]\\.png", "[red]\\.png"),
    ],
)
@pytest.mark.parametrize("folder", [".", "fo%l d#er"])
def test_files_may_have_any_name(tmp_path: Path, folder: str, name: str, shown: str) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    for suffix, data in (("", save(Image.new("RGB", (800, 100), "teal"), "PNG")), (".mp4", film("mp4", *_H264))):
        (tmp_path / folder / f"{name}{suffix}").write_bytes(data)
        finished = run(tmp_path, "fit", f"{folder}/{name}{suffix}", "--for", "facebook_page", "--output", f"{name}.out")
        assert (finished.returncode, finished.stderr) == (0, ""), finished.stdout
        assert finished.stdout.startswith(f"{shown}{suffix}: "), finished.stdout
        assert (tmp_path / f"{name}.out").stat().st_size


def test_what_the_command_may_not_read_or_write_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "wide.png").write_bytes(save(Image.new("RGB", (800, 100), "teal"), "PNG"))
    finished = run(tmp_path, "fit", "wide.png", "--for", "instagram", "--output", "x" * 252 + ".jpg")
    assert (finished.returncode, finished.stderr.count("\n")) == (2, 1), finished.stderr
    assert finished.stderr.endswith("cannot be written: File name too long.\n")
