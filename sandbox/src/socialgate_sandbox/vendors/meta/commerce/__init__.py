"""Catalogs, products, product sets and shops."""
