"""`socialgate docs build DIR`: write the documentation as files, for any web server."""

from base64 import b64encode
from pathlib import Path

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.core.clock import SystemClock
from socialgate.core.encryption import KEY_BYTES
from socialgate.core.settings import Settings
from socialgate.docs_site.assets import get_docs_asset_version, load_docs_assets
from socialgate.docs_site.links import SEARCH_INDEX, FileLinks, get_file_name
from socialgate.docs_site.page_renderer import MISSING_PAGE, PageRenderer
from socialgate.docs_site.sources import DocsSources
from socialgate.entry.connections import build_api_protocol  # noqa: F401 - its errors have pages too
from socialgate.entry.deployment import Deployment

# A fixed key keeps the settings from creating a key file in the data directory.
_DUMMY_SECRET_KEY = b64encode(bytes(KEY_BYTES)).decode()


def build_docs(folder: Path, public_url: str) -> int:
    """Write the documentation of this version. Return how many pages there are."""
    return write_docs(folder, _load_documents(public_url))


def write_docs(folder: Path, documents: ApiDocuments) -> int:
    """Write every page, and what the pages load and link."""
    renderer = PageRenderer(documents, DocsSources())
    pages = [*renderer.list_pages(), MISSING_PAGE]
    for page in pages:
        _write(folder / get_file_name(page), renderer.render(page, FileLinks(page)).encode())
    for name, content in load_docs_assets().items():
        _write(folder / "assets" / get_docs_asset_version() / name, content)
    _write(folder / SEARCH_INDEX, renderer.build_search_index())
    _write(folder / "openapi.json", documents.openapi)
    _write(folder / "llms.txt", documents.llms_text.index.encode())
    return len(pages)


def _load_documents(public_url: str) -> ApiDocuments:
    """Assemble the service without starting it."""
    deployment = Deployment(Settings(base_url=public_url, secret_key=_DUMMY_SECRET_KEY), SystemClock())
    # The documents describe an app that exists.
    assert deployment.app is not None
    return deployment.container.get(ApiDocuments)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
