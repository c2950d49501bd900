"""Everything that a vendor's package imports from the kernel, and how to write one.

A vendor is a package `vendors/<name>/` whose `__init__.py` defines `VENDOR: Vendor`, listed in `vendors/__init__.py`.
It is mounted at `/<name>`; below that the paths are the vendor's own (`/meta/v23.0/me`, `/telegram/bot{token}/getMe`).

State consists of `StoredObject` structs in `context.store`. The time is `context.clock`. Anything that
happens later is computed from the time at which it started, and a later webhook is
`context.send_webhook(..., delay_seconds=seconds)`.

A handler is a plain function of a `Call`. Its writes are one transaction: raise `CallRefusedError(response)` to roll
them back, or return an error response to keep them. A handler that must wait (`await context.fetch(url)`) is a
coroutine function and opens its own `with context.store.transaction():`.

    class Note(StoredObject):
        text: str
        created_at: datetime

    def failed(status: int, code: int, message: str) -> Response:
        return build_json_response({"error": {"code": code, "message": message}}, status)

    row = build_error_declarer(failed)
    ERRORS = ErrorTable(rate_limited=row(429, 4, "Too many calls"), token_revoked=row(401, 190, "Invalid token"))

    def owner_of(call: Call) -> str:
        token = call.context.store.get(Token, call.bearer or "")
        if token is None:
            raise ERRORS.build_refusal("token_revoked")
        return token.parent

    def add_note(call: Call) -> object:
        note = Note(id=generate_digits(15), parent=owner_of(call), text=call.params["text"],
created_at=call.context.clock.now()) call.context.store.put(note) return {"id": note.id}

    VENDOR = Vendor(name="notes", title="Notes", routes=[Route("POST", "/v1/notes", add_note)], ...)

The kernel handles faults, throttling, the log of received calls and the control verbs: a vendor only declares its
`errors` (`kit/error_table.py`), says which accounts the credential of a call belongs to (`get_account_ids`), and lists
its `actions`. `kit/quotas.py` counts what accounts and apps use up. `feed_readers` define how the posts of accounts
look to people, `chat_readers` how their conversations look, `metrics_readers` what is counted
(`society/platform_metrics.py`, for the people in `society/audiences.py`), `form_readers` the lead forms
(`society/leads.py`), `review_readers` the reviews (`society/reviews.py`), and `calendar_readers` and `catalog_readers`
the rest. Each becomes a tab on the page of the account. Comments are kept on a `CommentService`
(`society/comments.py`), which also has their control verb; conversations in `ChatService` (`society/chats.py`), which
has the verbs of people, the fates of messages and what a chat page shows.

`media.py` fetches, keeps and describes the files of posts, `chunked_uploads.py` receives them in chunks, and
`post_processing.py` computes how far a post has been processed, with the fate that people and tests choose for the next
ones. `media_generation.py` makes images, audio and videos, `text_generation.py` and `schema_values.py` the texts of a
model that is only simulated.

People sign in on the page of an `OAuthLogin` (`kit/oauth.py`), which issues codes. Tokens and the verbs with which
people end them are in `kit/tokens.py`; those of Meta's products are in `dialects/graph/login.py`.

`bracket_forms.py` reads forms such as `items[0][price]=x`, and `idempotency.py` keeps the responses to requests with a
key. What happens without a call, such as a renewal, is done in `run_due_work`, which runs whenever the clock was moved.

The first people and accounts are yielded by a function that `build_seed` calls (`kit/seed.py`). Verbs find the account
that they are about with `find_or_raise` (`kit/accounts.py`).

`coverage` says in words what the endpoints check, for `GET /_control/surface` and the README. A route whose handler
tells calls apart by itself lists them in `listed_paths`.

`get_account_ids` and `headers` are called for every request, before faults and before the handler: they only read, and
never raise. `tests/sandbox/tiny.py` is a complete vendor on one page.
"""

from socialgate_sandbox.kernel.account_views import (
    AccountMetricsView,
    AdObjectView,
    CalendarReader,
    CatalogReader,
    CatalogView,
    ChatReader,
    CommentView,
    DayMetricsView,
    EventView,
    FeedReader,
    FormReader,
    FormView,
    GuestView,
    LeadView,
    MediaView,
    MessageView,
    MetricsReader,
    PostMetricsView,
    PostView,
    ProductView,
    QuestionView,
    ReviewReader,
    ReviewView,
    drop_empty,
)
from socialgate_sandbox.kernel.call import Call, CallRefusedError, UnreadableInputError, build_json_response
from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.files import Upload
from socialgate_sandbox.kernel.ids import generate_alphanumeric, generate_digits, generate_hex
from socialgate_sandbox.kernel.media_probe import MediaInfo, probe_media
from socialgate_sandbox.kernel.outgoing_http import FetchedResponse
from socialgate_sandbox.kernel.people import FOLLOWERS, OWNERS, Person
from socialgate_sandbox.kernel.settings import AppRegistration
from socialgate_sandbox.kernel.store import Store, StoredObject
from socialgate_sandbox.kernel.templates import render_template
from socialgate_sandbox.kernel.text_format import humanize
from socialgate_sandbox.kernel.vendor import (
    Account,
    Action,
    ActionRequest,
    ControlError,
    EndpointCoverage,
    ErrorBuilder,
    FieldChoices,
    Handler,
    Method,
    RevokeRequest,
    Route,
    Vendor,
    build_page_routes,
    handle_call,
)
from socialgate_sandbox.kernel.vendor_context import VendorContext
from socialgate_sandbox.kernel.webhook_sender import Attempt, Webhook
from socialgate_sandbox.kit.consent_page import (
    ConsentAllowed,
    ConsentDenied,
    LoginCandidate,
    Scope,
    redirect_with_parameters,
    show_or_read_consent,
)
from socialgate_sandbox.kit.error_table import (
    ErrorTable,
    build_call_error_declarer,
    build_error_declarer,
    build_require,
)
from socialgate_sandbox.kit.plain_image import draw_plain_png
from socialgate_sandbox.kit.query_parameters import parse_query, read_list_parameter
from socialgate_sandbox.kit.quotas import Quota, UsageRate, compute_ages

__all__ = [
    "FOLLOWERS",
    "OWNERS",
    "Account",
    "AccountMetricsView",
    "Action",
    "ActionRequest",
    "AdObjectView",
    "AppRegistration",
    "Attempt",
    "CalendarReader",
    "Call",
    "CallRefusedError",
    "CatalogReader",
    "CatalogView",
    "ChatReader",
    "CommentView",
    "ConsentAllowed",
    "ConsentDenied",
    "ControlError",
    "DayMetricsView",
    "EndpointCoverage",
    "ErrorBuilder",
    "ErrorTable",
    "EventView",
    "FeedReader",
    "FetchedResponse",
    "FieldChoices",
    "FormReader",
    "FormView",
    "GuestView",
    "Handler",
    "LeadView",
    "LoginCandidate",
    "MediaInfo",
    "MediaView",
    "MessageView",
    "Method",
    "MetricsReader",
    "Person",
    "PostMetricsView",
    "PostView",
    "ProductView",
    "QuestionView",
    "Quota",
    "ReviewReader",
    "ReviewView",
    "RevokeRequest",
    "Route",
    "SandboxClock",
    "Scope",
    "Store",
    "StoredObject",
    "UnreadableInputError",
    "Upload",
    "UsageRate",
    "Vendor",
    "VendorContext",
    "Webhook",
    "build_call_error_declarer",
    "build_error_declarer",
    "build_json_response",
    "build_page_routes",
    "build_require",
    "compute_ages",
    "draw_plain_png",
    "drop_empty",
    "generate_alphanumeric",
    "generate_digits",
    "generate_hex",
    "handle_call",
    "humanize",
    "parse_query",
    "probe_media",
    "read_list_parameter",
    "redirect_with_parameters",
    "render_template",
    "show_or_read_consent",
]
