# Generated from `_async` by `make reference`. Do not edit: change it there and run it again.
"""The client and its special methods. Resources are in `resources`."""
