"""The sandbox for people and tests: the controls at `/_control`, and the pages in the browser."""
