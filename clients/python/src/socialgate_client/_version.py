# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""The version of the API, and of its client."""

__version__ = "0.2.0"
