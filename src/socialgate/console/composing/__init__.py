"""Writing a post on a page: what the form has, what it says, and how it will look."""
