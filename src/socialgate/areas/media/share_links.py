"""Links that file shares give to people, which show a page, and the addresses that return the file itself."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

_DRIVE_FILE = re.compile(r"/file/(?:u/\d+/)?d/([\w-]{10,100})(?:/.*)?")
_DRIVE_ID = re.compile(r"[\w-]{10,100}")


def find_download_url(url: str) -> str:
    """Return where the file of a share link is downloaded; the URL itself if it is not one that is known."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        # What is wrong with it is said where it is fetched.
        return url
    convert = _SERVICES.get(host)
    return url if convert is None else convert(url, parts) or url


def _convert_drive(url: str, parts: SplitResult) -> str | None:
    """Build what Drive's API calls `webContentLink`. Documents of Google's editors have none."""
    del url
    path = _DRIVE_FILE.fullmatch(parts.path)
    query = dict(parse_qsl(parts.query))
    file_id = path[1] if path else query.get("id", "") if parts.path == "/open" else ""
    if not _DRIVE_ID.fullmatch(file_id):
        return None
    # Older files are only found with this key.
    key = {"resourcekey": query["resourcekey"]} if "resourcekey" in query else {}
    return "https://drive.google.com/uc?" + urlencode({"export": "download", "id": file_id, **key})


def _convert_dropbox(url: str, parts: SplitResult) -> str | None:
    """Set `dl=1`, with which "the content of a link is downloaded rather than shown". Folders are left alone."""
    del url
    if not parts.path.startswith(("/s/", "/scl/fi/")):
        return None
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in {"dl", "raw"}]
    return parts._replace(query=urlencode([*query, ("dl", "1")])).geturl()


def _convert_onedrive(url: str, parts: SplitResult) -> str:
    """Encode the whole link as the shares API documents: unpadded base64url after `u!`."""
    del parts
    share = urlsafe_b64encode(url.encode()).decode().rstrip("=")
    return "/".join(("https://api.onedrive.com/v1.0/shares", f"u!{share}", "root", "content"))


_SERVICES: Mapping[str, Callable[[str, SplitResult], str | None]] = {
    "drive.google.com": _convert_drive,
    "dropbox.com": _convert_dropbox,
    "1drv.ms": _convert_onedrive,
    "onedrive.live.com": _convert_onedrive,
}
