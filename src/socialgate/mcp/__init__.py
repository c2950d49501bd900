"""Tools for language models, over the Model Context Protocol: the same for the service's `/mcp` and for a command.

Tools are tasks, made from the OpenAPI document and a short table, and they do everything through routes of the API:
there is no second way to do anything. Only `server.py` imports the SDK, which is optional.
"""
