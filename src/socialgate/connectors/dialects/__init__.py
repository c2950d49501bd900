"""How vendors authenticate and report errors, one module each. Meta's is in `connectors/graph`."""
