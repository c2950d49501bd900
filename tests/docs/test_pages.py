"""The pages that people write: no dead link, and every decision in its place."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", flags=re.MULTILINE)


def pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in sorted(listed.stdout.split()) if (ROOT / name).exists()]


def prose_of(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """Name the headings as renderers of Markdown do in links."""
    headings = _HEADING.findall(prose_of(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    for target in _LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{target} leads nowhere"
        assert file.is_relative_to(ROOT), f"{target} leads out of the repository"
        if anchor:
            assert anchor in anchors_of(file), f"{target} names no heading"


# In the changelog, the changes of each version have the same headings.
@pytest.mark.parametrize(
    "page", [page for page in pages() if page.name != "CHANGELOG.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_headings_do_not_clash(page: Path) -> None:
    headings = _HEADING.findall(prose_of(page))
    assert len(anchors_of(page)) == len(headings)


def test_pictures_are_shown_and_small() -> None:
    """A clone need not fetch megabytes: `make screenshots` writes them with few colors."""
    pictures = [*(ROOT / "docs" / "pictures").iterdir()]
    assert pictures
    assert sum(picture.stat().st_size for picture in pictures) <= 1024 * 1024
    texts = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = "".join(path.read_text(encoding="utf-8") for path in texts)
    assert all(f"pictures/{picture.name})" in shown for picture in pictures)


def test_decisions_are_numbered_without_a_gap_and_listed_in_the_index() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    files = sorted(path.name for path in DECISIONS.iterdir() if path.name != "README.md")
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in files)
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    titles = [re.sub(r"^# \d+\. ", "", _HEADING.search((DECISIONS / name).read_text())[0]) for name in files]  # type: ignore[index]
    rows = [f"| [{name[:4]}]({name}) | {title} |" for name, title in zip(files, titles, strict=True)]
    assert re.findall(r"^\| \[.*$", index, flags=re.MULTILINE) == rows


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("[0-9]*.md")), ids=lambda page: page.stem)
def test_a_decision_has_its_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == [
        "Context",
        "Decision",
        "Alternatives looked at",
        "Consequences",
    ]


def test_every_page_of_the_repository_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        names = (target.partition("#")[0] for target in _LINK.findall(prose_of(page)))
        linked = [(page.parent / name).resolve() for name in names if name.endswith(".md") and ":" not in name]
        waiting += linked
    assert {str(page.relative_to(ROOT)) for page in pages()} - {str(page.relative_to(ROOT)) for page in seen} == set()
