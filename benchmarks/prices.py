"""What a capability costs, in lines per connector and per simulated vendor: `python -m benchmarks.prices [capability]`.

A capability has its own file, or its own few files, in each folder of a platform. What it adds to files that others
share (a line of the manifest, a case of the webhooks) shows with `--since COMMIT`, which counts every line that was
inserted in a folder since then, less those that were deleted.

A bar is for one API: YouTube and Business Profiles are two, with hosts, errors and shapes of their own, and so are
Pages and Instagram. In the sandbox each product of a platform has its folder; in a connector `_PRODUCTS` tells their
files apart. A platform without products counts as a whole. Products that a vendor serves with one API share a folder,
which then has as many bars as products (`_SHARED_FOLDERS`). Tables of names, as of metrics, and files with the shapes
of a vendor's JSON are shown beside the code and are not part of the bars. `graph` is what Meta's products and Threads
share; it has no bar either. Ads count by themselves (`ads`), also where their files have the names of others. With
`--check`, the exit status is 1 if anything is above its bar.

Some code of a capability is older than the capability: the simulated vendors took comments and messages before the
product had them. The column `before` shows the lines of such files in the commit before the capability was added
(`_BEFORE`), read from the history of the repository. The bar is for what a vendor has beyond them. Where one file was
about two products, it is for both together.
"""

import argparse
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_SIDES = {"connector": Path("src/socialgate/connectors"), "sandbox": Path("sandbox/src/socialgate_sandbox/vendors")}
# Where the simulated vendors were when the commits of `_BEFORE` were made.
_VENDORS_BEFORE = Path("src/socialgate/sandbox/vendors")
# The files of each capability, by how their names begin, and the most lines per connector and per simulated vendor.
_FILES: Mapping[str, tuple[str, ...]] = {
    "comments": ("comments", "replies", "reviews"),
    "commerce": ("commerce", "catalogs", "products", "product_nodes"),
    # What arrives is read in a file of its own where it takes many shapes.
    "messages": ("messages", "incoming", "bodies", "chats", "conversations", "private_replies", "people"),
    # What messages need besides: stored files, templates, blocked people, groups. It has no bar.
    "around messages": ("attachments", "blocking", "contacts", "rooms", "templates"),
    "insights": ("insights", "audiences", "counters", "subscribers"),
}
# The files beside the code of a capability that only list names or describe a vendor's JSON.
_TABLES: Mapping[str, str] = {"insights": "metrics", "messages": "shapes"}
_PRODUCTS: Mapping[tuple[str, str], str] = {("google", "comments"): "youtube", ("google", "reviews"): "places"}
_SHARED = {"graph"}
# Ads have a folder of their own; where the whole platform is about advertising, these files of the simulated vendor.
_ADS: Mapping[str, tuple[str, ...]] = {
    "tiktokads": (
        "adgroups", "ads", "assets", "audiences", "campaigns", "conversions", "identities", "objects", "pixels",
        "reports", "targeting",
    ),
}  # fmt: skip
# A platform with a file that only has the same name as those of a capability.
_NAMESAKES = {("messages", "openai")}
# The products that share a folder of a simulated vendor, by capability and folder.
_SHARED_FOLDERS: Mapping[tuple[str, str], tuple[str, ...]] = {
    # One Send API and one list of conversations: only the recipient's id, or a parameter, says which product it is.
    ("messages", "meta messaging"): ("Messenger", "Instagram messaging"),
}
# The last commit without the capability, and the files of simulated vendors that had some of it by then.
_BEFORE: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "comments": ("973ceec4fecbef86eb87ce1234f9e8f2f015bb16", {"google youtube": ("comments",), "meta": ("comments",)}),
    "messages": (
        "565e824083703771ed80c6de523290872386a1f7",
        {
            "telegram": ("messages",),
            "wasender": ("messages", "publish", "people"),
            "whatsapp_cloud": ("messages", "chat", "inbound", "bodies"),
        },
    ),
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
    parser.add_argument("--check", action="store_true", help="fail if anything is above its bar")
    given = parser.parse_args()
    if given.since:
        _print("all changes", *(dict(_changed(folder, given.since)) for folder in _SIDES.values()))
        return
    above: list[str] = []
    for capability in [given.capability] if given.capability else {**_MOST, **_FILES, "ads": ()}:
        counted = {side: _counted(folder, capability) for side, folder in _SIDES.items()}
        before = _counted_before(*_BEFORE[capability]) if capability in _BEFORE else {}
        _print(capability, counted["connector"], counted["sandbox"], before)
        above += _above(capability, counted, before)
        for side, folder in _SIDES.items() if capability in _TABLES else ():
            name, platforms = _TABLES[capability], counted[side]
            tables = {
                one: lines for one, lines in _counted(folder, name).items() if one in platforms and " " not in one
            }
            print(f"  {name}, {side}: {', '.join(f'{one} {lines}' for one, lines in tables.items()) or 'none'}\n")
    if given.check and above:
        raise SystemExit("Above the bar: " + ", ".join(above))


def _above(capability: str, counted: Mapping[str, Mapping[str, int]], before: Mapping[str, int]) -> list[str]:
    """List what takes more lines than it may, if there is a bar."""
    bars = dict(zip(counted, _MOST.get(capability, ()), strict=False))
    return [
        f"{capability} of {platform}, {side} ({lines} lines)"
        for side, bar in bars.items()
        for platform, lines in counted[side].items()
        if lines - (before.get(platform, 0) if side == "sandbox" else 0) > bar * _bars(capability, platform)
        and _has_bar(platform, counted[side], before)
    ]


def _bars(capability: str, platform: str) -> int:
    """Return how many bars are for this: one, or one for each product that shares the folder."""
    return max(1, len(_SHARED_FOLDERS.get((capability, platform), ())))


def _has_bar(platform: str, counted: Mapping[str, int], before: Mapping[str, int]) -> bool:
    """Whether a bar is for this: a product, or a platform that has none or whose products were one before."""
    folder, _, product = platform.partition(" ")
    has_products = any(one.startswith(f"{folder} ") for one in counted)
    return folder not in _SHARED and (folder not in before if product else not has_products or folder in before)


def _counted(folder: Path, capability: str) -> dict[str, int]:
    """Count the lines of each platform, and (as `platform product`) of its products."""
    found: Counter[str] = Counter()
    for path in sorted((_ROOT / folder).rglob("*.py")):
        platform, *inner = path.relative_to(_ROOT / folder).parts
        if not inner or not _is_of(capability, platform, inner):
            continue
        product = inner[0] if len(inner) > 1 else _PRODUCTS.get((platform, path.stem), "")
        for name in {platform, f"{platform} {product}".rstrip()}:
            found[name] += len(path.read_text().splitlines())
    return dict(found)


def _is_of(capability: str, platform: str, inner: list[str]) -> bool:
    stem = Path(inner[-1]).stem
    is_of_ads = inner[0] == "ads" or (len(inner) == 1 and stem in _ADS.get(platform, ()))
    if is_of_ads or capability == "ads":
        return is_of_ads and capability == "ads"
    return stem.startswith(_FILES.get(capability, (capability,))) and (capability, platform) not in _NAMESAKES


def _counted_before(commit: str, files: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Count the lines of files of simulated vendors in an earlier commit."""
    found: Counter[str] = Counter()
    for platform, stems in files.items():
        folder = _VENDORS_BEFORE / platform.partition(" ")[0]
        for stem in stems:
            found[platform] += len(_git("show", f"{commit}:{folder}/{stem}.py").splitlines())
    return dict(found)


def _git(*words: str) -> str:
    # Fixed words, and a commit from this file or from the caller.
    return subprocess.run(["git", *words], cwd=_ROOT, check=True, capture_output=True, text=True).stdout


def _changed(folder: Path, since: str) -> Iterator[tuple[str, int]]:
    lines: dict[str, int] = {}
    for row in _git("diff", "--numstat", since, "--", str(folder)).splitlines():
        added, removed, path = row.split("\t")
        platform = Path(path).relative_to(folder).parts[0]
        lines[platform] = lines.get(platform, 0) + int(added) - int(removed)
    yield from sorted(lines.items())


def _print(
    title: str, connectors: Mapping[str, int], vendors: Mapping[str, int], before: Mapping[str, int] | None = None
) -> None:
    most = _MOST.get(title, (0, 0))
    print(f"{title:18}{'connector':>12}{'sandbox':>12}{'before' if before else '':>12}".rstrip())
    for platform in sorted({*connectors, *vendors}):
        folder, _, product = platform.partition(" ")
        name = f"  {product}" if product else folder
        old = f"{_number(before, platform):>12}" if before else ""
        print(f"  {name:16}{_number(connectors, platform):>12}{_number(vendors, platform):>12}{old}")
    if any(most):
        print(f"  {'at most':16}{most[0]:>12}{most[1]:>12}")
    for (capability, platform), products in _SHARED_FOLDERS.items():
        if capability == title:
            print(f"  {platform}, sandbox: at most {most[1] * len(products)} for {' and '.join(products)}")
    print(f"  {'together':16}{_together(connectors):>12}{_together(vendors):>12}\n")


def _together(lines: Mapping[str, int]) -> int:
    return sum(count for platform, count in lines.items() if " " not in platform)


def _number(lines: Mapping[str, int], platform: str) -> str:
    return str(lines[platform]) if platform in lines else "-"


if __name__ == "__main__":
    main()
