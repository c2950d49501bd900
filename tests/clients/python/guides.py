"""Run the examples of the guides: `python guides.py FILE`, which lists each with its page.

The examples of a page share their names. What happens is written to stderr: a mark before each example, and failures.
"""

import json
import sys
import traceback
from typing import Any


class Arrived(Exception):
    """The first event of a stream, which would never end."""


def stop(*_: object) -> None:
    raise Arrived


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        steps = json.load(file)
    names: dict[str, dict[str, Any]] = {}
    failed = set()
    for step in steps:
        page = step["page"]
        if page in failed:
            continue
        print(f"== {page} {step['number']} {json.dumps(step['follows'])}", file=sys.stderr, flush=True)
        variables = names.setdefault(page, {})
        variables["print"] = stop if step["follows"] else lambda *_: None
        try:
            exec(compile(step["code"], f"{page} {step['number']}", "exec"), variables)
        except Arrived:
            pass
        except Exception:  # noqa: BLE001 - whatever it is, the other pages go on
            failed.add(page)
            print("!!", " ".join(traceback.format_exc().split()), file=sys.stderr, flush=True)


main(sys.argv[1])
