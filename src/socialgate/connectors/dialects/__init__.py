"""How families of vendors communicate: what several connectors share, and what only one needs."""
