"""The page of a connect link: every way of connecting, in a browser without scripts and without a login."""

import html
from datetime import timedelta
from typing import Any

import httpx
import pytest

from support.accounts import list_all, list_event_names
from support.connect_links import (
    FORM_KINDS,
    REDIRECT_KINDS,
    Visitor,
    create_link,
    find_back,
    list_choices,
)
from support.connections import get_connect_fields
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService

PLATFORMS = [*REDIRECT_KINDS, *FORM_KINDS]


def list_accounts(owner: OwnerFixture) -> list[dict[str, Any]]:
    return [*list_all(owner), *list_all(owner, "/adaccounts")]


@pytest.fixture
def visit_sandbox(owner: OwnerFixture) -> Any:
    with Sandbox(owner.running) as sandbox:
        yield sandbox


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_is_connected_without_scripts(
    platform: str, owner: OwnerFixture, visit_sandbox: Sandbox
) -> None:
    back = f"{owner.running.url}/console?own=1"
    link = create_link(owner, platforms=[platform], redirectUrl=back)
    visitor = Visitor(owner.running, link["url"])
    assert "Connect your accounts" in visitor.get().text
    end = visitor.connect(visit_sandbox, platform)
    assert end.status_code == 200, end.text
    (account,) = list_accounts(owner)
    assert account["status"] == "connected"
    assert html.escape(account["name"], quote=False).replace("'", "&#39;") in end.text
    assert list_event_names(owner) == ["account.connected"]
    result = find_back(end)
    assert result == {"own": "1", "status": "connected", "platform": platform, "accountIds": account["id"]}
    assert owner.session.get(f"/connect/links/{link['id']}").json()["accountIds"] == [account["id"]]
    assert "<script" not in end.text
