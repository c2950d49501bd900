"""The checkout pages of one owner: at most one can be paid, however many are asked for and whatever gets lost."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest

from console.browser import signed_in
from socialgate.areas.billing import store
from support.holding_proxy import HoldingProxy
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import SANDBOX_KEYS, RunningService, StartService
from support.shopping import Shopper
from support.waiting import eventually

PAGES = "*/checkout/sessions"


@pytest.fixture(scope="module")
def gate() -> Iterator[HoldingProxy]:
    with HoldingProxy() as existing_holding_proxy:
        yield existing_holding_proxy


@pytest.fixture(scope="module")
def running(start_service: StartService, gate: HoldingProxy) -> Iterator[RunningService]:
    with start_service(default_plan="free", stripe_url=f"{gate.url}/stripe") as own:
        gate.target = own.sandbox.url
        yield own


@pytest.fixture
def shopper(running: RunningService) -> Iterator[Shopper]:
    with Sandbox(running) as sandbox:
        yield Shopper(running, sandbox)
        sandbox.http.delete("/_control/fail")


def pay(url: str) -> bool:
    return httpx.post(url, data={"decision": "pay"}, timeout=120).status_code == 303


def both(shopper: Shopper, gate: HoldingProxy, *plans: str) -> list[httpx.Response]:
    """Ask for two pages, and let both requests go on only when they know of no subscription and no page."""
    with ThreadPoolExecutor(len(plans)) as pool:
        with gate.holding("/v1/subscriptions") as hold:
            tasks = [pool.submit(shopper.checkout, plan) for plan in plans]
            for _ in plans:
                hold.wait_for_call()
        return [task.result() for task in tasks]


def test_paying_ends_on_a_page_that_names_the_plan_and_the_checkout_knows_the_email(shopper: Shopper) -> None:
    answer = shopper.checkout()
    (customer,) = shopper.customers()
    assert customer["email"] == shopper.owner.email
    browser = signed_in(shopper.owner)
    cancelled = browser.get("/console?checkout=cancelled")
    assert (cancelled.status_code, "Nothing was charged" in cancelled.text) == (200, True)
    assert "You are on" not in cancelled.text
    shopper.sandbox.control("webhooks", mode="hold")
    try:
        paid = httpx.post(answer.json()["url"], data={"decision": "pay"}, timeout=120)
        path = paid.headers["location"].removeprefix(shopper.running.url)
        shown = browser.get(path)
        assert shown.status_code == 200
        # The report of the payment is held back: the page finds out by itself, and reloads until then.
        while "You are on Pro" not in shown.text:
            assert "Your payment is being confirmed" in shown.text
            shown = browser.get(shown.headers["refresh"].partition("url=")[2])
        assert "refresh" not in shown.headers
        assert shopper.plan == "pro"
    finally:
        shopper.sandbox.control("webhooks", mode="normal", release=True)


def test_the_console_shows_the_plan_and_thanks_only_for_purchases(shopper: Shopper) -> None:
    browser = signed_in(shopper.owner)
    nothing = browser.get("/console?checkout=success")
    assert (nothing.status_code, "Thank you" in nothing.text, "refresh" in nothing.headers) == (200, False, False)
    assert "Plan: <strong>Free</strong></p>" in nothing.text
    shopper.buy()
    eventually(lambda: shopper.plan == "pro")
    assert re.search(r"Plan: <strong>Pro</strong>, billed every month · active, renews ", browser.get("/console").text)
    shopper.manage(decision="cancel")
    eventually(lambda: shopper.usage()["billing"]["endsAt"] is not None)
    assert re.search(r"Plan: <strong>Pro</strong>, billed every month · cancelled, ends ", browser.get("/console").text)


@pytest.mark.both_engines
def test_of_two_pages_that_are_asked_for_at_once_one_can_be_paid(shopper: Shopper, gate: HoldingProxy) -> None:
    answers = both(shopper, gate, "pro", "scale")
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    (page,) = shopper.open_pages()
    assert [answer.json()["url"] for answer in answers if answer.status_code == 201] == [page]
    assert pay(page)
    assert len(shopper.subscriptions()) == 1
    problem_of(shopper.checkout(), 409, "already_subscribed")


def test_requests_for_the_same_plan_get_the_same_page(shopper: Shopper, gate: HoldingProxy) -> None:
    answers = both(shopper, gate, "pro", "pro")
    answers.append(shopper.checkout())
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert [answer.json()["url"] for answer in answers] == shopper.open_pages() * 3


def test_a_plan_that_is_assigned_meanwhile_hides_the_page(shopper: Shopper, gate: HoldingProxy) -> None:
    with ThreadPoolExecutor(1) as pool:
        with gate.holding("/v1/subscriptions") as hold:
            task = pool.submit(shopper.checkout)
            hold.wait_for_call()
            shopper.running.write(store.assign_plan, shopper.owner.id, "scale")
        problem_of(task.result(), 409, "plan_assigned")


@pytest.mark.both_engines
def test_many_requests_leave_one_page(shopper: Shopper) -> None:
    answers = run_simultaneously(
        8, lambda number: shopper.checkout(("pro", "scale")[number % 2], ("month", "year")[number // 4])
    )
    assert {answer.status_code for answer in answers} <= {201, 409}
    (page,) = shopper.open_pages()
    assert page in [answer.json()["url"] for answer in answers if answer.status_code == 201]


@pytest.mark.both_engines
def test_of_requests_at_the_same_moment_one_wins_and_nobody_gets_the_page_of_another_plan(
    shopper: Shopper, gate: HoldingProxy
) -> None:
    """Each asks for something else, and none of them goes on before all know that there is no page yet."""
    plans = [("pro", "month"), ("scale", "month"), ("pro", "year"), ("scale", "year"), ("pro", "month")]
    with ThreadPoolExecutor(len(plans)) as pool:
        with gate.holding("/v1/subscriptions") as hold:
            tasks = [pool.submit(shopper.checkout, *plan) for plan in plans]
            for _ in plans:
                hold.wait_for_call()
        answers = [task.result() for task in tasks]
    opened = [(plan, answer.json()) for plan, answer in zip(plans, answers, strict=True) if answer.status_code == 201]
    (won,) = {(item["url"], item["plan"], item["interval"]) for _, item in opened}
    assert shopper.open_pages() == [won[0]]
    assert {plan for plan, _ in opened} == {won[1:]}
    refused = [answer for plan, answer in zip(plans, answers, strict=True) if plan != won[1:]]
    assert len(refused) == len(plans) - len(opened) >= 3
    for answer in refused:
        problem_of(answer, 409, "checkout_in_progress")


@pytest.mark.parametrize(
    "loss",
    [{"when": "after"}, {"status": 503}, {"when": "late", "delay": 0.5}],
    ids=["the response is lost", "the request is lost", "it takes effect later"],
)
def test_a_page_that_nobody_knows_of_is_closed_before_another_is_opened(shopper: Shopper, loss: dict[str, str]) -> None:
    """As if the process had died: all that is left is the row of the owner."""
    shopper.sandbox.control("fail", platform="stripe", path=PAGES, method="POST", times=1, **loss)
    assert shopper.checkout("pro").status_code == 503
    url = eventually(lambda: shopper.checkout("scale").json().get("url"))
    assert shopper.open_pages() == [url]


def test_a_page_that_was_closed_elsewhere_is_replaced(shopper: Shopper) -> None:
    first = shopper.checkout().json()["url"]
    shopper.close_pages()
    again = shopper.checkout().json()["url"]
    assert again != first
    assert shopper.open_pages() == [again]
    assert pay(again)
    # It was paid, whether or not that was reported already.
    problem_of(shopper.checkout(), 409, "already_subscribed")


def test_an_old_page_is_replaced(shopper: Shopper) -> None:
    first = shopper.checkout().json()["url"]
    for later in (timedelta(hours=2), timedelta(hours=24)):
        shopper.running.advance_time(later)
        try:
            second = shopper.checkout().json()["url"]
            assert second != first
            assert shopper.open_pages() == [second]
            first = second
        finally:
            shopper.running.advance_time(-later)


def test_a_page_that_was_requested_with_other_settings_is_replaced(shopper: Shopper) -> None:
    """Stripe rejects a request that is repeated with other parameters, such as another URL to return to."""
    first = shopper.checkout("pro").json()["url"]
    other = {"checkout_plan": "scale", "checkout_price": SANDBOX_KEYS.stripe.prices["scale_month"]}
    shopper.running.write(store.update_billing_row, shopper.owner.id, other)
    second = shopper.checkout("scale").json()["url"]
    assert second != first
    assert shopper.open_pages() == [second]


@pytest.mark.parametrize("path", [PAGES, "*/v1/customers"], ids=["the page", "the customer"])
def test_a_failure_that_stripe_returns_for_every_repetition_does_not_last(shopper: Shopper, path: str) -> None:
    """Stripe keeps its own failures under the key, for as long as it keeps results: only another key can help."""
    failure = {"status": 500, "body": {"error": {"type": "api_error", "message": "An unknown error occurred."}}}
    again = failure | {"headers": {"Idempotent-Replayed": "true"}}
    for item in (failure, again):
        shopper.sandbox.control("fail", platform="stripe", path=path, method="POST", times=1, **item)
    assert shopper.checkout().status_code == 503
    answer = shopper.checkout()
    assert answer.status_code == 201, answer.text
    assert shopper.open_pages() == [answer.json()["url"]]
