"""Files for posts and messages: streamed in, looked at, kept for a while, and fetched by platforms."""
