"""The client and its special methods, with `await`. Resources are in `resources`."""
