"""No log line holds a secret, whoever logs it and in whatever form."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from socialgate.core.logs import configure_logs, scrub_secrets

Logged = Callable[[], str]

TOKEN = st.text("ABCDEFabcdef0123456789", min_size=20, max_size=40)
CREDENTIALS = st.builds(
    str.__add__, st.sampled_from(("sg_live_", "sg_test_", "ses_", "whsec_", "Bearer ", "bearer ")), TOKEN
)
PASSWORDS = st.text(st.characters(codec="ascii", exclude_characters="/ ", exclude_categories=["C", "Z"]), min_size=9)
SECRET = "sg_live_0123456789abcdefghij0123456789abcdef"


@pytest.fixture
def logged(capsys: pytest.CaptureFixture[str]) -> Iterator[Logged]:
    """Return what was logged, and put all logging back as it was."""
    root, ours = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers, root.level
    yield lambda: capsys.readouterr().err
    root.handlers, root.level = handlers, level
    structlog.configure(**ours)


@given(st.text("uvw :=\"'\n{[é", max_size=30), CREDENTIALS, st.sampled_from(("", " ", '"', "'", ",", "\n", ")")))
def test_a_credential_is_cut_wherever_it_stands(before: str, credential: str, after: str) -> None:
    scrubbed = scrub_secrets(before + credential + after)
    assert credential not in scrubbed
    assert credential[-20:] not in scrubbed
    assert scrubbed.endswith(after)


@given(st.text("abc", max_size=3), PASSWORDS)
def test_a_password_in_a_url_is_cut(user: str, password: str) -> None:
    scrubbed = scrub_secrets(f"cannot reach postgresql+asyncpg://{user}:{password}@db.example.com:5432/gate now")
    assert scrubbed == f"cannot reach postgresql+asyncpg://{user}:***@db.example.com:5432/gate now"


@given(st.text())
def test_scrubbing_twice_is_scrubbing_once(text: str) -> None:
    assert scrub_secrets(scrub_secrets(text)) == scrub_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "the price of a session is 3",
        "http://127.0.0.1:8080/docs?email=ana@example.com",
        "key_01h455vb4pex5vsknk084sn02q and prf_01h455vb4pex5vsknk084sn02q",
        "GET /health 200",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrub_secrets(text) == text


class Holder:
    def __repr__(self) -> str:
        return f"Holder({SECRET})"


@pytest.mark.parametrize(
    "fields",
    [
        {"detail": f"it was {SECRET}."},
        {"password": "hunter2"},
        {"password": b"hunter2"},
        {"password": ["hunter2"]},
        {"Authorization": "hunter2"},
        {"api_key": "hunter2"},
        {"apikey": "hunter2"},
        {"headers": {"cookie": "hunter2", "accept": "all"}},
        {"headers": [("x", SECRET)]},
        {"body": f'{{"key": "{SECRET}"}}'.encode()},
        {"error": ValueError(f"no {SECRET}")},
        {"thing": Holder()},
        {"things": {"nested": [{"deep": Holder()}]}},
        {"by_key": {SECRET: 1}},
        {"urls": ("postgresql://u:hunter2@db/gate",)},
    ],
    ids=lambda fields: next(iter(fields)),
)
@pytest.mark.parametrize("style", ["json", "pretty"])
def test_no_form_of_a_secret_reaches_a_line(logged: Logged, style: Any, fields: dict[str, Any]) -> None:
    configure_logs(style, "info")
    structlog.get_logger("test").info("something", **fields)
    line = logged()
    assert "something" in line
    assert "***" in line
    assert SECRET not in line
    assert "hunter2" not in line


@pytest.mark.parametrize("style", ["json", "pretty"])
def test_a_traceback_is_shown_without_its_secrets(logged: Logged, style: Any) -> None:
    configure_logs(style, "info")
    try:
        int(SECRET)
    except ValueError:
        structlog.get_logger("test").exception("broken")
        logging.getLogger("some.library").exception("broken too with %s", SECRET)
    lines = logged()
    assert lines.count("Traceback (most recent call last)") == 2
    assert lines.count("ValueError: invalid literal for int() with base 10: 'sg_live_***'") == 2
    assert SECRET not in lines


def test_machines_get_one_json_object_a_line(logged: Logged) -> None:
    configure_logs("json", "info")
    structlog.get_logger("test").info("ours", count=3, tokens=7, missing=None, ratio=0.5)
    logging.getLogger("some.library").warning("theirs %d", 1)
    ours, theirs = (json.loads(line) for line in logged().splitlines())
    assert (ours["event"], ours["level"], ours["count"], ours["tokens"]) == ("ours", "info", 3, 7)
    assert (ours["missing"], ours["ratio"]) == (None, 0.5)
    assert (theirs["event"], theirs["level"]) == ("theirs 1", "warning")
    assert ours["timestamp"].endswith("Z")


def test_only_what_is_loud_enough_is_logged(logged: Logged) -> None:
    configure_logs("json", "warning")
    structlog.get_logger("test").info("quiet")
    logging.getLogger("some.library").info("quiet")
    structlog.get_logger("test").warning("loud")
    assert [json.loads(line)["event"] for line in logged().splitlines()] == ["loud"]


def test_people_get_no_json(logged: Logged) -> None:
    configure_logs("pretty", "info")
    structlog.get_logger("test").info("hello", name="Ana")
    line = logged()
    assert not line.startswith("{")
    assert "hello" in line
