"""An argument is declared once: who adds a line to a command finds it in all that is derived from it."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec
import pytest
from click.testing import CliRunner

import arena
import arena.commands
from arena import cli
from arena.cli import derived
from arena.cli.config import config_option
from arena.commands.check import CheckBots
from arena.commands.compare import Compare
from arena.commands.laws import CheckGame
from arena.commands.match import PlayMatch
from arena.commands.organiser import Withdraw
from arena.commands.reference import section
from arena.commands.rematch import Rematch
from arena.commands.rerun import Rerun
from arena.commands.resume import Resume
from arena.commands.review import Review
from arena.commands.tournament import RunTournament, TournamentOptions
from arena.library.derived import takes, takes_of
from arena.library.functions import FunctionSeats
from arena.playing.arguments import Argument, declared
from arena.playing.terms import BotWords
from arena.system.errors import UserError
from arena.system.wording import REPEATED, SWITCHES, flag, for_python


class LoudOptions(TournamentOptions, frozen=True, kw_only=True):
    loudness: Annotated[int, msgspec.Meta(ge=0, le=11), Argument("How loud it is.", after="public")] = 3
    echo: Annotated[bool, Argument("Say it twice.")] = False
    voices: Annotated[int | None, Argument("So many.", otherwise="all")] = None


class Loud(LoudOptions, frozen=True):
    """A tournament with arguments that were added."""

    bots: BotWords


@click.command("loud")
@derived.takes(Loud)
@config_option
def command(call: Loud) -> None:
    click.echo(f"{call.bots} {call.loudness} {call.echo} {call.voices}")


@takes(Loud)
def loud(call: Loud) -> Loud:
    """Holds a loud tournament."""
    return FunctionSeats().plain(call)


class Hall(msgspec.Struct, frozen=True):
    """The commands of an object that knows the folder."""

    folder: str

    @takes_of(lambda hall: str(hall), Withdraw)
    def withdraw(self, call: Withdraw) -> Withdraw:
        """Takes an entrant out."""
        return call

    def __str__(self) -> str:
        return self.folder


def said(*words: str) -> str:
    result = CliRunner().invoke(command, words)
    return result.output if result.exit_code == 0 else repr(result.exception or result.output) + result.output


def test_it_is_an_option_where_it_was_put() -> None:
    text = said("--help")
    assert "--loudness INTEGER RANGE        How loud it is.  [default: 3; 0<=x<=11]\n" in text
    assert "--echo                          Say it twice.\n" in text
    assert "--voices INTEGER                So many.  [default: all]\n" in text
    assert text.index("--public") < text.index("--loudness") < text.index("--challenger")
    assert text.index("--echo") < text.index("--voices") < text.index("--challenger")
    assert said("a", "b", "--loudness", "7", "--echo") == "('a', 'b') 7 True None\n"
    assert "12 is not in the range 0<=x<=11" in said("a", "--loudness", "12")


def test_it_is_a_key_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "loud.toml"
    file.write_text("loudness = 5\necho = true\n")
    assert said("a", "--config", str(file)) == "('a',) 5 True None\n"
    assert said("a", "--config", str(file), "--loudness", "6") == "('a',) 6 True None\n"
    file.write_text("loudness = 12\n")
    assert "loudness: 12 is not in the range 0<=x<=11" in said("a", "--config", str(file))


def test_it_is_a_parameter_of_the_function() -> None:
    found = inspect.signature(loud).parameters
    assert (found["loudness"].default, found["loudness"].annotation) == (3, int)
    assert (found["voices"].default, found["voices"].annotation) == (None, int | None)
    assert [*found][:2] == ["bots", "format"]
    assert found["bots"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert {one.kind for name, one in found.items() if name != "bots"} == {inspect.Parameter.KEYWORD_ONLY}
    assert loud(["a"], loudness=7).loudness == 7
    with pytest.raises(TypeError, match="loudnes"):
        loud(["a"], loudnes=7)  # type: ignore[call-arg]


def test_a_method_knows_the_folder() -> None:
    assert (
        str(inspect.signature(Hall.withdraw))
        == "(self, name: str, reason: str) -> arena.commands.organiser.Withdraw"
    )
    assert Hall("spring").withdraw("ada", reason="her wish") == Withdraw("spring", "ada", "her wish")


def test_it_has_a_line_in_the_reference() -> None:
    text = section("arena.loud", loud, {})
    assert "    loudness: int = 3,\n" in text
    assert "* `loudness`: How loud it is.\n" in text
    assert "* `voices`: So many. By default: all.\n" in text
    assert "* `public`: With seed_file: a public value that nobody controls" in text


def test_sentences_name_an_argument_as_their_reader_writes_it() -> None:
    def written() -> list[str]:
        return [flag.keep_bots, flag.titles, flag.seats, flag.no_duplicates, flag.trust, flag("--log", "out")]

    assert written() == ["--keep-bots", "--title", "--seats", "--no-duplicates", "--trust", "--log"]
    with for_python():
        assert written() == ["keep_bots", "titles", "seats", "duplicates=False", "trust=True", "out"]
    assert flag.seats == "--seats"


def commands() -> Iterator[type[msgspec.Struct]]:
    for module in pkgutil.iter_modules(arena.commands.__path__, "arena.commands."):
        for found in vars(importlib.import_module(module.name)).values():
            if isinstance(found, type) and issubclass(found, msgspec.Struct) and hasattr(found, "carry_out"):
                yield found


def flags(of: click.Command) -> set[str]:
    own = {name for one in of.params for name in (*one.opts, *one.secondary_opts)}
    return own.union(*map(flags, of.commands.values())) if isinstance(of, click.Group) else own


def test_sentences_name_only_arguments_that_a_command_has() -> None:
    """By the name that its field has, or one that only the screen has; a help names those of its command."""
    arguments = {one.name: one for command in commands() for one in declared(command)}
    assert all(arguments[name].repeated for name in REPEATED)
    assert all(arguments[name].type is bool for name in SWITCHES)
    every = set[str]()
    for name in cli.COMMANDS:
        every |= flags(cli.arena.get_command(click.Context(cli.arena), name) or cli.arena)
    for path in Path(arena.__file__).parent.rglob("*.py"):
        for name in re.findall(r"(?<![\w.])flag\.(\w+)", path.read_text()):
            if path.name not in ("arguments.py", "wording.py"):
                assert getattr(flag, name) in every, (path, name)
    for command in commands():
        names = {one.name for one in declared(command)}
        assert {*re.findall(r"flag\.(\w+)", "".join(one.argument.help for one in declared(command)))} <= names


def test_what_people_write_becomes_plain() -> None:
    call = loud(("a",), out=Path("run"), seed=7, allow=[Path("/opt")], titles={"a": "Ä"}, on_progress=False)
    assert (call.bots, call.out, call.seed, call.allow) == (("a",), "run", "7", ("/opt",))
    assert (call.titles, call.on_progress) == ({"a": "Ä"}, None)
    assert msgspec.json.decode(msgspec.json.encode(call), type=Loud) == call
    with pytest.raises(UserError, match="allow: expected a list"):
        loud(["a"], allow="/opt")


def test_every_argument_says_what_it_is() -> None:
    for command in (RunTournament, Compare, PlayMatch, CheckBots, CheckGame, Rematch, Rerun, Review, Resume):
        for one in declared(command):
            assert one.argument.help or one.name in ("folder", "format"), (command, one.name)


def test_a_plan_refuses_what_only_play_has() -> None:
    with pytest.raises(UserError, match=r"margin plays nothing.*until and minutes"):
        arena.plan(["random", "greedy", "careful"], 1.0, minutes=5)


@pytest.mark.parametrize(
    ("words", "more", "why"),
    [
        ((["a", "b"],), {"tme": "1s"}, "tournament() got an unexpected keyword argument 'tme'"),
        ((), {}, "tournament() missing a required argument: 'bots'"),
        ((["a", "b"], "swiss"), {}, "tournament() too many positional arguments"),
    ],
)
def test_a_wrong_call_names_the_function(words: tuple[Any, ...], more: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(why)}$"):
        arena.tournament(*words, **more)
