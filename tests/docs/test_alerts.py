"""The alerts and the dashboard in `deploy/monitoring` use metrics that exist. Each alert has a runbook section."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.front_servers import find_program

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "monitoring"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
# What Prometheus adds itself: a series for each process, and labels to all of them.
_OWN_SERIES = {"up": set[str]()}
_OWN_LABELS = {"instance", "job", "le"}
_COLUMNS = 24


def documented_series() -> dict[str, set[str]]:
    """Read the labels of every series in the reference."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    result = dict(_OWN_SERIES)
    for names, labels in re.findall(r"^\| \w+ \| (`.*`) \| (.*) \|$", page, flags=re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            result[name] = set(re.findall(r"`(\w+)`", labels))
    return result


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        yield rule["alert"], rule["expr"]
    for panel in panels():
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", target["expr"].replace("$__rate_interval", "5m")


@pytest.mark.parametrize(("name", "expression"), list(expressions()), ids=[name for name, _ in expressions()])
def test_metrics_and_labels_exist(name: str, expression: str) -> None:
    known = documented_series()
    plain = re.sub(r'"[^"]*"', "", expression)
    used = re.findall(r"\b(up|(?:socialgate|process|python)_\w+)(?:\{([^}]*)\})?", plain)
    assert used, name
    labels = set(_OWN_LABELS)
    for series, selectors in used:
        assert series in known, f"{name} uses {series}, which is not in the reference"
        labels |= known[series]
        assert set(re.findall(r"(\w+)\s*(?:=|!)", selectors)) <= known[series] | _OWN_LABELS
    grouped = {label for group in re.findall(r"\bby \(([^)]*)\)", plain) for label in group.split(", ")}
    assert grouped <= labels, f"{name} groups by labels that its metrics do not have"


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_an_alert_is_complete_and_has_a_section_in_the_runbook(rule: dict[str, Any]) -> None:
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"\d+[smh]", rule["for"])
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook"}
    page, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert anchor == rule["alert"].lower()
    headings = re.findall(r"^#+ (\w+)$", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert rule["alert"] in headings


def test_the_runbook_describes_nothing_else() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^#+ (Socialgate\w+)$", page, flags=re.MULTILINE)) == {rule["alert"] for rule in RULES}


def test_prometheus_accepts_every_expression(tmp_path: Path) -> None:
    recorded = [{"record": f"e{number}", "expr": text} for number, (_, text) in enumerate(expressions())]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": recorded}]}), encoding="utf-8")
    for checked in (FOLDER / "alerts.yaml", file):
        promtool("check", "rules", str(checked))


def test_alerts_fire_when_they_should(tmp_path: Path) -> None:
    """A process that is gone, one that cannot read the database, and a post that is late."""
    series = {
        'up{job="socialgate", instance="a"}': "0x10",
        'socialgate_deliveries_pending{instance="b"}': " ".join(["NaN"] * 11),
        'socialgate_deliveries_pending{instance="a"}': "7x10",
        "socialgate_post_oldest_due_seconds": "0+60x10",
        'socialgate_http_requests_total{status="200"}': "0+600x10",
        'socialgate_http_requests_total{status="503"}': "0+6x10",
    }
    expected = {
        "SocialgateDown": 1,
        "SocialgateDatabaseUnreadable": 1,
        "SocialgatePostsLate": 1,
        "SocialgateErrors": 0,
    }
    tests = [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [
                {
                    "expr": f'count(ALERTS{{alertname="{name}", alertstate="firing"}}) or vector(0)',
                    "eval_time": "10m",
                    "exp_samples": [{"labels": "{}", "value": count}],
                }
                for name, count in expected.items()
            ],
        }
    ]
    file = tmp_path / "test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(FOLDER / "alerts.yaml")], "tests": tests}), encoding="utf-8")
    promtool("test", "rules", str(file))


def promtool(*arguments: str) -> None:
    checked = subprocess.run([find_program("promtool"), *arguments], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_dashboard_can_be_imported() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= _COLUMNS
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, f"{panel['title']} covers another panel"
        taken |= cells
    for panel in panels():
        assert panel["datasource"]["uid"].strip("${}") in variables
        assert panel["description"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
