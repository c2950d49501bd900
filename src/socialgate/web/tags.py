"""Groups of routes that several areas add to, and the order of all groups."""

from typing import Final

from socialgate.web.route import RouteTag

PROFILES_TAG = RouteTag("Profiles", "Groups of accounts, such as one per customer.")

# As people meet them: what a start needs, what is done every day, what receives and watches it, and what runs it all.
TAG_ORDER: Final = (
    *("Profiles", "Connect", "Accounts", "Posts", "Queue", "Media", "Messages", "Comments", "Automations"),
    *("Analytics", "Leads", "Ads", "Commerce", "Calendar", "AI", "Events", "Hooks", "Tasks", "Operations"),
    *("API keys", "Usage", "Billing", "Sessions", "MCP", "Health and description", "Inbound webhooks"),
)
