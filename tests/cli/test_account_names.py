"""Accounts as people name them, and what is said if it is not clear which one is meant."""

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.cli.account_names import find_account, find_accounts
from socialgate.cli.output import clean
from socialgate_client.types import Account, TokenRenewalStatus


def account(number: int, kind: str, name: str, username: str | None = None, platform: str = "meta") -> Account:
    return Account(
        id=f"acc_{number}",
        profile_id="prf_1",
        platform=platform,
        kind=kind,
        platform_account_id=str(number),
        name=name,
        username=username,
        avatar_url=None,
        profile_url=None,
        status="connected",
        capabilities=["post"],
        connected_at=None,
        last_checked_at=None,
        token=TokenRenewalStatus(expires_at=None, next_refresh_at=None, last_refresh_error=None),
        needs_reconnection=None,
    )


INSTAGRAM = account(1, "instagram", "Ada's Bakery", "adasbakery")
PAGE = account(2, "facebook_page", "Ada's Bakery")
TIKTOK = account(3, "tiktok", "Ada, Lima", "adasbakery", platform="tiktok")
BOT = account(4, "telegram_bot", "Orders", "ada_bot", platform="telegram")
ALL = [INSTAGRAM, PAGE, TIKTOK, BOT]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("acc_2", PAGE),
        ("@ada_bot", BOT),
        ("ada_bot", BOT),
        ("ORDERS", BOT),
        ("fb", PAGE),
        ("instagram", INSTAGRAM),
        ("telegram", BOT),
        ("ig:@adasbakery", INSTAGRAM),
        ("tiktok:adasbakery", TIKTOK),
        ("facebook_page:Ada's Bakery", PAGE),
    ],
)
def test_an_account_has_many_names(name: str, expected: Account) -> None:
    assert find_account(ALL, name) is expected


@pytest.mark.parametrize("name", ["@adasbakery", "Ada's Bakery", "meta"])
def test_a_name_of_two_accounts_is_refused_with_both(name: str) -> None:
    with pytest.raises(click.UsageError) as refusal:
        find_account(ALL, name)
    assert "can be 2 accounts" in refusal.value.message
    assert refusal.value.message.count("\n  acc_") == 2


def test_a_typo_is_answered_with_what_was_probably_meant() -> None:
    with pytest.raises(click.UsageError, match=r"Did you mean @ada_bot\?"):
        find_account(ALL, "@ada_bt")
    with pytest.raises(click.UsageError, match="There is no account ''"):
        find_account(ALL, "")


def test_commas_separate_names_unless_they_are_part_of_one() -> None:
    assert find_accounts(ALL, ["@ada_bot, fb", "acc_4"]) == [BOT, PAGE]
    assert find_accounts(ALL, ["Ada, Lima"]) == [TIKTOK]


@given(st.text())
def test_what_others_wrote_cannot_control_the_terminal(text: str) -> None:
    shown = clean(text)
    assert shown.isprintable()
    assert "\x1b" not in shown
