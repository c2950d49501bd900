"""Catalogs: what they contain, products one at a time, and files with thousands of them, with a result for each row."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from socialgate.areas.accounts.schemas import AdAccount
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.commerce.batch_parsing import MAX_CSV_BYTES, CsvRowParser
from socialgate.areas.commerce.batch_schemas import BatchRowsQuery
from socialgate.areas.commerce.batches import PRODUCT_BATCH_JOB
from socialgate.areas.commerce.receiving import BatchCatalog, ProductBatchReceiver
from socialgate.areas.commerce.schemas import (
    CatalogsQuery,
    NewCatalogBody,
    ProductDeletionQuery,
    ProductsQuery,
)
from socialgate.areas.commerce.service import CommerceService
from socialgate.areas.commerce.tables import ProductBatchItemStatus
from socialgate.areas.media.multipart import MultipartFileReader
from socialgate.areas.tasks.schemas import TasksQuery
from socialgate.areas.tasks.service import TaskService
from socialgate.console.advertising.ad_accounts import choose_account, list_ad_accounts
from socialgate.console.advertising.product_forms import AVAILABILITIES, CONDITIONS, fill_product, read_product
from socialgate.console.formatting import count, list_statuses
from socialgate.console.forms import convert_body, read_form
from socialgate.console.keyed_work import run_once
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.ads import AdAccountChoice, PlatformCursor
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.commerce import COMMERCE_CAPABILITY, Catalog, ProductAvailability
from socialgate.core.errors import NotFound, ServiceError
from socialgate.core.jobs.job_store import JobStatus

CATALOGS_PATH = "/console/catalogs"
PRODUCTS_PATH = "/console/catalogs/products"
PRODUCT_PATH = "/console/catalogs/product"
IMPORT_PATH = "/console/catalogs/import"
RESULT_PATH = "/console/catalogs/result"
_ROWS_PER_PAGE = 50
_PRODUCTS_PER_PAGE = 25
_RECENT_IMPORTS = 10
# The parts of the form around the file.
_FORM_BYTES = 64 * 1024
_RELOAD_SECONDS = 3
# A page that shows something in progress reloads itself, but not for hours.
_RELOAD_PERIOD = timedelta(minutes=30)
_UNFINISHED = {JobStatus.QUEUED, JobStatus.RUNNING}

CatalogId = Annotated[str, Meta(min_length=1, max_length=100)]


class CatalogsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Whose catalogs to show."""

    account: AdAccountChoice | None = None
    cursor: PlatformCursor | None = None


class CatalogQuery(PageQuery, frozen=True, kw_only=True):
    """Which catalog."""

    account: AdAccountChoice | None = None
    catalog: CatalogId = ""


class ProductsPageQuery(CatalogQuery, frozen=True, kw_only=True):
    """Which products to show."""

    q: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    availability: ProductAvailability | None = None
    cursor: PlatformCursor | None = None


class ProductPageQuery(CatalogQuery, frozen=True, kw_only=True):
    """Which product to edit; a new one without its id."""

    product: Annotated[str, Meta(max_length=100)] | None = None


class ResultPageQuery(CatalogQuery, frozen=True, kw_only=True):
    """Which import, and which of its rows."""

    task: Annotated[str, Meta(max_length=40)] = ""
    status: ProductBatchItemStatus | None = None
    cursor: PlatformCursor | None = None


@console_page(
    CATALOGS_PATH,
    "catalogs.html",
    query=CatalogsPageQuery,
    entry=Entry(label="Catalogs", icon="bag", group=Group.WORK, key="b"),
)
async def catalogs_page(
    visit: Visit, params: CatalogsPageQuery, accounts: AccountService, merchant: CommerceService
) -> Values:
    able = await list_ad_accounts(visit, accounts, COMMERCE_CAPABILITY.name)
    chosen = choose_account(able, params.account)
    listed, failure = None, None
    if chosen is not None:
        try:
            query = CatalogsQuery(ad_account_id=chosen.id, cursor=params.cursor)
            listed = await merchant.list_catalogs(visit.work, query)
        except ServiceError as error:
            failure = error.detail
    return {
        "accounts": able,
        "account": chosen,
        "catalogs": listed,
        "failure": failure,
        "products_path": PRODUCTS_PATH,
        "import_path": IMPORT_PATH,
    }


@catalogs_page.form("create", None, path="")
async def create_catalog(
    visit: Visit, params: CatalogsPageQuery, request: AnyRequest, merchant: CommerceService
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("create", form)
    body = convert_body({**form.nest(), "adAccountId": params.account}, NewCatalogBody)
    created = await run_once(visit, form, "catalog", Catalog, lambda work: merchant.create_catalog(work, body))
    to = visit.link(PRODUCTS_PATH, account=created.ad_account_id, catalog=created.id)
    return Done(f"{created.name} was created.", to=to)


@console_page(PRODUCTS_PATH, "products.html", query=ProductsPageQuery)
async def products_page(
    visit: Visit, params: ProductsPageQuery, accounts: AccountService, merchant: CommerceService
) -> Values:
    account = await _find_account(visit, accounts, params)
    query = ProductsQuery(
        ad_account_id=account.id,
        catalog_id=params.catalog,
        limit=_PRODUCTS_PER_PAGE,
        q=params.q,
        availability=params.availability,
        cursor=params.cursor,
    )
    catalog = await merchant.get_catalog(visit.work, account.id, params.catalog)
    listed, failure = None, None
    try:
        listed = await merchant.list_products(visit.work, query)
    except ServiceError as error:
        failure = error.detail
    return {
        "account": account,
        "catalog": catalog,
        "products": listed,
        "failure": failure,
        "availabilities": AVAILABILITIES,
        "catalogs_path": CATALOGS_PATH,
        "product_path": PRODUCT_PATH,
        "import_path": IMPORT_PATH,
    }


@products_page.form("delete", ProductDeletionQuery)
async def delete_product(visit: Visit, data: ProductDeletionQuery, merchant: CommerceService) -> Outcome:
    await merchant.delete_product(visit.work, data)
    return Done("The product was deleted. It can take some minutes to disappear from the platform.")


@console_page(PRODUCT_PATH, "product.html", query=ProductPageQuery)
async def product_page(
    visit: Visit, params: ProductPageQuery, accounts: AccountService, merchant: CommerceService
) -> Values:
    account = await _find_account(visit, accounts, params)
    catalog = await merchant.get_catalog(visit.work, account.id, params.catalog)
    product = None
    if params.product is not None:
        query = ProductsQuery(ad_account_id=account.id, catalog_id=params.catalog, retailer_id=params.product)
        product = next(iter((await merchant.list_products(visit.work, query)).data), None)
        if product is None:
            raise NotFound("The catalog has no product with this id. The platform may still be processing it.")
    sent = visit.form("save")
    return {
        "account": account,
        "catalog": catalog,
        "product": product,
        "form": fill_product(product) if product is not None and sent.failure is None else sent,
        "availabilities": AVAILABILITIES,
        "conditions": CONDITIONS,
        "catalogs_path": CATALOGS_PATH,
        "products_path": PRODUCTS_PATH,
    }


@product_page.form("save", None, path="")
async def save_product(
    visit: Visit, params: ProductPageQuery, request: AnyRequest, accounts: AccountService, merchant: CommerceService
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("save", form)
    account = await _find_account(visit, accounts, params)
    if params.product is not None:
        # Another id would create a second product instead of changing this one.
        form = form.replaced(retailerId=[params.product])
    saved = await merchant.create_product(visit.work, read_product(form, account.id, params.catalog))
    to = visit.link(PRODUCTS_PATH, account=account.id, catalog=params.catalog)
    if saved.id is None:
        return Done(f"{saved.title} was sent. The platform is still processing it.", to=to)
    return Done(f"{saved.title} was saved.", to=to)


@console_page(IMPORT_PATH, "product_import.html", query=CatalogQuery)
async def import_page(
    visit: Visit, params: CatalogQuery, accounts: AccountService, merchant: CommerceService, tasks: TaskService
) -> Values:
    account = await _find_account(visit, accounts, params)
    return {
        "account": account,
        "catalog": await merchant.get_catalog(visit.work, account.id, params.catalog),
        "imports": (
            await visit.work.read(tasks.list, visit.caller, TasksQuery(limit=_RECENT_IMPORTS, type=PRODUCT_BATCH_JOB))
        ).data,
        "catalogs_path": CATALOGS_PATH,
        "products_path": PRODUCTS_PATH,
        "result_path": RESULT_PATH,
    }


@import_page.form("import", None, path="", most_bytes=MAX_CSV_BYTES + _FORM_BYTES)
async def import_products(
    visit: Visit, params: CatalogQuery, request: AnyRequest, accounts: AccountService, batches: ProductBatchReceiver
) -> Outcome:
    account = await _find_account(visit, accounts, params)
    place = BatchCatalog(ad_account_id=account.id, catalog_id=params.catalog)
    with batches.acquire_slot(visit.owner_id):
        multipart = MultipartFileReader(request.stream(), request.headers.get("content-type", ""))
        chunks = await multipart.open()
        batch = await batches.receive_batch(visit.work, place, lambda part: CsvRowParser(part).parse_rows(chunks))
    to = visit.link(RESULT_PATH, account=account.id, catalog=params.catalog, task=batch.id)
    return Done(f"The file has {count(batch.rows, 'row')}. You can leave this page; the import continues.", to=to)


@console_page(RESULT_PATH, "product_result.html", query=ResultPageQuery)
async def result_page(visit: Visit, params: ResultPageQuery, merchant: CommerceService, tasks: TaskService) -> Values:
    query = BatchRowsQuery(limit=_ROWS_PER_PAGE, status=params.status, cursor=params.cursor)
    rows = await merchant.list_batch_rows(visit.work, params.task, query)
    task = await tasks.wait_for_task(visit.work, params.task, 0)
    is_running = task.status in _UNFINISHED
    if is_running and task.created_at + _RELOAD_PERIOD > visit.now and not visit.has_failed:
        visit.headers["Refresh"] = str(_RELOAD_SECONDS)
    return {
        "task": task,
        "rows": rows,
        "is_running": is_running,
        "statuses": list_statuses(ProductBatchItemStatus),
        "catalogs_path": CATALOGS_PATH,
        "products_path": PRODUCTS_PATH,
        "import_path": IMPORT_PATH,
    }


@result_page.form("cancel")
async def cancel_import(visit: Visit, params: ResultPageQuery, tasks: TaskService) -> Outcome:
    await visit.work.write(tasks.cancel, visit.caller, params.task)
    return Done("The import stops after the current step. Rows that are already imported stay.")


async def _find_account(visit: Visit, accounts: AccountService, params: CatalogQuery) -> AdAccount:
    account = choose_account(await list_ad_accounts(visit, accounts, COMMERCE_CAPABILITY.name), params.account)
    if account is None:
        raise NotFound("There is no ad account. Connect one first.")
    if not params.catalog:
        raise NotFound("There is no catalog in the address. Choose one of the list.")
    return account
