"""The commands that use a service from outside, over its API: they know its client, and nothing of its code.

Each module is one command. `COMMANDS` says what it does without loading it, so that `socialgate serve` never loads the
client.
"""

from collections.abc import Mapping

from socialgate.cli.lazy_commands import LazyCommand

COMMANDS: Mapping[str, LazyCommand] = {
    command.name: command
    for command in (
        LazyCommand("accounts", "List connected accounts, check their health, and disconnect them."),
        LazyCommand("api", "Call any route of the API."),
        LazyCommand("completion", "Print the completion script of a shell."),
        LazyCommand("connect", "Connect an account, such as instagram or telegram."),
        LazyCommand("events", "Show what happened, or follow what happens."),
        LazyCommand("hooks", "List, create, test and delete hooks."),
        LazyCommand("inbox", "List conversations, read them, and reply."),
        LazyCommand("listen", "Forward events to a receiver on this machine, signed like real deliveries."),
        LazyCommand("login", "Sign in to a service, and remember it."),
        LazyCommand("logout", "Forget a service and its key.", module="login"),
        LazyCommand("media", "List, upload and delete files."),
        LazyCommand("operations", "Show what was done on platforms, and its result."),
        LazyCommand("post", "Publish or schedule a post."),
        LazyCommand("posts", "List posts, retry what failed, and delete them."),
        LazyCommand("servers", "List the services that you signed in to, and choose one.", module="login"),
        LazyCommand("upload", "Upload a file, show the progress, and resume automatically after a break."),
    )
}
