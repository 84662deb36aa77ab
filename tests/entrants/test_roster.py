"""A class in a table or an archive: which bots those are, what they are called, how mistakes are told."""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.entrants.manifest import read_manifest
from arena.entrants.roster import Entry, Roster, find_entries
from arena.entrants.unpack import ArchiveLimits
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError

BOT = "#!/bin/sh\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with some bots in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("ada.py", "bob.py", "cy/bot.py", "dan/bot.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(BOT)
    return tmp_path


def zipped(name: str, files: Mapping[str, str | bytes]) -> str:
    with zipfile.ZipFile(name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return name


def table(text: str | bytes, name: str = "class.csv") -> list[Entry]:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    return Roster().of(name)


def names(entries: list[Entry]) -> list[str]:
    return [entry.name for entry in entries]


def left_out(entries: list[Entry]) -> dict[str, str]:
    return {entry.name: entry.left_out for entry in entries if entry.left_out}


@pytest.mark.parametrize(
    "text",
    [
        "bot,title,author,group\nada.py,Größe,Ada L.,7a\nbob.py,,,7b\n",
        "\ufeffGroup;Author;BOT ;Title\r\n7a;Ada L.;ada.py;Größe\r\n\r\n;;;\r\n7b;;bob.py\r\n",
        "sep=;\r\ngroup;author;bot;title\r\n7a;Ada L.;ada.py;Größe\r\n7b;;bob.py;\r\n",
        'bot\ttitle\tauthor\tgroup\nada.py\tGröße\t"Ada\nL."\t7a\nbob.py\t\t\t7b',
    ],
)
@pytest.mark.parametrize("coding", ["utf-8", "cp1252", "utf-16"])
def test_tables_as_spreadsheets_write_them(place: Path, text: str, coding: str) -> None:
    if coding == "cp1252":
        text = text.removeprefix("\ufeff")
    ada, bob = table(text.encode(coding))
    assert (ada.name, ada.title, ada.author, ada.group) == ("ada", "Größe", "Ada L.", "7a")
    assert (bob.name, bob.title, bob.author, bob.group) == ("bob", "", "", "7b")
    assert ada.word == f"ada={place}/ada.py"


def test_toml(place: Path) -> None:
    text = '[[bot]]\nbot = "ada.py"\ngroup = "7a"\n[[bot]]\nbot = "bob.py"\nname = "rob"\n'
    ada, bob = table(text, "class.toml")
    assert (ada.name, ada.group, bob.name, bob.group) == ("ada", "7a", "rob", "")


def test_files_that_are_called_alike_are_called_by_their_folder(place: Path) -> None:
    assert names(table("bot\ncy/bot.py\ndan/bot.py\nada.py\n")) == ["cy", "dan", "ada"]


def test_paths_are_seen_from_the_table(place: Path) -> None:
    (place / "tables").mkdir()
    (entry,) = table("bot\n../ada.py\n", "tables/class.csv")
    assert find_entries([entry], "sticheln", Sandbox()).found.entrants[0].name == "ada"


def test_what_is_not_handed_in_is_left_out(place: Path) -> None:
    entries = table("bot,author\nada.py,Ada\neve.py,Eve\n")
    assert left_out(entries) == {"eve": "class.csv, line 3, column bot: there is no file eve.py"}
    entered = find_entries(entries, "sticheln", Sandbox())
    assert [entrant.name for entrant in entered.found.entrants] == ["ada"]
    assert entered.authors == {"ada": "Ada"}
    assert [out.name for out in entered.found.left_out] == ["Eve"]


@pytest.mark.parametrize("cell", ["a" * 300, "a/" * 3000, "../" * 1500, '"' * 5000])
def test_a_path_that_none_can_be_leaves_out_one_bot(cell: str, place: Path) -> None:
    entries = table('bot\nada.py\n"{}"\n'.format(cell.replace('"', '""')))
    (why,) = left_out(entries).values()
    assert why.startswith("class.csv, line 3, column bot: there is no file")
    assert names(entries)[0] == "ada"


GOOD = '[[bot]]\nbot = "ada.py"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bot,title\nada.py,A\n\n,B\n", "class.csv, line 4, column bot: it is empty; name the bot's file"),
        (
            "bot,title\nada.py,A\nbob.py,a,b\n",
            "class.csv, line 3: it has 3 cells, but the header has 2; put a cell",
        ),
        (
            "bot,name\nada.py,ada\nbob.py,ada\n",
            "class.csv, line 3, column name: 'ada' is also the bot in line 2",
        ),
        ("bot\nada.py\nada.py\n", "class.csv, line 3, column bot: 'ada' is also the bot in line 2; give one"),
        ("bot,name\nbob.py,house-1\nada.py\n", "class.csv, line 2, column name: names that begin with 'hou"),
        ('bot\n"bob.py\nada.py\n', "class.csv, line 2: unexpected end of data; save the table again as CSV"),
        ('bot\n"bob"x\nada.py\n', "class.csv, line 2: ',' expected after '\"'; save the table again as CSV"),
        (
            "bot\na\0b\nada.py\n",
            "class.csv, line 2, column bot: it contains a NUL character; name the bot's file",
        ),
        (
            "bot\nessay.pdf\nada.py\n",
            "essay.pdf is not a bot: it has no executable bit and no known suffix; chmod",
        ),
        ("bot\nfull\nada.py\n", "it contains nothing that can be a bot"),
        (f'{GOOD}[[bot]]\nfile = "x"\n', "class.toml, bot 2: unknown key 'file'"),
        (
            f'{GOOD}[[bot]]\nbot = "bob.py"\ngroup = 7\n',
            "class.toml, bot 2, column group: it must be a string",
        ),
    ],
)
def test_a_row_with_a_mistake_costs_no_other_its_bot(place: Path, text: str, message: str) -> None:
    (place / "essay.pdf").write_text("#!")
    (place / "full").mkdir()
    entries = table(text, "class.toml" if text.startswith("[") else "class.csv")
    found = find_entries(entries, "sticheln", Sandbox()).found
    assert [entrant.name for entrant in found.entrants] == ["ada"]
    (why,) = left_out(entries).values()
    assert why.startswith(message)
    assert [one.reason for one in found.left_out] == [why]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bot,bot\nada.py,bob.py\n", "class.csv, line 1: two columns are called 'bot'; rename one"),
        ("bot\n", "class.csv: lists no bots; add one row per bot"),
        ("bot\n" + "ada.py\n" * 10_001, "class.csv: it has 10001 rows, but at most 10000 are allowed"),
        (f"x = 1\n{GOOD}", "class.toml: unknown key 'x'"),
    ],
)
def test_a_table_that_cannot_be_read_as_a_whole(place: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        table(text, "class.toml" if "=" in text else "class.csv")
    assert str(raised.value).startswith(message)


def test_a_quote_that_is_never_closed_takes_no_row_with_it(place: Path) -> None:
    entries = table('bot,author\nada.py,"Ada\nbob.py,"Bob ""B"""\ncy/bot.py,"C\ny"\n')
    assert [entry.author for entry in entries if not entry.left_out] == ['Bob "B"', "C y"]
    assert len(left_out(entries)) == 1


def test_an_author_is_the_title_where_none_is_given(place: Path) -> None:
    (place / "own").mkdir()
    (place / "own" / "bot.toml").write_text("command = 'true'\ntitle = 'Mine'\n")
    entries = table("bot,author,title\nada.py,Ada L.,\nbob.py,Bob,The Bot\nown,Cy,\ncy,Dan,\ndan,Dan,\n")
    found = find_entries(entries, "sticheln", Sandbox()).found.entrants
    assert {one.name: one.title for one in found} == {
        "ada": "Ada L.", "bob": "The Bot", "own": "Mine", "cy": "", "dan": "",
    }  # fmt: skip


MOODLE = "Zoë Müller_81201_assignsubmission_file_"


@pytest.mark.parametrize("path", [f"{MOODLE}/bot.py", MOODLE, f"in/{MOODLE}my bot.py"])
def test_what_a_platform_says_of_a_file_is_no_part_of_a_name(place: Path, path: str) -> None:
    """In a table, and in an archive."""
    file = place / path if path.endswith(".py") else place / path / "bot.py"
    file.parent.mkdir(parents=True)
    file.write_text(BOT)
    packed = zipped("class.zip", {"ada.py": BOT, str(file.relative_to(place)).removeprefix("in/"): BOT})
    for entries in (table(f"bot\n{path}\n"), Roster().of(packed)):
        (entry,) = (one for one in entries if one.name != "ada")
        assert (entry.made, entry.author, entry.number) == ("Zoë Müller", "Zoë Müller", "81201")
        assert entry.left_out == ""
    (entry,) = table(f"bot,author\n{path},Z. M.\n")
    assert (entry.made, entry.author, entry.number) == ("Z. M.", "Z. M.", "81201")


def test_a_file_of_a_spreadsheet_is_told_how_to_become_a_table(place: Path) -> None:
    for name in ("class.xlsx", "class.ods"):
        Path(name).write_bytes(b"PK\x03\x04")
        Path(name).chmod(0o755)  # As every file has it on a disk of Windows.
        ((_, why),) = find_entries(Roster().of(name), "sticheln", Sandbox()).found.passed_over
        assert "save it as CSV" in why
    for begins in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        (entry,) = table(begins + bytes(99))
        assert "save it as CSV" in entry.passed_over


def test_a_byte_order_mark_is_no_mistake(place: Path) -> None:
    (entry,) = table(f"\ufeff{GOOD}", "class.toml")
    assert entry.name == "ada"
    (place / "bot.toml").write_text("\ufeffcommand = 'true'\n")
    assert read_manifest(place / "bot.toml").command == "true"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.csv", "a,b\n1,2\n"),
        ("notes.csv", ""),
        ("notes.csv", "\0" * 2_000_000),
        ("bot.toml", 'command = "x"\n'),
        ("bot.toml", "= ="),
        ("bot.toml", "bot = 3"),
    ],
)
def test_what_is_no_table_is_passed_over(place: Path, name: str, text: str) -> None:
    (entry,) = table(text, name)
    entered = find_entries([entry], "sticheln", Sandbox())
    assert [word for word, _ in entered.found.passed_over] == [name]


def test_columns_that_are_not_used_are_named(place: Path) -> None:
    Path("class.csv").write_text("bot,autor\nada.py,Ada\n")
    roster = Roster()
    roster.of("class.csv")
    assert "unused columns: autor (known columns: bot, name, title, author, group)" in roster.remarks[0]


def test_an_archive_of_one_is_called_after_it(place: Path) -> None:
    for files in (
        {"bot.py": BOT},
        {"bot.py": BOT, "README": "x", "data/x.txt": "1"},
        {"greedy/bot.toml": "command = 'true'\n", "greedy/other.py": BOT, "__MACOSX/._greedy": ""},
        {"a/b/x.py": BOT, ".hidden/y.py": BOT},
    ):
        word = zipped("ada.zip", files)
        (entry,) = Roster().of(word) if "data/x.txt" not in files else Roster().of(f"ada={word}")
        assert (entry.name, entry.left_out) == ("ada", "")


def test_an_archive_of_a_class(place: Path) -> None:
    inner = zipped("inner.zip", {"dan/whatever.py": BOT})
    word = zipped(
        "class.zip",
        {
            "7a/ada.py": BOT,
            "7a/bob/bot.toml": "command = 'true'\nname = 'greedy'\n",
            "7a/Zoë Müller_123_assignsubmission_file/x.py": BOT,
            "7a/dan.zip": Path(inner).read_bytes(),
            "7a/eve.zip": "not a zip",
            "7a/fay/essay.pdf": "x",
            "7a/gus/one.py": BOT,
            "7a/gus/two.py": BOT,
            "7a/hal/one.py": BOT,
            "7a/hal/own/bot.toml": "command = 'true'\n",
            "7a/ivy/own/bot.toml": "command = 'true'\nname = 'ivy'\n",
            "7a/ivy/notes/read.me": "x",
            "7a/house-1.py": BOT,
            "7a/list.csv": "bot\n/etc/passwd\n",
        },
    )
    entries = Roster().of(word)
    good = [entry for entry in entries if not entry.left_out]
    assert sorted(entry.made or entry.name for entry in good) == ["Zoë Müller", "ada", "bob", "dan", "ivy"]
    reasons = left_out(entries)
    assert sorted(reasons) == ["eve", "fay", "gus", "hal", "house-1"]
    assert "is damaged" in reasons["eve"]
    assert "nothing that can be a bot" in reasons["fay"]
    assert "several files can be the bot: one.py, two.py" in reasons["gus"]
    assert "several can be the bot: one.py, own/; leave only one" in reasons["hal"]
    assert [one.name for one in find_entries(good, "sticheln", Sandbox()).found.entrants] == names(good)


def test_an_archive_in_an_archive_in_an_archive_stays_packed(place: Path) -> None:
    data = Path(zipped("one.zip", {"bot.py": BOT})).read_bytes()
    data = Path(zipped("two.zip", {"one.zip": data})).read_bytes()
    (entry,) = Roster().of(zipped("three.zip", {"two.zip": data}))
    assert "nothing that can be a bot" in entry.left_out
    (entry,) = Roster().of("two.zip")
    assert not entry.left_out


def test_a_table_of_archives_shares_the_bounds(place: Path) -> None:
    for name in ("one", "two"):
        zipped(f"{name}.zip", {"bot.py": BOT, "data": os.urandom(600)})
    Path("class.csv").write_text("bot\none.zip\ntwo.zip\n")
    entries = Roster(ArchiveLimits(size=1000)).of("class.csv")
    assert list(left_out(entries)) == ["two"]


def test_two_of_one_name_in_archives(place: Path) -> None:
    entries = Roster().of(zipped("class.zip", {"ada.py": BOT, "ada/bot.py": BOT}))
    assert names(entries) == ["ada", "ada-2"]


def test_other_words_stay_as_they_are(place: Path) -> None:
    for word in ("ada.py", "x=ada.py", "search", "no.csv", "no.zip", "x=no.zip", "cy", "x=python3 a.zip"):
        assert Roster().of(word) == [Entry(word)]


@pytest.mark.parametrize("above", ["", "class/"])
def test_what_one_author_hands_in_costs_no_other(place: Path, above: str) -> None:
    manifest = {f"{above}cy/deep/Util.py": "", f"{above}cy/deep/util.py": "", f"{above}cy/bot.toml": "x"}
    files = {f"{above}ada/bot.py": BOT, f"{above}bob/Bot.py": BOT, f"{above}bob/bot.py": BOT, **manifest}
    entries = Roster().of(zipped("class.zip", files))
    assert names(entries) == ["ada", "bob", "cy"]
    reasons = left_out(entries)
    assert set(reasons) == {"bob", "cy"}
    assert "bob/Bot.py' and" in reasons["bob"]
    assert "cy/deep/Util.py' and" in reasons["cy"]
    assert left_out(Roster().of("class.zip")) == reasons


def test_an_archive_of_one_author_is_whole_or_no_bot(place: Path) -> None:
    files = {"bot.toml": 'run = ["./bot"]\n', "bot": BOT, "in/A.py": "", "in/a.py": ""}
    (entry,) = Roster().of(zipped("eve.zip", files))
    assert "which are the same file on some machines" in entry.left_out
    (entry,) = Roster().of(f"eve={zipped('other.zip', {'bot.py': BOT, 'in/A.py': '', 'in/a.py': ''})}")
    assert "which are the same file on some machines" in entry.left_out


@pytest.mark.thorough  # It takes the ten seconds that are allowed.
@pytest.mark.usefixtures("place")
def test_a_table_that_takes_hours_is_not_read() -> None:
    with pytest.raises(UserError, match=r"class\.toml: cannot be read within 10 s"):
        table(f"{'a.' * 200_000}a = 1", "class.toml")
