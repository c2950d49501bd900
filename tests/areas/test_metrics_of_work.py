"""What operators are told about the work that is waiting, about connections, and about the process."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families

from socialgate.areas.posts.tables import targets as post_targets
from socialgate.core.backlog import measure_backlog
from socialgate.core.db import Tx
from socialgate.core.jobs.service import JobService
from support.hooks import add_hook, change_hook, emit
from support.operation_area import count_to
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

TOKEN = "a token for the metrics"


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    """A service whose work nobody does."""
    with start_service(worker="separate", metrics_token=TOKEN) as own:
        own.clock.stop()
        yield own


def scraped(running: RunningService) -> dict[tuple[str, str], float]:
    """Ask for the metrics as Prometheus does: values by name and the type of job."""
    answer = running.client(TOKEN).get("/metrics")
    assert answer.status_code == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, sample.labels.get("type", "")): sample.value for family in families for sample in family.samples
    }


@pytest.mark.one_engine
def test_what_waits_is_counted_and_its_age_is_shown(running: RunningService) -> None:
    owner = running.new_owner()
    waiting, failing = add_hook(owner, "https://127.0.0.1:1/a"), add_hook(owner, "https://127.0.0.1:1/b")
    emit(owner, 1)
    running.clock.offset += timedelta(seconds=60)
    emit(owner, 2)
    jobs = running.service.container.get(JobService)
    for _ in range(3):
        running.write(count_to, jobs, owner.id, owner.profile_id, 1)
    running.clock.offset += timedelta(seconds=30)
    assert waiting != failing
    result = scraped(running)
    assert result["socialgate_deliveries_pending", ""] == 4
    assert result["socialgate_delivery_oldest_due_seconds", ""] == 90
    assert result["socialgate_jobs_due", "test.count"] == 3
    assert result["socialgate_job_oldest_due_seconds", "test.count"] == 30
    assert result["socialgate_posts_due", ""] == 0
    assert result["socialgate_post_oldest_due_seconds", ""] == 0


def test_deliveries_that_nobody_could_send_now_have_no_age(running: RunningService) -> None:
    owner = running.new_owner()
    hook_id = add_hook(owner, "https://127.0.0.1:1/a")
    emit(owner, 1)
    running.clock.offset += timedelta(seconds=60)
    assert running.read(measure_backlog, post_targets).deliveries.oldest is not None
    change_hook(owner, hook_id, active=False)
    result = running.read(measure_backlog, post_targets).deliveries
    assert (result.count, result.oldest) == (1, None)


def test_process_and_connections_are_shown(running: RunningService) -> None:
    result = scraped(running)
    assert result["process_resident_memory_bytes", ""] > 0
    assert result["process_open_fds", ""] > 0
    assert ("python_gc_collections_total", "") in result
    # What runs in the background may be using some just now.
    assert result["socialgate_database_connections_in_use", ""] >= 0


def test_a_connection_in_use_is_counted(running: RunningService) -> None:
    async def look(tx: Tx) -> float | None:
        await tx.scalar(sa.select(sa.literal(1)))
        return running.service.metrics.registry.get_sample_value("socialgate_database_connections_in_use")

    # What runs in the background may be using another one just now.
    eventually(lambda: running.write(look) == 1, "a moment with one connection in use")
