"""What a bot's own words show it: nothing. Bots that try to see or to be somebody else by bot.toml, by a
first line or by a link, played for real; and what honest people have installed, which goes on.

Where this is run by root, once more as an ordinary user.
"""

import json
import os
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from arena.director.journal import Journal
from arena.entrants.digest import Rule, digest
from arena.entrants.find import find
from arena.playing.referee import play_match
from arena.process.launch import base_interpreter, shebang
from arena.process.sandbox import Level, Sandbox
from arena.process.toolchains import installation, installed, is_known
from arena.starters import STARTERS
from tests.cli.calls import arena
from tests.support.boxed import boxed, pass_as_an_ordinary_user, said
from tests.support.directors import created
from tests.support.folders import folder, program
from tests.support.jobs import ECHOES, check, with_settings
from tests.support.needs import require
from tests.support.programs import Program

WALLS = Sandbox(Level.BWRAP)
LOOKS = """\
seen = {{}}
for path in {paths}:
    try:
        seen[path] = open(path).read() if os.path.isfile(path) else str(os.listdir(path))
    except OSError as error:
        seen[path] = type(error).__name__
print(json.dumps(seen), file=sys.stderr, flush=True)
"""


class Place(NamedTuple):
    """A home with a secret and a prefix in it, and a victim's file and folder beside a bot's."""

    home: Path
    prefix: Path
    victim: Path
    bot: Path

    @property
    def secrets(self) -> list[str]:
        return [
            str(path)
            for path in (self.home, self.home / ".netrc", self.prefix / "secret", self.prefix, self.victim)
        ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    home, prefix = tmp_path / "home", tmp_path / "home" / "project"
    monkeypatch.setenv("HOME", str(home))
    for name in ("bin", "lib"):
        (prefix / name).mkdir(parents=True)
    (prefix / "bin" / "python3").symlink_to(base_interpreter())
    program(prefix / "bin" / "tool", "#!/bin/sh\nexec cat\n")
    for path in (home / ".netrc", prefix / "secret"):
        path.write_text("what nobody may read")
    victim = tmp_path / "bots" / "victim.py"
    program(victim, "#!/usr/bin/env python3\n" + Program(before="# an idea").source())
    return Place(home, prefix, victim, tmp_path / "bots" / "mine")


def spy(place: Place) -> str:
    """A program that plays, and says what it could read."""
    return Program(before=LOOKS.format(paths=place.secrets)).source()


def refused(*words: object, sandbox: Sandbox = WALLS) -> str:
    found = find(map(str, words), "sticheln", sandbox)
    return found.left_out[-1].reason


async def played(tmp_path: Path, word: object, sandbox: Sandbox = WALLS) -> list[str]:
    """What a bot wrote to its standard error in a match that it has played to the end, line by line."""
    (entrant,) = find([str(word)], "sticheln", sandbox).entrants
    match = boxed(tmp_path, *ECHOES)
    seats = (entrant, *match.entrants[1:])
    finished = await play_match(
        with_settings(msgspec.structs.replace(match, entrants=seats), sandbox=sandbox)
    )
    assert check(finished, tmp_path) == [], said(tmp_path)
    return said(tmp_path).splitlines()


def seen_of(line: str) -> set[str]:
    """What a spy has seen that it must not: neither errors nor the names on the way to what is shown."""
    return {text for text in json.loads(line).values() if text.startswith("what") or "netrc" in text}


MANIFESTS = {
    "the victim's file": ('command = ["../victim.py"]', {}, "{victim}"),
    "the victim's file, by an absolute path": ('command = "{victim}"', {}, "{victim}"),
    "the victim's file, by way of /proc": ('command = "/proc/self/root{victim}"', {}, "{victim}"),
    "a link to the victim's file": ('command = "./go"', {"go": "{victim}"}, "{victim}"),
    "a link to a link": ('command = "./go"', {"go": "on", "on": "{victim}"}, "{victim}"),
    "a link to the victim's folder": (
        'command = "./up/victim.py"',
        {"up": "{prefix}/../../bots"},
        "{victim}",
    ),
    "a prefix in the home": ('command = ["{prefix}/bin/python3", "bot.py"]', {}, "{prefix}/bin/python3"),
    "a link to a prefix": ('command = "./go bot.py"', {"go": "{prefix}/bin/python3"}, "{prefix}/bin/python3"),
    "a link to a prefix's folder": (
        'command = ".venv/bin/python3 bot.py"',
        {".venv": "{prefix}"},
        "{prefix}/bin/python3",
    ),
    "a name on the organiser's PATH": ('command = "tool"', {}, "{prefix}/bin/tool"),
}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_bots_words_lead_nowhere_else(name: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, links, leads = MANIFESTS[name]
    if name == "a name on the organiser's PATH":
        monkeypatch.setenv("PATH", str(place.prefix / "bin"), prepend=os.pathsep)
    installed.cache_clear()
    paths = {"victim": place.victim, "prefix": place.prefix}
    folder(place.bot, manifest.format(**paths), **{"bot.py": spy(place)})
    for link, target in links.items():
        (place.bot / link).symlink_to(target.format(**paths))
    reason = refused(place.victim, place.bot)
    assert leads.format(**paths) in reason
    assert "put it among its files" in reason
    installed.cache_clear()


@pytest.mark.needs("bwrap")
def test_above_a_bots_folder_there_is_nothing(place: Place) -> None:
    (Path(folder(place.bot, 'command = "./up/victim.py"')) / "up").symlink_to("..")
    assert refused(place.victim, place.bot) == "./up/victim.py is not there"


FIRST_LINES = {
    "the victim as interpreter": "#!{victim}\n",
    "behind blanks": "#! \t {victim} \t\n",
    "a prefix in the home": "#!{prefix}/bin/python3\n",
    "by env": "#!/usr/bin/env {prefix}/bin/python3\n",
    "by env, split": "#!/usr/bin/env -S {prefix}/bin/python3 -P\n",
    "by a script of its own": "#!./second\n",
}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("kind", ["folder", "file"])
@pytest.mark.parametrize("name", FIRST_LINES)
def test_a_first_line_leads_nowhere_else(name: str, kind: str, place: Place) -> None:
    line = FIRST_LINES[name].format(victim=place.victim, prefix=place.prefix)
    bot = folder(place.bot, 'command = "./go"', go=line, second=f"#!{place.victim}\n")
    if kind == "file" and "./" in line:
        return  # A file has no other beside it.
    assert "put it among its files" in refused(place.victim, bot if kind == "folder" else place.bot / "go")


@pytest.mark.needs("bwrap")
async def test_a_form_feed_shows_nothing(place: Place, tmp_path: Path) -> None:
    """To the kernel it is a letter of a folder's name, in which the interpreter really stands."""
    bot = folder(place.bot, 'command = "./go"', go=f"#!\f{place.victim}\n")
    program(place.bot / f"\f{place.victim}", "#!/usr/bin/env python3\n" + spy(place))
    (seen,) = await played(tmp_path, bot)
    assert seen_of(seen) == set()


@pytest.mark.needs("bwrap")
async def test_a_link_beside_the_program_shows_nothing(place: Place, tmp_path: Path) -> None:
    bot = folder(place.bot, 'command = "python3 bot.py"')
    paths = []
    for number, secret in enumerate(place.secrets):
        (place.bot / f"link-{number}").symlink_to(secret)
        paths.append(f"link-{number}")
    program(place.bot / "bot.py", Program(before=LOOKS.format(paths=paths)).source())
    (seen,) = await played(tmp_path, bot)
    assert seen_of(seen) == set()


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_is_no_bot(kind: str, place: Place) -> None:
    theirs = folder(place.bot, 'command = "./go"', go="#!/bin/sh\n") if kind == "folder" else place.victim
    link = place.victim.with_name("link")
    link.symlink_to(theirs)
    assert refused(link) == f"{link} is a link to {theirs}: name the target itself"
    assert refused(f"ada={link}") == refused(link)


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("python", [base_interpreter(), "/usr/bin/python3"])
async def test_a_virtual_environment_of_its_own_is_used(python: str, place: Place, tmp_path: Path) -> None:
    """Its links lead to the interpreter that runs the arena, or to the system's."""
    source = "import its_package\n" + spy(place)
    bot = folder(place.bot, 'command = [".venv/bin/python", "bot.py"]', **{"bot.py": source})
    venv(place.bot / ".venv", python)
    told, seen = await played(tmp_path, bot)
    assert told == "of the environment"
    assert seen_of(seen) == set()


def venv(path: Path, python: str) -> Path:
    """A virtual environment in the layout of PEP 405, with a package that says that it was found."""
    require(python)
    version = os.path.basename(os.path.realpath(python))
    packages = path / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    (packages / "its_package.py").write_text("import sys; print('of the environment', file=sys.stderr)")
    (path / "bin").mkdir()
    (path / "bin" / version).symlink_to(python)
    for name in ("python", "python3"):
        (path / "bin" / name).symlink_to(version)
    (path / "pyvenv.cfg").write_text(f"home = {os.path.dirname(python)}\n")
    return path


INTERPRETER = '#!/bin/sh\necho "with $(cat {prefix}/lib/library 2>&1)" >&2\nexec python3 "$@"\n'
"""One called `julia`, which no machine of ours has: it reads its library, and runs Python."""


def interpreter(prefix: Path) -> Path:
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / "library").write_text("its library")
    return Path(program(prefix / "bin" / "julia", INTERPRETER.format(prefix=prefix)))


LAYOUTS = {
    "nvm": (".nvm/versions/node/v20", None),
    "sdkman": (".sdkman/candidates/java/17", (".sdkman/candidates/java/current", "17")),
    "conda": ("miniconda3/envs/bots", None),
    "a link in ~/.local/bin": (
        ".juliaup/julia-1.9",
        (".local/bin/julia", "../../.juliaup/julia-1.9/bin/julia"),
    ),
    "pyenv": (".anyenv/versions/1", None),
}


@pytest.fixture
def layout(request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An interpreter on our PATH as a version manager installs it; where it really stands."""
    where, link = LAYOUTS[request.param]
    real = interpreter(place.home / where)
    on_path = real.parent
    (place.home / ".local" / "lib").mkdir(parents=True)
    if link:
        name, target = place.home / link[0], link[1]
        name.parent.mkdir(parents=True, exist_ok=True)
        name.symlink_to(target)
        on_path = name.parent if name.name == "julia" else name / "bin"
    if request.param == "pyenv":
        manager = f'#!/bin/sh\ntest "$1 $2" = "which julia" && echo "{real}"\n'
        program(place.home / ".anyenv" / "bin" / "anyenv", manager)
        on_path = Path(program(place.home / ".anyenv" / "shims" / "julia", "#!/bin/sh\nexit 1\n")).parent
    monkeypatch.setenv("PATH", str(on_path), prepend=os.pathsep)
    installed.cache_clear()
    yield real
    installed.cache_clear()


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("layout", "how"),
    [*((layout, "by its name") for layout in LAYOUTS), ("nvm", "by its path"), ("nvm", "by a link")],
    indirect=["layout"],
)
async def test_an_interpreter_that_a_version_manager_installed_is_used(
    how: str, layout: Path, place: Place, tmp_path: Path
) -> None:
    """By whatever words a bot leads to what is on our PATH: it is this machine's choice."""
    named = {"by its name": "julia", "by its path": str(layout), "by a link": "./mine"}[how]
    bot = folder(place.bot, f'command = ["{named}", "bot.py"]', **{"bot.py": spy(place)})
    (place.bot / "mine").symlink_to(layout)
    told, seen = await played(tmp_path, bot)
    assert told == "with its library"
    assert seen_of(seen) == set()


@pytest.mark.needs("bwrap")
async def test_of_a_prefix_that_many_share_only_the_program_is_shown(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = interpreter(place.home / ".local")
    monkeypatch.setenv("PATH", str(real.parent), prepend=os.pathsep)
    installed.cache_clear()
    bot = folder(place.bot, 'command = ["julia", "bot.py"]', **{"bot.py": spy(place)})
    told, seen = await played(tmp_path, bot)
    assert "No such file" in told
    assert seen_of(seen) == set()
    installed.cache_clear()


@pytest.mark.needs("bwrap")
async def test_an_environment_that_the_organiser_types_is_used_and_nothing_beside_it(
    place: Place, tmp_path: Path
) -> None:
    bot = program(tmp_path / "bot.py", "import its_package\n" + spy(place))
    for old in (place.prefix / "bin" / "python3", place.prefix / "bin" / "tool", place.prefix / "bin"):
        old.rmdir() if old.is_dir() else old.unlink()
    (place.prefix / "lib").rmdir()
    (place.prefix / "secret").rename(place.home / "aside")
    place.prefix.rmdir()
    venv(place.prefix, base_interpreter())
    (place.home / "aside").rename(place.prefix / "secret")
    told, seen = await played(tmp_path, f"ada={place.prefix}/bin/python {bot}")
    assert told == "of the environment"
    assert seen_of(seen) == set()


@pytest.mark.needs("bwrap")
async def test_what_the_organiser_allows_is_seen(place: Place, tmp_path: Path) -> None:
    bot = folder(place.bot, f'command = ["{place.prefix}/bin/python3", "bot.py"]', **{"bot.py": spy(place)})
    assert f"--allow {place.prefix}" in refused(bot)
    allowing = Sandbox(Level.BWRAP, allowed=(str(place.prefix),))
    (line,) = await played(tmp_path, bot, allowing)
    seen = json.loads(line)
    assert seen[str(place.prefix / "secret")] == "what nobody may read"
    assert seen[str(place.home / ".netrc")] == "FileNotFoundError"


@pytest.mark.needs("bwrap")
def test_who_lies_in_what_is_allowed_is_left_out(place: Place) -> None:
    allowing = Sandbox(Level.BWRAP, allowed=(str(place.victim.parent),))
    other = folder(place.home / "other", 'command = "python3 bot.py"')
    assert "would see its files" in refused(other, place.victim, sandbox=allowing)


@pytest.mark.needs("bwrap")
def test_what_is_allowed_is_kept_for_resume(place: Place, tmp_path: Path) -> None:
    bot = folder(place.bot, f'command = ["{place.prefix}/bin/python3", "bot.py"]', **{"bot.py": spy(place)})
    words = ("tournament", bot, place.victim, "--sandbox", "bwrap", "--deals", 1, "--rounds", 1, "--quiet")
    call = arena(*words, "--allow", place.prefix, "--out", tmp_path / "run", "--seats", 3, "--no-duplicates")
    assert call.status == 0, call.err
    assert "forfeit" not in call.out
    again = arena("resume", tmp_path / "run", "--quiet")
    assert again.status == 0, again.err
    assert tomllib.loads(arena("config", tmp_path / "run").out)["allow"] == [str(place.prefix)]
    log = next((tmp_path / "run" / "matches").iterdir()).read_text()
    assert str(place.home) not in log


@pytest.mark.parametrize(
    ("older", "why"),
    [
        ({"digest": True}, "entered in an older arena, which ignored its links and empty folders"),
        (
            {"prefixes": True},
            "its interpreter is not the one with which it entered, or an older arena ran this",
        ),
    ],
)
def test_a_run_of_an_older_arena_says_what_is_in_the_way(
    older: dict[str, bool], why: str, place: Place, tmp_path: Path
) -> None:
    bot = folder(place.bot, 'command = "python3 bot.py"', **{"bot.py": spy(place)})
    (place.bot / "link").symlink_to("bot.py")
    (mine, theirs) = find([bot, str(place.victim)], "sticheln", Sandbox()).entrants
    if "digest" in older:
        mine = msgspec.structs.replace(mine, digest=digest([place.bot], rule=Rule.FILES))
    else:
        launch = msgspec.structs.replace(mine.launch, prefixes=("/opt/python",))
        mine = msgspec.structs.replace(mine, launch=launch)
    settings = msgspec.structs.replace(created(tmp_path), entrants=(mine, theirs))
    Journal.create(tmp_path / "run", settings).close()
    call = arena("resume", tmp_path / "run", "--quiet")
    assert call.status == 2
    assert f"mine: {bot} {why}" in call.err or f"mine: {why}" in call.err
    assert "arena replace" in call.err


def test_a_home_is_not_allowed(place: Place) -> None:
    call = arena("check", place.victim, "--allow", place.home.parent)
    assert call.status == 2
    assert "it contains your home folder" in call.err
    assert "there is no such file" in arena("check", place.victim, "--allow", place.home / "gone").err


def test_nothing_of_a_home_is_shown_by_guess(place: Place) -> None:
    assert list(installation(str(place.prefix / "bin" / "tool"))) == [str(place.prefix / "bin" / "tool")] * 2


def test_every_bot_of_ours_names_an_interpreter_that_is_known() -> None:
    packages = {name for starter in STARTERS.values() for name in starter.packages}
    assert {name for name in packages if not is_known(name)} == set()
    assert is_known("python3.12")
    assert is_known("lua5.4")
    assert not is_known("aws")


@pytest.mark.parametrize(
    ("first", "read"),
    [
        (b"#!/bin/sh\n", ("/bin/sh", "")),
        (b"#! \t/bin/sh\t -e  -u \t\n", ("/bin/sh", "-e  -u")),
        (b"#!/usr/bin/env -S node --x\n", ("/usr/bin/env", "-S node --x")),
        (b"#!/bin/sh\f-x\n", ("/bin/sh\f-x", "")),
        (b"#!/bin/sh\v-x\r\n", ("/bin/sh\v-x\r", "")),
        (b"#!/bin/sh\0 -x\n", ("/bin/sh", "")),
        (b"#!/bin/sh -x\0y\n", ("/bin/sh", "-x")),
        (b"#!/bin/sh", ("/bin/sh", "")),
        (b"#!/bin/sh\xc2\xa0x\n", ("/bin/sh\u00a0x", "")),
        (b"#! \t\n", None),
        (b"#!", None),
        (b"# /bin/sh\n", None),
        (b"#!/" + b"x" * 254, None),
        (b"#!/" + b"x" * 252 + b" -x", ("/" + "x" * 252, "")),
        (b"#!/bin/sh " + b"x" * 246, ("/bin/sh", "x" * 245)),
    ],
)
def test_a_first_line_is_read_as_the_kernel_reads_it(first: bytes, read: tuple[str, str] | None) -> None:
    assert shebang(first) == read


ECHO = "#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps(sys.argv))\n"


@pytest.mark.needs("linux")
@pytest.mark.parametrize(
    "line", ["{} a  b \t", "\t {}\ta", "{}\x0ba", "{} \x0c", "{} a\tb\x0c ", "{}\x0c", "{}"]
)
def test_and_the_kernel_does_so(line: str, tmp_path: Path) -> None:
    tells = program(tmp_path / "tells", ECHO)
    written = "#!" + line.format(tells)
    script = program(tmp_path / "script", written + "\n")
    found = shebang(written.encode() + b"\n")
    assert found
    told = subprocess.run([script], capture_output=True, check=False) if os.path.exists(found[0]) else None
    if told is None:
        with pytest.raises(FileNotFoundError):
            subprocess.run([script], check=False)
    else:
        assert json.loads(told.stdout)[1:-1] == ([found[1]] if found[1] else [])


@pytest.mark.thorough  # A run of pytest; tests/process/test_sandbox.py has one for the gate.
@pytest.mark.needs("root")
def test_the_same_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(__file__, "elsewhere or feed or nothing or virtual or nvm or types or allows")
