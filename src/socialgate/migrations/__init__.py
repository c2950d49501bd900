"""The history of the schema. See CONTRIBUTING.md for how to add to it."""
