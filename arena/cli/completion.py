"""`arena completion`: the script by which a shell completes commands, options, games and paths."""

import click
from click.shell_completion import get_completion_class

from arena.cli import arena


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    Example: arena completion bash >> ~/.bashrc
    """
    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(arena, {}, "arena", "_ARENA_COMPLETE").source())
