"""Run the examples of the guides: `python guides.py FILE`, which lists each with its page.

The examples of a page share their names. What happens is written to stderr: a mark before each example, and failures.
"""

import json
import sys
import traceback
from pathlib import Path
from typing import Any


class Arrived(Exception):
    """The first event of a stream, which would never end."""


def stop(*_: object) -> None:
    raise Arrived


def report(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main(path: str) -> None:
    steps = json.loads(Path(path).read_text(encoding="utf-8"))
    names: dict[str, dict[str, Any]] = {}
    failed = set()
    for step in steps:
        page = step["page"]
        if page in failed:
            continue
        report(f"== {page} {step['number']} {json.dumps(step['follows'])}")
        variables = names.setdefault(page, {})
        variables["print"] = stop if step["follows"] else lambda *_: None
        try:
            exec(compile(step["code"], f"{page} {step['number']}", "exec"), variables)  # noqa: S102 - our own texts
        except Arrived:
            pass
        except Exception:  # noqa: BLE001 - whatever it is, the other pages go on
            failed.add(page)
            report(f"!! {' '.join(traceback.format_exc().split())}")


main(sys.argv[1])
