"""`python -m socialgate_sandbox.reference`: write the table of endpoints in the README from the code.

With `--check` nothing is written; the exit code is 1 if the table differs. Run it at the top of the repository.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from socialgate_sandbox.kernel.endpoints import Endpoint, group_endpoints
from socialgate_sandbox.kernel.vendor import EndpointCoverage, Vendor
from socialgate_sandbox.vendors import ALL_VENDORS

README = Path("sandbox/README.md")
_BEGIN_MARKER = "<!-- Endpoints, generated from the code by `make reference`. -->"
_END_MARKER = "<!-- End of the endpoints. -->"
_BLOCK_PATTERN = re.compile(rf"{re.escape(_BEGIN_MARKER)}\n.*?{re.escape(_END_MARKER)}\n", flags=re.DOTALL)


def main(arguments: Sequence[str], page: Path = README) -> int:
    text = page.read_text(encoding="utf-8")
    current = replace_tables(text, ALL_VENDORS)
    if current == text:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{page} does not show what the code says. Run `make reference`.\n")
        return 1
    page.write_text(current, encoding="utf-8")
    return 0


def replace_tables(text: str, vendors: Sequence[Vendor]) -> str:
    """Return a page with current tables between the two comments."""
    tables = "\n".join(line for vendor in vendors for line in _build_table(vendor))
    return _BLOCK_PATTERN.sub(lambda _: f"{_BEGIN_MARKER}\n\n{tables}\n{_END_MARKER}\n", text)


def _build_table(vendor: Vendor) -> Iterator[str]:
    yield from (f"### {vendor.title}", "", f"Mounted at `/{vendor.name}`.", "")
    yield "| Endpoints | Checked | Not checked |"
    yield "| --- | --- | --- |"
    for coverage, endpoints in group_endpoints(vendor):
        yield f"| {_format_endpoints(coverage, endpoints)} | {coverage.checked} | {coverage.not_checked} |"
    yield ""


def _format_endpoints(coverage: EndpointCoverage, endpoints: Sequence[Endpoint]) -> str:
    rows = [f"**{coverage.title}**", *(f"`{', '.join(endpoint.methods)} {endpoint.path}`" for endpoint in endpoints)]
    if coverage.actions:
        rows.append("with " + ", ".join(f"`{action}`" for action in coverage.actions))
    return "<br>".join(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
