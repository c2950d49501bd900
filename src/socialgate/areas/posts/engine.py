"""Publishing what is due: as many targets at a time as there is capacity for, each in its own run."""

from socialgate.areas.posts import store
from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.areas.posts.run import PublishDeps, Run
from socialgate.areas.posts.tables import TargetRow
from socialgate.core.jobs.queue import Claimed
from socialgate.core.jobs.runner import Runner


class Publisher:
    def __init__(self, deps: PublishDeps) -> None:
        self._deps = deps
        runner = Runner(deps.db, store.TARGETS, self._publish, hint=PUBLISHING)
        # Work in progress ends after its current step, and is released.
        deps.stopping = runner.stopping
        self.run = runner.run
        self.stop = runner.stop

    async def _publish(self, claimed: Claimed[TargetRow]) -> None:
        await Run(self._deps, claimed).go()
