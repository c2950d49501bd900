"""`socialgate completion`: what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    r"""Print the completion script of a SHELL.

    \b
    bash: eval "$(socialgate completion bash)"  in ~/.bashrc
    zsh:  eval "$(socialgate completion zsh)"   in ~/.zshrc
    fish: socialgate completion fish > ~/.config/fish/completions/socialgate.fish
    """
    complete = get_completion_class(shell)
    assert complete is not None
    root = click.get_current_context().find_root()
    script = complete(root.command, {}, "socialgate", "_SOCIALGATE_COMPLETE")
    # Its `source` would start bash only to look at its version.
    click.echo(script.source_template % script.source_vars())
