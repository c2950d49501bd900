"""Advertising: what the pages of ads and catalogs share."""
