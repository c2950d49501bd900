"""What every failure must look like."""

from typing import Any

import httpx

FIELDS = {"type", "title", "status", "detail", "instance", "code", "requestId"}
SOMETIMES = {"errors", "retryAfter", "platform", "platformError", "category"}


def problem_of(answer: httpx.Response, status: int, code: str | None = None) -> dict[str, Any]:
    """Give the problem in an answer, after checking that it is a whole one with this status and code."""
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}: {answer.text[:500]}"
    assert answer.headers["content-type"] == "application/problem+json"
    if answer.request.method == "HEAD":
        # Its answer has no body to say more.
        assert answer.content == b""
        return {}
    problem: dict[str, Any] = answer.json()
    assert FIELDS <= problem.keys() <= FIELDS | SOMETIMES
    assert problem["status"] == status
    assert problem["type"].endswith(f"/docs/errors/{problem['code']}")
    assert problem["instance"] == answer.request.url.path
    assert problem["title"]
    assert problem["detail"]
    assert code in {None, problem["code"]}, problem
    if "idempotent-replayed" not in answer.headers:
        assert problem["requestId"] == answer.headers["x-request-id"]
    if "retryAfter" in problem:
        assert answer.headers["retry-after"] == str(problem["retryAfter"])
    for fault in problem.get("errors", ()):
        assert fault.keys() == {"pointer", "code", "detail"}
    return problem


def fault_of(answer: httpx.Response) -> tuple[str, str]:
    """Give the place and the code of the one fault in a 422 answer."""
    (fault,) = problem_of(answer, 422)["errors"]
    return fault["pointer"], fault["code"]
