"""Starters: a folder with a correct bot in a language of the author's choice, or with a game, for the author
to improve. Each folder beside this file is a template: `game` is a package with a game, each of the others is
a bot in one language. All of them work as they are.

Knows files and languages; no rules and no tournament. Runs nothing.
"""

import contextlib
import os
import shlex
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from arena.process.launch import Launch, obstacle, resolved
from arena.system.errors import UserError

HERE: Final = Path(__file__).parent
PLACEHOLDER: Final = "mybot"
"""The name of the bot in the templates."""
GAME: Final = HERE / "game"
"""The template of a game, whose id is `mygame`."""


class Starter(NamedTuple):
    """A template of a bot in one language."""

    program: str
    """The file into which the author's idea goes."""
    packages: Mapping[str, str]
    """The programs that building and running need, each with its Debian packages."""
    note: str
    """Sentences for the bot's README."""
    thinking: str = ""
    """A larger bot, which plays if bot.toml names it in place of `program`; "" if there is none."""


_INTERPRETED: Final = "It needs no build: the arena plays the files as you save them."
_COMPILED: Final = "The arena builds it whenever it has changed, with `build` in bot.toml, in a sandbox."
_ALONE: Final = "The sandbox has no network:"
_THINKING_NOTE: Final = (
    "$thinking is a larger bot: in Sticheln it imagines the hidden cards and plays them out. To use it, "
    "name it in bot.toml in place of $program."
)
_KIT_NOTE: Final = "kit.py turns the lines of the protocol into calls. It is yours: read it and change it."
_NODE: Final = {"node": "nodejs"}
_PYTHON: Final = {"python3": "python3"}

STARTERS: Final[Mapping[str, Starter]] = {
    "python": Starter(
        "bot.py", _PYTHON, f"{_INTERPRETED} It may use only the standard library.", "thinking.py"
    ),
    "javascript": Starter("bot.js", _NODE, _INTERPRETED, "thinking.js"),
    "typescript": Starter(
        "bot.ts",
        {"tsc": "node-typescript", **_NODE},
        f"{_COMPILED} Node 22.18 and later need no build: remove `build`, and set `command` to "
        '"node bot.ts". node.d.ts stands for the package @types/node.',
    ),
    "c": Starter("bot.c", {"cc": "gcc libc6-dev"}, _COMPILED, "thinking.c"),
    "cpp": Starter("bot.cpp", {"c++": "g++"}, _COMPILED),
    "rust": Starter(
        "src/main.rs",
        {"cargo": "cargo", "cc": "gcc libc6-dev"},
        f"{_COMPILED} {_ALONE} the dependencies in Cargo.toml have to be in the folder (`cargo vendor`).",
    ),
    "go": Starter(
        "main.go",
        {"go": "golang-go"},
        f"{_COMPILED} {_ALONE} the modules that go.mod requires have to be in the folder (`go mod vendor`).",
    ),
    "d": Starter("bot.d", {"ldc2": "ldc"}, f"{_COMPILED} `build` may name a different compiler: gdc, dmd."),
    "pascal": Starter(
        "bot.pas", {"fpc": "fp-compiler fp-units-fcl"}, f"{_COMPILED} It is written for Free Pascal."
    ),
    "java": Starter(
        "Bot.java",
        {"javac": "default-jdk-headless", "java": "default-jre-headless"},
        f"{_COMPILED} Keep `-Xmx` in `command` well below the memory of a bot (--memory), which the whole "
        "process shares.",
    ),
    "haskell": Starter(
        "Bot.hs",
        {"ghc": "ghc libghc-aeson-dev"},
        f"{_COMPILED} {_ALONE} the package aeson, which reads JSON, has to be installed with GHC. `-V0` "
        "turns off the timer of GHC's run-time system, which the sandbox refuses.",
    ),
    "ocaml": Starter(
        "bot.ml",
        {"ocamlfind": "ocaml-findlib ocaml-nox libyojson-ocaml-dev"},
        f"{_COMPILED} The library yojson reads JSON.",
    ),
    "commonlisp": Starter(
        "bot.lisp",
        {"sbcl": "sbcl cl-yason cl-alexandria cl-trivial-gray-streams"},
        f"{_COMPILED} The library yason reads JSON. `--dynamic-space-size` in `build` is the bot's heap too: "
        "keep it well below the memory of a bot (--memory).",
    ),
    "prolog": Starter(
        "bot.prolog",
        {"swipl": "swi-prolog-nox"},
        f"{_INTERPRETED} It is written for SWI-Prolog. Its suffix is not .pl, which means Perl here.",
    ),
    "ruby": Starter("bot.rb", {"ruby": "ruby"}, _INTERPRETED),
    "php": Starter("bot.php", {"php": "php-cli"}, _INTERPRETED),
    "perl": Starter("bot.pl", {"perl": "perl"}, _INTERPRETED),
    "lua": Starter("bot.lua", {"lua": "lua5.4"}, _INTERPRETED),
    "tcl": Starter("bot.tcl", {"tclsh": "tcl tcllib"}, f"{_INTERPRETED} tcllib reads JSON."),
    "r": Starter(
        "bot.R",
        {"Rscript": "r-base-core r-cran-jsonlite"},
        f"{_INTERPRETED} The package jsonlite reads JSON.",
    ),
    "sh": Starter("bot.sh", {"sh": "dash"}, f"{_INTERPRETED} Any POSIX shell runs it."),
    "awk": Starter(
        "bot.awk", {"awk": "mawk"}, f"{_INTERPRETED} `-W interactive` is for mawk; gawk ignores it."
    ),
}
"""By language; the folder of its template has the same name."""


def missing(starter: Starter) -> Mapping[str, str]:
    """The programs that this machine lacks, each with its Debian package."""
    return {program: package for program, package in starter.packages.items() if _missing(program)}


def _missing(program: str) -> bool:
    return obstacle(Launch(resolved((program,), "/"), "/")) is not None


def make(language: str, folder: Path, name: str, game: str | None = None, *, kit: bool = False) -> None:
    """Write the starter of `language` into `folder`, for a bot called `name` that plays `game` (None: all
    games). `kit`: use the Python kit, kit.py. Raises UserError if `folder` is a file or not empty, or cannot
    be written."""
    with _filling(folder):
        _copy(HERE / ("kit" if kit else language), folder, {PLACEHOLDER: name})
        if game is not None:
            with (folder / "bot.toml").open("a", encoding="utf-8") as manifest:
                manifest.write(f'games = ["{game}"]\n')
        readme = _readme(language, folder, game, kit).replace(PLACEHOLDER, name)
        (folder / "README.md").write_text(readme, "utf-8")


def make_game(folder: Path, id: str) -> None:
    """Write a package with a simple game of this id into `folder`. Raises UserError as `make` does."""
    words = id.split("-")
    names = {
        "arena_mygame": "_".join(("arena", *words)),
        "mygame": id,
        "MyGame": "".join(word.capitalize() for word in words),
        "My Game": " ".join(word.capitalize() for word in words),
    }
    with _filling(folder):
        _copy(GAME, folder, names)


@contextlib.contextmanager
def _filling(folder: Path) -> Iterator[None]:
    """Raises UserError if `folder` is a file or not empty, or cannot be written."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UserError(f"{folder} already exists and is not a folder")
    if os.path.isdir(folder) and any(folder.iterdir()):
        raise UserError(f"{folder} already exists and is not empty; choose a different folder")
    try:
        yield
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror}") from None


def _copy(template: Path, folder: Path, names: Mapping[str, str]) -> None:
    """Copy a template; in names of files and in texts, replace each of `names`, in their order."""
    for source in sorted(template.rglob("*")):
        if source.is_file() and source.parent.name != "__pycache__":
            path, text = str(source.relative_to(template)), source.read_text("utf-8")
            for old, new in names.items():
                path, text = path.replace(old, new), text.replace(old, new)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")


def _readme(language: str, folder: Path, game: str | None, kit: bool) -> str:
    starter = STARTERS[language]
    more = _KIT_NOTE if kit else _THINKING_NOTE if starter.thinking else ""
    note = textwrap.fill(f"{starter.note} {more}", 100)
    names = {
        "language": tomllib.loads((HERE / language / "bot.toml").read_text("utf-8"))["language"],
        "program": starter.program,
        "thinking": starter.thinking,
        "folder": shlex.quote(folder.absolute().name),
        "game": f" --game {game}" if game else "",
    }
    readme = (HERE / "README.md").read_text("utf-8").replace("$note", note)
    return Template(readme).substitute(names)
