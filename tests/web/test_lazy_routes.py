"""Handlers are prepared when they are first requested, which is most of what a start would do."""

from typing import Any, cast

from socialgate.entry.deployment import AREAS
from support.service import StartService


def test_a_handler_is_prepared_when_it_is_first_requested(start_service: StartService) -> None:
    with start_service() as running:
        routes = {route.path: cast("Any", route) for route in running.service.app.routes}
        assert len(routes) > len(AREAS)
        assert [path for path, route in routes.items() if route.route_handler_map] == []
        owner = running.new_owner()
        for _ in range(2):
            assert owner.session.get("/profiles").status_code == 200
        assert list(routes["/profiles"].route_handler_map) == ["GET"]
        assert owner.session.options("/profiles").headers["allow"] == "GET, OPTIONS, POST"
        assert owner.session.put("/profiles").status_code == 405
