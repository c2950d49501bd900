"""OpenAI, and every server with the same API: text, images, speech and videos. It has no accounts to connect."""
