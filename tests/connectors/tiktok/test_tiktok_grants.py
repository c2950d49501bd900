"""What the token endpoints answer beside a grant and a refusal."""

from collections.abc import Iterator
from typing import Any

import pytest

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import NeedsReconnectionError, OutcomeUnknownError, PlatformUnavailableError
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

TOKEN, REVOKE = "*/oauth/token/", "*/oauth/revoke/"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.TIKTOK, sandbox) as opened:
        yield opened


@pytest.fixture
def credentials(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.TIKTOK)[0]


def refresh(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    assert desk.connector.token_refresher is not None
    desk.wait_for(desk.connector.token_refresher.refresh(credentials.grant))


@pytest.mark.parametrize("body", [{}, {"data": {}, "error": {"code": "ok"}}, "not json", ""])
def test_a_success_without_a_token_renews_nothing_and_ends_nothing(
    desk: ConnectorDriver, credentials: AccountCredentials, body: Any
) -> None:
    desk.fail(TOKEN, status=200, body=body)
    with pytest.raises(PlatformUnavailableError):
        refresh(desk, credentials)


def test_a_refusal_may_come_with_the_status_of_a_success(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    desk.fail(TOKEN, status=200, body={"error": "invalid_grant", "error_description": "No", "log_id": "l"})
    with pytest.raises(NeedsReconnectionError):
        refresh(desk, credentials)


def test_only_a_lost_answer_leaves_a_renewal_unknown(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    desk.fail(TOKEN, status=502, body="<html>No</html>")
    with pytest.raises(PlatformUnavailableError):
        refresh(desk, credentials)
    desk.fail(TOKEN, "drop")
    with pytest.raises(OutcomeUnknownError):
        refresh(desk, credentials)


@pytest.mark.parametrize("body", ["", "not json", {}])
def test_whatever_a_revocation_is_answered_with_it_is_done(
    desk: ConnectorDriver, credentials: AccountCredentials, body: Any
) -> None:
    desk.fail(REVOKE, status=200, body=body)
    assert desk.connector.grant_revoker is not None
    desk.wait_for(desk.connector.grant_revoker.revoke(credentials, is_last_account=True))
