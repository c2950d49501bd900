"""A customer pays and changes the subscription on a phone, finding everything by the words on the page."""

from playwright.sync_api import Page, expect

from sandbox.stripe.client import SCALE, StripeClient
from support.browser import flaws_of, open_browser


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()
    assert flaws_of(page) == [], page.url


def test_a_customer_pays_and_manages_the_subscription(merchant: StripeClient) -> None:
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        session = merchant.checkout()
        page.goto(str(session.url))
        assert flaws_of(page) == []
        page.get_by_label("Email").fill("zoe@example.com")
        page.get_by_label("Card ending in 0002").check()
        press(page, "Pay and subscribe")
        expect(page.get_by_role("alert")).to_contain_text("Your card was declined")
        page.get_by_label("Card ending in 4242").check()
        press(page, "Pay and subscribe")
        assert page.url == f"{merchant.gateway.url}/paid?session={session.id}"

        customer = str(merchant.api.checkout.sessions.retrieve(session.id).customer)
        back = f"{merchant.gateway.url}/billing"
        page.goto(merchant.api.billing_portal.sessions.create({"customer": customer, "return_url": back}).url)
        page.get_by_label("Scale $99.00 per month").check()
        press(page, "Switch")
        press(page, "Cancel at the end of the period")
        expect(page.get_by_text("ends on")).to_be_visible()
        press(page, "Keep the subscription")
        expect(page.get_by_text("renews on")).to_be_visible()
        [subscription] = merchant.api.subscriptions.list({"customer": customer}).data
        assert (subscription["items"].data[0].price.id, subscription.cancel_at) == (SCALE, None)
        page.get_by_role("link", name="Return to Socialgate").click()
        assert page.url == back
