"""What on a command line is a bot, what it is called, and what makes it the same program tomorrow."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.entrants.digest import Rule, digest
from arena.entrants.find import BUILTIN_BOTS, COMPILED, find, numbered, require_unique
from arena.entrants.names import NAME
from arena.process import elf
from arena.process.launch import BINARIES, Launch, base_interpreter, obstacle
from arena.process.obstacle import ObstacleKind
from arena.process.sandbox import MIB, Sandbox
from arena.starters import STARTERS
from arena.system.errors import UserError
from tests.cli.hostile_folders import HOSTILE, Hostile
from tests.support.folders import folder, program, reason, unplayable


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def test_files_are_called_by_their_stem(tmp_path: Path) -> None:
    words = [program(tmp_path / "deep.py", executable=False), program(tmp_path / "Deep-2")]
    assert [entrant.name for entrant in find(words, "sticheln", Sandbox()).entrants] == ["deep", "Deep-2"]


def test_odd_paths_are_only_paths(tmp_path: Path) -> None:
    (entrant,) = find(
        [program(tmp_path / "my bot's ü" / "deep.py", executable=False)], "sticheln", Sandbox()
    ).entrants
    assert entrant.launch.argv == (base_interpreter(), "-P", str(tmp_path / "my bot's ü" / "deep.py"))
    assert entrant.launch.folder == str(tmp_path / "my bot's ü")


def test_an_executable_bit_beats_the_suffix(tmp_path: Path) -> None:
    (entrant,) = find([program(tmp_path / "deep.py")], "sticheln", Sandbox()).entrants
    assert entrant.launch.argv == (str(tmp_path / "deep.py"),)


@pytest.mark.parametrize(
    ("name", "text", "how"),
    [
        ("deep.py", "print(1)\n", ("-P", "{}")),
        ("deep.sh", "", ("{}",)),
        ("deep.jar", "PK\x03\x04", ("-jar", "{}")),
    ],
)
def test_the_suffix_counts_where_the_file_does_not_say_what_executes_it(
    name: str, text: str, how: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.process.launch.installed", lambda program: f"/usr/bin/{program}")
    path = program(tmp_path / name, text)
    (entrant,) = find([path], "sticheln", Sandbox()).entrants
    assert entrant.launch.argv[1:] == tuple(word.format(path) for word in how)


def test_a_binary_needs_no_first_line(tmp_path: Path) -> None:
    path = Path(program(tmp_path / "deep"))
    path.write_bytes(Path(sys.executable).read_bytes())
    (entrant,) = find([str(path)], "sticheln", Sandbox()).entrants
    assert entrant.launch.argv == (str(path),)


def test_a_binary_that_this_machine_cannot_execute_is_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = Path(sys.executable).read_bytes()[:4096]
    loader = re.search(rb"/[^\0]*ld-[^\0]+", ours)
    assert loader, "Python is linked to libraries"
    path, handlers = Path(program(tmp_path / "deep")), tmp_path / "handlers"
    handlers.mkdir()
    monkeypatch.setattr(elf, "HANDLERS", str(handlers))

    def said(data: bytes) -> str | None:
        path.write_bytes(data)
        found = obstacle(Launch((str(path),), str(tmp_path)))
        return None if found is None else found.text

    assert said(ours) is None
    assert said(ours[:40]) == f"{path} is cut off: it is not a complete program"
    elsewhere = b"/x" + loader[0][2:]
    assert (
        said(ours.replace(loader[0], elsewhere))
        == f"{path} needs the loader {elsewhere.decode()}, which does not exist here"
    )
    other_machine, other_system = ours[:18] + b"\xff\xfe" + ours[20:], BINARIES[1] + b"\0\1"
    assert said(other_machine) == f"{path} is compiled for another kind of machine"
    assert said(other_system) == f"{path} is compiled for another system"
    (handlers / "qemu").touch()  # The kernel was told how to execute them.
    assert said(other_machine) is said(other_system) is None


def test_a_command_line_under_a_name(tmp_path: Path) -> None:
    path = program(tmp_path / "engine")
    (entrant,) = find([f"deep-3={path} --depth 3 'a b'"], "sticheln", Sandbox()).entrants
    assert entrant.name == "deep-3"
    assert entrant.launch.argv == (path, "--depth", "3", "a b")
    other = find([f"deep-3={path} --depth 4 'a b'"], "sticheln", Sandbox()).entrants[0]
    assert other.digest != entrant.digest


def test_a_bot_under_another_name_is_the_same_bot(tmp_path: Path) -> None:
    path = program(tmp_path / "ada.py", executable=False)
    (here, other) = find([path, f"bob={path}"], "sticheln", Sandbox()).entrants
    assert other == msgspec.structs.replace(here, name="bob", source=f"bob={path}")
    assert find([other.source], "sticheln", Sandbox()).entrants == (other,)


def test_a_folder_says_how_it_is_run(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "bot", 'command = "./run --fast"\nname = "deep"\nauthor = "Ada"', run="#!/bin/sh\n"
    )
    (entrant,) = find([path], "sticheln", Sandbox()).entrants
    assert (entrant.name, entrant.launch.argv, entrant.launch.folder) == ("deep", ("./run", "--fast"), path)


def test_a_folder_is_built_once_in_a_copy(tmp_path: Path) -> None:
    build = "#!/bin/sh\necho built >> log; printf '#!/bin/sh\\n' > run; chmod +x run\n"
    path = folder(tmp_path / "bot", 'command = "./run"\nbuild = "./make"', make=build)
    one, two = (find([path], "sticheln", Sandbox()).entrants[0] for _ in range(2))
    assert one == two
    assert not (tmp_path / "bot" / "run").exists()
    assert Path(one.launch.kept, "log").read_text() == "built\n"


def test_a_build_that_fails_is_shown(tmp_path: Path) -> None:
    path = folder(tmp_path / "bot", 'command = "./run"\nbuild = "sh -c \'echo no compiler; exit 3\'"')
    assert reason(path) == "its build failed with exit status 3: no compiler"


@pytest.mark.parametrize(
    ("manifest", "kind", "fact"),
    [
        ("command = ", ObstacleKind.MANIFEST, "Invalid value"),
        ("name = 'x'", ObstacleKind.MANIFEST, "`command`"),
        ("command = 7", ObstacleKind.MANIFEST, "got `int` - at `$.command`"),
        ("command = './run'\nnmae = 'x'", ObstacleKind.MANIFEST, "'nmae'; did you mean 'name'?"),
        ("command = './run'\ngames = ['ole']", ObstacleKind.OTHER, "ole"),
        ("command = ''", ObstacleKind.MANIFEST, "command"),
        ('command = "it\'s"', ObstacleKind.MANIFEST, "No closing quotation"),
        ("command = './run'\nbuild = './gone'", ObstacleKind.BUILD, "./gone"),
        ("command = './run'\nbuild = 'false'", ObstacleKind.BUILD, "status 1"),
        ("command = './gone'", ObstacleKind.NOT_THERE, "./gone"),
        ("command = './bare'", ObstacleKind.NO_FIRST_LINE, "./bare"),
        ("command = 'no-such-interpreter x'", ObstacleKind.NO_INTERPRETER, "no-such-interpreter"),
    ],
)
def test_a_folder_that_cannot_play_is_left_out(
    manifest: str, kind: ObstacleKind, fact: str, tmp_path: Path
) -> None:
    out = unplayable(folder(tmp_path / "bot", manifest, run="#!/bin/sh\n", bare="ready"))
    assert out.kind is kind
    assert fact in out.reason


@pytest.mark.parametrize(
    ("name", "text", "kind", "fact"),
    [
        ("lost", "#!/no/such/interpreter\n", ObstacleKind.NO_INTERPRETER, "/no/such/interpreter"),
        ("dos", "#!/bin/sh\r\n", ObstacleKind.CARRIAGE_RETURN, "\\r\\n"),
        ("empty", "#!\n", ObstacleKind.OTHER, "no interpreter"),
        ("env", "#!/usr/bin/env -S no-such-python -x\n", ObstacleKind.NO_INTERPRETER, "no-such-python"),
        ("bare", "import sys\n", ObstacleKind.NO_FIRST_LINE, "#!/usr/bin/env python3"),
        ("nothing", "", ObstacleKind.NO_FIRST_LINE, "nothing"),
    ],
)
def test_a_file_that_cannot_be_executed_is_left_out(
    name: str, text: str, kind: ObstacleKind, fact: str, tmp_path: Path
) -> None:
    out = unplayable(program(tmp_path / name, text))
    assert out.kind is kind
    assert fact in out.reason


def test_a_command_writes_nothing_to_the_terminal(tmp_path: Path) -> None:
    bot = folder(tmp_path / "bot", r'command = "\u001b[2J\u009b31m\u202ex"')
    assert unplayable(bot).reason == "[2J31mx is not on the PATH"


def test_what_cannot_be_a_bot_is_passed_over(tmp_path: Path) -> None:
    words = [
        program(tmp_path / "README.md", "hello", executable=False),
        program(tmp_path / ".hidden.py", executable=False),
        program(tmp_path / "data.csv", "1,2", executable=False),
        str(Path(program(tmp_path / "__pycache__" / "deep.pyc", "", executable=False)).parent),
        str(Path(program(tmp_path / "notes" / "todo.txt", "", executable=False)).parent),
    ]
    found = find([*words, program(tmp_path / "deep.py")], "sticheln", Sandbox())
    assert [word for word, _ in found.passed_over] == words
    assert [entrant.name for entrant in found.entrants] == ["deep"]
    assert found.left_out == ()


def test_a_folder_whose_bot_toml_is_a_device_is_no_bot(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").symlink_to("/dev/zero")
    ((_, why),) = find([str(tmp_path)], "sticheln", Sandbox()).passed_over
    assert why == "its bot.toml is a symbolic link to what is no file"


@pytest.mark.parametrize("target", ["itself", "t" * 300])
def test_a_link_that_leads_nowhere_keeps_nobody_out(target: str, tmp_path: Path) -> None:
    (tmp_path / "itself").symlink_to(target)
    found = find([str(tmp_path / "itself"), program(tmp_path / "deep.py")], "sticheln", Sandbox())
    assert [entrant.name for entrant in found.entrants] == ["deep"]
    assert [left_out.name for left_out in found.left_out] == ["itself"]


@pytest.mark.parametrize("build", ["", "build = 'true'\n"])
def test_names_of_files_may_be_any_bytes(build: str, tmp_path: Path) -> None:
    path = folder(tmp_path / "bot", f"command = 'sh run'\n{build}", run="")
    for name in (b"\x80", b"\x81"):
        Path(path, os.fsdecode(name)).touch()
    Path(path, os.fsdecode(b"\xff")).symlink_to(os.fsdecode(b"\x80"))
    found = find([str(path)], "sticheln", Sandbox())
    assert [entrant.name for entrant in found.entrants] == ["bot"], found.left_out


@pytest.mark.parametrize(("suffix", "language"), COMPILED.items())
def test_a_source_text_is_told_how_it_becomes_a_bot(suffix: str, language: str, tmp_path: Path) -> None:
    path = tmp_path / f"bot{suffix}"
    path.touch()
    ((_, reason),) = find([str(path)], "sticheln", Sandbox()).passed_over
    assert f"(arena new {language} DIR)" in reason
    assert language in STARTERS


def test_a_missing_path_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        find([str(tmp_path / "gone.py")], "sticheln", Sandbox())


@pytest.mark.parametrize("word", ["déjà=/bin/true", "=/bin/true", f"{'x' * 33}=/bin/true"])
def test_an_impossible_name_is_the_callers_mistake(word: str) -> None:
    with pytest.raises(UserError, match="cannot be a name"):
        find([word], "sticheln", Sandbox())


@pytest.mark.parametrize(
    ("name", "write"),
    [("my bot", "'my-bot={}'"), ("bot[1]", "'bot-1={}'"), ("dé", "de={}"), ("house-one", "one={}")],
)
def test_the_way_out_of_an_impossible_name_is_one(
    name: str, write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path / ("my file.py" if "'" in write else "file.py"), executable=False)
    with pytest.raises(UserError) as raised:
        find([f"{name}={path}"], "sticheln", Sandbox())
    _, _, hint = str(raised.value).partition("; write ")
    assert hint == write.format(path)
    (word,) = shlex.split(hint)
    (entrant,) = find([word], "sticheln", Sandbox()).entrants
    assert entrant.source == f"{entrant.name}={path}"
    assert find([entrant.source], "sticheln", Sandbox()).entrants == (entrant,)


@pytest.mark.parametrize("manifest", ["", "\nname = 'Ada B'"])
def test_a_name_before_a_folder_goes_before_all_others(
    manifest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "my bot", f"command = './run'{manifest}", run="#!/bin/sh\n")
    (entrant,) = find(["x=my bot"], "sticheln", Sandbox()).entrants
    assert (entrant.name, entrant.title) == ("x", "")
    assert entrant.launch.folder == str(tmp_path / "my bot")


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("py", "py: there is no such file; did you mean py.py?"),
        ("pi.py", "pi.py: there is no such file; did you mean py.py?"),
        ("./py", "./py: there is no such file; did you mean py.py?"),
        ("serch", "serch: there is no such file; did you mean search?"),
        (
            "nobody",
            "nobody: there is no such file, and no builtin bot (heuristic, search) with this name; "
            "`arena bots --copy bots` copies the samples",
        ),
        ("bots/nobody.py", "there is no such file; `arena bots --copy bots` copies the samples"),
        ("nobody.py", "nobody.py: there is no such file"),
        ("no/where/at/all", "no/where/at/all: there is no such file"),
        ("./serch", "./serch: there is no such file"),
        ("sh -c true", "sh -c true: a command line needs a name: NAME='sh -c true'"),
        ("no such words", "no such words: there is no such file, and no builtin bot"),
        ("x" * 5000, "there is no such file"),
    ],
)
def test_what_is_not_there_is_told_with_what_may_have_been_meant(
    word: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program(tmp_path / "py.py", executable=False)
    (tmp_path / "py.csv").touch()
    with pytest.raises(UserError) as raised:
        find([word], "sticheln", Sandbox())
    assert why in str(raised.value)
    assert ("builtin" in str(raised.value)) == ("builtin" in why or len(word) > 1000)


def test_a_script_without_an_executable_bit_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by somebody on Windows, where files have none."""
    monkeypatch.chdir(tmp_path)
    program(tmp_path / "my bot", executable=False)
    ((_, reason),) = find(["my bot"], "sticheln", Sandbox()).passed_over
    assert "chmod +x 'my bot'" in reason
    assert reason.endswith("""command = "sh 'my bot'" in a bot.toml""")
    for command, run, words in (
        ("./run.sh --fast", "#!/bin/sh\n", 'command = "sh run.sh --fast" in a bot.toml'),
        ("./bot.py", "", 'command = "python3 bot.py" in a bot.toml'),
        ("./bot", "#!/usr/bin/env -S perl -w\r\n", 'command = "perl bot" in a bot.toml'),
        ("./bot", "", "let its first line name the interpreter"),
    ):
        path = folder(tmp_path / "one", f"command = '{command}'", run="")
        named = Path(path, command.split()[0])
        program(named, run, executable=False)
        (out,) = find([path], "sticheln", Sandbox()).left_out
        assert out.reason.startswith(f"{command.split()[0]} is not executable; chmod +x {command.split()[0]}")
        assert out.reason.endswith(words) or words in out.reason
        shutil.rmtree(path)
    program(tmp_path / "run.sh", executable=False)
    (out,) = find(["x=./run.sh 1"], "sticheln", Sandbox()).left_out
    assert out.reason.endswith("on Windows: 'NAME=sh run.sh 1'")


def test_two_of_one_name_need_another_in_a_tournament(tmp_path: Path) -> None:
    words = [program(tmp_path / "a" / "deep.py"), program(tmp_path / "b" / "deep.py")]
    with pytest.raises(UserError, match=r"two bots are called 'deep', .*; rename one of them: NAME="):
        require_unique(find(words, "sticheln", Sandbox()).entrants)


def test_a_house_bots_name_is_refused() -> None:
    with pytest.raises(UserError, match="belong to house bots"):
        require_unique(find(["house-1=/bin/sh"], "sticheln", Sandbox()).entrants)


def test_in_a_match_copies_are_numbered(tmp_path: Path) -> None:
    a = program(tmp_path / "a.py")
    found = find([a, a, f"a-2={a}", a], "sticheln", Sandbox()).entrants
    assert [entrant.name for entrant in numbered(found)] == ["a", "a-3", "a-2", "a-4"]


def test_the_digest_is_that_of_names_modes_and_contents(tmp_path: Path) -> None:
    path = Path(folder(tmp_path / "bot", "command = './run'", run="one"))
    before = digest([path])
    assert digest([path]) == before
    (path / "run").write_text("two")
    changed = digest([path])
    (path / "run").write_text("one")
    (path / "run").chmod(0o644)
    plain = digest([path])
    (path / "run").chmod(0o755)
    assert digest([path]) == before
    (path / "run").rename(path / "ran")
    assert len({before, changed, plain, digest([path])}) == 4


def test_the_digest_tells_links_and_empty_folders(tmp_path: Path) -> None:
    path = Path(folder(tmp_path / "bot", "command = './run'", run="one"))
    seen = [digest([path])]
    for change in (
        (path / "empty").mkdir,
        lambda: (path / "link").symlink_to("run"),
        lambda: ((path / "link").unlink(), (path / "link").symlink_to("bot.toml")),
        lambda: ((path / "link").unlink(), (path / "link").symlink_to("/nowhere")),
        lambda: ((path / "link").unlink(), (path / "link").write_text("/nowhere")),
        lambda: ((path / "empty").rmdir(), (path / "empty").write_text("")),
    ):
        change()
        seen.append(digest([path]))
    assert len(set(seen)) == len(seen)


def test_what_a_link_leads_to_is_not_read_for_the_digest(tmp_path: Path) -> None:
    path = Path(folder(tmp_path / "bot", "command = './run'", run="one"))
    (path / "link").symlink_to(tmp_path / "secret")
    program(tmp_path / "secret", "one")
    before, older = digest([path]), digest([path], rule=Rule.FILES)
    program(tmp_path / "secret", "two")
    assert digest([path]) == before
    assert digest([path], rule=Rule.FILES) != older


def test_two_builds_that_differ_by_a_link_are_two(tmp_path: Path) -> None:
    """The second one's folder was taken for the first one's, and its bot did not find its link."""
    built = []
    for name in ("with", "without"):
        path = folder(tmp_path / name, 'command = "./run"\nbuild = "true"', run="#!/bin/sh\n")
        if name == "with":
            (Path(path) / "link").symlink_to("run")
            (Path(path) / "empty").mkdir()
        built += [Path(entrant.launch.kept) for entrant in find([path], "sticheln", Sandbox()).entrants]
    assert [(place / "link").is_symlink() for place in built] == [True, False]
    assert [(place / "empty").is_dir() for place in built] == [True, False]


@pytest.mark.parametrize("name", BUILTIN_BOTS)
def test_the_house_lends_bots_by_their_name(name: str) -> None:
    (entrant,) = find([name], "sticheln", Sandbox()).entrants
    assert (entrant.name, entrant.source) == (name, name)
    assert obstacle(entrant.launch) is None
    files = {Path(path).name for path in entrant.launch.files}
    assert {"arena", "protocol"} <= files


def test_a_file_goes_before_the_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program(tmp_path / "search")
    (entrant,) = find(["search"], "sticheln", Sandbox()).entrants
    assert entrant.source == str(tmp_path / "search")


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_folder_is_left_out(hostile: Hostile, tmp_path: Path) -> None:
    hostile.make(tmp_path / hostile.name)
    word = str(tmp_path / hostile.name)
    if hostile.as_stranger and os.geteuid() == 0:
        assert hostile.why in reason_without_privilege(word)
    else:
        assert hostile.why in reason(word)


def reason_without_privilege(word: str) -> str:
    """As `reason`, of a process for which permission bits hold although it is root's."""
    told = subprocess.run(
        ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", sys.executable, "-c", ASK, word],
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout


ASK = """
import sys
from tests.support.folders import reason, reason
print(reason(sys.argv[1]))
"""


def test_the_digest_of_a_bot_is_what_it_has_always_been(tmp_path: Path) -> None:
    path = Path(folder(tmp_path / "bot", "command = './run'", run="one", **{"data/big": "x" * (3 * MIB + 1)}))
    (path / "bot.toml").chmod(0o644)
    expected = hashlib.sha256()
    for name, mode in (("bot.toml", "-"), ("data/big", "x"), ("run", "x")):
        content = (path / name).read_bytes()
        expected.update(f"\0{name}\0{mode}\0{len(content)}\0".encode() + content)
    assert digest([path]) == expected.hexdigest()


def test_a_command_line_may_name_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.entrants.digest.SIZE_LIMIT", 0)
    path = program(tmp_path / "engine")
    assert reason(path) == "its files are larger than 0 MB"
    assert len(find([f"engine={path} --quick"], "sticheln", Sandbox()).entrants) == 1


@pytest.mark.parametrize("name", ["x" * 32, "x" * 30 + "-2", "x"])
def test_numbered_copies_have_names_that_are_allowed(name: str) -> None:
    (entrant,) = find([f"{name}=/bin/sh"], "sticheln", Sandbox()).entrants
    names = [one.name for one in numbered([entrant] * 12)]
    assert names[0] == name
    assert all(NAME.fullmatch(one) for one in names)
    assert len(set(names)) == 12


def test_a_long_command_line_is_no_path() -> None:
    (entrant,) = find([f"a=/bin/sh -c '{'#' * 5000}'"], "sticheln", Sandbox()).entrants
    assert entrant.launch.argv[0] == "/bin/sh"


@pytest.mark.parametrize("build", ["", "build = 'true'\n"])
@pytest.mark.parametrize("name", ["x", "x.py", "x.sh"])
def test_a_link_to_what_no_path_can_be_keeps_nobody_out(name: str, build: str, tmp_path: Path) -> None:
    """Some versions of `Path.rglob` look where it leads."""
    path = folder(tmp_path / "bot", f"command = 'sh run'\n{build}", run="")
    Path(path, name).symlink_to("t" * 300)
    found = find([str(path)], "sticheln", Sandbox())
    assert [entrant.name for entrant in found.entrants] == ["bot"], found.left_out
