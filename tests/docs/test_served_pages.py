"""The pages that the service shows: complete, without script, and without a request to anywhere else."""

import re

from support.service import RunningService

_HREF = re.compile(r'href="([^"]*)"')


def test_the_reference_page_loads_and_runs_nothing(service: RunningService) -> None:
    answer = service.client().get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.search(r"<script|<iframe|<img|<form|\ssrc=|@import|url\(|\son\w+=", answer.text)
    assert all(target.startswith(("#", "/", "data:")) for target in _HREF.findall(answer.text))


def test_the_reference_page_shows_every_route(service: RunningService) -> None:
    client = service.client()
    page, document = client.get("/docs").text, client.get("/openapi.json").json()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert [o["operationId"] for o in operations if f'<section class="op" id="{o["operationId"]}">' not in page] == []


def test_every_link_of_the_reference_page_leads_somewhere(service: RunningService) -> None:
    client = service.client()
    page = client.get("/docs").text
    targets = set(_HREF.findall(page))
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {target[1:] for target in targets if target.startswith("#")} <= anchors
    for target in sorted(target for target in targets if target.startswith("/")):
        assert client.get(target).status_code == 200, target


def test_an_error_page_explains_it_and_leads_back(service: RunningService) -> None:
    answer = service.client().get("/docs/errors/not_found")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<h1>Not found</h1>" in answer.text
    assert "Check the path and the id" in answer.text
    assert set(_HREF.findall(answer.text)) >= {"/docs", "/docs#errors"}
