"""Turns the words of a command line into bots: decides which words are bots, and how each is called.

    a bot         an executable file; a file whose suffix says how it is run; a folder with a bot.toml;
                  NAME=COMMAND LINE; the name of a bot in BUILTIN_BOTS, unless a file has that name
                      passed over   what cannot be a bot: notes, data, hidden files, folders such as
                      __pycache__
                      left out      what looks like a bot but cannot play; reported with the reason

Starts nothing but builds. Knows no tournament, and of games only their names.
"""

import contextlib
import difflib
import itertools
import os
import shlex
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.apart import PACKAGES, IsolationCheck
from arena.entrants.build import BuildError, CopyError
from arena.entrants.clutter import is_clutter
from arena.entrants.digest import RULES, Rule, digest, version_of
from arena.entrants.entrant import Entrant
from arena.entrants.kept import CopyPlace
from arena.entrants.manifest import MANIFEST, ManifestError, read_manifest, words_of
from arena.entrants.names import NAME, NAME_LENGTH, is_pasteable, name_of, plain
from arena.entrants.table import SPREADSHEET, SPREADSHEETS
from arena.games import registry
from arena.games.package import SEARCH_PATH
from arena.process.launch import (
    SUFFIXES,
    Launch,
    base_interpreter,
    executed_by,
    has_shebang,
    launch_file,
    missing,
    obstacle,
    python_of,
    resolved,
)
from arena.process.obstacle import Obstacle, ObstacleKind
from arena.process.sandbox import Level, Sandbox, settled
from arena.process.toolchains import installation
from arena.system.errors import UserError
from arena.system.places import place_of
from arena.system.text import caption, in_utf8, shell_word, title
from protocol.messages import Limits
from tournaments.results import HOUSE_PREFIX

COMPILED: Final[Mapping[str, str]] = {
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".d": "d",
    ".go": "go",
    ".hs": "haskell",
    ".java": "java",
    ".lisp": "commonlisp",
    ".ml": "ocaml",
    ".pas": "pascal",
    ".rs": "rust",
    ".ts": "typescript",
}
"""By the suffix of a source file, the language as `arena new` names it."""

HOUSE: Final = Path(__file__).parent.parent / "players" / "house"
BUILTIN_BOTS: Final = ("heuristic", "search")
"""House bots that can be entered like any other: the modules arena.players.house.NAME. They use the arena's
own rules, so they need its packages."""
ROOMS_OF_BUILTIN_BOTS: Final = (
    "arena/games",
    "arena/players/house",
    "protocol",
)
"""The folders whose code decides what a builtin bot does."""


class NoEntrant(msgspec.Struct, frozen=True):
    """Something that looks like a bot but cannot play, and why. `plays`: the games it plays, if not this
    one."""

    name: str
    reason: str
    kind: ObstacleKind = ObstacleKind.OTHER
    plays: tuple[str, ...] = ()

    @classmethod
    def by(cls, name: str, why: Obstacle | Exception) -> "NoEntrant":
        """Create it from an obstacle to its start, or an error with its files."""
        match why:
            case Obstacle(kind, _):
                return cls(name, str(why), kind)
            case ManifestError():
                return cls(name, str(why), ObstacleKind.MANIFEST)
            case BuildError() if not isinstance(why, CopyError):
                return cls(name, str(why), ObstacleKind.BUILD)
        return cls(name, str(why))


class FoundBots(NamedTuple):
    """The result of `find`. `passed_over`: words as given, each with the reason."""

    entrants: tuple[Entrant, ...]
    left_out: tuple[NoEntrant, ...]
    passed_over: tuple[tuple[str, str], ...]


def find(
    words: Iterable[str],
    game: str,
    sandbox: Sandbox,
    builds: Path | None = None,
    rule: Rule = Rule.PROGRAM,
) -> FoundBots:
    """The bots among `words` that can play `game`, in their order. Each plays from a copy of its files in the
    folder `builds` (None: the cache), where `sandbox` runs its build. `rule`: which files of a folder are the
    program. A bot whose files cannot be kept secret from an earlier one is left out. Raises UserError for a
    path that does not exist and for an invalid name."""
    keeping = CopyPlace(sandbox, builds, rule)
    apart = IsolationCheck(sandbox)
    entrants: list[Entrant] = []
    left_out: list[NoEntrant] = []
    passed_over: list[tuple[str, str]] = []
    for word in words:
        found = _named(word, game, keeping)
        if isinstance(found, str):
            passed_over.append((word, found))
        elif isinstance(found, Entrant):
            if reason := apart.obstacle(found):
                left_out.append(NoEntrant(found.name, reason))
            else:
                entrants.append(found)
        else:
            left_out.append(found)
    return FoundBots(tuple(entrants), tuple(left_out), tuple(passed_over))


def find_again(
    word: str, version: str, game: str, sandbox: Sandbox, builds: Path | None = None
) -> tuple[Entrant | None, FoundBots]:
    """The bot at `word` if it has the digest `version` by any rule, otherwise None; and the result of `find`
    by today's rule. Raises UserError."""
    now = found = find([word], game, sandbox, builds)
    for rule in RULES:
        found = now if rule is Rule.PROGRAM else find([word], game, sandbox, builds, rule)
        if same := [one for one in found.entrants if one.digest == version]:
            return same[0], now
    return None, now


def _named(word: str, game: str, keeping: CopyPlace) -> Entrant | NoEntrant | str:
    """The bot that a word of the command line stands for, under its own name or the given one; a string is
    the reason why it cannot be a bot. Raises UserError."""
    if (found := _there(word, game, keeping)) is not None:
        return found
    name, equals, command = word.partition("=")
    if not equals:
        raise UserError(f"{word}: {_nothing_there(word)}")
    checked_name(name, word, _renamed(name, command))
    match _there(command, game, keeping, name):
        case None:
            return _commanded(name, command, keeping.sandbox)
        case Entrant(source=source) as entrant:
            return msgspec.structs.replace(entrant, name=name, source=f"{name}={source}")
        case NoEntrant() as left_out:
            return msgspec.structs.replace(left_out, name=name)
        case reason:
            return reason


def _there(word: str, game: str, keeping: CopyPlace, called: str = "") -> Entrant | NoEntrant | str | None:
    """The bot at the path `word`, or the builtin bot of that name; None if there is neither. A string is the
    reason why the path cannot be a bot. `called` replaces the bot's own name, which is then not even read."""
    path = Path(word)
    if not os.path.exists(word):  # Path.exists raises an error for a long command line.
        if os.path.islink(word):  # Its author's mistake, not the caller's.
            return NoEntrant(called or name_of(path.stem), caption(in_utf8(f"it is {missing(word)}")))
        return builtin_bot(word, game) if word in BUILTIN_BOTS else None
    if reason := cannot_be_a_bot(path):
        return reason
    if not is_pasteable(path.absolute().name):
        shown = caption(ascii(path.name))
        return NoEntrant(
            called or name_of(path.stem), f"its file name, {shown}, cannot be copied and pasted: rename it"
        )
    if (folder := str(path.absolute().parent)) != in_utf8(folder):
        reason = f"the name of its folder, {caption(ascii(folder))}, is not UTF-8: rename the folder"
        return NoEntrant(called or name_of(path.stem), reason)
    if os.path.islink(path) and keeping.sandbox.level is Level.BWRAP:
        # The author of the link may not be allowed to read its target.
        real = os.path.realpath(path)
        return NoEntrant(
            called or name_of(path.stem),
            f"{caption(str(path))} is a link to {caption(str(real))}: name the target itself",
        )
    return _folder(path, game, keeping, called) if os.path.isdir(path) else _file(path, keeping, called)


def _nothing_there(word: str) -> str:
    """The message for a word that is neither a path nor a builtin bot, with what was probably meant."""
    first, *more = word.split() or [""]
    if more and shutil.which(first):
        return f"a command line needs a name: NAME={shlex.quote(word)}"
    path = Path(word)
    near: list[str] = []
    with contextlib.suppress(OSError):
        near = sorted(os.listdir(path.parent), key=lambda name: (Path(name).suffix not in SUFFIXES, name))
    lendable = () if "/" in word or path.suffix else BUILTIN_BOTS
    alike = [name for name in near if Path(name).stem == path.name]
    alike += difflib.get_close_matches(path.name, [*near, *lendable], 1)
    if alike:
        return f"there is no such file; did you mean {path.with_name(alike[0])}?"
    builtin = f", and no builtin bot ({', '.join(lendable)}) with this name" if lendable else ""
    samples = "; `arena bots --copy bots` copies the samples"
    return f"there is no such file{builtin}{samples if lendable or path.parent == Path('bots') else ''}"


def require_unique(entrants: Sequence[Entrant]) -> None:
    """Raise UserError if two entrants share a name."""
    seen: dict[str, str] = {}
    for entrant in entrants:
        name, other = entrant.name, seen.get(entrant.name)
        if other is not None and entrant.is_function:
            raise UserError(
                f"two bots are called {name!r}; give the function another name: ('NAME', function)"
            )
        if other is not None:
            again = "the same one twice" if other == entrant.source else f"{other} and {entrant.source}"
            unnamed = entrant.source.removeprefix(f"{name}=")
            folder = _of_folder(entrant).name
            better = "NAME" if folder in seen else folder
            way_out = f"rename one of them: {shlex.quote(f'{better}={unnamed}')}"
            raise UserError(f"two bots are called {name!r}, {again}; {way_out}")
        seen[name] = entrant.source


def numbered(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The entrants under unique names. If several folders have the same name in their bot.toml, each is
    called by its folder; entrants that still share a name become name, name-2, name-3 … A title that several
    names would share is dropped."""
    folders: defaultdict[str, set[str]] = defaultdict(set)
    for entrant in entrants:
        folders[entrant.name].add(_of_folder(entrant).name)
    entrants = [_of_folder(entrant) if len(folders[entrant.name]) > 1 else entrant for entrant in entrants]
    shared = Counter(text for _, text in {(entrant.name, entrant.title) for entrant in entrants})
    taken = {entrant.name for entrant in entrants}
    seen = Counter[str]()
    unique = []
    for entrant in entrants:
        name, called = entrant.name, entrant.title if shared[entrant.title] == 1 else ""
        seen[entrant.name] += 1
        if (copy := seen[entrant.name]) > 1:
            name = unlike(name, taken, (f"-{number}" for number in itertools.count(2)))
            called = called and title(f"{called} {copy}")
        taken.add(name)
        unique.append(msgspec.structs.replace(entrant, name=name, title=called))
    return tuple(unique)


def _of_folder(entrant: Entrant) -> Entrant:
    """The entrant, named after its folder if it was entered as a folder and without a name."""
    path = Path(entrant.source)
    if not path.is_absolute() or not os.path.isdir(path):
        return entrant
    name, made = _called_after(path.name, entrant.source)
    return msgspec.structs.replace(entrant, name=name, title=entrant.title or made)


def unlike(name: str, taken: Container[str], suffixes: Iterable[str]) -> str:
    """A name that is not taken: `name` with the first suffix that makes it free, and cut to NAME_LENGTH in
    total. `suffixes` must outnumber `taken`."""
    suffixed = (name[: NAME_LENGTH - len(suffix)] + suffix for suffix in suffixes)
    return next(other for other in suffixed if other not in taken)


def house_bot(name: str) -> Entrant:
    """The unranked house bot that fills a pod, under this name."""
    path = HOUSE / "filler.py"
    launch = Launch((base_interpreter(), "-P", str(path)), str(path.parent))
    return Entrant(name, launch, digest([path]), str(path), ours=True)


def person(name: str, socket: str, limits: Limits) -> Entrant:
    """A person as an entrant. The person's screen listens on `socket`. Raises UserError for a blank name."""
    path = HOUSE / "seat.py"
    launch = Launch((base_interpreter(), "-P", str(path), socket), str(path.parent))
    if not title(name):
        raise UserError(f"--name {name}: none of it is visible")
    name, made = _called_after(name, "--name")
    return Entrant(name, launch, digest([path]), limits=limits, title=made)


def builtin_bot(name: str, game: str) -> Entrant:
    """The builtin bot of this name: a module, run by the arena's own interpreter, which has the packages,
    including that of the game."""
    root = Path(__file__).parents[2]
    of_game = registry.files_of(game)
    path = [SEARCH_PATH + os.pathsep.join(map(os.path.dirname, of_game))] if of_game else []
    seen = (*installation(sys.executable), *of_game)
    argv = (sys.executable, "-m", f"arena.players.house.{name}", *path)
    launch = Launch(argv, str(root), needs=PACKAGES, prefixes=seen)
    files = [path for room in ROOMS_OF_BUILTIN_BOTS for path in (root / room).rglob("*.py")]
    package = registry.package_of(game)
    version = digest(files, name + (package.digest if package else ""))
    return Entrant(name, launch, version, name, ours=True)


def of_the_house(entrant: Entrant, game: str) -> Entrant | None:
    """A house bot or builtin bot as this machine starts it, since every machine has them; otherwise None."""
    if entrant.name.startswith(HOUSE_PREFIX):
        return house_bot(entrant.name)
    if entrant.program not in BUILTIN_BOTS:
        return None
    return msgspec.structs.replace(
        builtin_bot(entrant.program, game), name=entrant.name, source=entrant.source
    )


def cannot_be_a_bot(path: Path, called: str = "") -> str | None:
    """Why the path cannot be meant as a bot; None if it may be one. `called`: its author's name for it, if
    that is not the path."""
    called = called or str(path)
    if path.name.startswith((".", "__")):
        return "hidden"
    if found := path.suffix not in SUFFIXES and place_of(path):
        return f"{found.kind}"
    if is_clutter(path.name):
        return "left by a system, an editor or an interpreter"
    if os.path.isdir(path):
        way_out = f"if it contains bots, use {shell_word(called)}/*"
        if os.path.isfile(path / MANIFEST):
            return None
        if os.path.islink(path / MANIFEST):
            return (
                f"its {MANIFEST} is {missing(str(path / MANIFEST)) or 'a symbolic link to what is no file'}"
            )
        return f"a folder without {MANIFEST}; {way_out}"
    if not os.path.isfile(path):
        return "not a file"
    if path.suffix.lower() in SPREADSHEETS:
        return SPREADSHEET
    if path.suffix in SUFFIXES or os.access(path, os.X_OK):
        return None
    if language := COMPILED.get(path.suffix):
        way_out = f"name the compiled program, or a folder with a build (arena new {language} DIR)"
        return f"a source file; {way_out}"
    way_out = f"; {executed_by(path, called)}" if has_shebang(path) else ""
    return f"it has no executable bit and no known suffix{way_out}"


def checked_name(name: str, word: str, way_out: str = "") -> str:
    """Return `name` if it is valid for an entrant. Raises UserError, which quotes `word`."""
    way_out = f"; {way_out}" if way_out else ""
    if not NAME.fullmatch(name):
        raise UserError(f"{word}: {name!r} cannot be a name (1 to 32 of A–Z a–z 0–9 . _ -){way_out}")
    if name.startswith(HOUSE_PREFIX):
        raise UserError(f"{word}: names that begin with {HOUSE_PREFIX!r} belong to house bots{way_out}")
    return name


def _renamed(name: str, word: str) -> str:
    """Advice if `name` is invalid: `word` under the nearest valid name, quoted for the shell."""
    nearest = plain(name.removeprefix(HOUSE_PREFIX)) or "bot"
    return f"write {shlex.quote(f'{nearest}={word}')}"


def _called_after(written: str, word: str) -> tuple[str, str]:
    """The name and title for a text that an author has written: the text itself and no title; if the text is
    no valid name, a derived name, and the text as title."""
    name = checked_name(name_of(written), word, _renamed(written, word))
    return name, "" if name == written else title(written)


def _file(path: Path, keeping: CopyPlace, called: str) -> Entrant | NoEntrant:
    name, made = (called, "") if called else _called_after(path.stem, str(path))
    launch = launch_file(path)
    try:
        if isinstance(launch, Launch):
            version = version_of([path])
            launch = msgspec.structs.replace(launch, kept=str(keeping.copy(path, version)))
            launch = settled(launch, keeping.sandbox)
        if isinstance(launch, Obstacle):
            return NoEntrant.by(made or name, launch)
        return Entrant(name, launch, version, str(path.absolute()), title=made)
    except (BuildError, ValueError) as error:
        return NoEntrant.by(made or name, error)


def _commanded(name: str, command: str, sandbox: Sandbox) -> Entrant | NoEntrant:
    """A bot given as a command line to run in the current folder. Its digest covers the files that the line
    names. Raises UserError."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UserError(f"{name}={command}: not a command line ({error})") from None
    if not argv:
        raise UserError(f"{name}=: a command line must follow")
    launch = Launch(resolved(argv, os.getcwd()), os.getcwd())
    settled_launch = obstacle(launch) or settled(launch, sandbox)
    if isinstance(settled_launch, Obstacle):
        return NoEntrant.by(name, settled_launch)
    files = [Path(word) for word in argv if os.path.isfile(word)]
    try:
        # The caller named these files, so their size is not limited.
        version = version_of(files, shlex.join(argv), bounded=False)
        return Entrant(name, settled_launch, version, f"{name}={command}")
    except ValueError as error:
        return NoEntrant.by(name, error)


def _folder(path: Path, game: str, keeping: CopyPlace, called: str) -> Entrant | NoEntrant:
    """The bot in a folder with a bot.toml. A mistake in that file is its author's and not the caller's, so
    the bot is left out."""
    named = path.absolute().name
    shown = caption(named)
    try:
        manifest = read_manifest(path / MANIFEST)
        name, made = (called, "") if called else _called_after(manifest.name or named, str(path))
        made = title(manifest.title) or made
        made = "" if made == name else made
        shown = made or name
        if manifest.games is not None and game not in manifest.games:
            plays = caption(", ".join(manifest.games))
            return NoEntrant(
                shown, f"does not play {game}: its {MANIFEST} says {plays}", plays=tuple(manifest.games)
            )
        folder, version = str(path.absolute()), version_of([path], rule=keeping.rule)
        launch = Launch(resolved(words_of(manifest.command), folder), folder, owns_folder=True)
        build = None if manifest.build is None else words_of(manifest.build)
        kept = keeping.copy(path, version, build, python_of(launch))
    except (BuildError, ValueError) as error:
        return NoEntrant.by(shown, error)
    launch = msgspec.structs.replace(launch, kept=str(kept))
    settled_launch = _out_of_the_program(launch) or obstacle(launch) or settled(launch, keeping.sandbox)
    if isinstance(settled_launch, Obstacle):
        return NoEntrant.by(shown, settled_launch)
    return Entrant(name, settled_launch, version, folder, caption(manifest.author), title=made)


def _out_of_the_program(launch: Launch) -> Obstacle | None:
    """The obstacle if a bot's program is missing because its name is that of clutter; None otherwise."""
    program = launch.argv[0]
    clutter = next(filter(is_clutter, program.split("/")), None)
    if clutter is None or os.path.exists(launch.on_disk(os.path.join(launch.folder, program))):
        return None
    text = (
        f"{program} does not exist: {clutter} is a name for files left by systems, editors and "
        "interpreters, which are not part of a program; give it a different name"
    )
    return Obstacle(ObstacleKind.OTHER, text)
