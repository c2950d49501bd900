"""Posts: validated before they are stored, published step by step and never twice, and the queue that spaces them."""
