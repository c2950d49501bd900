import pytest

from sandbox.graph_support import BACK, codes_of
from sandbox.threads.signing_in import HOST, WINDOW, Threads
from socialgate_sandbox.vendors.threads.seed import ADA, BRAM, CLEO

DAY = 86400


@pytest.mark.parametrize("window", ["threads.com", "www.threads.net", "threads.net"])
@pytest.mark.parametrize("path", ["oauth/authorize", "oauth/authorize/"])
def test_whoever_allows_comes_back_with_a_code_and_a_stray_fragment(threads: Threads, window: str, path: str) -> None:
    form = {"decision": "allow", "person": ADA}
    back = threads.platform.decide(f"{window}/{path}", form, scope="threads_basic threads_delete", state="9")
    assert (back["state"], back["#"]) == ("9", "_")
    answer = threads.redeem(back["code"]).json()
    assert answer["user_id"] == int(ADA)
    assert set(answer) == {"access_token", "user_id"}
    assert threads.get("me", answer["access_token"], fields="id,username").json()["username"] == "lindqvist.bakery"


def test_whoever_denies_comes_back_with_the_reason(threads: Threads) -> None:
    back = threads.platform.decide(WINDOW, {"decision": "deny"}, scope="threads_basic", state="9")
    assert back == {
        "error": "access_denied",
        "error_reason": "user_denied",
        "error_description": "The user denied your request",
        "state": "9",
        "#": "",
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"client_id": "x"}, "Invalid platform app"),
        ({"redirect_uri": "https://elsewhere.example.com/"}, "Invalid redirect_uri"),
        ({"scope": "threads_delete"}, "Invalid scope"),
        ({"scope": "threads_basic,all"}, "Invalid scope"),
        ({"response_type": "token"}, "Invalid response_type"),
    ],
)
def test_a_wrong_request_is_shown_to_the_person(threads: Threads, changed: dict[str, str], message: str) -> None:
    query = {
        "client_id": threads.platform.client_id,
        "redirect_uri": BACK,
        "scope": "threads_basic",
        "response_type": "code",
    }
    answer = threads.platform.get(WINDOW, **(query | changed))
    assert answer.status_code == 400
    assert message in answer.text


def test_a_code_is_good_once_and_its_error_is_flat(threads: Threads) -> None:
    code = threads.code(ADA)
    assert threads.redeem(code, redirect_uri=f"{BACK}/").json()["error_type"] == "OAuthException"
    assert threads.redeem(code).status_code == 200
    again = threads.redeem(code)
    assert again.status_code == 400
    assert again.json() == {
        "error_type": "OAuthException",
        "code": 400,
        "error_message": "Matching code was not found or was already used",
    }
    # The fragment that follows the code is no part of it.
    assert threads.redeem(threads.code(ADA) + "#_").status_code == 400
    late = threads.code(ADA)
    threads.platform.pass_time(3601)
    assert threads.redeem(late).status_code == 400


@pytest.mark.parametrize("changed", [{"client_id": "x"}, {"client_secret": "x"}, {"grant_type": "x"}])
def test_a_code_is_only_for_the_app(threads: Threads, changed: dict[str, str]) -> None:
    answer = threads.redeem(threads.code(ADA), **changed)
    assert (answer.status_code, answer.json()["error_type"]) == (400, "OAuthException")


def test_short_tokens_live_an_hour_and_long_ones_sixty_days(threads: Threads) -> None:
    short = threads.short(ADA)
    answer = threads.exchange(short).json()
    assert set(answer) == {"access_token", "token_type", "expires_in"}
    assert answer["expires_in"] == 60 * DAY
    threads.platform.pass_time(3601)
    assert codes_of(threads.get("me", short)) == (190, 463)
    assert codes_of(threads.exchange(short)) == (190, 463)
    assert threads.get("me", answer["access_token"]).json() == {"id": ADA}
    assert codes_of(threads.exchange(answer["access_token"])) == (452, None)
    threads.platform.pass_time(60 * DAY)
    assert codes_of(threads.get("me", answer["access_token"])) == (190, 463)
    assert codes_of(threads.refresh(answer["access_token"])) == (190, 463)


def test_a_long_token_is_refreshed_when_it_is_a_day_old(threads: Threads) -> None:
    token = threads.long(ADA)
    assert codes_of(threads.refresh(token)) == (100, None)
    threads.platform.pass_time(50 * DAY)
    answer = threads.refresh(token).json()
    assert answer["expires_in"] == 60 * DAY
    threads.platform.pass_time(55 * DAY)
    assert codes_of(threads.get("me", token)) == (190, 463)
    # The grant would have ended after 90 days, had it not been refreshed along with the token.
    assert threads.get("me", answer["access_token"]).json() == {"id": ADA}


def test_a_token_can_be_inspected(threads: Threads) -> None:
    token = threads.long(ADA, ["threads_basic", "threads_delete"])
    seen = threads.get("debug_token", threads.short(BRAM), input_token=token).json()["data"]
    assert set(seen) == {
        *("type", "application", "data_access_expires_at", "expires_at"),
        *("is_valid", "issued_at", "scopes", "user_id"),
    }
    assert (seen["type"], seen["is_valid"], seen["user_id"]) == ("USER", True, ADA)
    assert seen["scopes"] == ["threads_basic", "threads_delete"]
    assert seen["expires_at"] - seen["issued_at"] == 60 * DAY
    threads.platform.pass_time(61 * DAY)
    dead = threads.get("debug_token", threads.short(BRAM), input_token=token).json()["data"]
    assert (dead["is_valid"], dead["error"]["subcode"]) == (False, 463)
    assert codes_of(threads.get("debug_token", "x", input_token=token)) == (190, None)


def test_the_apps_own_token(threads: Threads) -> None:
    app = {"client_id": threads.platform.client_id, "client_secret": threads.platform.secret}
    answer = threads.platform.get(f"{HOST}/oauth/access_token", grant_type="client_credentials", **app).json()
    assert answer == {"access_token": f"TH|{app['client_id']}|{app['client_secret']}", "token_type": "bearer"}
    token = threads.long(CLEO)
    seen = threads.get("debug_token", answer["access_token"], input_token=token).json()["data"]
    assert seen["user_id"] == CLEO
