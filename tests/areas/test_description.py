import asyncio
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx
import pytest
import sqlalchemy as sa

from socialgate import __version__
from socialgate.core.db import Tx
from socialgate.core.errors import list_error_types
from socialgate.core.worker_heartbeats import HEARTBEAT_STALE_AFTER, record_heartbeat
from socialgate.web.api_description import describe_query_parameters
from support.postgres import new_database
from support.problems import problem_of
from support.routes import label, routes
from support.service import RunningService, StartService, running_service
from support.waiting import eventually

BLOCK = re.compile(r"^(?:GET|HEAD|POST|PUT|PATCH|DELETE) /\S*$", re.MULTILINE)


class Links(HTMLParser):
    """Collects whatever a page would load or lead to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.anchors: set[str] = set()
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in {"src", "srcset", "data", "poster", "action"} or (name == "href" and tag != "a"):
                self.loaded.append(value or "")
            elif name == "href":
                self.linked.append(value or "")
            elif name == "id":
                self.anchors.add(value or "")


@pytest.fixture
def quiet(start_service: StartService) -> Iterator[RunningService]:
    """A service without a worker inside."""
    with start_service(worker="separate") as running:
        yield running


def health(running: RunningService) -> dict[str, Any]:
    answer = running.client().get("/health")
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def becomes(running: RunningService, check: Callable[[dict[str, Any]], bool]) -> None:
    """Wait for a change to show. What was found is remembered for a second."""
    eventually(lambda: check(health(running)))


def test_all_is_well(service: RunningService) -> None:
    becomes(service, lambda result: result["status"] == "ok")
    well = {"status": "ok", "detail": None}
    checks = {"database": well, "storage": well, "worker": well, "restore": well}
    assert health(service) == {"status": "ok", "version": __version__, "checks": checks}


def test_without_a_worker_the_service_is_degraded_and_serves(quiet: RunningService) -> None:
    result = health(quiet)
    assert (result["status"], result["checks"]["worker"]["status"]) == ("degraded", "degraded")
    assert "socialgate work" in result["checks"]["worker"]["detail"]
    assert result["checks"]["database"]["status"] == "ok"
    assert quiet.new_owner().session.get("/profiles").status_code == 200


def test_a_worker_that_goes_silent_is_noticed(quiet: RunningService) -> None:
    async def sign(tx: Tx) -> None:
        await record_heartbeat(tx, "wrk_test", tx.now)

    quiet.clock.stop()
    quiet.write(sign)
    assert health(quiet)["status"] == "ok"
    quiet.clock.offset += HEARTBEAT_STALE_AFTER
    assert health(quiet)["status"] == "ok"
    quiet.clock.offset += HEARTBEAT_STALE_AFTER / 30
    becomes(quiet, lambda result: result["status"] == "degraded")
    assert "last heartbeat" in health(quiet)["checks"]["worker"]["detail"]
    quiet.write(sign)
    becomes(quiet, lambda result: result["status"] == "ok")


def test_a_folder_that_is_gone_is_noticed(postgres_url: str, tmp_path: Path) -> None:
    with running_service(tmp_path / "data", new_database(postgres_url)) as running:
        becomes(running, lambda result: result["checks"]["storage"]["status"] == "ok")
        # It is loaded with the first request, and needs the folder for that.
        assert httpx.get(running.sandbox.url).status_code < httpx.codes.BAD_REQUEST
        (tmp_path / "data").rename(tmp_path / "moved")
        becomes(running, lambda result: result["checks"]["storage"]["status"] == "degraded")
        result = health(running)
        assert result["status"] == "degraded"
        assert "data directory" in result["checks"]["storage"]["detail"]
        assert str(tmp_path) not in result["checks"]["storage"]["detail"]


def take_away(running: RunningService) -> None:
    """Make the database unreachable: put a folder where the file was, or drop it under the feet of the service."""
    db = running.service.db
    if db.is_sqlite:
        running.run(db._driver.close())
        path = Path(db.url.database or "")
        path.rename(path.with_suffix(".away"))
        path.mkdir()
    else:
        asyncio.run(_drop(running.settings.database_url or ""))


async def _drop(url: str) -> None:
    name = urlsplit(url).path[1:]
    connection = await asyncpg.connect(url.replace(f"/{name}?", "/postgres?", 1))
    try:
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await connection.close()


def test_a_database_that_is_away_is_503_and_named(quiet: RunningService) -> None:
    owner = quiet.new_owner()
    take_away(quiet)
    eventually(lambda: quiet.client().get("/health").status_code != 200)
    answers = [quiet.client().get("/health") for _ in range(3)]
    for answer in answers:
        problem = problem_of(answer, 503, "unavailable")
        assert "`database`" in problem["detail"]
        assert problem["retryAfter"] >= 1
    for answer in (owner.session.post("/profiles", json={"name": "x"}), quiet.client("ses_x").get("/profiles")):
        assert problem_of(answer, 503, "unavailable")["retryAfter"] >= 1


def test_a_database_without_its_tables_is_503_too(quiet: RunningService) -> None:
    async def drop(tx: Tx) -> None:
        await tx.execute(sa.text("ALTER TABLE workers RENAME TO hidden"))

    quiet.write(drop)
    assert "`database`" in problem_of(quiet.client().get("/health"), 503, "unavailable")["detail"]


def areas_of(service: RunningService) -> dict[str, str]:
    """Read every file that the index links, by its path."""
    index = service.client().get("/llms.txt").text
    paths = dict.fromkeys(urlsplit(url).path for url in re.findall(r"Details: (\S+)", index))
    answers = {path: service.client().get(path) for path in paths}
    assert {answer.status_code for answer in answers.values()} == {200}
    return {path: answer.text for path, answer in answers.items()}


def test_the_list_for_agents_has_exactly_the_routes(service: RunningService) -> None:
    text = service.client().get("/llms-full.txt").text
    assert BLOCK.findall(text) == [label(operation) for operation in routes(service)]


def test_the_files_of_the_areas_have_exactly_the_routes_and_the_same_blocks(service: RunningService) -> None:
    full, areas = service.client().get("/llms-full.txt").text, areas_of(service)
    listed = [block for text in areas.values() for block in BLOCK.findall(text)]
    assert sorted(listed) == sorted(label(operation) for operation in routes(service))
    assert "GET /posts" in BLOCK.findall(areas["/llms/posts.txt"])
    for text in areas.values():
        for block in BLOCK.split(text)[1:]:
            assert block.partition("\nExample:\n")[0] in full
    assert "## post.published" in areas["/llms/events.txt"]


def test_the_index_for_agents_is_short_and_links_every_route(service: RunningService) -> None:
    index = service.client().get("/llms.txt").text
    for operation in routes(service):
        assert f"- [{label(operation)}]({service.url}/llms/" in index
        assert operation.summary in index
    assert BLOCK.findall(index) == []
    assert len(index) < len(service.client().get("/llms-full.txt").text) / 10


@pytest.mark.parametrize("name", ["nothing.txt", "posts", "..%2Fllms.txt"])
def test_an_area_that_does_not_exist_has_no_file(service: RunningService, name: str) -> None:
    problem_of(service.client().get(f"/llms/{name}"), 404, "not_found")


def test_each_block_for_agents_says_all_there_is_to_say(service: RunningService, subtests: pytest.Subtests) -> None:
    text = service.client().get("/llms-full.txt").text
    blocks = dict(zip(BLOCK.findall(text), BLOCK.split(text)[1:], strict=True))
    for operation in routes(service):
        with subtests.test(label(operation)):
            block = blocks[label(operation)]
            assert operation.summary in block
            for part in ("\nWho may call: ", "\nResponse: ", "\nErrors:\n", "\nExample:\n"):
                assert part in block
            for name in operation.path_parameters:
                assert f"- {name}: string, required" in block
            command = block.partition("\nExample:\n")[2].splitlines()[0]
            for field in describe_query_parameters(operation.spec.query):
                assert not field.required or re.search(rf"[?&]{field.name}=[^&']", command), field.name
            for kind in operation.list_error_types():
                assert kind.code in block
            takes_json = operation.body is not None or "application/json" in operation.spec.body_formats
            assert ("\nBody (application/json):\n" in block) == takes_json


def test_the_list_for_agents_is_plain_text(service: RunningService) -> None:
    for path in ("/llms.txt", "/llms-full.txt", "/llms/posts.txt"):
        answer = service.client().get(path)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert service.url in answer.text


def test_the_pages_load_nothing(service: RunningService, subtests: pytest.Subtests) -> None:
    paths = ["/docs", *(f"/docs/errors/{kind.code}" for kind in list_error_types())]
    for path in paths:
        with subtests.test(path):
            answer = service.client().get(path)
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            links = Links(answer.text)
            assert all(address.startswith("data:") for address in links.loaded)
            assert not links.tags & {"script", "iframe", "object", "embed", "form"}
            assert not re.findall(r"url\(|@import", answer.text)
            assert links.linked
            for link in links.linked:
                assert link.startswith(("/", "#", service.url)), link


def test_the_reference_has_every_route_and_every_link_in_it_leads_somewhere(service: RunningService) -> None:
    page = service.client().get("/docs").text
    links = Links(page)
    assert {operation.name for operation in routes(service)} <= links.anchors
    for link in set(links.linked):
        path, _, anchor = link.partition("#")
        assert not anchor or path not in {"", "/docs"} or anchor in links.anchors, link
        assert not path or service.client().get(path).status_code == 200, link


def test_every_error_has_its_page(service: RunningService, subtests: pytest.Subtests) -> None:
    codes = [kind.code for kind in list_error_types()]
    assert len(set(codes)) == len(codes)
    for kind in list_error_types():
        with subtests.test(kind.code):
            page = service.client().get(f"/docs/errors/{kind.code}")
            assert page.status_code == 200
            assert (kind.__doc__ or "").split()[0] in page.text
            assert kind.code in page.text


def test_an_error_that_does_not_exist_has_none(service: RunningService) -> None:
    for code in ("unknown", "NOT_FOUND", "<script>alert(1)</script>"):
        problem_of(service.client().get(f"/docs/errors/{code}"), 404, "not_found")
