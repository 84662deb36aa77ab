"""A page for each command, made from what click knows of it: how it is called, its help, its options; and the
commands in it, if it is a group.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Final

import click

import arena.cli
from arena.cli import COMMANDS, SECTIONS
from arena.commands.commands import COMMANDS as BESIDE

AS_TYPED: Final = "\b"
"""With this line click begins a paragraph whose line breaks stay."""
EXAMPLE: Final = "Example: "
CODE: Final = re.compile(r"(`[^`]+`)")
MARKUP: Final = re.compile(r"[\\<>*_\[\]|#]")
"""What Markdown would take for more than text."""


def command_pages() -> dict[str, str]:
    """By path: a page for each command, and one that lists them."""
    settings = arena.cli.arena.context_settings
    with click.Context(arena.cli.arena, info_name="arena", **settings) as context:
        found = {f"commands/{name}.md": _page(name, _command(context, name), context) for name in COMMANDS}
        return {"commands/index.md": _index(context), **found}


def _command(context: click.Context, name: str) -> click.Command:
    command = arena.cli.arena.get_command(context, name)
    assert command is not None
    return command


def _index(context: click.Context) -> str:
    documented = inspect.cleandoc(arena.cli.__doc__ or "").split("\n\n")
    (codes,) = (text.removeprefix("Exit codes: ") for text in documented if text.startswith("Exit codes: "))
    meanings = re.findall(r"(\d+) ([^,.]+)", " ".join(codes.split()))
    lines = {name: line for part in SECTIONS.values() for name, line in part.items()}
    rows = [f"| [`arena {name}`]({name}.md) | {plain(about)} |" for name, about in lines.items()]
    return "\n\n".join(
        [
            "# Commands",
            "`arena COMMAND --help` prints what stands here.",
            "\n".join(["| command | what it does |", "|---|---|", *rows]),
            *_options("arena", arena.cli.arena, context, "##"),
            "## Exit codes",
            "\n".join(f"* `{code}`: {plain(meaning)}" for code, meaning in meanings),
            "```{toctree}\n:hidden:\n\n" + "\n".join(COMMANDS) + "\n```\n",
        ]
    )


def _page(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    parts = list(_told(command, context, "#"))
    if isinstance(command, click.Group):
        for each, member in sorted(command.commands.items()):
            parts += _told(member, click.Context(member, info_name=each, parent=context), "##")
    if beside := BESIDE[name].names:
        parts += ["## In Python", f"`{BESIDE[name].call}`: {', '.join(map(_link, beside))}"]
    return "\n\n".join(parts) + "\n"


def _told(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    """A command under a heading of this level."""
    path = context.command_path
    yield f"{level} {path}"
    yield f"```text\n{' '.join([path, *command.collect_usage_pieces(context)])}\n```"
    yield from _paragraphs(command.help or "")
    yield from _paragraphs(command.epilog or "")
    yield from _options(path, command, context, f"{level}#")


def _link(name: str) -> str:
    """A public name of the library, or a member of a class there, with a link to where it is told."""
    return f"[`arena.{name}`](../reference/arena.md#arena{name.partition('.')[0].lower()})"


def _paragraphs(text: str) -> Iterator[str]:
    """Help as Markdown. What a reader could type is a block."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith(AS_TYPED):
            yield f"```sh\n{paragraph.removeprefix(AS_TYPED).strip()}\n```"
        elif paragraph.startswith(EXAMPLE):
            yield f"```sh\n{' '.join(paragraph.removeprefix(EXAMPLE).split())}\n```"
        elif paragraph:
            yield plain(" ".join(paragraph.split()))


def _options(path: str, command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    """The options below a heading, in the form of Sphinx, which makes each a target of links and search."""
    yield f"{level} Options"
    yield f"```{{program}} {path}\n```"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            names, about = record
            yield f"```{{option}} {names.replace(' / ', ', ')}\n{plain(about)}\n```"


def plain(text: str) -> str:
    """Text as Markdown that shows it as it is; what stands in backticks stays code."""
    parts = CODE.split(text)
    parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)
