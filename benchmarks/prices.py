"""What each capability costs on each network, in lines: `python -m benchmarks.prices [capability]`.

Every file of a connector and of a simulated vendor belongs to one capability: by its folder, or by how its name begins.
What belongs to none is what all capabilities of a network need (`platform`): sign-in, accounts, webhooks, errors, the
client. Descriptions of a vendor's JSON and tables of its names count like any other code. Only what lies beside the
folders of the networks, and serves all of them, has no price.

`prices.tsv` has a bar for each figure, which is the figure of the last change. `--check` fails if anything is above its
bar. A change that raises a bar says why, beside the figure: `--update --why "..."` writes the new figures with this
reason, and `--update` alone writes those that fell. The table also has the lowest figure so far, so that a bar above it
without a reason is noticed.
"""

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

_ROOT = Path(__file__).resolve().parent.parent
_BARS = Path(__file__).with_suffix(".tsv")
_CONNECTORS = _ROOT / "src" / "socialgate" / "connectors"
_SANDBOX = _ROOT / "sandbox" / "src" / "socialgate_sandbox"
# The folders of the networks are in these.
SIDES: Mapping[str, Sequence[Path]] = {
    "connector": (_CONNECTORS,),
    "sandbox": (_SANDBOX / "vendors", _SANDBOX / "dialects"),
}
_PLATFORM = "platform"
# Networks that are there for one thing.
_NETWORKS: Mapping[str, str] = {"openai": "generation", "stripe": "payments"}
_FOLDERS: Mapping[str, str] = {
    "ads": "ads",
    "calendar": "calendar",
    "commerce": "commerce",
    "leads": "leads",
    "messaging": "messages",
}
# How the names of files begin, after what they are named for on networks with several kinds of accounts.
_FILES: Mapping[str, re.Pattern[str]] = {
    capability: re.compile(rf"(?:instagram_|page_|profile_|app_)?(?:{pattern})")
    for capability, pattern in {
        "posts": r"post|local_post|page_publ|instagram_publ|publish|youtube|video|upload|media|metadata|content"
        r"|container|forms|faults|formatting|poll",
        "comments": r"comment|repl|review",
        "messages": r"message|incoming|bodies|chat|conversation|private_repl|people|attachment|blocking|contact|room"
        r"|template",
        "insights": r"insights|metrics|audience|counters|subscribers",
        "commerce": r"commerce|catalog|product",
        "leads": r"lead",
        "calendar": r"calendar",
    }.items()
}
# Files whose names mean something else on one network.
_EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("telegram", "payloads"): "messages",
    ("telegram", "api_objects"): "messages",
    ("telegram", "message_contents"): "posts",
    ("telegram", "send_methods"): "posts",
    ("wasender", "payloads"): "messages",
    ("whatsapp_cloud", "media_nodes"): "messages",
    ("whatsapp_cloud", "blocked_users"): "messages",
    ("whatsapp_cloud", "send_api"): "messages",
    ("google", "comment_errors"): "platform",
    ("threads", "publishing_quota"): "platform",
    ("wasender", "media"): "messages",
    ("threads", "options"): "posts",
    # The simulated vendor is about nothing else, and has no folder for it.
    **{
        ("tiktokads", stem): "ads"
        for stem in (
            "ad_objects", "adgroups", "ads", "assets", "audiences", "campaigns", "conversions", "identities", "pixels",
            "reports", "targeting",
        )
    },
}  # fmt: skip
_HEAD = ("capability", "network", "side", "lines", "lowest", "why")

# The capability, the network, and the side.
Key: TypeAlias = tuple[str, str, str]


class Bar(NamedTuple):
    """The most lines, the fewest that it ever had, and why there are more now."""

    lines: int
    lowest: int
    why: str = ""


class Unexplained(Exception):
    """A figure rose, and nobody says why."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the lines of capabilities.")
    parser.add_argument("capability", nargs="?", help="which one; all of them otherwise")
    parser.add_argument("--check", action="store_true", help="fail if anything is above its bar")
    parser.add_argument("--update", action="store_true", help="write the figures of today as bars")
    parser.add_argument("--why", default="", help="why figures rise with this change")
    options = parser.parse_args()
    prices, bars = count_lines(SIDES), read_bars(_BARS)
    if options.update:
        try:
            bars = update_bars(prices, bars, options.why)
        except Unexplained as unexplained:
            raise SystemExit(str(unexplained)) from None
        write_bars(_BARS, bars)
    _print(prices, bars, options.capability)
    if options.check and (problems := list(find_problems(prices, bars))):
        raise SystemExit("\n".join(problems))


def count_lines(sides: Mapping[str, Sequence[Path]]) -> dict[Key, int]:
    prices: Counter[Key] = Counter()
    for side, folders in sides.items():
        for folder in folders:
            for path in folder.rglob("*.py"):
                network, *inner = path.relative_to(folder).with_suffix("").parts
                if inner:
                    prices[_capability_of(network, inner), network, side] += len(path.read_text().splitlines())
    return dict(prices)


def _capability_of(network: str, inner: Sequence[str]) -> str:
    *folders, stem = inner
    if network in _NETWORKS:
        return _NETWORKS[network]
    for folder in folders:
        if folder in _FOLDERS:
            return _FOLDERS[folder]
    if (network, stem) in _EXCEPTIONS:
        return _EXCEPTIONS[network, stem]
    return next((capability for capability, names in _FILES.items() if names.match(stem)), _PLATFORM)


def find_problems(prices: Mapping[Key, int], bars: Mapping[Key, Bar]) -> Iterator[str]:
    """List what is above its bar, what has none, and bars that are raised without a reason or for nothing."""
    for key in sorted({*prices, *bars}):
        name, bar = " ".join(key), bars.get(key)
        if bar is None:
            yield f"{name} has {prices[key]} lines and no bar. Run `python -m benchmarks.prices --update`."
        elif key not in prices:
            yield f"{name} has a bar and no lines. Run `python -m benchmarks.prices --update`."
        elif prices[key] > bar.lines:
            value = 'Share what others need too, or run `python -m benchmarks.prices --update --why "..."`.'
            yield f"{name} has {prices[key]} lines, {prices[key] - bar.lines} above its bar. {value}"
        elif bar.lines > bar.lowest and not bar.why:
            yield f"The bar of {name} was raised from {bar.lowest} to {bar.lines}. Write beside it why."


def update_bars(prices: Mapping[Key, int], bars: Mapping[Key, Bar], why: str) -> dict[Key, Bar]:
    """Make the figures of today the bars. What is new needs no reason."""
    raised = [" ".join(key) for key, lines in prices.items() if key in bars and lines > bars[key].lines]
    if raised and not why:
        raise Unexplained(f'Say with --why "..." why these have more lines now: {", ".join(sorted(raised))}')
    return {key: _update_bar(lines, bars.get(key), why) for key, lines in prices.items()}


def _update_bar(lines: int, bar: Bar | None, why: str) -> Bar:
    if bar is None or lines <= bar.lowest:
        return Bar(lines, lines)
    return Bar(lines, bar.lowest, why if lines > bar.lines else bar.why)


def read_bars(path: Path) -> dict[Key, Bar]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, dialect="excel-tab"))
    return {
        (row["capability"], row["network"], row["side"]): Bar(int(row["lines"]), int(row["lowest"]), row["why"] or "")
        for row in rows
    }


def write_bars(path: Path, bars: Mapping[Key, Bar]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, dialect="excel-tab", lineterminator="\n")
        writer.writerow(_HEAD)
        writer.writerows((*key, *bar) for key, bar in sorted(bars.items()))


def _print(prices: Mapping[Key, int], bars: Mapping[Key, Bar], expected: str | None) -> None:
    for capability in sorted({key[0] for key in prices}):
        if expected not in {None, capability}:
            continue
        of_capability = {key[1:]: lines for key, lines in prices.items() if key[0] == capability}
        print(f"{capability:18}{'connector':>12}{'sandbox':>12}")
        for network in sorted({network for network, _ in of_capability}):
            cells = [_cell(of_capability.get((network, side)), bars.get((capability, network, side))) for side in SIDES]
            print(f"  {network:16}" + "".join(f"{cell:>12}" for cell in cells))
        sums = [sum(lines for (_, value), lines in of_capability.items() if value == side) for side in SIDES]
        print(f"  {'together':16}" + "".join(f"{lines:>12}" for lines in sums) + "\n")


def _cell(lines: int | None, bar: Bar | None) -> str:
    """Show a figure, and how far it is above its bar."""
    if lines is None:
        return "-"
    above = lines - bar.lines if bar else 0
    return f"{lines} (+{above})" if above > 0 else str(lines)


if __name__ == "__main__":
    main()
