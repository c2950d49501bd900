"""The list of endpoints: complete, and in the README as the code has it."""

import subprocess
import sys
from pathlib import Path

import pytest

from socialgate_sandbox.kernel.endpoints import group_endpoints, list_endpoints
from socialgate_sandbox.kernel.vendor import EndpointCoverage, Route, Vendor
from socialgate_sandbox.kit import AppRegistration, build_json_response
from socialgate_sandbox.reference import main
from socialgate_sandbox.vendors import ALL_VENDORS

ROOT = Path(__file__).parents[2]
each_vendor = pytest.mark.parametrize("vendor", ALL_VENDORS, ids=lambda vendor: vendor.name)


@each_vendor
def test_every_endpoint_says_what_it_checks(vendor: Vendor) -> None:
    assert [each.path for each in list_endpoints(vendor) if not each.group or not each.checked] == []


@each_vendor
def test_every_group_has_endpoints_and_a_title_of_its_own(vendor: Vendor) -> None:
    assert [coverage.title for coverage, _ in group_endpoints(vendor)] == [
        coverage.title for coverage in vendor.coverage
    ]
    assert all(coverage.not_checked for coverage in vendor.coverage)


@each_vendor
def test_no_route_is_left_out(vendor: Vendor) -> None:
    listed = {(method, each.path) for each in list_endpoints(vendor) for method in each.methods}
    paths = {path for _, path in listed}
    for route in vendor.routes:
        for path in route.listed_paths or (route.path,):
            rest = path.removeprefix("/").partition("/")[2].rstrip("/")
            assert path in paths or any(path.rstrip("/").endswith(f"/{rest}") for path in paths), path


def test_hosts_and_methods_that_serve_the_same_are_one_endpoint() -> None:
    def nothing(_call: object) -> object:
        return {}

    vendor = Vendor(
        name="tiny",
        title="Tiny",
        app=AppRegistration(id="a", secret="b"),
        routes=[
            Route("GET", "/a.example/v1/notes", nothing),
            Route("POST", "/a.example/v1/notes", nothing),
            Route("GET", "/b.example/v1/notes/", nothing),
            Route("POST", "/b.example/v1/notes/", nothing),
            Route("POST", "/act/{name}", nothing, listed_paths=["/act/jump", "/act/run"]),
        ],
        errors={"rate_limited": lambda _call: build_json_response({})},
        build_not_found_response=lambda _call: build_json_response({}),
        build_invalid_response=lambda _call, _why: build_json_response({}),
        seed=lambda _world: None,
        accounts=lambda _world: (),
        coverage=[EndpointCoverage(title="Notes", paths=["*/notes"], checked="All.", not_checked="None.")],
    )
    shown = [(each.group, each.methods, each.path, each.hosts) for each in list_endpoints(vendor)]
    assert shown == [
        ("Notes", ["GET", "POST"], "/a.example/v1/notes", ["a.example", "b.example"]),
        ("", ["POST"], "/act/jump", []),
        ("", ["POST"], "/act/run", []),
    ]


def test_the_readme_lists_what_the_code_has() -> None:
    """Looked at from a process of its own, as in CI."""
    command = [sys.executable, "-m", "socialgate_sandbox.reference", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_stale_page_is_named_and_then_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- Endpoints, generated from the code by `make reference`. -->\nold\n"
        "<!-- End of the endpoints. -->\nafter\n"
    )
    assert main(["--check"], page) == 1
    assert str(page) in capsys.readouterr().err
    assert main([], page) == 0
    assert main(["--check"], page) == 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "sendMessage" in text
