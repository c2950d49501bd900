"""OpenAI's API: texts, pictures, speech and videos, generated on this machine by rules instead of by models."""

from collections.abc import Iterator

from socialgate_sandbox.kit import AppRegistration, StoredObject, Vendor, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.openai import (
    chat_completions,
    images,
    models,
    moderations_and_embeddings,
    responses,
    speech,
    videos,
)
from socialgate_sandbox.vendors.openai.access import build_headers, get_account_ids, list_accounts
from socialgate_sandbox.vendors.openai.actions import ACTIONS
from socialgate_sandbox.vendors.openai.coverage import COVERAGE
from socialgate_sandbox.vendors.openai.errors import ERRORS, build_unknown_path_response, build_unreadable_response
from socialgate_sandbox.vendors.openai.feed import read_feed
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID, Organization


@build_seed
def seed(_world: VendorContext) -> Iterator[StoredObject]:
    yield Organization(id=ORGANIZATION_ID, name="Ada's Bakery", slug="adas-bakery")


VENDOR = Vendor(
    name="openai",
    title="OpenAI",
    # The secret is the API key.
    app=AppRegistration(id="sandbox-openai", secret="sk-proj-sandbox-openai-key"),
    routes=[
        *models.ROUTES,
        *chat_completions.ROUTES,
        *responses.ROUTES,
        *images.ROUTES,
        *speech.ROUTES,
        *videos.ROUTES,
        *moderations_and_embeddings.ROUTES,
    ],
    errors=ERRORS,
    build_not_found_response=build_unknown_path_response,
    build_invalid_response=build_unreadable_response,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feed_readers={"organization": read_feed},
    get_account_ids=get_account_ids,
    headers=build_headers,
    coverage=COVERAGE,
)
