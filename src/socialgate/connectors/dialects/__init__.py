"""How families of vendors speak: what several connectors share, and what one has for itself."""
