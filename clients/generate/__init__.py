"""Writes the clients for Python and TypeScript from the OpenAPI document: `python -m clients.generate [--check]`.

It is not part of the service, which never needs it: it stands beside it and reads what everybody can read. What the
document says once becomes types and methods; how requests are sent is written by hand in the clients.
"""
