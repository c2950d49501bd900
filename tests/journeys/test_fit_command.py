"""`socialgate fit`: what would be done with a file, without a service."""

from pathlib import Path

from PIL import Image

from journeys.commands import run, run_afresh
from support.conversions import film, save


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
    clip = film("mp4", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
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
