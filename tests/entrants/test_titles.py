"""Titles: found with the bots, unique, and nobody else's."""

from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Admitted
from arena.entrants.entrant import Entrant
from arena.entrants.find import find, numbered, require_unique
from arena.entrants.titles import entitled
from arena.log.entries import LoggedEntrant
from arena.process.launch import Launch
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError

NOWHERE = Launch(("true",), "/")


def bot(name: str, title: str = "") -> Entrant:
    return Entrant(name, NOWHERE, name, title=title)


def found(*words: Path | str) -> tuple[Entrant, ...]:
    return find(map(str, words), "sticheln", Sandbox()).entrants


def script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("pass\n")
    return path


def folder(path: Path, more: str = "") -> Path:
    script(path / "bot.py")
    (path / "bot.toml").write_text(f'command = "python3 bot.py"\n{more}')
    return path


def test_long_titles_of_which_the_ends_differ_do_not_look_alike(tmp_path: Path) -> None:
    stems = [f"die-unglaublich-lange-bezeichnung-{number}" for number in (1, 2)]
    entrants, remarks = entitled(found(*(script(tmp_path / f"{stem}.py") for stem in stems)))
    assert [one.title for one in entrants] == [
        f"die-unglaublich-lange…eichnung-{number}" for number in (1, 2)
    ]
    assert remarks == ()


def called(entrants: tuple[Entrant, ...]) -> list[tuple[str, str]]:
    return [(entrant.name, entrant.title) for entrant in entrants]


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("größer", "grosser-45fbf6a6"),
        ("my bot", "my-bot-ccb0931f"),
        ("カード", "bot-a586e52c"),
        ("🃏", "bot-601cc02f"),
    ],
)
def test_a_file_may_be_called_anything(stem: str, name: str, tmp_path: Path) -> None:
    path = script(tmp_path / f"{stem}.py")
    (entrant,) = found(path)
    assert (entrant.name, entrant.title, entrant.source) == (name, stem, str(path))
    assert found(path, script(tmp_path / "other.py"))[0] == entrant


def test_a_plain_name_needs_no_title(tmp_path: Path) -> None:
    assert called(found(script(tmp_path / "deep.py"))) == [("deep", "")]


@pytest.mark.parametrize(
    ("manifest", "name", "title"),
    [
        ("", "der-Grosse-0668845c", "der Große"),
        ('name = "deep"', "deep", ""),
        ('name = "deep"\ntitle = "Die Tiefe"', "deep", "Die Tiefe"),
        ('name = "deep"\ntitle = "deep"', "deep", ""),
        ('name = "Tief & breit"', "Tief-breit-95799f7a", "Tief & breit"),
        ('name = "deep"\ntitle = "\\u202e\\u001b[2Jx"', "deep", "[2Jx"),
    ],
)
def test_a_folder_may_too_and_say_its_title(manifest: str, name: str, title: str, tmp_path: Path) -> None:
    assert called(found(folder(tmp_path / "der Große", manifest))) == [(name, title)]


def test_whoever_types_a_name_means_it(tmp_path: Path) -> None:
    """The stem is not a title any more; what the author says of himself still is."""
    plain, own = script(tmp_path / "größer.py"), folder(tmp_path / "f", 'title = "Größter"')
    assert called(found(f"x={plain}", f"y={own}")) == [("x", ""), ("y", "Größter")]


@pytest.mark.parametrize("manifest", [None, "", 'name = "house-x"'])
def test_a_house_bots_name_is_refused_at_the_door(manifest: str | None, tmp_path: Path) -> None:
    path = script(tmp_path / "house-1.py") if manifest is None else folder(tmp_path / "house-1", manifest)
    with pytest.raises(UserError, match=r"names that begin with 'house-' belong to house bots; write "):
        found(path)
    assert called(found(f"one={path}")) == [("one", "")]


def test_a_file_whose_name_cannot_be_pasted_is_left_out(tmp_path: Path) -> None:
    names = ("a\nb.py", "\x1b[31m.py", "a\u202eb.py")
    left_out = find([str(script(tmp_path / name)) for name in names], "sticheln", Sandbox()).left_out
    assert [one.reason for one in left_out] == [
        f"its file name, {name!a}, cannot be copied and pasted: rename it" for name in names
    ]
    assert all(one.name.isascii() for one in left_out)


def test_a_bot_in_a_folder_whose_name_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    beside = script(tmp_path / "d\udcff" / "bot.py")
    (one,) = find([str(beside)], "sticheln", Sandbox()).left_out
    assert one.name == "bot"
    assert one.reason.endswith("d\\udcff', is not UTF-8: rename the folder")


def test_versions_in_a_match_are_called_by_their_folders(tmp_path: Path) -> None:
    one, two = folder(tmp_path / "mybot", 'name = "mybot"'), folder(tmp_path / "v3", 'name = "mybot"')
    assert called(numbered(found(one, two))) == [("mybot", ""), ("v3", "")]
    assert called(numbered(found(two, one, two))) == [("v3", ""), ("mybot", ""), ("v3-2", "")]
    other = script(tmp_path / "else" / "mybot.py")
    assert called(numbered(found(other, two))) == [("mybot", ""), ("v3", "")]
    assert called(numbered(found(f"new={two}", one))) == [("new", ""), ("mybot", "")]


def test_copies_of_one_folder_keep_its_name(tmp_path: Path) -> None:
    path = folder(tmp_path / "v3", 'name = "mybot"')
    assert called(numbered(found(path, path))) == [("mybot", ""), ("mybot-2", "")]


def test_a_title_of_several_versions_tells_nothing(tmp_path: Path) -> None:
    about = 'name = "mybot"\ntitle = "Mein Bot"'
    one, two = folder(tmp_path / "mybot", about), folder(tmp_path / "v3", about)
    assert called(numbered(found(one, two))) == [("mybot", ""), ("v3", "")]


def test_copies_are_numbered_in_their_titles_too(tmp_path: Path) -> None:
    path = script(tmp_path / "größer.py")
    assert called(numbered(found(path, path))) == [
        ("grosser-45fbf6a6", "größer"),
        ("grosser-45fbf6a6-2", "größer 2"),
    ]


def test_in_a_tournament_the_way_out_is_the_folders_name(tmp_path: Path) -> None:
    one, two = folder(tmp_path / "mybot", 'name = "mybot"'), folder(tmp_path / "v3", 'name = "mybot"')
    with pytest.raises(UserError, match=f"rename one of them: v3={two}$"):
        require_unique(found(one, two))


def test_the_later_of_two_alike_is_called_by_its_name() -> None:
    entrants = [bot("a", "Größer"), bot("b", "größer"), bot("c", "Grоsser"), bot("d", "Kleiner")]
    titled = entitled(entrants)
    assert called(titled.entrants) == [("a", "Größer"), ("b", ""), ("c", ""), ("d", "Kleiner")]
    assert titled.remarks == tuple(
        f"{name}: shown under its name, since its title {title!r} looks like the title 'Größer' of a; "
        f"--title {name}=… sets a different title"
        for name, title in (("b", "größer"), ("c", "Grоsser"))
    )


@pytest.mark.parametrize(
    ("title", "rival"),
    [
        ("BОB", "the name 'bob'"),
        ("hоuse-1", "a house bot's name"),
        ("Search", "the name 'search'"),
        ("ｈｅｕｒｉｓｔｉｃ", "the name 'heuristic'"),
        ("Größer", "the title 'größer' of cy"),
    ],
)
def test_nobody_imitates_another(title: str, rival: str) -> None:
    others = [bot("bob"), bot("cy", "größer")]
    dropped = entitled([*others, bot("a", title)])
    assert called(dropped.entrants)[-1] == ("a", "")
    assert rival in dropped.remarks[0]
    with pytest.raises(UserError, match=f"--title a={title}: it looks like {rival}"):
        entitled([*others, bot("a")], {"cy": "größer", "a": title})
    assert called(entitled([bot("a", title)], beside=others).entrants) == [("a", "")]


def test_a_name_comes_before_a_title_wherever_it_stands() -> None:
    assert called(entitled([bot("a", "Bob"), bot("bob")]).entrants) == [("a", ""), ("bob", "")]


def test_a_title_may_look_like_its_own_name() -> None:
    entrants = [bot("ada", "Ada"), bot("search", "SEARCH")]
    assert entitled(entrants).entrants == tuple(entrants)


def test_what_is_typed_beats_what_is_found() -> None:
    entrants = [bot("a", "größer"), bot("b"), bot("c", "Ceh")]
    titled = entitled(entrants, {"b": "Größer", "c": ""})
    assert called(titled.entrants) == [("a", ""), ("b", "Größer"), ("c", "")]


@pytest.mark.parametrize(
    ("wish", "why"), [("カ" * 17, "34 columns wide"), ("\u200b", "none of it is visible")]
)
def test_what_cannot_be_a_title_is_the_callers_mistake(wish: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        entitled([bot("a")], {"a": wish})


def test_a_strangers_title_iscleaned_where_it_is_read() -> None:
    nasty = bot("a", "\x1b[2J\u202eowned" + "x" * 99)
    entry = Admitted(nasty).cleaned
    assert isinstance(entry, Admitted)
    assert entry.entrant.title == "[2Jowned" + "x" * 13 + "…" + "x" * 10


def test_without_a_title_a_log_is_what_it_was() -> None:
    assert msgspec.json.encode(LoggedEntrant("a", "d")) == b'{"name":"a","digest":"d"}'
    assert msgspec.json.decode(b'{"name":"a","digest":"d"}', type=LoggedEntrant) == LoggedEntrant("a", "d")
