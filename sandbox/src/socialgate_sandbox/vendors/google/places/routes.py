"""The calls of the Business Profile APIs."""

from socialgate_sandbox.vendors.google.places import insights, local_posts, locations, reviews

ROUTES = [*locations.ROUTES, *insights.ROUTES, *local_posts.ROUTES, *reviews.ROUTES]
