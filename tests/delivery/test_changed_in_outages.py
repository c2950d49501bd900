"""A hook that was changed before the database went away: what its old address answers meanwhile changes nothing."""

from pathlib import Path

import pytest

from delivery.conftest import hook_settings
from delivery.test_changed_hooks import HeldBack, change
from support.deployment import start_stoppable_postgres
from support.hooks import add_hook, emit, hook_row, wait_for_deliveries
from support.receiver import Receiver, Reply
from support.service import running_service


@pytest.mark.parametrize("ordered", [False, True], ids=["free", "ordered"])
def test_a_410_of_the_old_address_that_comes_without_a_database_does_not_disable_the_hook(
    receiver: Receiver, tmp_path: Path, *, ordered: bool
) -> None:
    settings = hook_settings(receiver.ca_file)
    with start_stoppable_postgres() as server, running_service(tmp_path / "data", server.url, **settings) as running:
        owner = running.new_owner()
        receiver.behaviour = held_back = HeldBack(Reply(status=410))
        hook_id = add_hook(owner, receiver.url("/old"), ordered=ordered)
        emit(owner, 1)
        receiver.wait_for_count(1)
        change(owner, hook_id, url=receiver.url("/new"))
        server.stop("immediate")
        held_back.go.set()
        server.start()
        receiver.wait_for_count(2)
        (delivery,) = wait_for_deliveries(owner, hook_id)
        assert (delivery.status, [attempt.status_code for attempt in delivery.attempts]) == ("succeeded", [410, 200])
        assert hook_row(owner, hook_id).active
