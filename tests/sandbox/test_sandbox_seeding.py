"""The first accounts are created once: a restart does not bring back what people deleted."""

from pathlib import Path

from socialgate_sandbox.vendors import ALL_VENDORS, whatsapp_cloud
from socialgate_sandbox.vendors.whatsapp_cloud.seed import ADA_WABA
from support.simulation import running_sandbox


def test_a_restart_keeps_the_accounts_of_every_platform(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, ALL_VENDORS) as sandbox:
        before = sandbox.look("accounts")["data"]
    with running_sandbox(tmp_path, ALL_VENDORS) as sandbox:
        assert sandbox.look("accounts")["data"] == before
    assert {row["platform"] for row in before} == {vendor.name for vendor in ALL_VENDORS}


def test_a_deleted_account_stays_deleted_until_a_reset(tmp_path: Path) -> None:
    def has_account() -> bool:
        return any(row["id"] == ADA_WABA for row in sandbox.look("accounts")["data"])

    with running_sandbox(tmp_path, [whatsapp_cloud.VENDOR]) as sandbox:
        assert has_account()
        sandbox.control("revoke", platform=whatsapp_cloud.VENDOR.name, account=ADA_WABA, how="account_deleted")
    with running_sandbox(tmp_path, [whatsapp_cloud.VENDOR]) as sandbox:
        assert not has_account()
        sandbox.control("reset")
        assert has_account()
