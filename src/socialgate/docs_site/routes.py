"""The pages at `/docs`, and the files that they load."""

import asyncio
from http import HTTPStatus
from typing import Any

from litestar import Request, Response

from socialgate.core.errors import NotFound
from socialgate.docs_site.assets import get_docs_asset_version, get_media_type, load_docs_assets
from socialgate.docs_site.links import DOCS_PATH, HOME, SEARCH_INDEX, ServedLinks
from socialgate.docs_site.service import DocsSite, StoredPage
from socialgate.web.compression import accepts_gzip
from socialgate.web.route import RouteAccess, RouteTag, route
from socialgate.web.tags import DESCRIPTION_TAG

_TAG = RouteTag("Console", "Web pages.")
# The framework adds the charset.
HTML_MEDIA_TYPE = "text/html"

_JSON = "application/json"
_SECURITY = {
    # Only our own files are loaded, nothing in the page itself runs, and no other page can put ours in a frame.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
}
# Browsers ask whether a page changed, and are told in a few bytes that it did not.
_ASK_AGAIN = "no-cache"
_KEEP = "public, max-age=31536000, immutable"
_KEEP_BRIEFLY = "public, max-age=60"
_ASSET_POLICY = "default-src 'none'; sandbox"

AnyRequest = Request[Any, Any, Any]
DocumentResponse = Response[bytes]


@route(
    "GET",
    DOCS_PATH,
    sdk="docs.get",
    in_clients=False,
    tag=DESCRIPTION_TAG,
    access=RouteAccess.PUBLIC,
    answers=HTML_MEDIA_TYPE,
    open_query=True,
)
async def show_docs(request: AnyRequest, docs_site: DocsSite) -> DocumentResponse:
    """Show the documentation as pages, with a search. It works without internet access."""
    return await _send_page(request, docs_site, HOME)


@route(
    "GET",
    DOCS_PATH + "/errors/{code:str}",
    sdk="docs.error",
    in_clients=False,
    tag=DESCRIPTION_TAG,
    access=RouteAccess.PUBLIC,
    answers=HTML_MEDIA_TYPE,
    raises=(NotFound,),
    open_query=True,
)
async def show_error(request: AnyRequest, code: str, docs_site: DocsSite) -> DocumentResponse:
    """Explain one error code and how to fix the error. The `type` of every problem points here."""
    return await _send_page(request, docs_site, f"errors/{code}")


@route(
    "GET",
    DOCS_PATH + "/{page:path}",
    tag=_TAG,
    access=RouteAccess.OPEN_PAGE,
    answers=HTML_MEDIA_TYPE,
    open_query=True,
)
async def show_docs_page(request: AnyRequest, page: str, docs_site: DocsSite) -> DocumentResponse:
    name = page.strip("/")
    if name == SEARCH_INDEX:
        index = await asyncio.to_thread(docs_site.get_search_index)
        return _send(request, index, _JSON)
    if name.startswith("assets/"):
        return _send_asset(name)
    target = _find_new_name(name)
    if target != name:
        return Response(
            b"",
            status_code=HTTPStatus.MOVED_PERMANENTLY,
            headers={"Location": ServedLinks().build_page_url(target), "Cache-Control": _ASK_AGAIN},
        )
    return await _send_page(request, docs_site, name)


async def _send_page(request: AnyRequest, site: DocsSite, name: str) -> DocumentResponse:
    try:
        page = await asyncio.to_thread(site.get_page, name)
    except NotFound:
        if HTML_MEDIA_TYPE not in request.headers.get("accept", ""):
            raise
        page = await asyncio.to_thread(site.get_missing_page)
        return _send(request, page, HTML_MEDIA_TYPE, HTTPStatus.NOT_FOUND)
    return _send(request, page, HTML_MEDIA_TYPE)


def _send(request: AnyRequest, page: StoredPage, media_type: str, status: int = HTTPStatus.OK) -> DocumentResponse:
    headers = {**_SECURITY, "Cache-Control": _ASK_AGAIN, "ETag": page.etag, "Vary": "Accept-Encoding, Accept"}
    if status == HTTPStatus.OK and page.etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if accepts_gzip(request.scope["headers"]):
        content, headers = page.compressed, {**headers, "Content-Encoding": "gzip"}
    else:
        content = page.text
    return Response(content, status_code=status, media_type=media_type, headers=headers)


def _send_asset(name: str) -> DocumentResponse:
    version, _, file_name = name.removeprefix("assets/").partition("/")
    content = load_docs_assets().get(file_name)
    if content is None:
        raise NotFound("There is no such file.")
    headers = {
        "Cache-Control": _KEEP if version == get_docs_asset_version() else _KEEP_BRIEFLY,
        "Content-Security-Policy": _ASSET_POLICY,
    }
    return Response(content, media_type=get_media_type(file_name), headers=headers)


def _find_new_name(name: str) -> str:
    """Find the page that an address of the repository names, such as `posts.md` or `reference/routes.md`."""
    name = name.removesuffix(".html").removesuffix(".md")
    name = name.removesuffix("README").removesuffix("index").rstrip("/")
    return {"reference": "api", "reference/routes": "api"}.get(name, name)


routes = [show_docs, show_error, show_docs_page]
