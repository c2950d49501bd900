"""The sandbox as one ASGI application: each vendor at `/<name>`, the controls at `/_control`, a page at `/`."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount

from socialgate_sandbox.control.control import control_routes, refusals
from socialgate_sandbox.kernel.dispatch import VendorApp
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.neighbours import Neighbours


def build_app(kernel: Kernel) -> Starlette:
    platforms = [
        Mount(
            f"/{name}",
            app=VendorApp(
                vendor,
                kernel.worlds[name],
                faults=kernel.faults,
                received=kernel.received,
                stopping=kernel.stopping,
            ),
        )
        for name, vendor in kernel.vendors.items()
    ]
    return Starlette(
        routes=[*control_routes(kernel), *platforms],
        exception_handlers=refusals(kernel),
        middleware=[Middleware(Neighbours, settings=kernel.settings)],
    )
