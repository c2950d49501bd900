from pathlib import Path

import pytest

from socialgate.core.settings import (
    CLIENT_VARIABLES,
    Settings,
    SettingsError,
    describe_allowed_values,
    get_env_variable,
    get_setting_types,
    is_secret,
    load_settings,
)

pytestmark = pytest.mark.both_engines

SECRET = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(environment: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment)
    return str(caught.value)


def write(text: str, name: str = "socialgate.toml") -> None:
    Path(name).write_text(text, encoding="utf-8")


def test_every_setting_has_a_default() -> None:
    assert load_settings({}) == Settings()


def test_the_environment_wins_over_the_file_and_the_file_over_the_default() -> None:
    write('port = 8090\nhost = "0.0.0.0"\n')
    settings = load_settings({"SOCIALGATE_PORT": "9000"})
    assert (settings.port, settings.host, settings.rate_limit) == (9000, "0.0.0.0", 1200)  # noqa: S104 - it is only read


def test_an_empty_variable_is_as_good_as_none() -> None:
    write("port = 8090\n")
    assert load_settings({"SOCIALGATE_PORT": ""}).port == 8090


def test_variables_of_other_programs_are_left_alone() -> None:
    assert load_settings({"PATH": "x", "PORT": "1", "SOCIAL_PORT": "2"}) == Settings()


def test_a_named_file_is_read_instead_of_the_default_one() -> None:
    write("port = 8090\n")
    write('port = 8091\nsandbox = false\ndata_dir = "elsewhere"\n', "other.toml")
    settings = load_settings({"SOCIALGATE_CONFIG": "other.toml"})
    assert (settings.port, settings.sandbox, settings.data_dir) == (8091, False, Path("elsewhere"))


@pytest.mark.parametrize(
    ("variable", "value", "remedy"),
    [
        ("SOCIALGATE_PORT", "many", "must be a whole number from 0 to 65535, not 'many'."),
        ("SOCIALGATE_PORT", "65536", "must be a whole number from 0 to 65535, not '65536'."),
        ("SOCIALGATE_METRICS_PORT", "-1", "must be a whole number from 0 to 65535, not '-1'."),
        ("SOCIALGATE_RATE_LIMIT", "-1", "must be a whole number, 0 or more, not '-1'."),
        ("SOCIALGATE_DATABASE_POOL", "1", "must be a whole number from 2 to 200, not '1'."),
        ("SOCIALGATE_SANDBOX", "perhaps", "must be true or false, not 'perhaps'."),
        ("SOCIALGATE_SIGNUP", "everyone", "must be one of closed, open, not 'everyone'."),
        (
            "SOCIALGATE_LOG_LEVEL",
            "loud\nand clear",
            "must be one of debug, error, info, warning, not 'loud\\nand clear'.",
        ),
        ("SOCIALGATE_BASE_URL", "gate.example.com", "must be a URL such as https://gate.example.com."),
        (
            "SOCIALGATE_STRIPE_URL",
            "stripe.test",
            "must be a URL that starts with https:// or http://, not 'stripe.test'.",
        ),
        ("SOCIALGATE_BASE_URL", "https://", "must be a URL such as https://gate.example.com."),
        ("SOCIALGATE_BASE_URL", "http://[::1", "must be a URL such as https://gate.example.com."),
        ("SOCIALGATE_METRICS_TOKEN", SECRET, "must be a string of at least 16 characters."),
        (
            "SOCIALGATE_DATABASE_URL",
            f"mysql://root:{SECRET}@db/gate",
            "must have the form postgresql://user:password@host/name. Leave it unset to use SQLite.",
        ),
        (
            "SOCIALGATE_DATABASE_URL",
            f"postgresql://root:{SECRET}@db:port/gate",
            "must have the form postgresql://user:password@host/name. Leave it unset to use SQLite.",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_remedy_in_one_line(variable: str, value: str, remedy: str) -> None:
    assert refusal({variable: value}) == f"{variable}: {remedy}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = 'many'", "socialgate.toml: port: must be a whole number from 0 to 65535, not 'many'."),
        ("data_dir = 3", "socialgate.toml: data_dir: must be a path, not 3."),
        ("prot = 1", "socialgate.toml: prot is not a setting. Did you mean port?"),
        (
            "[server]\nport = 1",
            "socialgate.toml: server is not a setting. docs/reference/settings.md lists the settings.",
        ),
        (
            "port 1",
            "socialgate.toml: is not valid TOML: Expected '=' after a key in a key/value pair (at line 1, column 6).",
        ),
        ("base_url = ''", "socialgate.toml: base_url: must be a URL such as https://gate.example.com."),
    ],
)
def test_a_wrong_file_is_named_with_its_remedy_in_one_line(text: str, message: str) -> None:
    write(text)
    assert refusal({}).startswith(message)
    assert "\n" not in refusal({})


def test_a_file_that_is_no_text_is_refused_in_one_line() -> None:
    Path("socialgate.toml").write_bytes(b"\xff\xfe")
    assert refusal({}).startswith("socialgate.toml: is not valid TOML: ")


def test_a_folder_in_place_of_the_file_is_refused_in_one_line() -> None:
    Path("socialgate.toml").mkdir()
    assert refusal({}) == "socialgate.toml: cannot be read: Is a directory. Check its permissions and its path."


def test_a_named_file_must_exist() -> None:
    message = refusal({"SOCIALGATE_CONFIG": "none.toml"})
    assert message == "SOCIALGATE_CONFIG: the file none.toml does not exist. Correct the path or unset it."


def test_an_unknown_variable_is_refused_with_the_nearest_name() -> None:
    assert refusal({"SOCIALGATE_PROT": "1"}) == "SOCIALGATE_PROT is not a setting. Did you mean SOCIALGATE_PORT?"
    far = "SOCIALGATE_XYZZY is not a setting. docs/reference/settings.md lists the settings."
    assert refusal({"SOCIALGATE_XYZZY": "1"}) == far


@pytest.mark.parametrize("variable", CLIENT_VARIABLES)
def test_what_belongs_to_clients_may_be_set_in_the_same_shell(variable: str) -> None:
    assert load_settings({variable: SECRET}) == load_settings({})


def test_a_secret_is_in_no_message() -> None:
    assert {name for name in get_setting_types() if is_secret(name)} >= {"metrics_token", "database_url"}
    for value in (SECRET, f"mysql://root:{SECRET}@db/gate"):
        assert SECRET not in refusal({"SOCIALGATE_DATABASE_URL": value})
    assert SECRET not in refusal({"SOCIALGATE_METRICS_TOKEN": SECRET})


def test_every_setting_says_in_words_what_it_takes() -> None:
    for name, kind in get_setting_types().items():
        assert describe_allowed_values(kind), name


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://u:p@db/gate",
        "postgres://u:p@db:5433/gate",
        "postgresql://u:p%40ss@db/gate?sslmode=require",
    ],
)
def test_urls_as_hosters_give_them_are_understood(value: str) -> None:
    settings = load_settings({"SOCIALGATE_DATABASE_URL": value})
    assert settings.effective_database_url == value
    assert not settings.uses_sqlite


def test_the_embedded_database_lies_in_the_data_directory(tmp_path: Path) -> None:
    settings = load_settings({"SOCIALGATE_DATA_DIR": "here"})
    assert settings.effective_database_url == f"sqlite:///{tmp_path}/here/socialgate.db"


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({}, "http://127.0.0.1:8080"),
        ({"host": "::1", "port": 90}, "http://[::1]:90"),
        ({"base_url": "https://gate.example.com/"}, "https://gate.example.com"),
    ],
)
def test_the_public_address(fields: dict[str, str | int], url: str) -> None:
    environment = {get_env_variable(name): str(value) for name, value in fields.items()}
    assert load_settings(environment).public_url == url


@pytest.mark.parametrize(
    ("host", "inside"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("gate", False)],  # noqa: S104 - it is only read
)
def test_loopback_is_recognised(host: str, inside: bool) -> None:
    assert load_settings({"SOCIALGATE_HOST": host}).listens_on_loopback is inside


def test_what_is_unset_follows_the_engine() -> None:
    embedded = load_settings({})
    shared = load_settings({"SOCIALGATE_DATABASE_URL": "postgresql://db/gate"})
    assert (embedded.runs_embedded_worker, embedded.simulates_platforms) == (True, True)
    assert (shared.runs_embedded_worker, shared.simulates_platforms) == (False, False)
    settings = load_settings({"SOCIALGATE_WORKER": "separate", "SOCIALGATE_SANDBOX": "false"})
    assert (settings.runs_embedded_worker, settings.simulates_platforms) == (False, False)


@pytest.mark.parametrize(
    ("value", "simulated"),
    [
        ({}, True),
        ({"HOST": "::1", "BASE_URL": "http://localhost:9000/gate"}, True),
        ({"HOST": "0.0.0.0"}, False),  # noqa: S104 - it is only read
        ({"HOST": "gate.example.com"}, False),
        ({"HOST": "0.0.0.0", "BASE_URL": "http://127.0.0.1:8080"}, False),  # noqa: S104 - it is only read
        # Behind a proxy on the same machine.
        ({"BASE_URL": "https://gate.example.com"}, False),
        ({"BASE_URL": "https://gate.example.com", "SANDBOX": "true"}, True),
        ({"HOST": "0.0.0.0", "SANDBOX": "true"}, True),  # noqa: S104 - it is only read
        ({"SANDBOX": "false"}, False),
    ],
)
def test_beyond_this_machine_platforms_are_simulated_only_on_request(value: dict[str, str], simulated: bool) -> None:
    settings = load_settings({f"SOCIALGATE_{name}": value for name, value in value.items()})
    assert settings.simulates_platforms is simulated
