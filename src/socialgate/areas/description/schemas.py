from typing import Any, Literal

from socialgate import __version__
from socialgate.web.schemas import ResponseModel


class HealthCheckResult(ResponseModel, frozen=True, kw_only=True):
    """The result of one check. `detail` says what is wrong."""

    status: Literal["ok", "degraded"]
    """`degraded` if something is wrong with it."""
    detail: str | None = None
    """What is wrong and how to fix it. Null if nothing is."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"status": "ok", "detail": None}


class HealthCheckResults(ResponseModel, frozen=True, kw_only=True):
    """What the service needs to work."""

    database: HealthCheckResult
    """Whether the database answers."""
    storage: HealthCheckResult
    """Whether files can be stored."""
    worker: HealthCheckResult
    """Whether a worker has reported lately."""
    restore: HealthCheckResult
    """Whether something waits for a decision of the operator after a backup was restored."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return dict.fromkeys(("database", "storage", "worker", "restore"), HealthCheckResult.example())


class Health(ResponseModel, frozen=True, kw_only=True):
    """The health of the service. `degraded` still serves requests; the checks say what is wrong."""

    status: Literal["ok", "degraded"]
    """`degraded` if any of the checks is."""
    version: str
    """The version of Socialgate."""
    checks: HealthCheckResults
    """The result of each check."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"status": "ok", "version": __version__, "checks": HealthCheckResults.example()}
