"""The plans of this deployment: read at the start, or one line that says what is wrong with them."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from socialgate.contracts.billing import LIMITABLE_METRICS, BillingInterval, PlanOffer, Plans
from socialgate.core.metering import UsageMetric
from socialgate.core.settings import Settings, SettingsError

DEFAULT_PLANS_FILE = Path(__file__).parent / "plans.toml"
_PLANS_FILE_SETTING = "SOCIALGATE_PLANS_FILE"
_PRICES_SETTING = "SOCIALGATE_STRIPE_PRICES"
_PLAN_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_BILLING_INTERVALS_BY_NAME: Mapping[str, BillingInterval] = {"month": "month", "year": "year"}


def load_plans(settings: Settings) -> Plans:
    path = settings.plans_file or DEFAULT_PLANS_FILE
    try:
        result = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, dict[str, int]])
    except OSError as error:
        raise SettingsError(
            f"{_PLANS_FILE_SETTING}: {path} cannot be read: {error.strerror}. Correct the path."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise SettingsError(
            f"{_PLANS_FILE_SETTING}: {path} is not a valid plan file: {error}. Each limit must be an integer."
        ) from error
    limits = {name: _parse_limits(path, name, params) for name, params in result.items()}
    if settings.default_plan not in limits:
        raise SettingsError(
            f"SOCIALGATE_DEFAULT_PLAN: {path} has no plan `{settings.default_plan}`. Use one of: {', '.join(limits)}."
        )
    return Plans(limits=limits, default=settings.default_plan)


def _parse_limits(path: Path, plan: str, params: Mapping[str, int]) -> dict[UsageMetric, int]:
    if not _PLAN_NAME_PATTERN.fullmatch(plan):
        raise SettingsError(
            f"{_PLANS_FILE_SETTING}: {path}: rename the plan `{plan}`: use only lower-case letters, digits, - and _."
        )
    for name, limit in params.items():
        if name not in LIMITABLE_METRICS:
            raise SettingsError(
                f"{_PLANS_FILE_SETTING}: {path}: the plan {plan} limits `{name}`, but only these can be limited: "
                f"{', '.join(LIMITABLE_METRICS)}."
            )
        if limit < 0:
            raise SettingsError(
                f"{_PLANS_FILE_SETTING}: {path}: the limit of {name} in the plan {plan} must be 0 or more."
            )
    return {UsageMetric(name): limit for name, limit in params.items()}


def parse_prices(settings: Settings, plans: Plans) -> dict[PlanOffer, str]:
    """Read the prices of the plans that are for sale."""
    prices: dict[PlanOffer, str] = {}
    for part in filter(None, (part.strip() for part in settings.stripe_prices.split(","))):
        label, _, price_id = part.partition("=")
        plan, _, interval = label.strip().partition("/")
        if plan not in plans.limits or interval not in _BILLING_INTERVALS_BY_NAME or not price_id.strip():
            raise SettingsError(
                f"{_PRICES_SETTING}: `{part}` must have the form <plan>/<month or year>=<price id>, with one of "
                "the plans "
                f"{', '.join(plans.plan_names)}."
            )
        prices[PlanOffer(plan, _BILLING_INTERVALS_BY_NAME[interval])] = price_id.strip()
    if len(set(prices.values())) < len(prices):
        raise SettingsError(
            f"{_PRICES_SETTING}: the same price id is listed twice. Each plan and interval needs its own price."
        )
    return prices
