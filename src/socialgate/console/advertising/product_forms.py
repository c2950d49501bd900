"""The form of a product, read as the body of the API and filled in from a stored one.

People write prices in whole units, and one address of an image per line.
"""

from collections.abc import Iterator
from typing import Any

from socialgate.areas.commerce.schemas import NewProductBody, Product
from socialgate.console.formatting import words
from socialgate.console.forms import FormData, convert_body
from socialgate.contracts.commerce import ProductAvailability, ProductCondition
from socialgate.contracts.money import InvalidAmountError, Money, format_amount, parse_amount
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.web.field_errors import build_invalid_request

AVAILABILITIES = [(item.value, words(item.value)) for item in ProductAvailability]
CONDITIONS = [(item.value, words(item.value)) for item in ProductCondition]
_TEXTS = ("title", "description", "availability", "condition", "brand", "url", "group", "category")
# Stands for an amount that was not understood, so that everything else is checked all the same.
_ANY_PRICE = {"amount": 0, "currency": "USD"}


def read_product(form: FormData, account_id: str, catalog_id: str) -> NewProductBody:
    """Read the form, with everything that is wrong with it."""
    body = form.nest()
    currency = str(body.pop("currency", "")).upper()
    faults = [*_read_prices(body, currency)]
    if "additionalImageUrls" in body:
        body["additionalImageUrls"] = str(body["additionalImageUrls"]).split()
    try:
        read = convert_body({**body, "adAccountId": account_id, "catalogId": catalog_id}, NewProductBody)
    except InvalidRequest as failure:
        raise build_invalid_request("", [*faults, *failure.errors]) from failure
    if faults:
        raise build_invalid_request("", faults)
    return read


def fill_product(product: Product) -> FormData:
    """Fill in the form from a product. All fields are in it, because saving replaces the product as a whole."""
    fields = {name: [getattr(product, name) or ""] for name in _TEXTS}
    prices = {"price": product.price, "salePrice": product.sale_price}
    return FormData(
        {
            **fields,
            **{name: [_format(price)] for name, price in prices.items()},
            "currency": [product.price.currency if product.price else ""],
            "retailerId": [product.retailer_id],
            "imageUrl": [product.image_url or ""],
            "additionalImageUrls": ["\n".join(product.additional_image_urls)],
        }
    )


def _read_prices(body: dict[str, Any], currency: str) -> Iterator[Fault]:
    for name in ("price", "salePrice"):
        if name not in body:
            continue
        try:
            money = parse_amount(str(body[name]), currency)
        except InvalidAmountError as error:
            body[name] = _ANY_PRICE
            yield Fault(f"/{name}", "invalid", str(error))
        else:
            body[name] = {"amount": money.amount, "currency": money.currency}


def _format(price: Money | None) -> str:
    return "" if price is None else format_amount(price)
