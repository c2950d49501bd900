"""What the token endpoints answer beside a grant and a refusal."""

from collections.abc import Iterator
from typing import Any

import pytest

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NeedsReconnection, OutcomeUnknown, TemporarilyUnavailable
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox

TOKEN, REVOKE = "*/oauth/token/", "*/oauth/revoke/"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.TIKTOK, sandbox) as opened:
        yield opened


@pytest.fixture
def held(desk: Desk) -> AccountCredentials:
    return desk.sign_in(Kind.TIKTOK)[0]


def refresh(desk: Desk, held: AccountCredentials) -> None:
    assert desk.connector.refreshing is not None
    desk.wait_for(desk.connector.refreshing.refresh(held.grant))


@pytest.mark.parametrize("body", [{}, {"data": {}, "error": {"code": "ok"}}, "not json", ""])
def test_a_success_without_a_token_renews_nothing_and_ends_nothing(
    desk: Desk, held: AccountCredentials, body: Any
) -> None:
    desk.fail(TOKEN, status=200, body=body)
    with pytest.raises(TemporarilyUnavailable):
        refresh(desk, held)


def test_a_refusal_may_come_with_the_status_of_a_success(desk: Desk, held: AccountCredentials) -> None:
    desk.fail(TOKEN, status=200, body={"error": "invalid_grant", "error_description": "No", "log_id": "l"})
    with pytest.raises(NeedsReconnection):
        refresh(desk, held)


def test_only_a_lost_answer_leaves_a_renewal_unknown(desk: Desk, held: AccountCredentials) -> None:
    desk.fail(TOKEN, status=502, body="<html>No</html>")
    with pytest.raises(TemporarilyUnavailable):
        refresh(desk, held)
    desk.fail(TOKEN, "drop")
    with pytest.raises(OutcomeUnknown):
        refresh(desk, held)


@pytest.mark.parametrize("body", ["", "not json", {}])
def test_whatever_a_revocation_is_answered_with_it_is_done(desk: Desk, held: AccountCredentials, body: Any) -> None:
    desk.fail(REVOKE, status=200, body=body)
    assert desk.connector.revoking is not None
    desk.wait_for(desk.connector.revoking.revoke(held, last=True))
