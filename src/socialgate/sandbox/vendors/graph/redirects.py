"""How a dialog refuses an address that it must not send people back to."""

from html import escape

from starlette.responses import HTMLResponse, Response


def refusal(title: str, detail: str) -> Response:
    """Show what is wrong with the app's request: nobody is sent anywhere."""
    body = f"<!doctype html><html lang=en><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(detail)}</p>"
    return HTMLResponse(body, 400)
