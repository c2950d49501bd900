"""Amounts of money: the forms that vendors write them in, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.contracts.money import (
    CURRENCIES,
    MOST,
    BadMoney,
    Money,
    counted,
    feed,
    from_counted,
    number,
    places,
    priced,
    read,
    shown,
    written,
)

amounts = st.builds(Money, st.integers(0, MOST), st.sampled_from(sorted(CURRENCIES)))


@pytest.mark.parametrize(
    ("currency", "decimals", "amount", "text"),
    [
        ("JPY", 0, 500, "500"),
        ("CLP", 0, 12990, "12990"),
        ("KWD", 3, 1250, "1.250"),
        ("USD", 2, 999, "9.99"),
        ("BRL", 2, 123450, "1234.50"),
        ("CLF", 4, 12345, "1.2345"),
    ],
)
def test_currencies_have_their_own_decimals(currency: str, decimals: int, amount: int, text: str) -> None:
    assert places(currency) == decimals
    assert written(Money(amount, currency)) == text
    assert read(text, currency) == Money(amount, currency)


@given(amounts)
def test_every_form_leads_back(money: Money) -> None:
    assert read(written(money), money.currency) == money
    assert read(number(money), money.currency) == money
    assert priced(feed(money)) == money


@given(st.builds(Money, st.integers(0, 10**9), st.sampled_from(sorted(CURRENCIES))))
def test_prices_for_people_lead_back(money: Money) -> None:
    whole, point, decimals = written(money).partition(".")
    for group, mark in ((",", "."), ("", "."), ("\u00a0", ".")):
        text = f"{money.currency} {int(whole):,}".replace(",", group) + (mark + decimals if point else "")
        assert shown(text, money.currency) == money, text


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("$1,234.50", "USD", 123450),
        ("R$1.234,50", "BRL", 123450),
        ("1 234,50 kr", "SEK", 123450),
        ("¥1,234", "JPY", 1234),
        ("CLP 12.345", "CLP", 12345),
        ("KWD 1,234.250", "KWD", 1234250),
        # What parts thousands in one place is a decimal point in another; only of a point it is certain.
        ("KWD 1,234", "KWD", 1234000),
        ("KWD 1.234", "KWD", 1234),
        ("$12.5", "USD", 1250),
        ("", "USD", None),
        ("free", "USD", None),
        ("$5", "ABC", None),
    ],
)
def test_prices_of_other_places(text: str, currency: str, amount: int | None) -> None:
    assert shown(text, currency) == (None if amount is None else Money(amount, currency))


@pytest.mark.parametrize("text", [f"1.{'9' * 40}", f"1.{'0' * 40}1", "1.00000000001"])
def test_an_amount_with_more_digits_than_can_be_counted_is_not_rounded(text: str) -> None:
    with pytest.raises(BadMoney):
        read(text, "USD")


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("9.999", "USD"),
        ("9.5", "JPY"),
        ("9,99", "USD"),
        ("-1", "USD"),
        ("1e3", "USD"),
        ("9.99", "usd"),
        ("9.99", ""),
        ("", "USD"),
        ("9" * 16, "USD"),
    ],
)
def test_what_is_no_amount_is_refused(text: str, currency: str) -> None:
    with pytest.raises(BadMoney):
        read(text, currency)


def test_a_price_names_its_currency() -> None:
    for wrong in ("9.99", "USD", "9.99USD", "$9.99"):
        with pytest.raises(BadMoney):
            priced(wrong)


def test_parts_of_a_vendor_are_exact_or_refused() -> None:
    assert counted(Money(490, "JPY"), 100) == 49000
    assert from_counted(49000, 100, "JPY") == Money(490, "JPY")
    assert counted(Money(1250, "KWD"), 100) == 125
    with pytest.raises(BadMoney):
        counted(Money(1255, "KWD"), 100)
