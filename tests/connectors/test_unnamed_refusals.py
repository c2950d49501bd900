"""A page from a proxy is no refusal of the vendor: after a change it leaves open whether the vendor did it."""

import pytest

from socialgate.connectors.client import VendorDialect
from socialgate.connectors.dialects.google import GoogleDialect
from socialgate.connectors.dialects.telegram import TelegramDialect
from socialgate.connectors.dialects.tiktok import TikTokDialect
from socialgate.connectors.errors import ErrorTable
from socialgate.connectors.google.errors import ERROR_TABLES as GOOGLE
from socialgate.connectors.graph.dialect import GraphDialect
from socialgate.connectors.meta.errors import ERROR_TABLE as META
from socialgate.connectors.telegram.errors import ERROR_TABLE as TELEGRAM
from socialgate.connectors.threads.errors import ERROR_TABLE as THREADS
from socialgate.connectors.tiktok.errors import API_ERRORS as TIKTOK
from socialgate.connectors.whatsapp_cloud.errors import ERROR_TABLE as WHATSAPP
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure, PlatformNotFoundError
from socialgate.core.egress import HttpResponse

PUBLISHING = [
    *[(GraphDialect(), table) for table in (META, THREADS, WHATSAPP)],
    *[(GoogleDialect(), table) for table in GOOGLE.values()],
    (TikTokDialect(), TIKTOK),
    (TelegramDialect(), TELEGRAM),
]
PAGES = [b"<html><body>Not found</body></html>", b"", b"{}", b'"gone"']


def failure(dialect: VendorDialect, table: ErrorTable, answer: HttpResponse, *, repeatable: bool) -> PlatformFailure:
    vendor_error = dialect.parse_error(answer)
    assert vendor_error is not None
    return table.translate(vendor_error, repeatable=repeatable).failure


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 451])
@pytest.mark.parametrize(("dialect", "table"), PUBLISHING)
def test_a_page_from_in_between_never_ends_a_change(
    dialect: VendorDialect, table: ErrorTable, status: int, page: bytes
) -> None:
    answer = HttpResponse(status, {"content-type": "text/html"}, page, truncated=False)
    assert isinstance(failure(dialect, table, answer, repeatable=False), OutcomeUnknownError)


@pytest.mark.parametrize("table", [META, THREADS, WHATSAPP])
def test_a_missing_address_is_missing_for_a_read(table: ErrorTable) -> None:
    answer = HttpResponse(404, {}, PAGES[0], truncated=False)
    assert isinstance(failure(GraphDialect(), table, answer, repeatable=True), PlatformNotFoundError)
