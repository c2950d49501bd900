"""The API documentation, generated on first use: startup must not wait for it."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec
from litestar import Litestar

from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.errors import NotFound
from socialgate.web import api_description
from socialgate.web.api_description import ApiOperation
from socialgate.web.llms import LlmsTexts, llms_texts
from socialgate.web.openapi import KindOptions, TaskResults, build_openapi_document


class ApiDocuments:
    """Holds the documents. They describe all routes, so they are generated from the app when first read.

    That takes up to a second: read them in a thread, so that nobody else waits.
    """

    def __init__(
        self, public_url: str, catalogue: ConnectorRegistry, unions: api_description.Unions, results: TaskResults
    ) -> None:
        self._public_url = public_url
        self._catalogue = catalogue
        self._unions = unions
        self._results = results
        self._app: Litestar | None = None

    def attach_app(self, app: Litestar) -> None:
        self._app = app

    @cached_property
    def openapi(self) -> bytes:
        document = build_openapi_document(
            self._operations, self._public_url, self._options_by_schema, self._unions, self._results
        )
        return msgspec.json.encode(document)

    @cached_property
    def llms_text(self) -> LlmsTexts:
        return llms_texts(self._operations, self._public_url, self._unions)

    def get_area_llms_text(self, file_name: str) -> str:
        """Return the text about one area."""
        result = self.llms_text.areas.get(file_name)
        if result is None:
            raise NotFound(f"There is no such file. GET /llms.txt links these: {', '.join(self.llms_text.areas)}.")
        return result

    @cached_property
    def tags(self) -> Mapping[str, str]:
        """The tags of all routes in the order of the documentation, and what they are about."""
        return {str(tag): tag.description for tag in api_description.group_by_tag(self._operations)}

    @cached_property
    def query_examples(self) -> Mapping[str, Mapping[str, Any]]:
        """The examples of queries by operation, for routes that do not work without one."""
        return {
            operation.name: {name: value for name, value in example.items() if name != "limit"}
            for operation in self._operations
            if any(field.required for field in api_description.describe_query_parameters(operation.spec.query))
            and (example := api_description.get_example(operation.spec.query))
        }

    @property
    def _options_by_schema(self) -> KindOptions:
        kinds = [kind for manifest in self._catalogue.manifests.values() for kind in manifest.kinds]
        return {
            "NewTarget": ("Options", {kind.kind: kind.options for kind in kinds}),
            "NewMessageBody": ("MessageOptions", {kind.kind: kind.message_options for kind in kinds}),
        }

    @cached_property
    def _operations(self) -> list[ApiOperation]:
        assert self._app is not None, "nobody reads of an app before it exists"
        return api_description.list_operations(self._app)
