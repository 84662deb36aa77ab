"""The reference of the library says something of every public name, and the table of commands and calls is
true of both."""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, NewType

import click
import msgspec
import pytest

import arena
from arena.cli import COMMANDS
from arena.cli import arena as command_line
from arena.commands import commands
from arena.commands.reference import doc_of, members, reference, type_text, values_of

PUBLIC = {name: getattr(arena, name) for name in arena.__all__}


class Cup(msgspec.Struct, frozen=True):
    """What bots play for."""

    name: str
    """On the cup."""
    rounds: Annotated[int, msgspec.Meta(ge=1)] = 3
    _hidden: int = 0

    @property
    def long(self) -> bool:
        """Whether it takes more than ten rounds."""
        return self.rounds > 10

    def with_rounds(self, rounds: int, *, doubled: bool = False) -> "Cup":
        """The same with other rounds."""
        return Cup(self.name, rounds * (1 + doubled))


def hold(name: str, on_round: Callable[[int], None] = lambda number: None, *, rounds: int = 3) -> Cup:
    """Holds a cup. Takes an hour."""
    return Cup(name, rounds)


def test_the_reference_of_two_names() -> None:
    text = reference({"hold": hold})
    assert "* [`arena.hold`](#arenahold): Holds a cup.\n" in text
    call = "arena.hold(name: str, on_round: Callable[[int], None] = …, *, rounds: int = 3) -> Cup"
    assert f"### arena.hold\n\n```python\n{call}\n```\n\nHolds a cup. Takes an hour." in text
    text = reference({"Cup": Cup})
    assert (
        "### arena.Cup\n\nWhat bots play for.\n\n* `name: str`\n  On the cup.\n* `rounds: int = 3`\n"
        "* `long: bool`\n  Whether it takes more than ten rounds.\n"
        "* `with_rounds(rounds: int, *, doubled: bool = False) -> Cup`\n  The same with other rounds.\n"
    ) in text


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (int | None, "int | None"),
        (dict[str, tuple[int, ...]], "dict[str, tuple[int, ...]]"),
        (Callable[[str], None], "Callable[[str], None]"),
        (Callable[..., Any], "Callable[..., Any]"),
        (NewType("Ms", int), "int"),
        (list["Cup"], "list[Cup]"),
    ],
)
def test_types_as_people_write_them(hint: Any, text: str) -> None:
    assert type_text(hint) == text


def test_every_public_name_says_what_it_is_for() -> None:
    for name, found in PUBLIC.items():
        assert doc_of(found), name


def test_so_does_every_value_that_comes_back() -> None:
    for kind in (*filter(inspect.isclass, PUBLIC.values()), *values_of(PUBLIC.values())):
        assert doc_of(kind), kind
        for member in members(kind):
            # A field is explained by its class; a property or method by itself.
            assert member.doc or re.match(r"\w+(:| = )", member.signature), f"{kind}: {member.signature}"


def test_it_is_readable_and_always_the_same() -> None:
    text = reference()
    assert reference() == text
    for wrong in (
        r" at 0x",
        r"<(?!Run|Replay|date>|n>)\w+",
        r"\bNone\n\n###",
        r"[`(\[ ]_[a-z]\w*",
        r"ForwardRef|typing\.",
    ):
        assert not re.search(wrong, text), re.search(wrong, text)
    anchors = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in headings(text)}
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= anchors


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ .*$", text, re.MULTILINE)


def test_each_command_stands_beside_its_call() -> None:
    assert list(commands.COMMANDS) == list(COMMANDS)
    for command in COMMANDS:
        assert f"| `arena {command}` |" in commands.table()


def found(name: str) -> Any:
    """What a public name such as `match`, `arena.match` or `Run.report` stands for."""
    first, *parts = name.removeprefix("arena.").split(".")
    return functools.reduce(getattr, parts, PUBLIC[first])


def taken(name: str) -> set[str]:
    """The parameters of a public name; none of a property."""
    call = found(name)
    return set(inspect.signature(call).parameters) if callable(call) else set()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_can_do_its_call_can_do(command: str) -> None:
    of = command_line.get_command(click.Context(command_line), command)
    assert of is not None
    beside = commands.COMMANDS[command]
    words = [one.opts[0] if isinstance(one, click.Option) else one.name for one in of.params]
    assert {*beside.options, *beside.screen} <= {*words}
    for word in words:
        assert word is not None
        match re.findall(r"[\w.]+", commands.parameter(command, word) or ""):
            case [name] if "." not in name:
                assert any(name in taken(call) for call in beside.names), f"{word}: {name}"
            case [call]:
                found(call)
            case [call, parameter]:
                assert parameter in taken(call), word
            case _:
                assert not beside.names or word in {**commands.SCREEN, **beside.screen}
