"""What a capability costs, in lines per connector and per simulated vendor: `python -m benchmarks.prices [capability]`.

A capability has its own file, or its own few files, in each folder of a platform. What it adds to files that others
share (a line of the manifest, a case of the webhooks) shows with `--since COMMIT`, which counts every line that was
inserted in a folder since then, less those that were deleted.
"""

import argparse
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_SOURCE = Path("src/socialgate")
_SIDES = {"connector": _SOURCE / "connectors", "sandbox": _SOURCE / "sandbox" / "vendors"}
# The files of each capability, by how their names begin, and the most lines per connector and per simulated vendor.
_FILES: Mapping[str, tuple[str, ...]] = {
    "comments": ("comments", "comment_nodes", "conversation", "replies", "reviews"),
    "commerce": ("commerce", "catalogs", "products", "product_nodes"),
}
_MOST: Mapping[str, tuple[int, int]] = {
    "comments": (150, 120),
    # Four objects (catalogs, products, sets, shops) and the translation of filters.
    "commerce": (650, 600),
    "insights": (150, 120),
    "messages": (250, 200),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the lines of capabilities.")
    parser.add_argument("capability", nargs="?", help="which one; all of them otherwise")
    parser.add_argument("--since", help="count what changed in the folders since this commit instead")
    given = parser.parse_args()
    if given.since:
        _print("all changes", *(dict(_changed(folder, given.since)) for folder in _SIDES.values()))
        return
    for capability in [given.capability] if given.capability else _MOST:
        stems = _FILES.get(capability, (capability,))
        _print(capability, *(dict(_counted(folder, stems)) for folder in _SIDES.values()))


def _counted(folder: Path, stems: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for platform in sorted(path for path in (_ROOT / folder).iterdir() if path.is_dir()):
        files = [path for path in platform.rglob("*.py") if path.relative_to(platform).parts[0].startswith(stems)]
        if files:
            yield platform.name, sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def _changed(folder: Path, since: str) -> Iterator[tuple[str, int]]:
    # Fixed words and a commit that the caller names.
    command = ["git", "diff", "--numstat", since, "--", str(folder)]
    told = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    lines: dict[str, int] = {}
    for row in told.splitlines():
        added, removed, path = row.split("\t")
        platform = Path(path).relative_to(folder).parts[0]
        lines[platform] = lines.get(platform, 0) + int(added) - int(removed)
    yield from sorted(lines.items())


def _print(title: str, connectors: Mapping[str, int], vendors: Mapping[str, int]) -> None:
    most = _MOST.get(title, (0, 0))
    print(f"{title:16}{'connector':>12}{'sandbox':>12}")
    for platform in sorted({*connectors, *vendors}):
        print(f"  {platform:14}{_number(connectors, platform):>12}{_number(vendors, platform):>12}")
    if any(most):
        print(f"  {'at most':14}{most[0]:>12}{most[1]:>12}")
    print(f"  {'together':14}{sum(connectors.values()):>12}{sum(vendors.values()):>12}\n")


def _number(lines: Mapping[str, int], platform: str) -> str:
    return str(lines[platform]) if platform in lines else "-"


if __name__ == "__main__":
    main()
