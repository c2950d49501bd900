"""`socialgate plan`: the operator gives an owner a plan, which counts whatever the owner bought."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from journeys.commands import run
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.shopping import Shopper
from support.waiting import eventually

PLANS = "[free]\nposts = 30\n[tiny]\nuploadBytes = 3\n[pro]\nposts = 1000\n[scale]\n"
LISTED = "Plans: free, tiny, pro, scale."


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "plans.toml"
    path.write_text(PLANS)
    return path


@pytest.fixture(scope="module")
def running(start_service: StartService, plans: Path) -> Iterator[RunningService]:
    with start_service(default_plan="free", plans_file=plans) as own:
        yield own


def plan(running: RunningService, *arguments: str, file: Path | None = None) -> subprocess.CompletedProcess[str]:
    settings = running.settings
    where: dict[str, object] = {"data_dir": settings.data_dir, "default_plan": settings.default_plan}
    where["plans_file"] = file or settings.plans_file
    if settings.database_url is not None:
        where["database_url"] = settings.database_url
    return run(settings.data_dir, "plan", *arguments, **where)


def shown(running: RunningService, *arguments: str, file: Path | None = None) -> list[str]:
    done = plan(running, *arguments, file=file)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.splitlines()


def plan_of(owner: OwnerFixture) -> str:
    return str(owner.session.get("/usage").json()["plan"])


def test_a_plan_is_assigned_replaced_and_removed(running: RunningService) -> None:
    owner, other = running.new_owner(), running.new_owner()
    begin = f"{owner.email} ({owner.id}) has the plan"
    assert shown(running, owner.email) == [f"{begin} free, the default.", LISTED]
    # Emails are compared as they are when signing in.
    assert shown(running, owner.email.upper(), "pro") == [f"{begin} pro, assigned by the operator.", LISTED]
    assert (plan_of(owner), plan_of(other)) == ("pro", "free")
    assert shown(running, owner.id, "scale") == [f"{begin} scale, assigned by the operator.", LISTED]
    assert shown(running, owner.id) == [f"{begin} scale, assigned by the operator.", LISTED]
    assert plan_of(owner) == "scale"
    for _ in range(2):
        assert shown(running, owner.email, "--remove") == [f"{begin} free, the default.", LISTED]
    assert plan_of(owner) == "free"


def test_an_assigned_plan_counts_whatever_was_bought(running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        shopper = Shopper(running, sandbox)
        owner = shopper.owner
        shopper.buy("pro")
        eventually(lambda: shopper.plan == "pro")
        begin = f"{owner.email} ({owner.id}) has the plan"
        assert shown(running, owner.id)[0] == f"{begin} pro, bought with a subscription that is active."
        first, warning, _ = shown(running, owner.id, "scale")
        assert first == f"{begin} scale, assigned by the operator."
        assert "a subscription to pro that is active. Stripe continues to charge for it" in warning
        usage = shopper.usage()
        assert (usage["plan"], usage["billing"]["status"]) == ("scale", "active")
        shown(running, owner.id, "--remove")
        assert shopper.plan == "pro"


def test_nobody_pays_for_a_plan_that_would_not_count(running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        shopper = Shopper(running, sandbox)
        shown(running, shopper.owner.id, "free")
        detail = problem_of(shopper.checkout(), 409, "plan_assigned")["detail"]
        assert f"`socialgate plan {shopper.owner.id} --remove`" in detail
        shown(running, shopper.owner.id, "--remove")
        assert shopper.checkout().status_code == 201


def test_a_page_that_was_opened_before_is_closed(running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        shopper = Shopper(running, sandbox)
        page = shopper.checkout().json()["url"]
        shown(running, shopper.owner.id, "scale")
        eventually(lambda: "has expired" in httpx.get(page).text)


def test_the_limits_of_an_assigned_plan_are_those_of_the_plan(running: RunningService) -> None:
    owner = running.new_owner()
    files = {"file": ("a.txt", b"four", "text/plain")}
    shown(running, owner.id, "tiny")
    detail = problem_of(owner.session.post("/upload", files=files), 402, "plan_limit_reached")["detail"]
    assert detail.startswith("The plan tiny allows 3 bytes")
    assert detail.endswith("ask the operator for a larger plan.")
    shown(running, owner.id, "scale")
    assert owner.session.post("/upload", files=files).status_code == 201


def test_a_plan_that_is_no_longer_defined_counts_as_none(running: RunningService, tmp_path: Path) -> None:
    more = tmp_path / "plans.toml"
    more.write_text(f"{PLANS}[gone]\n")
    owner = running.new_owner()
    assert shown(running, owner.id, "gone", file=more)[0].endswith("has the plan gone, assigned by the operator.")
    first, message, _ = shown(running, owner.id)
    assert first.endswith("has the plan free, the default.")
    assert message.startswith("The plan gone was assigned, but is no longer defined")
    assert plan_of(owner) == "free"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{owner}", "gold"], "There is no plan `gold`. Use one of: free, tiny, pro, scale."),
        (["{owner}", "pro", "--remove"], "Name a plan to assign it, or use --remove, but not both."),
        (["own_unknown", "pro"], "There is no owner `own_unknown`. Use the email of a user, or an id such as own_…."),
        (
            ["nobody@example.com"],
            "There is no user with the email `nobody@example.com`. Use the email of a user, or the owner's id.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    running: RunningService, arguments: list[str], message: str
) -> None:
    owner = running.new_owner()
    done = plan(running, *(argument.format(owner=owner.id) for argument in arguments))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"socialgate: {message}\n")
    assert plan_of(owner) == "free"
