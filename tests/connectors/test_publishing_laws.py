"""What holds for every network that publishes, in every form of post: a network is tested by being listed.

Whatever is lost, late, unreadable or foreign, a post is out once, what is said of it is true, and nothing is sent again
that the platform may have taken. What is special to a network is in its own `test_*_publishing.py`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from http import HTTPStatus
from itertools import product
from typing import Any

import jsonschema_rs
import pytest

from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES
from socialgate.contracts.failures import OutcomeUnknownError, PlatformNotFoundError
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, POST_HISTORY_CAPABILITY, NextStage, PublishedPost
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publish_faults import FORMS, PostVariant
from support.publishing import Files, OutcomeUnclearError, served_files
from support.publishing_laws import (
    POSTING,
    CallPoint,
    Outcome,
    Publication,
    checksums,
    content_of,
    first_forms,
    publication,
)
from support.simulation import RunningSandbox, running_sandbox
from support.soak import SOAK

each_form = pytest.mark.parametrize("form", FORMS, ids=str)
each_kind = pytest.mark.parametrize("form", first_forms(), ids=lambda form: str(form.kind))

LATE_SECONDS = 200
LOSSES: dict[str, dict[str, Any]] = {
    "after": {"when": "after"},
    "drop": {"when": "drop"},
    "late": {"when": "late", "delay": LATE_SECONDS},
}
TROUBLES: dict[str, dict[str, Any]] = {
    "answer lost": {"when": "after"},
    "call lost": {"when": "drop"},
    "busy": {"status": 503},
}
# None of these says that something happened, nor that nothing did.
UNPROVEN: list[dict[str, Any]] = [
    {"status": 500, "body": {"error": "?"}},
    {"status": 502, "body": "<html>Bad gateway</html>"},
    {"status": 503},
    {"status": 200, "body": "<html>Welcome</html>"},
    {"status": 200, "body": []},
    {"status": 200, "body": {"id": None, "ok": True, "result": {"message_id": None}, "data": {"publish_id": 7}}},
]
# How every vendor with comments refuses something.
NO = {"error": {"code": 403, "message": "No", "errors": [{"reason": "forbidden"}]}}


def combine(names: Collection[str]) -> Iterator[tuple[PostVariant, str]]:
    """Combine the first form of each kind with every name, the others with one in turn; in the soak, all with all."""
    first = first_forms()
    for (number, form), (place, name) in product(enumerate(FORMS), enumerate(names)):
        if SOAK or form in first or number % len(names) == place:
            yield form, name


# Publishes a form of post on a platform that was just reset.
Publish = Callable[[PostVariant], AbstractContextManager[Publication]]
# Gives the calls of a form of post.
Points = Callable[[PostVariant], list[CallPoint]]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture(scope="module")
def files() -> Iterator[Files]:
    with served_files() as served:
        yield served


@pytest.fixture
def fresh(sandbox: RunningSandbox, files: Files) -> Publish:
    def start(form: PostVariant) -> AbstractContextManager[Publication]:
        return publication(sandbox, files, form, content_of(files, form))

    return start


@pytest.fixture(scope="module")
def known_points() -> dict[str, list[CallPoint]]:
    return {}


@pytest.fixture
def points(fresh: Publish, known_points: dict[str, list[CallPoint]]) -> Points:
    """Publish each form once, undisturbed, to learn its calls."""

    def learn(form: PostVariant) -> list[CallPoint]:
        if str(form) not in known_points:
            with fresh(form) as post:
                known_points[str(form)] = post.walk()[0]
        return known_points[str(form)]

    return learn


def test_every_kind_that_posts_is_listed() -> None:
    assert {form.kind for form in FORMS} == set(POSTING)


@each_kind
def test_the_schema_of_options_is_strict_and_described(form: PostVariant, files: Files) -> None:
    schema = dict(POSTING[form.kind].options)
    validator = jsonschema_rs.Draft202012Validator(schema)
    params = dict(content_of(files, form).options)
    assert validator.is_valid(params)
    assert not validator.is_valid({**params, "colour": "red"})
    for name in schema.get("required", ()):
        assert not validator.is_valid({other: value for other, value in params.items() if other != name})
    for name, inner in schema["properties"].items():
        assert "enum" not in inner or not validator.is_valid({**params, name: "something else"}), name
    assert undescribed(schema) == []


def undescribed(schema: dict[str, Any]) -> list[str]:
    """Name the properties without a description, except those of a date, which say it themselves."""
    missing = []
    for name, inner in schema.get("properties", {}).items():
        missing += [] if "description" in inner else [name]
        missing += [] if name.endswith(("Date", "Time")) else undescribed(inner)
    return missing


# Undisturbed.


@each_form
def test_a_post_is_published_and_read_back(fresh: Publish, form: PostVariant) -> None:
    with fresh(form) as post:
        assert list(post.desk.publishing(form.kind).validate_content(post.content)) == []
        points, positions, done = post.walk()
        shown, comments = post.posts(), post.comments()
    assert len(shown) == form.visible_count
    assert is_named(done, shown[0]["id"], form), "the first of several is the post"
    files = [file["sha256"] for item in shown for file in item["files"]]
    assert files == checksums(post.content.media)
    assert max(post.desk.files.part_lengths, default=0) <= UPLOAD_PART_BYTES
    # From the first call that publishes on the platform has it, and not before.
    public = [position.stage in post.once for position in positions].index(True)
    assert [position.handed_over for position in positions[: public + 1]] == [False] * (public + 1)
    assert all(position.handed_over for position in positions[public + 1 :])
    assert any(point.decides for point in points)
    # On Threads a comment is a post like others, and was counted as such.
    assert comments == (form.comment and form.kind is not Kind.THREADS)


def is_named(done: PublishedPost, shown: str, form: PostVariant) -> bool:
    """Whether this is what was published. A post on Telegram is named with all its messages, and a video on Facebook
    has an id beside that of its post.
    """
    if form.kind is Kind.FACEBOOK_PAGE and form.unverifiable_call in {"/videos", "/video_reels"}:
        return done.platform_post_id != ""
    if form.kind is Kind.TELEGRAM_BOT:
        return done.platform_post_id.partition(",")[0] == shown
    return done.platform_post_id == shown


@each_form
def test_an_alt_text_goes_along_or_is_said_to_be_left_out(
    sandbox: RunningSandbox, files: Files, form: PostVariant
) -> None:
    if not form.media:
        pytest.skip("it has no files")
    plain, described = (content_of(files, form, alt=alt) for alt in (None, "A loaf"))
    with publication(sandbox, files, form, described) as post:
        connector = post.desk.publishing(form.kind)
        usual = list(connector.list_omission_warnings(plain))
        payload = [each for each in connector.list_omission_warnings(described) if each not in usual]
        done = post.desk.publish(post.account, described)
        sent = [call for call in post.calls() if "A loaf" in str(call["body"])]
    assert set(payload) <= set(done.warnings)
    assert all("alternative text" in each for each in payload)
    assert payload or sent, "it was lost without a word"
    assert len(payload) <= 1
    assert not (payload and sent) or len(form.media) > 1, "it was sent, and said to be left out"


# Disturbed.


@each_form
def test_a_process_that_dies_at_every_step_publishes_once(fresh: Publish, form: PostVariant) -> None:
    with fresh(form) as post:
        outcome = post.finish(dying=True)
    assert (outcome.done is None) == (form.kind is Kind.TELEGRAM_BOT), "only Telegram does not show what became of it"
    assert len(outcome.shown) == form.visible_count
    assert outcome.comments <= 1


@pytest.mark.soak
@pytest.mark.parametrize(("form", "loss"), list(combine(LOSSES)), ids=str)
def test_a_post_is_out_once_whichever_call_is_lost(
    fresh: Publish, points: Points, form: PostVariant, loss: str
) -> None:
    """Each call that publishes is lost; in the soak each call is."""
    wrong = []
    for point in [point for point in points(form) if point.decides or SOAK]:
        with fresh(form) as post:
            post.disturb(point, **LOSSES[loss])
            outcome = post.finish()
        wrong += [f"{point}, {loss}: {fault}" for fault in faults_of(form, point, loss, outcome)]
    assert wrong == []


def faults_of(form: PostVariant, point: CallPoint, loss: str, outcome: Outcome) -> Iterator[str]:
    flag = is_told(form, point, loss)
    if outcome.unused:
        yield "The call was never made"
    # What is late may become visible after everybody has stopped looking.
    if flag is (outcome.done is None) and (flag or loss != "late"):
        yield f"It is said to be {outcome.done}"
    is_out = flag or loss != "drop"
    if len(outcome.shown) != form.visible_count * is_out:
        yield f"The platform shows {len(outcome.shown)}"
    if outcome.done is not None and outcome.shown and not is_named(outcome.done, outcome.shown[0], form):
        yield f"It is named {outcome.done.platform_post_id} in place of {outcome.shown[0]}"
    if outcome.comments > 1:
        yield f"There are {outcome.comments} first comments"


def is_told(form: PostVariant, point: CallPoint, loss: str) -> bool:
    """Whether the platform says afterwards what became of a call."""
    if not point.decides or form.unverifiable_call is None or not point.name.endswith(form.unverifiable_call):
        return True
    return loss == "after" and form.kind is not Kind.TELEGRAM_BOT


@pytest.mark.soak
@pytest.mark.parametrize(("form", "trouble"), list(combine(TROUBLES)), ids=str)
def test_calls_that_publish_nothing_are_made_again(
    fresh: Publish, points: Points, form: PostVariant, trouble: str
) -> None:
    """In one post each of them fails once: what only prepares or reads is repeated, and an upload goes on."""
    others = [point for point in points(form) if not point.decides]
    with fresh(form) as post:
        for point in others:
            post.disturb(point, **TROUBLES[trouble])
        outcome = post.finish()
        shown = post.posts()
    # While it waits for one answer, the platform may finish what others would have asked for.
    assert outcome.unused < max(len(others), 1)
    assert outcome.done is not None
    assert len(shown) == form.visible_count
    assert [file["sha256"] for item in shown for file in item["files"]] == checksums(post.content.media)


@each_form
def test_an_answer_that_proves_nothing_leaves_the_outcome_open(
    fresh: Publish, points: Points, form: PostVariant
) -> None:
    """A server error, and what cannot be read or is about something else. A connector may ask the platform itself."""
    wrong = []
    for point in points(form):
        if point.decides:
            with fresh(form) as post:
                for answer, result in zip(UNPROVEN, post.answers_to(point, UNPROVEN), strict=True):
                    open_words = (OutcomeUnknownError, NextStage) if may_go_on(point, answer) else OutcomeUnknownError
                    wrong += [] if isinstance(result, open_words) else [f"{point}, {answer}: {result!r}"]
    assert wrong == []


def may_go_on(point: CallPoint, answer: Mapping[str, Any]) -> bool:
    """Whether a connector may ask the platform itself: after a success, or where it only watches."""
    return answer["status"] == HTTPStatus.OK or point.stage == "watch"


@each_form
def test_what_may_be_sent_again_makes_one_post(fresh: Publish, points: Points, form: PostVariant) -> None:
    if form.unverifiable_call is not None:
        pytest.skip("it is never sent again")
    stage = next(point.stage for point in points(form) if point.decides)
    with fresh(form) as post:
        desk = post.desk
        progress = desk.until(post.account, post.content, stage)
        first = desk.continue_publishing(post.account, post.content, desk.run(post.account, post.content, progress))
        again = desk.continue_publishing(post.account, post.content, desk.run(post.account, post.content, progress))
        shown = post.shown()
    assert first.platform_post_id == again.platform_post_id
    assert shown.count(first.platform_post_id) == 1


@each_form
def test_an_earlier_post_that_says_the_same_is_not_taken_for_it(fresh: Publish, form: PostVariant) -> None:
    if form.unverifiable_call is None or form.kind is Kind.TELEGRAM_BOT:
        pytest.skip("it is not looked up by what it says")
    with fresh(form) as post:
        points, _, first = post.walk()
        post.desk.rest(600)
        post.disturb(next(point for point in points if point.decides), "drop")
        with pytest.raises(OutcomeUnclearError):
            post.desk.publish(post.account, post.content)
        assert len(post.shown()) == form.visible_count
        assert is_named(first, post.shown()[0], form)


@pytest.mark.parametrize("form", [form for form in FORMS if form.comment], ids=str)
def test_a_first_comment_that_is_refused_is_a_warning(fresh: Publish, points: Points, form: PostVariant) -> None:
    comment = [point for point in points(form) if point.decides][-1]
    with fresh(form) as post:
        post.disturb(comment, status=403, body=NO)
        outcome = post.finish()
    assert outcome.done is not None
    assert len(outcome.done.warnings) == 1
    assert len(outcome.shown) == form.visible_count - (form.kind is Kind.THREADS)


# What is out.


def posted(post: Publication, number: int) -> list[str]:
    """Publish some posts, and name them, the newest first."""
    names: list[str] = []
    for current_number in range(number):
        content = content_of(post.desk.files, post.form, f"Loaf {current_number}")
        names.insert(0, post.desk.publish(post.account, content).platform_post_id)
        post.desk.rest(120)
    return names


@each_kind
def test_posts_are_listed_page_by_page_the_newest_first(fresh: Publish, form: PostVariant) -> None:
    if POST_HISTORY_CAPABILITY not in POSTING[form.kind].capabilities:
        pytest.skip("the platform does not list posts")
    with fresh(form) as post:
        names = posted(post, 3)
        first = post.desk.history(post.account, 2)
        second = post.desk.history(post.account, 2, first.cursor)
        assert [item.id for item in (*first.items, *second.items)] == names
        assert all(item.created_at is not None for item in first.items)
        # A platform may find out only with an empty page that there is no more.
        end = post.desk.history(post.account, 2, second.cursor) if second.cursor else second
        assert end.cursor is None


@each_kind
def test_a_post_is_removed_once_and_no_other_with_it(fresh: Publish, form: PostVariant) -> None:
    if DELETE_POST_CAPABILITY not in POSTING[form.kind].capabilities:
        pytest.skip("the platform deletes no posts")
    with fresh(form) as post:
        newest, older = posted(post, 2)
        for strange in ("", "..", "me/permissions", "1?x=2"):
            with pytest.raises(PlatformNotFoundError):
                post.desk.remove(post.account, strange)
        assert set(post.shown()) == {older, newest}
        post.desk.remove(post.account, newest)
        assert post.shown() == [older]
        with pytest.raises(PlatformNotFoundError):
            post.desk.remove(post.account, newest)
