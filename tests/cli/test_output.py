"""Tables and long lines, in a terminal and elsewhere."""

import io
import re
from pathlib import Path

from rich.console import Console

from arena.cli.output import Column, print_hanging, print_table, ranges

PRODUCT = Path(__file__).parents[2] / "arena"
UNQUOTED = re.compile(
    r"(?:\barena (?:league )?[a-z]+|\bchmod [^\s{]+) "
    r"\{(?!shell_word\(|shlex\.|language\}|(?:self|game)\.id\}|0\})[^}]*\}"
)
"""In an f-string: a command that is followed by something that a shell may split, and no game's id."""
COLUMNS = [Column("bot"), *(Column(f"deal {number}", right=True, spare=number) for number in range(1, 6))]
ROWS = [("ada", "1", "2", "3", "4", "5"), ("bob", "0", "0", "0", "0", "0")]


def console(width: int, terminal: bool) -> Console:
    made = Console(file=io.StringIO(), width=width, force_terminal=terminal, markup=False, highlight=False)
    made.no_color = True
    return made


def lines(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_what_can_be_pasted_is_quoted() -> None:
    found = [
        f"{path.relative_to(PRODUCT)}: {command}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for command in UNQUOTED.findall(path.read_text("utf-8"))
    ]
    assert found == []


def test_columns_for_which_there_is_no_room_are_named() -> None:
    for terminal in (True, False):
        narrow, wide = console(40, terminal), console(100, terminal)
        print_table("Match", COLUMNS, ROWS, narrow)
        print_table("Match", COLUMNS, ROWS, wide)
        place = "a\n  wider terminal or --json shows them" if terminal else "--json shows them"
        assert "\n".join(lines(narrow)).endswith(f"not shown at this width: deals 4–5; {place}\n")
        assert "not shown" not in "".join(lines(wide))


def test_one_column_for_which_there_is_no_room_is_one() -> None:
    pipe = console(20, terminal=False)
    print_table("", [Column("bot"), Column("program", spare=1)], [("ada", "a" * 20)], pipe)
    assert "not shown at this width: program; --json shows it" in lines(pipe)


def test_names_that_only_their_ends_tell_apart_keep_these() -> None:
    names = [f"somebody/her-first-bot@{number}" for number in (1, 2, 13)]
    columns = [Column("version", ends=True), Column("plot", spare=1), Column("strength", right=True)]
    for width in (24, 30, 34, 60):
        narrow = console(width, terminal=False)
        shown = print_table("", columns, [(name, "-" * 40, "+12.50") for name in names], narrow)
        assert shown == {"version", "strength"}
        printed = lines(narrow)
        assert all(len(line) <= width for line in printed if "not shown" not in line)
        assert [line.split()[0].rpartition("@")[2] for line in printed if "@" in line] == ["1", "2", "13"]


TITLES = (
    Column("version", ends=True),
    Column("author", spare=1, cut=True),
    Column("plot", spare=2),
    Column("pods", right=True),
)


def test_a_text_that_may_be_cut_is_cut_before_a_column_is_left_out() -> None:
    rows = [("red/one@1", "Die Zahlenschieber der Oberstufe", "-" * 20, "3"), ("b/b@1", "漢字" * 8, "", "4")]
    for width, shown in ((90, 32), (70, 24), (60, 14), (40, 17)):
        narrow = console(width, terminal=False)
        kept = print_table("", TITLES, rows, narrow)
        assert ("plot" in kept) == (width > 40)
        printed = "\n".join(lines(narrow))
        assert all(len(line) <= width for line in lines(narrow) if "not shown" not in line)
        assert f" {rows[0][1][:shown].rstrip()}{'…' if shown < 32 else ' '}" in printed, (width, printed)


def test_tables_beside_each_other_have_the_same_columns() -> None:
    short, long = ("a/a@1", "Ada", "-", "3"), ("somebody/her-first@1", "Ada", "-" * 20, "3")
    alone, beside = console(40, terminal=False), console(40, terminal=False)
    assert "plot" in print_table("", TITLES, [short], alone)
    assert "plot" not in print_table("", TITLES, [short], beside, [short, long])


def test_only_columns_that_follow_one_another_are_a_range() -> None:
    headings = ["forfeits", "deal 3", "deal 4", "deal 5", "deal 9", "seat 10", "seat 11"]
    assert ranges(headings) == ["forfeits", "deals 3–5", "deal 9", "seats 10–11"]
    assert ranges([]) == []


def test_no_line_ends_with_blanks_in_a_pipe() -> None:
    pipe = console(100, terminal=False)
    print_table("Match", COLUMNS, ROWS, pipe)
    assert any("bob" in line for line in lines(pipe))
    assert [line for line in lines(pipe) if line != line.rstrip()] == []


def test_a_long_line_goes_on_below_from_its_next_word() -> None:
    terminal, pipe = console(30, terminal=True), console(30, terminal=False)
    line = '    sent    say {"id":11,"legal":["R1","G2"]} once'
    print_hanging(line, terminal, 12)
    print_hanging(line, pipe, 12)
    assert lines(terminal) == [
        '    sent    say {"id":11,',
        '            "legal":["R1",',
        '            "G2"]} once',
    ]
    assert lines(pipe) == [line]
