"""A folder with a first bot, or with a game of one's own: `arena new`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.entrants.names import NAME
from arena.games import registry
from arena.games.package import ID_RULE, is_id
from arena.playing.arguments import Argument, Command
from arena.playing.spellings import PathText
from arena.starters import STARTERS, make, make_game, missing
from arena.system.errors import UserError, did_you_mean
from arena.system.wording import flag

LANGUAGES: Final = tuple(STARTERS)
ALIASES: Final[Mapping[str, str]] = {
    "bash": "sh",
    "c++": "cpp",
    "cl": "commonlisp",
    "golang": "go",
    "hs": "haskell",
    "js": "javascript",
    "lisp": "commonlisp",
    "ml": "ocaml",
    "node": "javascript",
    "pas": "pascal",
    "pl": "perl",
    "py": "python",
    "python3": "python",
    "rb": "ruby",
    "rs": "rust",
    "sbcl": "commonlisp",
    "shell": "sh",
    "swipl": "prolog",
    "ts": "typescript",
}
"""Other names of languages."""


class NewBotResult(msgspec.Struct, frozen=True):
    """A new bot in its folder."""

    program: str
    """The path of the file into which the author's idea goes."""
    missing: dict[str, str]
    """The programs that it needs and this machine lacks, each with its Debian package."""


class NewBotOptions(Command, frozen=True, kw_only=True):
    """What is said of a new bot, besides its language."""

    game: Annotated[
        str | None,
        Argument("Make the bot only for this game. Without LANGUAGE: make a new game with this name."),
    ] = None
    kit: Annotated[bool, Argument("Add kit.py, which turns lines of JSON into calls (Python).")] = False


class NewBot(NewBotOptions, frozen=True):
    """Makes a bot in some language, named after its folder, for one game or for all."""

    language: Annotated[
        str, Argument("One of those that `arena new --help` lists.", metavar="LANGUAGE", positional=True)
    ]
    folder: Annotated[
        PathText,
        Argument(
            "The folder to make; the bot is named after it.", metavar="DIR", positional=True, kind="path"
        ),
    ]

    def carry_out(self) -> NewBotResult:
        """Writes the folder. Raises UserError."""
        game = None if self.game is None else registry.game(self.game)
        language = ALIASES.get(self.language.lower(), self.language.lower())
        if language not in STARTERS:
            raise UserError(f"unknown language {self.language!r}{did_you_mean(language, STARTERS)}")
        if self.kit and language != "python":
            raise UserError(f"{flag.kit}: there is a kit only for python, not for {language}")
        folder = Path(self.folder)
        name = folder.absolute().name
        if not NAME.fullmatch(name) or not name[0].isalnum():
            allowed = "1 to 32 of A–Z a–z 0–9 . _ -, a letter or digit first"
            raise UserError(f"{folder}: {name!r} cannot be a bot's name ({allowed})")
        starter = STARTERS[language]
        make(language, folder, name, game.id if game else None, kit=self.kit)
        return NewBotResult(str(folder / starter.program), dict(missing(starter)))


class NewGame(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A package with a simple game, in a new folder here that is called like the game."""

    id: str

    def carry_out(self) -> str:
        """Writes the folder; its path. Raises UserError."""
        if registry.is_known(self.id):
            way_out = f"for a bot: arena new python mybot --game {self.id}"
            raise UserError(f"{flag.game} {self.id}: there is already a game with this name; {way_out}")
        if not is_id(self.id):
            raise UserError(f"{flag.game} {self.id}: a game's name is {ID_RULE}")
        make_game(Path(self.id), self.id)
        return self.id
