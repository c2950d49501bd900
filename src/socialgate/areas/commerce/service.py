"""Catalogs, products, sets and shops of the businesses behind ad accounts: read live, and changed by operations."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import TypeVar

import msgspec

from socialgate.areas.accounts.live_reads import ListRead, LiveRead, LiveReads
from socialgate.areas.accounts.page_sizes import PlatformPage
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.commerce import batch_parsing, store, views
from socialgate.areas.commerce.batch_parsing import MAX_BATCH_ROWS
from socialgate.areas.commerce.batch_schemas import BatchRow, BatchRowsQuery, RowError
from socialgate.areas.commerce.catalog_operations import (
    CREATE_CATALOG_OPERATION,
    CREATE_PRODUCT_OPERATION,
    CREATE_PRODUCT_SET_OPERATION,
    DELETE_PRODUCT_OPERATION,
    NO_CATALOGS_PHRASE,
    ProductDeletion,
    ProductUpsert,
)
from socialgate.areas.commerce.reasons import decode_row_failures, list_sentence_names
from socialgate.areas.commerce.schemas import (
    CatalogsQuery,
    NewCatalogBody,
    NewProductBody,
    NewProductSetBody,
    Product,
    ProductDeleted,
    ProductDeletionQuery,
    ProductSetsQuery,
    ProductsQuery,
)
from socialgate.areas.commerce.tables import ProductBatchItemRow
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    COMMERCE_CAPABILITY,
    PRODUCTS_CAPABILITY,
    Catalog,
    CatalogAdapter,
    FilterRule,
    NewCatalog,
    NewProductSet,
    ProductChangeMethod,
    ProductFilter,
    ProductQuery,
    ProductSet,
    Shop,
)
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure, PlatformNotFoundError
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import require_no_errors
from socialgate.web.pagination import parse_row_cursor, unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page

# The business that a catalog belongs to rarely changes.
_CACHE_SECONDS = 60.0
_MAX_ACCOUNTS = 50
# The results of older batches make room for those of newer ones.
MAX_KEPT_ROWS = 500_000
_AD_ACCOUNT_POINTER = "?adAccountId"
_AD_ACCOUNT_REQUIRED_MESSAGE = "Send the ad account as `adAccountId`. GET /adaccounts lists them."
L = TypeVar("L", bound=PlatformPage)


class CommerceService:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: AccountService,
        catalogue: ConnectorRegistry,
        operations: OperationService,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._catalogue = catalogue
        self._operations = operations

    async def list_catalogs(self, work: UnitOfWork, query: CatalogsQuery) -> Page[Catalog]:
        account = await self.find_account(work, query.ad_account_id, at=_AD_ACCOUNT_POINTER)
        pair = ("catalogs", account.id)
        cursor = unwrap_platform_cursor(query.cursor, *pair)
        page = await self._fetch_page(
            account,
            "catalogs",
            (cursor,),
            query.limit,
            lambda part, credentials, rows: part.list_catalogs(credentials, rows, cursor),
        )
        data = [views.build_catalog_view(account, item) for item in page.items]
        return Page(data=data, next_cursor=wrap_platform_cursor(page.cursor, *pair))

    async def get_catalog(self, work: UnitOfWork, account_id: str, catalog_id: str) -> Catalog:
        account = await self.find_account(work, account_id, at=_AD_ACCOUNT_POINTER)
        return views.build_catalog_view(account, await self._fetch_catalog(account, catalog_id))

    async def create_catalog(self, work: UnitOfWork, body: NewCatalogBody) -> Catalog:
        account = await self.find_account(work, body.ad_account_id)
        part = self._session.get_adapter(account, COMMERCE_CAPABILITY, NO_CATALOGS_PHRASE)
        new = NewCatalog(name=body.name, vertical=body.vertical, currency=body.currency, country=body.country)
        require_no_errors((), part.validate_catalog(new), "catalog")
        before = await self._session.call_for_account(
            account, lambda credentials: part.find_catalogs_by_name(credentials, body.name)
        )
        new = msgspec.structs.replace(new, known_ids_with_name=tuple(catalog.id for catalog in before))
        return await self._operations.run(work, account, CREATE_CATALOG_OPERATION, new)

    async def list_shops(self, work: UnitOfWork, query: CatalogsQuery) -> Page[Shop]:
        account = await self.find_account(work, query.ad_account_id, at=_AD_ACCOUNT_POINTER)
        pair = ("shops", account.id)
        cursor = unwrap_platform_cursor(query.cursor, *pair)
        page = await self._fetch_page(
            account,
            "shops",
            (cursor,),
            query.limit,
            lambda part, credentials, rows: part.list_shops(credentials, rows, cursor),
        )
        data = [views.build_shop_view(account, item) for item in page.items]
        return Page(data=data, next_cursor=wrap_platform_cursor(page.cursor, *pair))

    async def list_product_sets(self, work: UnitOfWork, query: ProductSetsQuery) -> Page[ProductSet]:
        account = await self.find_account(work, query.ad_account_id, query.catalog_id, _AD_ACCOUNT_POINTER)
        catalog, values = query.catalog_id, ("product sets", account.id, query.catalog_id)
        cursor = unwrap_platform_cursor(query.cursor, *values)
        page = await self._fetch_page(
            account,
            "sets",
            (catalog, cursor),
            query.limit,
            lambda part, credentials, rows: part.list_product_sets(credentials, catalog, rows, cursor),
        )
        data = [views.build_product_set_view(catalog, item) for item in page.items]
        return Page(data=data, next_cursor=wrap_platform_cursor(page.cursor, *values))

    async def create_product_set(self, work: UnitOfWork, body: NewProductSetBody) -> ProductSet:
        account = await self.find_account(work, body.ad_account_id, body.catalog_id)
        part = self._session.get_adapter(account, COMMERCE_CAPABILITY, NO_CATALOGS_PHRASE)
        new = NewProductSet(catalog_id=body.catalog_id, name=body.name, filter=body.filter)
        ours = () if body.filter is None else views.validate_filter(body.filter)
        require_no_errors(ours, part.validate_product_set(new), "product set")
        before = await self._session.call_for_account(
            account, lambda credentials: part.find_product_sets_by_name(credentials, body.catalog_id, body.name)
        )
        new = msgspec.structs.replace(new, known_ids_with_name=tuple(product_set.id for product_set in before))
        return await self._operations.run(work, account, CREATE_PRODUCT_SET_OPERATION, new)

    async def list_products(self, work: UnitOfWork, query: ProductsQuery) -> Page[Product]:
        requested_query = _parse_query(query)
        account = await self.find_account(work, query.ad_account_id, query.catalog_id, _AD_ACCOUNT_POINTER)
        part = self._session.get_adapter(account, PRODUCTS_CAPABILITY, NO_CATALOGS_PHRASE)
        require_no_errors((), part.query_faults(requested_query), "list of products")
        catalog = query.catalog_id
        values = (
            "products",
            account.id,
            catalog,
            *(str(item) for item in (requested_query.retailer_ids, requested_query.filter, requested_query.set_id)),
        )
        requested_query = msgspec.structs.replace(requested_query, cursor=unwrap_platform_cursor(query.cursor, *values))
        read = ListRead(
            name="products",
            params=(catalog, *msgspec.structs.astuple(requested_query)),
            limit=query.limit,
            capability=PRODUCTS_CAPABILITY,
            lacks=NO_CATALOGS_PHRASE,
            call=lambda part, credentials, rows: part.list(
                credentials, catalog, msgspec.structs.replace(requested_query, limit=rows)
            ),
        )
        page = (await self._reads.list(account, read)).value
        data = [views.build_product_view(catalog, item) for item in page.items]
        return Page(data=data, next_cursor=wrap_platform_cursor(page.cursor, *values))

    async def create_product(self, work: UnitOfWork, body: NewProductBody) -> Product:
        account = await self.find_account(work, body.ad_account_id, body.catalog_id)
        part = self._session.get_adapter(account, PRODUCTS_CAPABILITY, NO_CATALOGS_PHRASE)
        product = batch_parsing.build_product(body)
        require_no_errors(
            batch_parsing.validate_prices(product),
            part.validate_product_change(product, ProductChangeMethod.UPSERT),
            "product",
        )
        product_upsert = ProductUpsert(catalog_id=body.catalog_id, platform=account.platform, product=product)
        return await self._operations.run(work, account, CREATE_PRODUCT_OPERATION, product_upsert)

    async def delete_product(self, work: UnitOfWork, query: ProductDeletionQuery) -> ProductDeleted:
        if (query.id is None) == (query.retailer_id is None):
            raise InvalidRequest.for_field("?id", "required", "Send either `id` or `retailerId`.")
        account = await self.find_account(work, query.ad_account_id, query.catalog_id, _AD_ACCOUNT_POINTER)
        part, product_id = self._session.get_adapter(account, PRODUCTS_CAPABILITY, NO_CATALOGS_PHRASE), query.id
        name = query.retailer_id or ""
        if product_id is not None:
            name = await self._session.call_for_account(
                account, lambda credentials: part.get_retailer_id(credentials, query.catalog_id, product_id)
            )
        product_deletion = ProductDeletion(
            catalog_id=query.catalog_id, platform=account.platform, retailer_id=name, requested_id=product_id or name
        )
        return await self._operations.run(work, account, DELETE_PRODUCT_OPERATION, product_deletion)

    async def list_batch_rows(self, work: UnitOfWork, task_id: str, query: BatchRowsQuery) -> Page[BatchRow]:
        return await work.read(self._list_batch_rows, work, task_id, query)

    async def find_account(
        self, work: UnitOfWork, account_id: str | None, catalog_id: str | None = None, at: str = "/adAccountId"
    ) -> AccountRow:
        """Find the ad account to use: the given one, or the one that has the catalog."""
        if account_id is not None:
            account = await work.read(self._accounts.find, work.caller, account_id, is_ad_account=None)
            self._session.get_adapter(account, COMMERCE_CAPABILITY, NO_CATALOGS_PHRASE)
            if catalog_id is not None:
                await self._require_catalog(account, catalog_id)
            return account
        caller = work.caller
        able = await work.read(
            store.list_accounts_of_kinds, caller.owner_id, caller.allowed_profile_ids, self._list_kinds(), _MAX_ACCOUNTS
        )
        rows = await self._find_account_with_catalog(able, catalog_id) if catalog_id is not None else able
        if len(able) == 0 or (catalog_id is None and len(able) > 1):
            raise InvalidRequest.for_field(at, "required", _AD_ACCOUNT_REQUIRED_MESSAGE)
        if not rows:
            raise NotFound("No connected ad account has this catalog. GET /commerce/catalogs lists catalogs.")
        return await work.read(self._accounts.find, caller, rows[0].id, is_ad_account=None)

    async def _find_account_with_catalog(self, candidates: list[AccountRow], catalog_id: str) -> list[AccountRow]:
        """Try the accounts one after another. One that cannot be read now may have the catalog."""
        silent: PlatformFailure | None = None
        for account in candidates:
            try:
                await self._require_catalog(account, catalog_id)
            except PlatformNotFoundError:
                continue
            except PlatformFailure as failure:
                silent = silent or failure
                continue
            return [account]
        if silent is not None and silent.retry_after is not None:
            raise silent
        return []

    async def _require_catalog(self, account: AccountRow, catalog_id: str) -> None:
        """Reject catalogs of other businesses, even if the person who connected the account can access them."""
        await self._fetch_catalog(account, catalog_id)

    async def _fetch_catalog(self, account: AccountRow, catalog_id: str) -> Catalog:
        read = LiveRead(
            name="commerce catalog",
            params=(catalog_id,),
            capability=COMMERCE_CAPABILITY,
            unsupported_phrase=NO_CATALOGS_PHRASE,
            call=lambda part, credentials: part.fetch_catalog(credentials, catalog_id),
            cache_seconds=_CACHE_SECONDS,
        )
        return (await self._reads.read(account, read)).value

    def _list_kinds(self) -> list[Kind]:
        every = (kind for manifest in self._catalogue.manifests.values() for kind in manifest.kinds)
        return [kind_manifest.kind for kind_manifest in every if COMMERCE_CAPABILITY in kind_manifest.capabilities]

    async def _fetch_page(
        self,
        account: AccountRow,
        name: str,
        params: tuple[Hashable, ...],
        limit: int,
        call: Callable[[CatalogAdapter, AccountCredentials, int], Awaitable[L]],
    ) -> L:
        read = ListRead(
            name=f"commerce {name}",
            params=params,
            limit=limit,
            capability=COMMERCE_CAPABILITY,
            lacks=NO_CATALOGS_PHRASE,
            call=call,
        )
        return (await self._reads.list(account, read)).value

    async def _list_batch_rows(self, tx: Tx, work: UnitOfWork, task_id: str, query: BatchRowsQuery) -> Page[BatchRow]:
        owner_id = work.caller.owner_id
        batch = await store.find_batch_by_task(tx, owner_id, task_id)
        if batch is None:
            raise NotFound(
                "There is no batch with this task. Batches are kept for a week after they finish, and only the newest "
                f"{MAX_KEPT_ROWS:,} rows."
            )
        await self._accounts.find(tx, work.caller, batch.account_id, is_ad_account=None)
        values = ("batch rows", task_id, str(query.status))
        after = parse_row_cursor(
            unwrap_platform_cursor(query.cursor, *values), first=1, max_digits=len(str(MAX_BATCH_ROWS))
        )
        statuses = [] if query.status is None else [query.status]
        existing_rows = await store.list_batch_rows(tx, owner_id, batch.id, statuses, after, query.limit)
        rows = existing_rows[: query.limit]
        last = str(rows[-1].number) if len(existing_rows) > query.limit else None
        sentences = await store.find_error_sentences(tx, owner_id, batch.id, list_sentence_names(rows))
        return Page(
            data=[_build_row_view(row, sentences) for row in rows], next_cursor=wrap_platform_cursor(last, *values)
        )


def _parse_query(query: ProductsQuery) -> ProductQuery:
    """Read which products to list. An id or a set must be the only filter: platforms ignore all others."""
    rules = [
        FilterRule(field="title", operator="contains", values=(query.q,)) if query.q else None,
        FilterRule(field="brand", operator="is", values=(query.brand,)) if query.brand else None,
        FilterRule(field="group", operator="is", values=(query.group,)) if query.group else None,
        FilterRule(field="availability", operator="is", values=(query.availability,)) if query.availability else None,
        FilterRule(field="condition", operator="is", values=(query.condition,)) if query.condition else None,
    ]
    filter_rules = tuple(rule for rule in rules if rule is not None)
    if sum(map(bool, (filter_rules, query.retailer_id, query.product_set_id))) > 1:
        alone = "`retailerId` and `productSetId` cannot be combined with anything else."
        raise InvalidRequest.for_field("?retailerId" if query.retailer_id else "?productSetId", "contradiction", alone)
    return ProductQuery(
        retailer_ids=(query.retailer_id,) if query.retailer_id else (),
        filter=ProductFilter(rules=filter_rules) if filter_rules else None,
        set_id=query.product_set_id,
        limit=query.limit,
    )


def _build_row_view(row: ProductBatchItemRow, sentences: Mapping[str, str]) -> BatchRow:
    errors = [
        RowError(code=row_failure.code, field=row_failure.field, detail=row_failure.detail)
        for row_failure in decode_row_failures(row, sentences)
    ]
    return BatchRow(row=row.number, method=row.method, retailer_id=row.retailer_id, status=row.status, errors=errors)
