"""Amounts of money: integers in the smallest unit of a currency (ISO 4217), and how vendors write them.

This is the only place that converts amounts. Nothing is rounded: what cannot be expressed exactly is rejected.
"""

import re
from decimal import Decimal
from typing import Annotated, Any

from msgspec import Meta

from socialgate.core.shapes import HINT, Value

_NONE = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split())  # noqa: SIM905 - easier to read
_THREE = frozenset("BHD IQD JOD KWD LYD OMR TND".split())  # noqa: SIM905 - easier to read
_FOUR = frozenset({"CLF", "UYW"})
_TWO = frozenset(
    (  # noqa: SIM905 - easier to read
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY "
        "COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS "
        "INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR "
        "MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD "
        "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG"
    ).split()
)
CURRENCIES = _NONE | _TWO | _THREE | _FOUR
# More than any price, and still exact as a floating-point number with three decimals.
MOST = 10**12
UNIT = "Amounts are integers in the currency's smallest unit: 9.99 USD is 999."
# No more digits than the decimal arithmetic has: beyond them it would round.
_DECIMAL = re.compile(r"\d{1,15}(?:\.\d{1,10})?", re.ASCII)
_SHOWN = re.compile(r"\d[\d.,\s\u00a0\u202f\u2019']*", re.ASCII)
_GROUPS_OF_THREE = 3


class BadMoney(ValueError):
    """Describes what is wrong with an amount, in a sentence for users."""


class Money(Value, frozen=True):
    """An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: Annotated[int, Meta(ge=0, le=MOST, extra={HINT: UNIT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 1999, "currency": "SEK"}


def places(currency: str) -> int:
    """Return how many decimals a currency has."""
    if currency not in CURRENCIES:
        raise BadMoney(f"{currency or 'This'} is not an ISO 4217 currency. Use three capital letters, such as USD.")
    return 0 if currency in _NONE else 3 if currency in _THREE else 4 if currency in _FOUR else 2


def written(money: Money) -> str:
    """Write an amount in whole units, with every decimal of its currency: 9.99, 500, 1.250."""
    digits = places(money.currency)
    return f"{Decimal(money.amount).scaleb(-digits):.{digits}f}"


def number(money: Money) -> float:
    """Return an amount in whole units as a number, for vendors that use numbers in JSON."""
    return float(written(money))


def read(text: str | float, currency: str) -> Money:
    """Read an amount in whole units, such as 9.99."""
    given = format(Decimal(repr(text)), "f") if isinstance(text, int | float) else text.strip()
    if not _DECIMAL.fullmatch(given):
        raise BadMoney("Write the amount as digits, with a point before the decimals.")
    digits = places(currency)
    # By its digits: arithmetic on decimals would round what is longer than its precision.
    if len(given.partition(".")[2].rstrip("0")) > digits:
        raise BadMoney(f"{currency} has {digits or 'no'} decimals, so {given} is not a valid amount.")
    units = Decimal(given).scaleb(digits)
    if units > MOST:
        raise BadMoney("The amount is too large.")
    return Money(int(units), currency)


def priced(text: str) -> Money:
    """Read a price as product feeds write it: 9.99 USD."""
    amount, _, currency = text.strip().rpartition(" ")
    if not amount:
        raise BadMoney("Write the price with its currency, such as 9.99 USD.")
    return read(amount, currency)


def feed(money: Money) -> str:
    """Write a price as product feeds do: 9.99 USD."""
    return f"{written(money)} {money.currency}"


def shown(text: str, currency: str) -> Money | None:
    """Read a price formatted for display, such as $1,234.50; None if it is ambiguous.

    A mark is a decimal separator if no more digits follow it than the currency has decimals; if it could also separate
    thousands, only if it is a point.
    """
    found = _SHOWN.search(text)
    if found is None or currency not in CURRENCIES:
        return None
    digits, figure = places(currency), re.sub(r"[\s\u00a0\u202f\u2019']", "", found[0]).rstrip(".,")
    mark = max(figure.rfind("."), figure.rfind(","))
    whole, behind = (figure, "") if mark < 0 else (figure[:mark], figure[mark + 1 :])
    twice = mark >= 0 and figure[mark] in whole
    as_decimals = 0 < len(behind) <= digits and not twice
    if as_decimals and len(behind) == _GROUPS_OF_THREE and figure[mark] == ",":
        as_decimals = False
    if not as_decimals:
        whole, behind = figure, ""
    cleaned = re.sub(r"[.,]", "", whole)
    try:
        return read(f"{cleaned}.{behind}" if behind else cleaned, currency)
    except BadMoney:
        return None


def counted(money: Money, per_unit: int) -> int:
    """Convert an amount to a vendor's own subunit, of which `per_unit` make a whole unit."""
    parts = Decimal(written(money)) * per_unit
    if parts != parts.to_integral_value():
        raise BadMoney(f"{feed(money)} is not a whole number of {per_unit}ths.")
    return int(parts)


def from_counted(parts: int, per_unit: int, currency: str) -> Money:
    return read(format(Decimal(parts) / per_unit, "f"), currency)
