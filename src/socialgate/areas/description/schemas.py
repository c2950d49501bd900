from typing import Any, Literal

from socialgate.web.schema import View


class Check(View, frozen=True, kw_only=True):
    """The result of one check. `detail` says what is wrong."""

    status: Literal["ok", "degraded"]
    detail: str | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"status": "ok", "detail": None}


class Checks(View, frozen=True, kw_only=True):
    """What the service needs to work."""

    database: Check
    storage: Check
    worker: Check
    restore: Check

    @classmethod
    def example(cls) -> dict[str, Any]:
        return dict.fromkeys(("database", "storage", "worker", "restore"), Check.example())


class Health(View, frozen=True, kw_only=True):
    """The health of the service. `degraded` still serves requests; the checks say what is wrong."""

    status: Literal["ok", "degraded"]
    version: str
    checks: Checks

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"status": "ok", "version": "0.1.0", "checks": Checks.example()}
