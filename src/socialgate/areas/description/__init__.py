"""How the service describes itself: its health, its metrics, and the documents of its interface."""
