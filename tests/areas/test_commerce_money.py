"""Amounts of money: the forms that vendors write them in, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.contracts.money import (
    CURRENCY_CODES,
    MAX_AMOUNT,
    InvalidAmountError,
    Money,
    format_amount,
    format_feed_price,
    from_vendor_subunits,
    get_decimal_places,
    parse_amount,
    parse_display_price,
    parse_feed_price,
    to_float,
    to_vendor_subunits,
)

amounts = st.builds(Money, st.integers(0, MAX_AMOUNT), st.sampled_from(sorted(CURRENCY_CODES)))


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
    assert get_decimal_places(currency) == decimals
    assert format_amount(Money(amount, currency)) == text
    assert parse_amount(text, currency) == Money(amount, currency)


@given(amounts)
def test_every_form_leads_back(money: Money) -> None:
    assert parse_amount(format_amount(money), money.currency) == money
    assert parse_amount(to_float(money), money.currency) == money
    assert parse_feed_price(format_feed_price(money)) == money


@given(st.builds(Money, st.integers(0, 10**9), st.sampled_from(sorted(CURRENCY_CODES))))
def test_prices_for_people_lead_back(money: Money) -> None:
    whole, point, decimals = format_amount(money).partition(".")
    for group, mark in ((",", "."), ("", "."), ("\u00a0", ".")):
        text = f"{money.currency} {int(whole):,}".replace(",", group) + (mark + decimals if point else "")
        assert parse_display_price(text, money.currency) == money, text


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
    assert parse_display_price(text, currency) == (None if amount is None else Money(amount, currency))


@pytest.mark.parametrize("text", [f"1.{'9' * 40}", f"1.{'0' * 40}1", "1.00000000001"])
def test_an_amount_with_more_digits_than_can_be_counted_is_not_rounded(text: str) -> None:
    with pytest.raises(InvalidAmountError):
        parse_amount(text, "USD")


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
    with pytest.raises(InvalidAmountError):
        parse_amount(text, currency)


def test_a_price_names_its_currency() -> None:
    for wrong in ("9.99", "USD", "9.99USD", "$9.99"):
        with pytest.raises(InvalidAmountError):
            parse_feed_price(wrong)


def test_parts_of_a_vendor_are_exact_or_refused() -> None:
    assert to_vendor_subunits(Money(490, "JPY"), 100) == 49000
    assert from_vendor_subunits(49000, 100, "JPY") == Money(490, "JPY")
    assert to_vendor_subunits(Money(1250, "KWD"), 100) == 125
    with pytest.raises(InvalidAmountError):
        to_vendor_subunits(Money(1255, "KWD"), 100)
