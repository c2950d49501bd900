"""Lead forms of Pages, and the leads that people leave there."""
