"""`socialgate mcp`: the tools over standard input and output, for the service at any URL."""

from importlib.util import find_spec

from socialgate.core.egress import SendError, parse_request_url
from socialgate.core.settings import SettingsError

_PACKAGES = ("mcp", "socialgate_client")


async def run_mcp(url: str, key: str | None) -> None:
    """Run the server until standard input is closed. Everything is done by the service, with the key."""
    try:
        parse_request_url(url)
    except SendError as failure:
        raise SettingsError(f"--url: {failure.detail}") from None
    if not key:
        raise SettingsError(
            "An API key is required. Pass --key or set SOCIALGATE_API_KEY; create one with POST /api-keys."
        )
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"Cannot start: {' and '.join(missing)} is not installed. Run `pip install 'socialgate[mcp]'`."
        )
    from socialgate.entry.mcp_stdio import serve_stdio  # noqa: PLC0415 - only now it is known to be installed

    await serve_stdio(url, key)
