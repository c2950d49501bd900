"""Pages for people over the same services as the API. No rules and no queries of their own, and no script."""
