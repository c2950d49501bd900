"""Which tests `make quick` runs after a change."""

from functools import cache

import pytest

from affected import CORE, ROOT, Graph, affected, import_graph


@cache
def graph() -> Graph:
    return import_graph(
        str(path.relative_to(ROOT)) for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")
    )


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/socialgate/areas/posts/store.py", "tests/areas/test_posts_due.py"),
        ("src/socialgate/connectors/meta/post_formats.py", "tests/connectors/meta/test_meta_publishing.py"),
        ("src/socialgate/connectors/publishing_stages.py", "tests/connectors/test_publishing_laws.py"),
        ("src/socialgate/core/egress.py", "tests/core/test_egress_names.py"),
        ("tests/support/publishing.py", "tests/connectors/test_publishing_laws.py"),
        ("tests/web/test_edits.py", "tests/web/test_edits.py"),
    ],
)
def test_what_is_named_after_a_change_or_imports_it_is_run(changed: str, test: str) -> None:
    chosen = affected(graph(), [changed])
    assert test in chosen
    assert set(CORE) <= set(chosen)
    assert len(chosen) < len([path for path in graph() if "/test_" in path]) / 2


def test_what_is_nearer_is_run_first() -> None:
    chosen = affected(graph(), ["src/socialgate/connectors/publishing_stages.py"])
    assert chosen.index("tests/connectors/test_publishing_laws.py") < chosen.index("tests/journeys/test_customer.py")


def test_a_change_of_a_page_runs_the_core_at_least() -> None:
    assert set(CORE) <= set(affected(graph(), ["docs/backup.md"]))
