"""The one way to write a page of the console.

    @console_page("/console/keys", "keys.html", query=KeysQuery, entry=Entry(...))
    async def keys_page(visit: Visit, params: KeysQuery, api_keys: ApiKeyService) -> Values:
        return {"keys": await visit.work.read(api_keys.list, visit.owner_id, ListQuery(cursor=params.cursor))}

    @keys_page.form("create", NewApiKey, path="")
    async def create_key(visit: Visit, data: NewApiKey, api_keys: ApiKeyService) -> Outcome:
        created = await visit.work.write(api_keys.create, visit.owner_id, data)
        return Shown("key_created.html", {"created": created})

The first function reads what the template shows. Arguments are filled in by name: `visit`, `params` (the query of the
address), `data` (the decoded form), `request`, what is in the path, and services by their type. A form ends with a
redirect and a message, or with the same page: then `visit.form(name)` has what was filled in and what was wrong.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints
from urllib.parse import quote

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler
from litestar.types import Method

from socialgate.console.forms import EmptyForm, read_form
from socialgate.console.navigation import Entry
from socialgate.console.rendering import (
    AnyRequest,
    HtmlResponse,
    build_redirect,
    page_route,
    prepare_template,
    render_template,
)
from socialgate.console.visit import Flash, PageQuery, Visit, VisitFactory
from socialgate.core.errors import Fault, InvalidRequest, NotFound, RateLimited, ServiceError
from socialgate.core.unit_of_work import UnitOfWork

Values = Mapping[str, Any]
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])

_PATH_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
# What a page passes to its functions itself, so that the route need not provide it.
_OWN_ARGUMENTS = frozenset({"visit", "data", "form", "failure", "return"})


class Done(msgspec.Struct, frozen=True):
    """A form succeeded: show a message on another page, or on the same one. `to` is the address of that page."""

    message: str
    to: str | None = None
    tone: str = "good"


class Shown(msgspec.Struct, frozen=True):
    """A form succeeded with something that is shown once, such as a secret, and is in no address."""

    template: str
    values: Values


class Leaving(msgspec.Struct, frozen=True):
    """A form continues on another site. `name` is what people call it.

    It is a page that goes on by itself and not a redirect, because browsers apply our policy for forms to redirects.
    """

    url: str
    name: str


Outcome = Done | Shown | Leaving | Response[Any]


class ConsolePage:
    """A page with its forms. `routes` are added to the service."""

    def __init__(
        self,
        read: Callable[..., Awaitable[Values]],
        path: str,
        template: str,
        *,
        query: type[PageQuery],
        entry: Entry | None,
        headers: Mapping[str, str],
        development_only: bool,
    ) -> None:
        self.path = path
        self.entry = None if entry is None else msgspec.structs.replace(entry, path=path)
        self._read = read
        self._template = template
        self._query = query
        self._headers = headers
        self._development_only = development_only
        self.routes: list[HTTPRouteHandler] = [self._declare("GET", path, [read], self._show)]

    def form(
        self,
        name: str,
        kind: type[msgspec.Struct] | None = EmptyForm,
        *,
        path: str | None = None,
        most_bytes: int | None = None,
        find_more_faults: Callable[..., Awaitable[Sequence[Fault]]] | None = None,
    ) -> Callable[[F], F]:
        """Declare a form of the page, sent to the path of the page followed by `path`, which is its name by default.

        `kind` is what it is decoded into: the same struct as the body of the API's route. With None the function reads
        the body itself, and keeps what was filled in with `visit.keep_form`. `find_more_faults` gets the `form` and
        the `failure`, and checks what the service would have checked next, so that people correct all at once.
        """

        def declare(submit: F) -> F:
            async def run(values: Values, visit: Visit) -> HtmlResponse:
                try:
                    outcome = await _submit(name, kind, submit, values, visit)
                except InvalidRequest as failure:
                    more = []
                    if find_more_faults is not None:
                        known = {**values, "form": visit.form(name), "failure": failure}
                        more = [*await find_more_faults(**_select(find_more_faults, known))]
                    everything = InvalidRequest(failure.detail, errors=[*failure.errors, *more])
                    return await self._show_failure(name, kind, everything, values, visit)
                except ServiceError as failure:
                    return await self._show_failure(name, kind, failure, values, visit)
                return await self._finish(outcome, values["visits"], visit)

            own_path = self.path + (f"/{name}" if path is None else path)
            functions: list[Callable[..., Any]] = [self._read, submit]
            if find_more_faults is not None:
                functions.insert(0, find_more_faults)
            self.routes.append(self._declare("POST", own_path, functions, run, most_bytes))
            return submit

        return declare

    def _declare(
        self,
        method: Method,
        path: str,
        functions: Sequence[Callable[..., Any]],
        run: Callable[[Values, Visit], Awaitable[HtmlResponse]],
        most_bytes: int | None = None,
    ) -> HTTPRouteHandler:
        kinds: dict[str, Any] = {
            "request": AnyRequest,
            "work": UnitOfWork,
            "visits": VisitFactory,
            "params": self._query,
        }
        for function in functions:
            for name, kind in get_type_hints(function, include_extras=True).items():
                if name not in _OWN_ARGUMENTS:
                    known = kinds.setdefault(name, kind)
                    assert known == kind, f"{function.__name__}: {name} is a {known} in another function of the page"

        async def handle(**values: Any) -> HtmlResponse:
            visits: VisitFactory = values["visits"]
            own_path = _fill_path(self.path, values)
            visit = await visits.open(values["request"], values["work"], values["params"], own_path)
            if self._development_only and not visit.is_development:
                raise NotFound("This page is only there on a developer's machine.")
            await prepare_template(self._template)
            return await run(values, visit)

        handle.__name__ = functions[-1].__name__
        handle.__doc__ = functions[-1].__doc__
        handle.__module__ = functions[-1].__module__
        handle.__annotations__ = {**kinds, "return": HtmlResponse}
        # What the framework inspects instead of `**values`.
        vars(handle)["__signature__"] = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in kinds.items()]
        )
        return page_route(method, path, query=self._query, most_bytes=most_bytes)(handle)

    async def _show(self, values: Values, visit: Visit) -> HtmlResponse:
        shown = await self._read(**_select(self._read, {**values, "visit": visit}))
        response = await self._render(self._template, shown, visit)
        if visit.flash is not None:
            response.cookies = [values["visits"].build_flash_cookie(None)]
        return response

    async def _show_failure(
        self, name: str, kind: type[msgspec.Struct] | None, failure: ServiceError, values: Values, visit: Visit
    ) -> HtmlResponse:
        """Show the page again, with what was filled in and what was wrong."""
        is_button = kind is EmptyForm
        # Nobody can correct a button: what it was for is gone.
        if is_button and isinstance(failure, NotFound):
            raise failure
        visit.keep_form(name, visit.form(name).failed(failure, is_button=is_button))
        if isinstance(failure, RateLimited):
            visit.headers["Retry-After"] = str(failure.retry_after)
        return await self._show(values, visit)

    async def _finish(self, outcome: Outcome, visits: VisitFactory, visit: Visit) -> HtmlResponse:
        if isinstance(outcome, Done):
            response = build_redirect(outcome.to or visit.here())
            response.cookies = [visits.build_flash_cookie(Flash(outcome.tone, outcome.message))]
            return response
        if isinstance(outcome, Shown):
            return await self._render(outcome.template, outcome.values, visit)
        if isinstance(outcome, Leaving):
            visit.headers["Refresh"] = f"0; url={outcome.url}"
            return await self._render("leaving.html", {"url": outcome.url, "name": outcome.name}, visit)
        return outcome

    async def _render(self, template: str, values: Values, visit: Visit) -> HtmlResponse:
        await prepare_template(template)
        headers = {**self._headers, **visit.headers}
        return render_template(template, visit.status, headers, theme=visit.theme, visit=visit, **values)


def console_page(
    path: str,
    template: str,
    *,
    query: type[PageQuery] = PageQuery,
    entry: Entry | None = None,
    headers: Mapping[str, str] | None = None,
    development_only: bool = False,
) -> Callable[[Callable[..., Awaitable[Values]]], ConsolePage]:
    """Declare a page by the function that reads what its template shows."""
    return lambda read: ConsolePage(
        read,
        path,
        template,
        query=query,
        entry=entry,
        headers=headers or {},
        development_only=development_only,
    )


async def _submit(
    name: str,
    kind: type[msgspec.Struct] | None,
    submit: Callable[..., Awaitable[Outcome]],
    values: Values,
    visit: Visit,
) -> Outcome:
    data = None
    if kind is not None:
        form = await read_form(values["request"])
        visit.keep_form(name, form)
        data = form.decode_as(kind)
    return await submit(**_select(submit, {**values, "visit": visit, "data": data}))


def _select(function: Callable[..., Any], values: Values) -> dict[str, Any]:
    return {name: values[name] for name in inspect.signature(function).parameters}


def _fill_path(path: str, values: Values) -> str:
    return _PATH_PARAMETER.sub(lambda match: quote(str(values[match[1]]), safe=""), path)
