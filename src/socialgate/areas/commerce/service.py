"""Catalogs, products, sets and shops of the businesses behind ad accounts: read live, and changed by operations."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import TypeVar

import msgspec

from socialgate.areas.accounts.page_sizes import PlatformPage
from socialgate.areas.accounts.reading import ListRead, LiveReads, Read
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.commerce import intake, showing, store
from socialgate.areas.commerce.batch_schemas import BatchRow, BatchRowsQuery, RowError
from socialgate.areas.commerce.changes import (
    CREATE_CATALOG,
    CREATE_PRODUCT,
    CREATE_SET,
    DELETE_PRODUCT,
    LACKS,
    ProductDeletion,
    ProductWrite,
)
from socialgate.areas.commerce.intake import MOST_ROWS
from socialgate.areas.commerce.reasons import failures_of, names_in
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
from socialgate.areas.commerce.tables import ProductRow
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.commerce import (
    COMMERCE,
    PRODUCTS,
    Catalog,
    Commerce,
    FilterRule,
    Method,
    NewCatalog,
    NewSet,
    ProductFilter,
    ProductQuery,
    ProductSet,
    Shop,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure, PlatformNotFound
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid, NotFound
from socialgate.core.work import Work
from socialgate.web.faults import require_accepted
from socialgate.web.paging import opaque, parse_row_cursor, plain
from socialgate.web.schema import Page

# The business that a catalog belongs to rarely changes.
_KEPT_SECONDS = 60.0
_MOST_ACCOUNTS = 50
# The results of older batches make room for those of newer ones.
MAX_KEPT_ROWS = 500_000
_IN_QUERY = "?adAccountId"
_NAMELESS = "Send the ad account as `adAccountId`. GET /adaccounts lists them."
L = TypeVar("L", bound=PlatformPage)


class Merchant:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: Accounts,
        catalogue: Catalogue,
        operations: Operations,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._catalogue = catalogue
        self._operations = operations

    async def catalogs(self, work: Work, query: CatalogsQuery) -> Page[Catalog]:
        account = await self.account(work, query.ad_account_id, at=_IN_QUERY)
        of = ("catalogs", account.id)
        cursor = plain(query.cursor, *of)
        page = await self._page(
            account, "catalogs", (cursor,), query.limit, lambda part, held, rows: part.catalogs(held, rows, cursor)
        )
        data = [showing.show_catalog(account, item) for item in page.items]
        return Page(data=data, next_cursor=opaque(page.cursor, *of))

    async def create_catalog(self, work: Work, body: NewCatalogBody) -> Catalog:
        account = await self.account(work, body.ad_account_id)
        part = self._session.part(account, COMMERCE, LACKS)
        new = NewCatalog(name=body.name, vertical=body.vertical, currency=body.currency, country=body.country)
        require_accepted((), part.catalog_faults(new), "catalog")
        before = await self._session.call_as(account, lambda held: part.catalogs_named(held, body.name))
        new = msgspec.structs.replace(new, before=tuple(one.id for one in before))
        return await self._operations.run(work, account, CREATE_CATALOG, new)

    async def shops(self, work: Work, query: CatalogsQuery) -> Page[Shop]:
        account = await self.account(work, query.ad_account_id, at=_IN_QUERY)
        of = ("shops", account.id)
        cursor = plain(query.cursor, *of)
        page = await self._page(
            account, "shops", (cursor,), query.limit, lambda part, held, rows: part.shops(held, rows, cursor)
        )
        data = [showing.show_shop(account, item) for item in page.items]
        return Page(data=data, next_cursor=opaque(page.cursor, *of))

    async def sets(self, work: Work, query: ProductSetsQuery) -> Page[ProductSet]:
        account = await self.account(work, query.ad_account_id, query.catalog_id, _IN_QUERY)
        catalog, of = query.catalog_id, ("product sets", account.id, query.catalog_id)
        cursor = plain(query.cursor, *of)
        page = await self._page(
            account,
            "sets",
            (catalog, cursor),
            query.limit,
            lambda part, held, rows: part.sets(held, catalog, rows, cursor),
        )
        data = [showing.show_set(catalog, item) for item in page.items]
        return Page(data=data, next_cursor=opaque(page.cursor, *of))

    async def create_set(self, work: Work, body: NewProductSetBody) -> ProductSet:
        account = await self.account(work, body.ad_account_id, body.catalog_id)
        part = self._session.part(account, COMMERCE, LACKS)
        new = NewSet(catalog_id=body.catalog_id, name=body.name, filter=body.filter)
        ours = () if body.filter is None else showing.filter_faults(body.filter)
        require_accepted(ours, part.set_faults(new), "product set")
        before = await self._session.call_as(account, lambda held: part.sets_named(held, body.catalog_id, body.name))
        new = msgspec.structs.replace(new, before=tuple(one.id for one in before))
        return await self._operations.run(work, account, CREATE_SET, new)

    async def products(self, work: Work, query: ProductsQuery) -> Page[Product]:
        asked = _asked(query)
        account = await self.account(work, query.ad_account_id, query.catalog_id, _IN_QUERY)
        part = self._session.part(account, PRODUCTS, LACKS)
        require_accepted((), part.query_faults(asked), "list of products")
        catalog = query.catalog_id
        of = ("products", account.id, catalog, *(str(one) for one in (asked.retailer_ids, asked.filter, asked.set_id)))
        asked = msgspec.structs.replace(asked, cursor=plain(query.cursor, *of))
        read = ListRead(
            name="products",
            params=(catalog, *msgspec.structs.astuple(asked)),
            limit=query.limit,
            capability=PRODUCTS,
            lacks=LACKS,
            call=lambda part, held, rows: part.list(held, catalog, msgspec.structs.replace(asked, limit=rows)),
        )
        page = (await self._reads.list(account, read)).value
        data = [showing.show_product(catalog, item) for item in page.items]
        return Page(data=data, next_cursor=opaque(page.cursor, *of))

    async def create_product(self, work: Work, body: NewProductBody) -> Product:
        account = await self.account(work, body.ad_account_id, body.catalog_id)
        part = self._session.part(account, PRODUCTS, LACKS)
        product = intake.product_of(body)
        require_accepted(intake.money_faults(product), part.faults(product, Method.UPSERT), "product")
        asked = ProductWrite(catalog_id=body.catalog_id, platform=account.platform, product=product)
        return await self._operations.run(work, account, CREATE_PRODUCT, asked)

    async def delete_product(self, work: Work, query: ProductDeletionQuery) -> ProductDeleted:
        if (query.id is None) == (query.retailer_id is None):
            raise Invalid.at("?id", "required", "Send either `id` or `retailerId`.")
        account = await self.account(work, query.ad_account_id, query.catalog_id, _IN_QUERY)
        part, product_id = self._session.part(account, PRODUCTS, LACKS), query.id
        name = query.retailer_id or ""
        if product_id is not None:
            name = await self._session.call_as(account, lambda held: part.known_as(held, query.catalog_id, product_id))
        asked = ProductDeletion(
            catalog_id=query.catalog_id, platform=account.platform, retailer_id=name, name=product_id or name
        )
        return await self._operations.run(work, account, DELETE_PRODUCT, asked)

    async def rows(self, work: Work, task_id: str, query: BatchRowsQuery) -> Page[BatchRow]:
        return await work.read(self._rows, work, task_id, query)

    async def account(
        self, work: Work, account_id: str | None, catalog_id: str | None = None, at: str = "/adAccountId"
    ) -> AccountRow:
        """Find the ad account to use: the given one, or the one that has the catalog."""
        if account_id is not None:
            account = await work.read(self._accounts.find, work.caller, account_id, ads=None)
            self._session.part(account, COMMERCE, LACKS)
            if catalog_id is not None:
                await self._require_catalog(account, catalog_id)
            return account
        caller = work.caller
        able = await work.read(store.able_accounts, caller.owner_id, caller.profiles, self._kinds(), _MOST_ACCOUNTS)
        found = await self._with_catalog(able, catalog_id) if catalog_id is not None else able
        if len(able) == 0 or (catalog_id is None and len(able) > 1):
            raise Invalid.at(at, "required", _NAMELESS)
        if not found:
            raise NotFound("No connected ad account has this catalog. GET /commerce/catalogs lists catalogs.")
        return await work.read(self._accounts.find, caller, found[0].id, ads=None)

    async def _with_catalog(self, able: list[AccountRow], catalog_id: str) -> list[AccountRow]:
        """Try the accounts one after another. One that cannot be read now may have the catalog."""
        silent: PlatformFailure | None = None
        for account in able:
            try:
                await self._require_catalog(account, catalog_id)
            except PlatformNotFound:
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
        read = Read(
            name="commerce catalog",
            params=(catalog_id,),
            capability=COMMERCE,
            lacks=LACKS,
            call=lambda part, held: part.catalog(held, catalog_id),
            keep=_KEPT_SECONDS,
        )
        await self._reads.read(account, read)

    def _kinds(self) -> list[Kind]:
        every = (one for manifest in self._catalogue.manifests.values() for one in manifest.kinds)
        return [one.kind for one in every if COMMERCE in one.capabilities]

    async def _page(
        self,
        account: AccountRow,
        name: str,
        params: tuple[Hashable, ...],
        limit: int,
        call: Callable[[Commerce, AccountCredentials, int], Awaitable[L]],
    ) -> L:
        read = ListRead(
            name=f"commerce {name}", params=params, limit=limit, capability=COMMERCE, lacks=LACKS, call=call
        )
        return (await self._reads.list(account, read)).value

    async def _rows(self, tx: Tx, work: Work, task_id: str, query: BatchRowsQuery) -> Page[BatchRow]:
        owner_id = work.caller.owner_id
        batch = await store.batch_of_task(tx, owner_id, task_id)
        if batch is None:
            raise NotFound(
                "There is no batch with this task. Batches are kept for a week after they finish, and only the newest "
                f"{MAX_KEPT_ROWS:,} rows."
            )
        await self._accounts.find(tx, work.caller, batch.account_id, ads=None)
        of = ("batch rows", task_id, str(query.status))
        after = parse_row_cursor(plain(query.cursor, *of), first=1, max_digits=len(str(MOST_ROWS)))
        statuses = [] if query.status is None else [query.status]
        found = await store.page(tx, owner_id, batch.id, statuses, after, query.limit)
        rows = found[: query.limit]
        last = str(rows[-1].number) if len(found) > query.limit else None
        sentences = await store.sentences(tx, owner_id, batch.id, names_in(rows))
        return Page(data=[_show_row(row, sentences) for row in rows], next_cursor=opaque(last, *of))


def _asked(query: ProductsQuery) -> ProductQuery:
    """Read which products to list. An id or a set must be the only filter: platforms ignore all others."""
    rules = [
        FilterRule(field="title", operator="contains", values=(query.q,)) if query.q else None,
        FilterRule(field="brand", operator="is", values=(query.brand,)) if query.brand else None,
        FilterRule(field="group", operator="is", values=(query.group,)) if query.group else None,
        FilterRule(field="availability", operator="is", values=(query.availability,)) if query.availability else None,
        FilterRule(field="condition", operator="is", values=(query.condition,)) if query.condition else None,
    ]
    given = tuple(rule for rule in rules if rule is not None)
    if sum(map(bool, (given, query.retailer_id, query.product_set_id))) > 1:
        alone = "`retailerId` and `productSetId` cannot be combined with anything else."
        raise Invalid.at("?retailerId" if query.retailer_id else "?productSetId", "contradiction", alone)
    return ProductQuery(
        retailer_ids=(query.retailer_id,) if query.retailer_id else (),
        filter=ProductFilter(rules=given) if given else None,
        set_id=query.product_set_id,
        limit=query.limit,
    )


def _show_row(row: ProductRow, sentences: Mapping[str, str]) -> BatchRow:
    errors = [RowError(code=one.code, field=one.field, detail=one.detail) for one in failures_of(row, sentences)]
    return BatchRow(row=row.number, method=row.method, retailer_id=row.retailer_id, status=row.status, errors=errors)
