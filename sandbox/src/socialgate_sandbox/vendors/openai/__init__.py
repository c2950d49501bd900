"""OpenAI's API: texts, pictures, speech and videos, generated on this machine by rules instead of by models."""

from collections.abc import Iterator

from socialgate_sandbox.kit import App, Thing, Vendor, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.openai import chat, images, judging, models, responses, speech, videos
from socialgate_sandbox.vendors.openai.access import accounts_of, headers, list_accounts
from socialgate_sandbox.vendors.openai.actions import ACTIONS
from socialgate_sandbox.vendors.openai.coverage import COVERAGE
from socialgate_sandbox.vendors.openai.errors import ERRORS, unknown_path, unreadable
from socialgate_sandbox.vendors.openai.feed import generations
from socialgate_sandbox.vendors.openai.state import ORGANIZATION, Organization


@seeded
def seed(_world: World) -> Iterator[Thing]:
    yield Organization(id=ORGANIZATION, name="Ada's Bakery", slug="adas-bakery")


VENDOR = Vendor(
    name="openai",
    title="OpenAI",
    # The secret is the API key.
    app=App(id="sandbox-openai", secret="sk-proj-sandbox-openai-key"),
    routes=[
        *models.ROUTES,
        *chat.ROUTES,
        *responses.ROUTES,
        *images.ROUTES,
        *speech.ROUTES,
        *videos.ROUTES,
        *judging.ROUTES,
    ],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=list_accounts,
    actions=ACTIONS,
    feeds={"organization": generations},
    accounts_of=accounts_of,
    headers=headers,
    coverage=COVERAGE,
)
