"""How a dialog rejects an address that it must not redirect people to."""

from html import escape

from starlette.responses import HTMLResponse, Response


def refusal(title: str, detail: str) -> Response:
    """Show what is wrong with the app's request, without redirecting anybody."""
    body = f"<!doctype html><html lang=en><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(detail)}</p>"
    return HTMLResponse(body, 400)
