"""Publishing what is due: as many targets at a time as there is capacity for, each in its own run."""

from socialgate.areas.posts import store
from socialgate.areas.posts.publish_run import PublishDependencies, PublishRun
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import TargetRow
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.jobs.runner import QueueRunner


class PublishingWorker:
    def __init__(self, deps: PublishDependencies) -> None:
        self._deps = deps
        runner = QueueRunner(deps.db, store.TARGET_QUEUE, self._publish, hint=PUBLISHING_WAKE_KEY)
        # Work in progress ends after its current step, and is released.
        deps.stopping = runner.stopping
        self.run = runner.run
        self.stop = runner.stop

    async def _publish(self, claimed: ClaimedRow[TargetRow]) -> None:
        await PublishRun(self._deps, claimed).run()
