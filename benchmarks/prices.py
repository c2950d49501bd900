"""What a capability costs, in lines per connector and per simulated vendor: `python -m benchmarks.prices [capability]`.

A capability has its own file, or its own few files, in each folder of a platform. What it adds to files that others
share (a line of the manifest, a case of the webhooks) shows with `--since COMMIT`, which counts every line that was
inserted in a folder since then, less those that were deleted.

Google and Meta have several products in one folder, each with an API of its own for the same capability: `_PRODUCTS`
tells their files apart, and a product counts as a vendor. Tables of names, as of metrics, are shown beside the code and
are not part of the bars. `graph` is what Meta's products and Threads share.
"""

import argparse
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_SOURCE = Path("src/socialgate")
_SIDES = {"connector": _SOURCE / "connectors", "sandbox": _SOURCE / "sandbox" / "vendors"}
# The files of each capability, by how their names begin, and the most lines per connector and per simulated vendor.
_FILES: Mapping[str, tuple[str, ...]] = {
    "comments": ("comments", "comment_nodes", "conversation", "replies", "reviews"),
    "commerce": ("commerce", "catalogs", "products", "product_nodes"),
    "insights": (
        *("insights", "page_insights", "instagram_insights", "youtube_insights", "place_insights"),
        *("audiences", "counters", "subscribers"),
    ),
}
_TABLES: Mapping[str, str] = {"insights": "metrics"}
_PRODUCTS: Mapping[str, Mapping[str, str]] = {
    "insights": {
        "page_insights": "meta Pages",
        "instagram_insights": "meta Instagram",
        "youtube_insights": "google YouTube",
        "place_insights": "google places",
        "audiences": "{}, all",
    }
}
_MOST: Mapping[str, tuple[int, int]] = {
    "comments": (150, 120),
    # Four objects (catalogs, products, sets, shops) and the translation of filters.
    "commerce": (650, 600),
    "insights": (150, 100),
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
        stems, products = _FILES.get(capability, (capability,)), _PRODUCTS.get(capability, {})
        _print(capability, *(_counted(folder, stems, products) for folder in _SIDES.values()))
        for side, folder in _SIDES.items() if capability in _TABLES else ():
            tables = _counted(folder, (_TABLES[capability],), {})
            print(f"  tables, {side}: {', '.join(f'{platform} {lines}' for platform, lines in tables.items())}\n")


def _counted(folder: Path, stems: tuple[str, ...], products: Mapping[str, str]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for platform in sorted(path for path in (_ROOT / folder).iterdir() if path.is_dir()):
        for path in platform.rglob("*.py"):
            first = Path(path.relative_to(platform).parts[0]).stem
            if first.startswith(stems):
                found[products.get(first, platform.name).format(platform.name)] += len(_lines(path))
    return dict(found)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


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
    print(f"{title:18}{'connector':>12}{'sandbox':>12}")
    for platform in sorted({*connectors, *vendors}):
        print(f"  {platform:16}{_number(connectors, platform):>12}{_number(vendors, platform):>12}")
    if any(most):
        print(f"  {'at most':16}{most[0]:>12}{most[1]:>12}")
    print(f"  {'together':16}{sum(connectors.values()):>12}{sum(vendors.values()):>12}\n")


def _number(lines: Mapping[str, int], platform: str) -> str:
    return str(lines[platform]) if platform in lines else "-"


if __name__ == "__main__":
    main()
