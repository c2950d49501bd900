"""The commands against the running service and its simulated platforms: what they do, show, and refuse."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from PIL import Image

from journeys.commands import DEADLINE_SECONDS, Running, run, started
from socialgate.cli import COMMANDS
from support.command_line import CommandLine
from support.conversions import save
from support.factories import account_on, get_or_create_id
from support.hooks import emit
from support.post_files import file_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, running_service
from support.unreliable_line import UnreliableLine
from support.waiting import eventually


@pytest.fixture
def shell(owner: OwnerFixture, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, SOCIALGATE_URL=owner.running.address, SOCIALGATE_API_KEY=owner.key_value())


def test_a_post_is_scheduled_shown_and_deleted(shell: CommandLine, owner: OwnerFixture, tmp_path: Path) -> None:
    account_id = account_on(owner, "threads")
    (account,) = shell.json("accounts")
    assert account["id"] == account_id
    photo = tmp_path / "oven.jpg"
    photo.write_bytes(file_of("image/jpeg"))
    name = f"@{account['username']}"
    arguments = ("Fresh out of the oven", "--to", name, "--image", str(photo), "--at", "in 3 days", "--timezone")
    result = shell.run("post", *arguments, "America/Lima")
    assert result.exit_code == 0, result.output
    assert re.match(r"\w+day \d+ \w+ 20\d\d, \d\d:\d\d \(America/Lima, UTC-05:00\), in 3 days\.\n", result.stderr)
    assert re.search(r"^Uploaded oven\.jpg \(.+\) as med_\w+\.$", result.stderr, re.MULTILINE)
    heading, line, last = result.stdout.splitlines()
    assert heading.split() == ["ACCOUNT", "KIND", "WHEN", "NOTES"]
    assert line.split()[:2] == [name, "threads"]
    assert "(Lima)" in line
    match = re.fullmatch(r"Scheduled as (post_\w+)\. Undo with: socialgate (posts delete \1)", last)
    assert match is not None
    (listed,) = shell.json("posts", "--status", "scheduled", "--account", name)
    assert (listed["id"], listed["content"], len(listed["media"])) == (match[1], arguments[0], 1)
    assert arguments[0] in shell.succeed("posts", "get", match[1])
    assert match[1] in shell.succeed(*match[2].split())
    assert shell.json("posts", "--status", "scheduled") == []


def test_a_dry_run_shows_what_would_be_changed_about_the_files(
    shell: CommandLine, owner: OwnerFixture, tmp_path: Path
) -> None:
    account_on(owner, "threads")
    (account,) = shell.json("accounts")
    (tmp_path / "wide#1.bmp").write_bytes(save(Image.new("RGB", (1500, 100), "teal"), "BMP"))
    arguments = ("post", "Bread", "--to", "threads", "--file", str(tmp_path / "wide#1.bmp"), "--dry-run")
    changed = f"@{account['username']}: wide#1.bmp would be changed."
    format_line = "  format: image/bmp → image/jpeg. Threads accepts image/jpeg, image/png."
    padded = shell.succeed(*arguments).splitlines()
    assert padded[:2] == [changed, format_line]
    assert padded[-1] == "Nothing was sent. The post can be published."
    cropped = shell.succeed(*arguments, "--fit", "crop").splitlines()
    assert cropped[:2] == [changed, format_line]
    assert cropped[2] != padded[2]
    refused = shell.run(*arguments, "--fit", "none")
    assert (refused.exit_code, "would be changed" in refused.stdout) == (1, False)
    assert "'banana' is not one of 'auto', 'pad', 'crop', 'none'" in shell.fail(2, *arguments, "--fit", "banana")


def test_a_post_that_is_published_now_is_waited_for(shell: CommandLine, owner: OwnerFixture) -> None:
    account_on(owner, "threads")
    shown = shell.succeed("post", "Hello", "--to", "threads")
    assert re.search(r"^@\S+ +threads +published +https?://", shown, re.MULTILINE)
    published = r"^Published as (post_\w+)\. Undo with: socialgate (posts delete \1 --platforms)$"
    match = re.search(published, shown, re.MULTILINE)
    assert match is not None
    assert shell.json("posts", "get", match[1])["status"] == "published"
    deleted = shell.run(*match[2].split())
    # Whether Threads lets it be deleted is its business; what was done is said either way.
    assert match[1] in deleted.output


def test_a_failure_is_explained_and_tried_again(shell: CommandLine, owner: OwnerFixture) -> None:
    account_on(owner, "telegram")
    bot = shell.json("accounts")[0]
    result = shell.run("post", "Hello", "--to", f"@{bot['username']}", "--option", "chatId=@nobody_is_here")
    assert result.exit_code == 1, result.output
    assert "failed" in result.stdout
    match = re.search(
        r"^Not published \((post_\w+)\)\. Try again with: socialgate (posts retry \1)$", result.stdout, re.MULTILINE
    )
    assert match is not None
    failed = shell.succeed("posts", "--failed")
    assert failed.splitlines()[0].split() == ["POST", "ACCOUNT", "WHEN", "WHY"]
    assert f"Then: socialgate {match[2]}" in failed
    assert shell.run(*match[2].split()).exit_code == 1


def test_what_is_not_clear_is_refused_before_anything_happens(shell: CommandLine, owner: OwnerFixture) -> None:
    account_on(owner, "threads")
    for arguments, line in (
        (("--to", "threads", "--at", "11/12 9:00"), "a date with slashes can be two days"),
        (("--to", "nobody"), "There is no account 'nobody'"),
        (("--to", "threads", "--at", "in 1 day", "--queue"), "Use only one of --at, --queue and --draft."),
        (("--to", "threads", "--image", "missing.jpg"), "missing.jpg is not a file"),
        ((), "Name the accounts with --to"),
    ):
        assert line in shell.fail(2, "post", "Hello", *arguments)
    assert shell.json("posts") == []
    # What only the service can know.
    assert "Shorten it by 100." in shell.fail(1, "post", "x" * 600, "--to", "threads")
    dry = shell.run("post", "x" * 600, "--to", "threads", "--dry-run")
    assert (dry.exit_code, "Nothing was sent." in dry.stdout) == (1, True)


def test_messages_are_read_and_answered(shell: CommandLine, owner: OwnerFixture) -> None:
    conversation_id = get_or_create_id(owner, "conversationId")
    (row,) = shell.json("inbox")
    assert row["id"] == conversation_id
    assert "Hello" in shell.succeed("inbox", "--unread")
    shown = shell.succeed("inbox", "reply", conversation_id, "Good morning")
    assert shown.splitlines()[-1] == "A message that was sent cannot be taken back."
    thread = shell.succeed("inbox", "thread", conversation_id)
    # The page is shared: other tests of this process may have written to it before.
    assert [line.rpartition(": ")[2] for line in thread.splitlines()[-2:]] == ["Hello", "Good morning"]
    by_name = shell.json("inbox", "thread", row["contact"]["name"] or row["contact"]["id"])
    assert by_name["id"] == conversation_id
    assert "There is no conversation with 'nobody'" in shell.fail(2, "inbox", "thread", "nobody")


def test_operations_are_listed_and_shown(shell: CommandLine, owner: OwnerFixture) -> None:
    operation_id = get_or_create_id(owner, "operationId")
    assert operation_id in shell.succeed("operations")
    assert shell.json("operations", "get", operation_id)["id"] == operation_id
    assert operation_id in shell.succeed("operations", "get", operation_id)


def test_files_hooks_and_any_route(shell: CommandLine, owner: OwnerFixture, tmp_path: Path) -> None:
    photo = tmp_path / "oven.jpg"
    photo.write_bytes(file_of("image/jpeg"))
    uploaded = shell.succeed("media", "upload", str(photo))
    media_id = re.findall(r"Undo with: socialgate media delete (med_\w+)", uploaded)[0]
    assert shell.json("media")[0]["id"] == media_id
    assert media_id in shell.succeed("media", "delete", media_id)
    result = shell.run("upload", str(photo), "--profile", owner.profile_id, "--json")
    assert (result.exit_code, "100 %" in result.stderr) == (0, True)
    assert json.loads(result.stdout)["fileName"] == "oven.jpg"

    created = shell.json("hooks", "create", "https://hooks.example.com/in", "--events", "post.published")
    assert created["secret"]
    assert created["id"] in shell.succeed("hooks")
    assert "dlv_" in shell.succeed("hooks", "test", created["id"])
    eventually(lambda: shell.json("hooks", "deliveries", created["id"]), "the delivery")
    assert "post.published" in shell.succeed("hooks", "get", created["id"])
    assert "Undo with: socialgate hooks create" in shell.succeed("hooks", "delete", created["id"])

    fields = (f"profileId={owner.profile_id}", "content=Hi", "draft:=true")
    draft = json.loads(shell.succeed("api", "POST", "/posts", *fields))
    assert (draft["status"], draft["content"]) == ("draft", "Hi")
    listed = json.loads(shell.succeed("api", "get", "/posts", "status=draft", "limit==1"))
    assert [row["id"] for row in listed["data"]] == [draft["id"]]
    assert shell.succeed("api", "DELETE", f"/posts/{draft['id']}")
    assert "what follows := is not JSON" in shell.fail(2, "api", "POST", "/posts", "draft:=yes")
    assert "It starts with a slash" in shell.fail(2, "api", "GET", "posts")


def test_exit_codes_tell_what_went_wrong(shell: CommandLine, tmp_path: Path) -> None:
    assert shell.fail(1, "posts", "get", "post_1").startswith("socialgate: ")
    problem = json.loads(shell.fail(1, "posts", "get", "post_1", "--json"))
    assert (problem["status"], problem["code"]) == (404, "not_found")
    faults = shell.fail(1, "api", "POST", "/profiles", "name=")
    assert faults.endswith(" (/name)\n")
    assert shell.run("posts", "--nonsense").exit_code == 2
    nowhere = CommandLine(tmp_path, SOCIALGATE_URL="http://127.0.0.1:1", SOCIALGATE_API_KEY="sg_test_x")
    assert nowhere.fail(3, "posts").startswith("socialgate: The service cannot be reached")
    assert "You are not signed in" in CommandLine(tmp_path).fail(2, "posts")


def test_connecting_waits_for_the_person(owner: OwnerFixture, sandbox: Sandbox, tmp_path: Path) -> None:
    settings = {"url": owner.running.address, "api_key": owner.key_value()}
    with started(tmp_path, "connect", "threads", **settings) as command:
        auth_url = eventually(lambda: _address_in(command), "the address to open")
        location = sandbox.decide(auth_url)
        assert owner.running.client().get(location.removeprefix(owner.running.url)).is_success
        assert command.process.wait(DEADLINE_SECONDS) == 0, command.err
        first, second = command.out.splitlines()
    assert re.fullmatch(r"Connected @\S+ \(threads, acc_\w+\) to .+\.", first)
    assert re.fullmatch(r"Undo with: socialgate accounts disconnect acc_\w+", second)
    undone = run(tmp_path, *second.removeprefix("Undo with: socialgate ").split(), **settings)
    assert undone.returncode == 0, undone.stderr


def _address_in(command: Running) -> str | None:
    match = re.search(r"Open (\S+)  \(waiting\)", command.err)
    return None if match is None else match[1]


def test_events_are_followed_line_by_line(owner: OwnerFixture, tmp_path: Path) -> None:
    settings = {"url": owner.running.address, "api_key": owner.key_value()}
    shell = CommandLine(tmp_path, SOCIALGATE_URL=settings["url"], SOCIALGATE_API_KEY=settings["api_key"])
    account_id = account_on(owner, "threads")
    listed = [json.loads(line) for line in shell.succeed("events", "--json").splitlines()]
    assert "account.connected" in {row["event"] for row in listed}
    assert "account.connected" in shell.succeed("events", "--event", "account.connected")
    # From a position that is known, it does not matter when the stream is opened.
    position = re.findall(r"events --after (\S+)", shell.run("events").stderr)[0]
    follow = ("events", "--follow", "--json", "--event", "account.disconnected", "--after", position)
    with started(tmp_path, *follow, **settings) as command:
        shell.succeed("accounts", "disconnect", account_id)
        eventually(lambda: command.out or None, "the event")
        command.process.send_signal(signal.SIGINT)
        assert command.process.wait(DEADLINE_SECONDS) == 0
        (line,) = command.out.splitlines()
    assert json.loads(line)["data"]["accountId"] == account_id


def test_following_goes_on_after_a_restart_of_the_service(tmp_path: Path) -> None:
    with ExitStack() as stack:
        with running_service(tmp_path / "data", worker="separate") as before:
            owner = before.new_owner()
            line = stack.enter_context(UnreliableLine(before.address))
            position = owner.session.get("/events").json()["nextCursor"]
            emit(owner, 1)
            follow = ("events", "--follow", "--json", "--after", position)
            command = stack.enter_context(started(tmp_path, *follow, url=line.url, api_key=owner.key_value()))
            eventually(lambda: command.out or None, "the first event")
        with running_service(tmp_path / "data", worker="separate") as owner.running:
            emit(owner, 2)
            line.server_url = owner.running.address
            eventually(lambda: command.out.count("\n") == 2 or None, "the second event")
            emit(owner, 3)
            eventually(lambda: command.out.count("\n") == 3 or None, "the third event")
            events = [json.loads(row) for row in command.out.splitlines()]
    assert [event["data"]["leadId"] for event in events] == ["lead_1", "lead_2", "lead_3"]


def test_nothing_is_colored_without_a_terminal(shell: CommandLine) -> None:
    assert "\x1b" not in shell.run("posts").output


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_of_commands_says_what_each_does(name: str) -> None:
    command = COMMANDS[name].load()
    assert command.name == name
    assert command.help
    assert COMMANDS[name].summary.endswith(".")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_get_a_script(name: str, tmp_path: Path) -> None:
    script = CommandLine(tmp_path).succeed("completion", name)
    assert "_SOCIALGATE_COMPLETE" in script


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    def completions(line: str) -> set[str]:
        shell = CommandLine(
            tmp_path,
            _SOCIALGATE_COMPLETE="bash_complete",
            COMP_WORDS=line,
            COMP_CWORD=str(len(line.split(" ")) - 1),
        )
        return {row.partition(",")[2] for row in shell.run().stdout.splitlines()}

    assert completions("socialgate po") == {"post", "posts"}
    assert {"get", "retry", "delete"} <= completions("socialgate posts ")
    assert "--failed" in completions("socialgate posts --fa")


def test_bash_takes_its_script(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(CommandLine(tmp_path).succeed("completion", "bash"), encoding="utf-8")
    command = ["bash", "-euc", ". ./script; complete -p socialgate"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "-F _socialgate_completion" in done.stdout


def test_the_service_never_loads_the_client() -> None:
    program = (
        "import sys, socialgate.__main__, socialgate.entry.serve, socialgate.entry.worker;"
        "sys.exit('socialgate_client' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ})


def test_without_the_client_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.startswith(("socialgate_client", "socialgate.cli."))]:
        if name != "socialgate.cli.lazy_commands":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "socialgate_client", None)
    assert "pip install 'socialgate[cli]'" in CommandLine(tmp_path).fail(2, "posts")
