"""Decides whether the programs that a run names may be started: if the run was made here, or if they were
shown and the user gave `--trust`.
"""

from collections.abc import Iterable
from typing import Annotated, Final, TypeAlias

from arena.director.journal import Journal
from arena.entrants.entrant import Entrant
from arena.playing.arguments import Argument
from arena.playing.spellings import LevelName, PathText
from arena.playing.terms import Say
from arena.process.sandbox import Level, Sandbox, choose
from arena.process.walls import require_allowed
from arena.system.errors import UserError
from arena.system.places import PlaceKind
from arena.system.text import shell_word
from arena.system.wording import flag

TRUST: Final = "Start the programs of a run that was not made here; after that, it is treated as yours."
Trust: TypeAlias = Annotated[bool, Argument(TRUST)]
TrustedLevel: TypeAlias = Annotated[
    LevelName | None,
    Argument("With {flag.trust}: confirm the sandbox level of that run if it is below the best level here."),
]
RunFolder: TypeAlias = Annotated[
    PathText, Argument(metavar="DIR", positional=True, kind=(PlaceKind.TOURNAMENT,))
]
PART_SHOWN: Final = 2000
"""Characters shown of a command or a path; of a longer one, the number of the others is shown."""


def require_trusted(
    journal: Journal,
    sandbox: Sandbox,
    entrants: Iterable[Entrant],
    say: Say,
    *,
    trust: bool,
    level: str | None,
) -> None:
    """Raises UserError unless `entrants`, which a journal names, may be started in `sandbox`: either the run
    was made here, or the user trusts it now, after they were shown. `level` is the value of `--sandbox`."""
    folder = journal.folder
    if level not in (None, sandbox.level):
        raise UserError(
            f"{flag.sandbox} {level}: {folder} plays at level {sandbox.level}, and continues at that level"
        )
    if journal.made_here:
        return
    entrants = list(entrants)
    if nowhere := sorted({entrant.name for entrant in entrants if not entrant.source}):
        raise UserError(f"{folder}: it does not say where {nowhere[0]} was found, so it cannot continue here")
    require_allowed(sandbox.allowed)
    show(entrants, sandbox, say)
    best = choose(None)[0]
    below = [*Level].index(sandbox.level) > [*Level].index(best)
    wanted = f"{flag.trust} {flag.sandbox} {sandbox.level}" if below else flag.trust
    if not trust:
        raise UserError(f"{folder}: {journal.stranger}; if these programs may be started, add {wanted}")
    if below and level is None:
        raise UserError(
            f"{folder}: it plays at level {sandbox.level}, below {best}, which this machine has; if its "
            f"programs may be started at that level, add {wanted}"
        )


def refuse_functions(place: object, names: Iterable[str]) -> None:
    """Raises UserError, which begins with `place`, if there is such a name: of an entrant that was a function
    of the program that called the arena."""
    for name in sorted(names):
        raise UserError(
            f"{place}: {name} was a function of the program that called the arena, and only that program "
            "can start it; what it played in can be neither continued nor repeated"
        )


def show(entrants: Iterable[Entrant], sandbox: Sandbox, say: Say) -> None:
    """Says which programs would be started, with their whole commands and what they could read besides their
    own files, quoted for a shell."""
    say(f"these programs would be started, at level {sandbox.level}:")
    if sandbox.allowed:
        say(f"  every bot can read {_cut(' '.join(map(shell_word, sandbox.allowed)))}")
    for entrant in sorted(set(entrants), key=lambda entrant: entrant.name):
        launch, source = entrant.launch, entrant.source.removeprefix(f"{entrant.name}=")
        parts = [" ".join(map(shell_word, launch.argv)), f"in {shell_word(launch.folder)}"]
        if source and source not in (*launch.argv, launch.folder):
            parts.append(f"entered as {shell_word(source)}")
        if launch.prefixes:
            parts.append(f"reads {' '.join(map(shell_word, launch.prefixes))}")
        say(f"  {entrant.name}: {', '.join(map(_cut, parts))}")


def _cut(text: str) -> str:
    """The beginning of the text, with the number of characters left out."""
    more = len(text) - PART_SHOWN
    return f"{text[:PART_SHOWN]} … and {more} more characters" if more > 0 else text
