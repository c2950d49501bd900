"""Composition roots: the only place that imports everything."""
