# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""The resources of the API, each with its methods."""
