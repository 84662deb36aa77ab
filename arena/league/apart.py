"""Copies of programs, to be played where no sandbox keeps bots from writing into their own folders: what
Python compiles there, or a bot notes, changes neither what a version is nor what it knows in its next draw.

Knows files and how bots are started; no journal.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.entrant import Entrant
from arena.league.entries import BUILT
from arena.league.ids import HOUSE, VersionId, author_of
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import MachineError
from arena.system.trees import remove_folder

PREFIX: Final = "played-"
"""Of the folders that hold such copies, among the builds."""


@contextlib.contextmanager
def apart(
    league: Path, bots: Mapping[VersionId, Entrant], sandbox: Sandbox
) -> Iterator[Mapping[VersionId, Entrant]]:
    """The bots with files of their own, which are deleted in the end. In a sandbox that holds, and for the
    anchors, which write nothing, these are those that the league keeps. Raises MachineError."""
    ours = {one: bot for one, bot in bots.items() if author_of(one) == HOUSE or sandbox.level is Level.BWRAP}
    if len(ours) == len(bots):
        yield bots
        return
    with contextlib.ExitStack() as made:
        try:
            builds = league.absolute() / BUILT
            builds.mkdir(mode=0o700, exist_ok=True)  # A backup has none.
            place = tempfile.mkdtemp(prefix=PREFIX, dir=builds)
            made.callback(remove_folder, place)
            copies = {
                version: _copy(bot, Path(place, str(number)))
                for number, (version, bot) in enumerate(bots.items())
                if version not in ours
            }
        except OSError as error:
            raise MachineError(f"{league / BUILT}: programs cannot be copied there ({error})") from None
        yield ours | copies


def _copy(bot: Entrant, target: Path) -> Entrant:
    """The bot in a copy of its folder. Raises OSError."""
    launch = bot.launch
    shutil.copytree(launch.folder, target, symlinks=True)
    argv = tuple(
        f"{target}{word.removeprefix(launch.folder)}" if word.startswith(f"{launch.folder}/") else word
        for word in launch.argv
    )
    return msgspec.structs.replace(bot, launch=msgspec.structs.replace(launch, argv=argv, folder=str(target)))
