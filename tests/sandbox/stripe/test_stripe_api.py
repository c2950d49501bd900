"""What every endpoint does: keys, versions, errors, idempotency, lists, expansion."""

import socket

import pytest
import stripe

from sandbox.stripe.client import KEY, PRO, SCALE, StripeClient
from support.waiting import eventually


def test_a_key_is_needed_in_either_way(merchant: StripeClient) -> None:
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key provided: sk_test_"):
        merchant.client("sk_test_somebody_elses").v1.customers.list()
    missing = merchant.call("GET", "customers", key=None)
    assert (missing.status_code, missing.headers["www-authenticate"]) == (401, 'Basic realm="Stripe"')
    assert merchant.call("GET", "customers", key=None, auth=(KEY, "")).status_code == 200


def test_every_response_names_its_request_and_version(merchant: StripeClient) -> None:
    answer = merchant.call("GET", "customers")
    assert answer.headers["request-id"].startswith("req_")
    assert answer.headers["stripe-version"] == stripe.api_version
    older = merchant.call("GET", "customers", headers={"stripe-version": "2025-03-31.basil"})
    assert older.headers["stripe-version"] == "2025-03-31.basil"
    assert merchant.call("GET", "customers", headers={"stripe-version": "2020-08-27"}).status_code == 400


def test_errors_are_those_of_the_sdk(merchant: StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as lost:
        merchant.api.customers.retrieve("cus_nobody")
    error = lost.value
    assert (error.http_status, error.code, error.param) == (404, "resource_missing", "id")
    assert error.user_message == "No such customer: 'cus_nobody'"
    assert error.error is not None
    assert error.error.doc_url == "https://stripe.com/docs/error-codes/resource-missing"
    assert str(error.request_id) in error.error.to_dict()["request_log_url"]
    assert merchant.call("GET", "nothing").json()["error"]["message"].startswith("Unrecognized request URL (GET: /v1/")


WISH = {"mode": "subscription", "success_url": "http://a.b", "line_items[0][price]": PRO}


@pytest.mark.parametrize(
    ("form", "code", "param"),
    [
        (WISH | {"colour": "red"}, "parameter_unknown", "colour"),
        ({}, "parameter_missing", "mode"),
        ({"mode": "subscription", "success_url": "http://a.b"}, "parameter_missing", "line_items"),
        (WISH | {"success_url": ""}, "parameter_invalid_empty", "success_url"),
        (WISH | {"success_url": "nowhere"}, "url_invalid", "success_url"),
        (WISH | {"customer": "cus_nobody"}, "resource_missing", "customer"),
        (WISH | {"line_items[0][price]": "price_no"}, "resource_missing", "line_items[0][price]"),
        (WISH | {"line_items[0][quantity]": "x"}, "parameter_invalid_integer", "line_items[0][quantity]"),
        (WISH | {"subscription_data[colour]": "red"}, "parameter_unknown", "subscription_data[colour]"),
    ],
)
def test_a_wrong_parameter_is_named(merchant: StripeClient, form: dict[str, str], code: str, param: str) -> None:
    answer = merchant.call("POST", "checkout/sessions", data=form)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"], error["param"]) == (
        400,
        "invalid_request_error",
        code,
        param,
    )


def test_a_body_must_be_a_form(merchant: StripeClient) -> None:
    answer = merchant.call("POST", "customers", json={"name": "Zoë"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_an_idempotency_key_replays_the_first_response(merchant: StripeClient) -> None:
    first = merchant.api.customers.create({"name": "Zoë"}, {"idempotency_key": "k1"})
    second = merchant.api.customers.create({"name": "Zoë"}, {"idempotency_key": "k1"})
    assert (second.id, second.last_response is not None) == (first.id, True)
    assert second.last_response is not None
    assert first.last_response is not None
    assert second.last_response.headers["idempotent-replayed"] == "true"
    assert second.last_response.headers["original-request"] == first.last_response.headers["request-id"]
    assert merchant.types() == ["customer.created"]
    with pytest.raises(stripe.IdempotencyError, match="with the same parameters they were first used with"):
        merchant.api.customers.create({"name": "Yoko"}, {"idempotency_key": "k1"})
    with pytest.raises(stripe.IdempotencyError, match="'/v1/customers' vs '/v1/products'"):
        merchant.api.products.create({"name": "Zoë"}, {"idempotency_key": "k1"})
    merchant.advance(1)
    assert merchant.api.customers.create({"name": "Zoë"}, {"idempotency_key": "k1"}).id != first.id


def test_an_invalid_request_does_not_use_up_its_key(merchant: StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        merchant.api.customers.create({"email": "nonsense"}, {"idempotency_key": "k1"})
    assert merchant.api.customers.create({"email": "zoe@example.com"}, {"idempotency_key": "k1"}).email


def test_a_key_in_use_is_a_conflict(merchant: StripeClient) -> None:
    merchant.sandbox.control("fail", platform="stripe", path="*/customers", delay=86400)
    slow = merchant.http.build_request(
        "POST", f"{merchant.url}/v1/customers", headers={"idempotency-key": "slow"}, data={"name": "Zoë"}
    )
    head = "".join(f"{name}: {value}\r\n" for name, value in slow.headers.items())
    with socket.create_connection((slow.url.host, slow.url.port or 80)) as elsewhere:
        elsewhere.sendall(f"POST {slow.url.path} HTTP/1.1\r\n{head}\r\n".encode() + slow.read())
        eventually(lambda: merchant.sandbox.look("fail")["data"] == [])
        other = merchant.call("POST", "customers", data={"name": "Zoë"}, headers={"idempotency-key": "slow"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_key_in_use")


def test_lists_are_paged_newest_first(merchant: StripeClient) -> None:
    created = [merchant.api.customers.create({"name": f"Number {number}"}).id for number in range(7)]
    page = merchant.api.customers.list({"limit": 3})
    assert [customer.id for customer in page.data] == created[:3:-1]
    assert (page.has_more, page.url) == (True, "/v1/customers")
    every = [customer.id for customer in page.auto_paging_iter()]
    assert every[:7] == created[::-1]
    back = merchant.api.customers.list({"limit": 2, "ending_before": created[2]})
    assert [customer.id for customer in back.data] == [created[4], created[3]]
    assert back.has_more
    for wrong in ({"limit": 101}, {"starting_after": "cus_nobody"}):
        with pytest.raises(stripe.InvalidRequestError):
            merchant.api.customers.list(wrong)  # type: ignore[arg-type]  # a list of wrong parameters has no one type


def test_customers_are_found_changed_and_deleted(merchant: StripeClient) -> None:
    zoe = merchant.customer()
    assert [customer.id for customer in merchant.api.customers.list({"email": "zoe@example.com"}).data] == [zoe.id]
    result_object = merchant.api.customers.search({"query": "metadata['owner']:'own_1' AND email:'zoe@example.com'"})
    assert [customer.id for customer in result_object.data] == [zoe.id]
    changed = merchant.api.customers.update(zoe.id, {"name": "", "metadata": {"owner": "", "plan": "pro"}})
    assert (changed.name, changed.email) == (None, "zoe@example.com")
    assert changed.metadata is not None
    assert changed.metadata.to_dict() == {"plan": "pro"}
    assert merchant.api.customers.delete(zoe.id).deleted
    assert merchant.api.customers.retrieve(zoe.id).deleted
    assert merchant.api.customers.list({"email": "zoe@example.com"}).data == []
    with pytest.raises(stripe.InvalidRequestError):
        merchant.api.customers.update(zoe.id, {"name": "Zoë"})
    assert merchant.types() == ["customer.created", "customer.updated", "customer.deleted"]


def test_the_plans_are_there_and_others_can_be_added(merchant: StripeClient) -> None:
    prices = merchant.api.prices.list({"lookup_keys": ["pro_month", "scale_month"], "expand": ["data.product"]})
    assert {price.id: price.unit_amount for price in prices.data} == {PRO: 2900, SCALE: 9900}
    products = [price.product for price in prices.data]
    assert {product.name for product in products if isinstance(product, stripe.Product)} == {"Pro", "Scale"}
    assert len(merchant.api.prices.list({"recurring": {"interval": "year"}}).data) == 2
    created_price = merchant.api.prices.create(
        {"currency": "usd", "unit_amount": 500, "recurring": {"interval": "week"}, "product_data": {"name": "Mini"}}
    )
    assert created_price.recurring is not None
    assert (created_price.recurring.interval, created_price.type, str(created_price.unit_amount_decimal)) == (
        "week",
        "recurring",
        "500",
    )
    assert merchant.api.products.retrieve(str(created_price.product)).name == "Mini"


def test_properties_are_expanded(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    wide = merchant.api.subscriptions.retrieve(
        subscription.id, {"expand": ["customer", "latest_invoice", "items.data.price.product"]}
    )
    assert isinstance(wide.customer, stripe.Customer)
    assert isinstance(wide.latest_invoice, stripe.Invoice)
    assert isinstance(wide["items"].data[0].price.product, stripe.Product)
    for wrong in ("nothing", "status", "customer.a.b.c.d"):
        with pytest.raises(stripe.InvalidRequestError):
            merchant.api.subscriptions.retrieve(subscription.id, {"expand": [wrong]})


def test_failures_can_be_ordered(merchant: StripeClient) -> None:
    kinds = {
        "rate_limited": stripe.RateLimitError,
        "card_declined": stripe.CardError,
        "key_expired": stripe.AuthenticationError,
        "permission_missing": stripe.PermissionError,
        "internal_error": stripe.APIError,
        "unreachable": stripe.APIError,
    }
    for error, kind in kinds.items():
        merchant.sandbox.control("fail", platform="stripe", error=error)
        with pytest.raises(kind):
            merchant.api.customers.list()
    zoe = merchant.customer()
    merchant.sandbox.control("fail", platform="stripe", error="internal_error", account=zoe.id)
    assert merchant.api.customers.list().data
    with pytest.raises(stripe.APIError):
        merchant.api.checkout.sessions.list({"customer": zoe.id})
    calls = merchant.sandbox.look("received", platform="stripe", account=zoe.id)["data"]
    assert [call["path"] for call in calls] == ["/api.stripe.com/v1/checkout/sessions"]


@pytest.mark.parametrize(
    "form",
    [
        {"metadata": "text"},
        {"metadata[a][b]": "deep"},
        {"metadata[" + "k" * 41 + "]": "x"},
        {"metadata[a]": "x" * 501},
        {"name[": "x"},
        {"[]": "x"},
        {"name": "a", "name[b]": "c"},
        {"expand": "customer"},
        {"expand[]": "a.b.c.d.e"},
        {"preferred_locales[a]": "en"},
        {"balance": "9" * 400},
        {"a" + "[b]" * 300: "x"},
    ],
)
def test_nonsense_is_refused(merchant: StripeClient, form: dict[str, str]) -> None:
    answer = merchant.call("POST", "customers", data=form)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error"), answer.text
    listed = merchant.call("GET", "subscriptions", params=form)
    assert (listed.status_code, listed.json()["error"]["type"]) == (400, "invalid_request_error"), listed.text


def test_metadata_keeps_the_keys_that_it_was_given(merchant: StripeClient) -> None:
    odd = {"0": "zero", "1": "one", "a.b": "dots", "ключ": "key"}
    response = merchant.call("POST", "customers", data={f"metadata[{key}]": value for key, value in odd.items()})
    assert response.json()["metadata"] == odd
    many = {f"metadata[k{number}]": "x" for number in range(51)}
    assert merchant.call("POST", "customers", data=many).status_code == 400
