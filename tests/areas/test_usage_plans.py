"""The file of plans and the prices: what is wrong with them is said in one line, before anything starts."""

from pathlib import Path

import pytest

from socialgate.contracts.billing import PlanOffer
from socialgate.core.metering import UsageMetric
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.billing import describe_plans
from socialgate.entry.plan_config import load_plans, parse_prices

SOLD = Settings(
    sandbox=False, stripe_secret_key="sk_1", stripe_webhook_secret="whsec_1", stripe_prices="pro/year=price_1"
)


def test_without_configuration_nothing_is_limited() -> None:
    plans = load_plans(Settings())
    assert (plans.plan_names, plans.default) == (["free", "pro", "scale", "unlimited"], "unlimited")
    assert {plans.get_limit("unlimited", metric) for metric in UsageMetric} == {None}
    for metric in plans.limits["free"]:
        free, pro, scale = (plans.get_limit(plan, metric) or 0 for plan in ("free", "pro", "scale"))
        assert 0 < free < pro < scale


@pytest.mark.parametrize(
    ("text", "default", "message"),
    [
        ("[tiny]\nposts = 'many'", "tiny", "Each limit must be an integer"),
        ("[tiny]\nposts = -1", "tiny", "the limit of posts in the plan tiny must be 0 or more"),
        ("[tiny]\ndeliveries = 1", "tiny", "limits `deliveries`, but only these can be limited: posts, messagesSent"),
        ("['Two words']", "Two words", "rename the plan `Two words`: use only lower-case letters"),
        ("tiny = ", "tiny", "is not a valid plan file"),
        ("tiny = 3", "tiny", "is not a valid plan file"),
        ("[tiny]", "huge", "SOCIALGATE_DEFAULT_PLAN: {path} has no plan `huge`. Use one of: tiny."),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, text: str, default: str, message: str) -> None:
    path = tmp_path / "plans.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_plans(Settings(plans_file=path, default_plan=default))
    assert message.format(path=path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"SOCIALGATE_PLANS_FILE: .*gone\.toml cannot be read"):
        load_plans(Settings(plans_file=tmp_path / "gone.toml"))


def test_prices_name_a_plan_and_an_interval() -> None:
    settings = Settings(stripe_prices=" pro/month=price_1, scale/year = price_2 ,")
    assert parse_prices(settings, load_plans(settings)) == {
        PlanOffer("pro", "month"): "price_1",
        PlanOffer("scale", "year"): "price_2",
    }


@pytest.mark.parametrize("text", ["pro=price_1", "pro/week=price_1", "gold/month=price_1", "pro/month=", "pro/month"])
def test_a_price_that_makes_no_sense_is_refused(text: str) -> None:
    settings = Settings(stripe_prices=text)
    with pytest.raises(SettingsError, match=r"SOCIALGATE_STRIPE_PRICES: .* must have the form"):
        parse_prices(settings, load_plans(settings))


def test_one_price_cannot_be_two_plans() -> None:
    settings = Settings(stripe_prices="pro/month=price_1,scale/month=price_1")
    with pytest.raises(SettingsError, match="the same price id is listed twice"):
        parse_prices(settings, load_plans(settings))


def test_the_doctor_says_what_is_for_sale() -> None:
    assert describe_plans(Settings()).endswith("Stripe is simulated")
    assert describe_plans(Settings(sandbox=False)).endswith("have unlimited; none is for sale")
    assert describe_plans(SOLD).endswith("for sale: pro")
    with pytest.raises(SettingsError, match="without SOCIALGATE_STRIPE_WEBHOOK_SECRET, SOCIALGATE_STRIPE_PRICES"):
        describe_plans(Settings(stripe_secret_key="sk_1"))
