"""Starters: a folder with a correct bot in a language of the author's choice, for the author to improve. Each
folder beside this file is the template of one language; each is a bot that plays as it is.

Knows files and languages; no game and no tournament. Runs nothing.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from arena.process.launch import Launch, obstacle, resolved
from arena.system.errors import UserError

HERE: Final = Path(__file__).parent
PLACEHOLDER: Final = "mybot"
"""The name of the bot in the templates."""


class Starter(NamedTuple):
    """`program` is the file into which the author's idea goes. `packages`: the programs that building and
    running need, each with its Debian package. `note`: a paragraph for the bot's README."""

    program: str
    packages: Mapping[str, str]
    note: str


_INTERPRETED: Final = "It needs no build: what you save is what plays."
_COMPILED: Final = "The arena builds it when it has changed, with `build` of bot.toml, in a sandbox."
_KIT_NOTE: Final = "\nkit.py, which turns the lines of the protocol into calls, is yours: read it, change it."
_NODE: Final = {"node": "nodejs"}
_PYTHON: Final = {"python3": "python3"}

STARTERS: Final[Mapping[str, Starter]] = {
    "python": Starter("bot.py", _PYTHON, f"{_INTERPRETED} It may use the standard library only."),
    "javascript": Starter("bot.js", _NODE, _INTERPRETED),
    "typescript": Starter(
        "bot.ts",
        {"tsc": "node-typescript", **_NODE},
        f"{_COMPILED} Node 22.18 and later can do without:\nremove `build`, and let `command` be "
        '"node bot.ts". node.d.ts stands for the package @types/node.',
    ),
    "c": Starter("bot.c", {"cc": "gcc libc6-dev"}, _COMPILED),
    "cpp": Starter("bot.cpp", {"c++": "g++"}, _COMPILED),
    "rust": Starter(
        "src/main.rs",
        {"cargo": "cargo", "cc": "gcc libc6-dev"},
        f"{_COMPILED} There is no network in it:\nwhat Cargo.toml depends on has to be in the folder "
        "(`cargo vendor`).",
    ),
    "go": Starter(
        "main.go",
        {"go": "golang-go"},
        f"{_COMPILED} There is no network in it:\nwhat go.mod requires has to be in the folder "
        "(`go mod vendor`).",
    ),
    "java": Starter(
        "Bot.java",
        {"javac": "default-jdk-headless", "java": "default-jre-headless"},
        f"{_COMPILED} `-Xmx` in `command`\nstays well below the memory of a bot (--memory), which is for "
        "all of the process.",
    ),
    "ruby": Starter("bot.rb", {"ruby": "ruby"}, _INTERPRETED),
    "php": Starter("bot.php", {"php": "php-cli"}, _INTERPRETED),
    "perl": Starter("bot.pl", {"perl": "perl"}, _INTERPRETED),
    "lua": Starter("bot.lua", {"lua": "lua5.4"}, _INTERPRETED),
    "sh": Starter("bot.sh", {"sh": "dash"}, f"{_INTERPRETED} Any POSIX shell runs it."),
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
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} exists already and is not a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(f"{folder} exists already and is not empty; choose another folder")
    template = HERE / ("kit" if kit else language)
    try:
        for source in sorted(template.rglob("*")):
            if source.is_file() and source.parent.name != "__pycache__":
                _write(folder / source.relative_to(template), source.read_text("utf-8"), name)
        if game is not None:
            with (folder / "bot.toml").open("a", encoding="utf-8") as manifest:
                manifest.write(f'games = ["{game}"]\n')
        _write(folder / "README.md", _readme(language, folder, game, kit), name)
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror}") from None


def _write(path: Path, text: str, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(PLACEHOLDER, name), "utf-8")


def _readme(language: str, folder: Path, game: str | None, kit: bool) -> str:
    starter = STARTERS[language]
    return Template((HERE / "README.md").read_text("utf-8")).substitute(
        language=tomllib.loads((HERE / language / "bot.toml").read_text("utf-8"))["language"],
        program=starter.program,
        folder=folder.absolute().name,
        game=f" --game {game}" if game else "",
        note=f"{starter.note}{_KIT_NOTE if kit else ''}",
    )
