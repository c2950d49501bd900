import asyncio

from litestar import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.areas.description.schemas import Health
from socialgate.areas.description.service import HealthCheck
from socialgate.core.backlog import BacklogMonitor
from socialgate.core.errors import NotFound
from socialgate.core.metrics import Metrics
from socialgate.web.missing import handle_page_not_found
from socialgate.web.route import RouteAccess, RouteTag, route

TAG = RouteTag("Health and description", "Whether the service is running, and what it offers.")
# The framework adds the charset to every text.
HTML_MEDIA_TYPE = "text/html"
PLAIN_TEXT_MEDIA_TYPE = "text/plain"
PROMETHEUS_MEDIA_TYPE = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
# The pages contain no scripts and load nothing, so nothing may run on them either.
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
}


@route("GET", "/health", sdk="health.get", tag=TAG, access=RouteAccess.PUBLIC)
async def show_health(health_check: HealthCheck) -> Health:
    """Return the health of the service.

    200 while this process can serve requests, even if something is degraded: a stale worker, a full disk, a media
    storage that does not respond. The check says what is wrong: `database` is where everything except files is stored,
    `storage` is where media files are stored, `worker` is what publishes and delivers, and `restore` is degraded while
    items of a restored backup wait for the operator's decision. 503 with the name of the check if the process cannot
    serve requests.
    """
    return await health_check.check()


@route("GET", "/openapi.json", sdk="openapi.get", in_clients=False, tag=TAG, access=RouteAccess.PUBLIC, open_query=True)
async def show_openapi(documents: ApiDocuments) -> bytes:
    """Return the OpenAPI 3.1 document of this API."""
    return await asyncio.to_thread(lambda: documents.openapi)


@route(
    "GET",
    "/llms.txt",
    sdk="llms.get",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    answers=PLAIN_TEXT_MEDIA_TYPE,
    open_query=True,
)
async def show_llms(documents: ApiDocuments) -> str:
    """Give language models an index of the API as plain text: the conventions, and one line per endpoint.

    Each line links to the file of its area, such as `/llms/posts.txt`, which has all details.
    """
    return await asyncio.to_thread(lambda: documents.llms_text.index)


@route(
    "GET",
    "/llms-full.txt",
    sdk="llms.full",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    answers=PLAIN_TEXT_MEDIA_TYPE,
    open_query=True,
)
async def show_llms_full(documents: ApiDocuments) -> str:
    """List every endpoint with its parameters, body, response and errors as plain text, in one file."""
    return await asyncio.to_thread(lambda: documents.llms_text.full)


@route(
    "GET",
    "/llms/{file_name:str}",
    sdk="llms.area",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    answers=PLAIN_TEXT_MEDIA_TYPE,
    raises=(NotFound,),
    open_query=True,
)
async def show_llms_area(file_name: str, documents: ApiDocuments) -> str:
    """List the endpoints of one area with all details as plain text. `/llms.txt` links the files."""
    return await asyncio.to_thread(documents.get_area_llms_text, file_name)


@route("GET", "/docs", sdk="docs.get", in_clients=False, tag=TAG, access=RouteAccess.PUBLIC, answers=HTML_MEDIA_TYPE)
async def show_docs(documents: ApiDocuments) -> Response[str]:
    """Show the API reference as a page. It works without internet access."""
    page = await asyncio.to_thread(lambda: documents.reference_html)
    return Response(page, media_type=HTML_MEDIA_TYPE, headers=_PAGE_HEADERS)


@route(
    "GET",
    "/docs/errors/{code:str}",
    sdk="docs.error",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    answers=HTML_MEDIA_TYPE,
    render_error=handle_page_not_found,
)
async def show_error(code: str, documents: ApiDocuments) -> Response[str]:
    """Explain one error code and how to fix the error. The `type` of every problem points here."""
    return Response(documents.render_error_page(code), media_type=HTML_MEDIA_TYPE, headers=_PAGE_HEADERS)


@route(
    "GET",
    "/metrics",
    sdk="metrics.get",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.OPERATOR,
    answers=PROMETHEUS_MEDIA_TYPE,
)
async def show_metrics(metrics: Metrics, backlog: BacklogMonitor) -> bytes:
    """Return the metrics of this process in Prometheus format.

    What waits in the database (deliveries, jobs, posts) is measured at most every ten seconds, for the whole
    deployment.
    """
    await backlog.refresh()
    return generate_latest(metrics.registry)


routes = [
    show_health,
    show_openapi,
    show_llms,
    show_llms_full,
    show_llms_area,
    show_docs,
    show_error,
    show_metrics,
]
