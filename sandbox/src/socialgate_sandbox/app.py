"""The sandbox as one ASGI application: each vendor at `/<name>`, the controls at `/_control`, a page at `/`."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount

from socialgate_sandbox.control.control_routes import build_control_routes, build_exception_handlers
from socialgate_sandbox.kernel.access_control import LocalAccessMiddleware
from socialgate_sandbox.kernel.dispatch import VendorApp
from socialgate_sandbox.kernel.sandbox import Sandbox


def build_app(sandbox: Sandbox) -> Starlette:
    platforms = [
        Mount(
            f"/{name}",
            app=VendorApp(
                vendor,
                sandbox.contexts[name],
                faults=sandbox.faults,
                call_log=sandbox.received,
                shutdown_event=sandbox.shutdown_event,
            ),
        )
        for name, vendor in sandbox.vendors.items()
    ]
    return Starlette(
        routes=[*build_control_routes(sandbox), *platforms],
        exception_handlers=build_exception_handlers(sandbox),
        middleware=[Middleware(LocalAccessMiddleware, settings=sandbox.settings)],
    )
