"""Amounts of money: integers in the smallest unit of a currency (ISO 4217), and how vendors write them.

This is the only place that converts amounts. Nothing is rounded: what cannot be expressed exactly is rejected.
"""

import re
from decimal import Decimal
from typing import Annotated, Any

from msgspec import Meta

from socialgate.core.shapes import HINT_KEY, StoredValue

_NO_DECIMAL_CURRENCIES = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split())  # noqa: SIM905 - easier to read
_THREE_DECIMAL_CURRENCIES = frozenset("BHD IQD JOD KWD LYD OMR TND".split())  # noqa: SIM905 - easier to read
_FOUR_DECIMAL_CURRENCIES = frozenset({"CLF", "UYW"})
_TWO_DECIMAL_CURRENCIES = frozenset(
    (  # noqa: SIM905 - easier to read
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY "
        "COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS "
        "INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR "
        "MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD "
        "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG"
    ).split()
)
CURRENCY_CODES = _NO_DECIMAL_CURRENCIES | _TWO_DECIMAL_CURRENCIES | _THREE_DECIMAL_CURRENCIES | _FOUR_DECIMAL_CURRENCIES
# More than any price, and still exact as a floating-point number with three decimals.
MAX_AMOUNT = 10**12
AMOUNT_UNIT_HINT = "Amounts are integers in the currency's smallest unit: 9.99 USD is 999."
# No more digits than the decimal arithmetic has: beyond them it would round.
_DECIMAL_PATTERN = re.compile(r"\d{1,15}(?:\.\d{1,10})?", re.ASCII)
_DISPLAY_PRICE_PATTERN = re.compile(r"\d[\d.,\s\u00a0\u202f\u2019']*", re.ASCII)
_THOUSANDS_GROUP_DIGITS = 3


class InvalidAmountError(ValueError):
    """Describes what is wrong with an amount, in a sentence for users."""


class Money(StoredValue, frozen=True):
    """An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: Annotated[int, Meta(ge=0, le=MAX_AMOUNT, extra={HINT_KEY: AMOUNT_UNIT_HINT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 1999, "currency": "SEK"}


def get_decimal_places(currency: str) -> int:
    """Return how many decimals a currency has."""
    if currency not in CURRENCY_CODES:
        raise InvalidAmountError(
            f"{currency or 'This'} is not an ISO 4217 currency. Use three capital letters, such as USD."
        )
    return (
        0
        if currency in _NO_DECIMAL_CURRENCIES
        else 3
        if currency in _THREE_DECIMAL_CURRENCIES
        else 4
        if currency in _FOUR_DECIMAL_CURRENCIES
        else 2
    )


def format_amount(money: Money) -> str:
    """Write an amount in whole units, with every decimal of its currency: 9.99, 500, 1.250."""
    digits = get_decimal_places(money.currency)
    return f"{Decimal(money.amount).scaleb(-digits):.{digits}f}"


def to_float(money: Money) -> float:
    """Return an amount in whole units as a number, for vendors that use numbers in JSON."""
    return float(format_amount(money))


def parse_amount(text: str | float, currency: str) -> Money:
    """Read an amount in whole units, such as 9.99."""
    value = format(Decimal(repr(text)), "f") if isinstance(text, int | float) else text.strip()
    if not _DECIMAL_PATTERN.fullmatch(value):
        raise InvalidAmountError("Write the amount as digits, with a point before the decimals.")
    digits = get_decimal_places(currency)
    # By its digits: arithmetic on decimals would round what is longer than its precision.
    if len(value.partition(".")[2].rstrip("0")) > digits:
        raise InvalidAmountError(f"{currency} has {digits or 'no'} decimals, so {value} is not a valid amount.")
    units = Decimal(value).scaleb(digits)
    if units > MAX_AMOUNT:
        raise InvalidAmountError("The amount is too large.")
    return Money(int(units), currency)


def parse_feed_price(text: str) -> Money:
    """Read a price as product feeds write it: 9.99 USD."""
    amount, _, currency = text.strip().rpartition(" ")
    if not amount:
        raise InvalidAmountError("Write the price with its currency, such as 9.99 USD.")
    return parse_amount(amount, currency)


def format_feed_price(money: Money) -> str:
    """Write a price as product feeds do: 9.99 USD."""
    return f"{format_amount(money)} {money.currency}"


def parse_display_price(text: str, currency: str) -> Money | None:
    """Read a price formatted for display, such as $1,234.50; None if it is ambiguous.

    A mark is a decimal separator if no more digits follow it than the currency has decimals; if it could also separate
    thousands, only if it is a point.
    """
    match = _DISPLAY_PRICE_PATTERN.search(text)
    if match is None or currency not in CURRENCY_CODES:
        return None
    digits, figure = get_decimal_places(currency), re.sub(r"[\s\u00a0\u202f\u2019']", "", match[0]).rstrip(".,")
    mark = max(figure.rfind("."), figure.rfind(","))
    whole, behind = (figure, "") if mark < 0 else (figure[:mark], figure[mark + 1 :])
    twice = mark >= 0 and figure[mark] in whole
    as_decimals = 0 < len(behind) <= digits and not twice
    if as_decimals and len(behind) == _THOUSANDS_GROUP_DIGITS and figure[mark] == ",":
        as_decimals = False
    if not as_decimals:
        whole, behind = figure, ""
    cleaned = re.sub(r"[.,]", "", whole)
    try:
        return parse_amount(f"{cleaned}.{behind}" if behind else cleaned, currency)
    except InvalidAmountError:
        return None


def to_vendor_subunits(money: Money, per_unit: int) -> int:
    """Convert an amount to a vendor's own subunit, of which `per_unit` make a whole unit."""
    parts = Decimal(format_amount(money)) * per_unit
    if parts != parts.to_integral_value():
        raise InvalidAmountError(f"{format_feed_price(money)} is not a whole number of {per_unit}ths.")
    return int(parts)


def from_vendor_subunits(subunits: int, per_unit: int, currency: str) -> Money:
    return parse_amount(format(Decimal(subunits) / per_unit, "f"), currency)
