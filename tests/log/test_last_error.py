"""Which line of a standard error says why a program ended. `crashes/` has what runtimes wrote; only that of
Ruby and Go is written by hand, after their manuals.
"""

from pathlib import Path

import pytest

from arena.log.last_error import last_error
from arena.system.text import visible

CRASHES = Path(__file__).parent / "crashes"
ERRORS = {
    "cpp": "what(): vector::_M_range_check: __n (which is 1) >= this->size() (which is 0)",
    "d": "std.json.JSONException@std/json.d(641): Key not found: legal",
    "d-index": "core.exception.ArrayIndexError@b.d(2): index [1] is out of bounds for array of length 0",
    "d-lines": "std.json.JSONException@std/json.d(641): Key not found: legal",
    "elixir": "** (ArgumentError) errors were found at the given arguments:",
    "elixir-case": '** (CaseClauseError) no case clause matching: %{"legal" => [], "type" => 2}',
    "elixir-task": "** (KeyError) key :legal not found in: %{}",
    "erlang": "escript: exception error: {function_clause,[{local,choose,[[]]}]}",
    "erlang-boot": "init terminating in do_boot ({function_clause,[{lists,nth,",
    "go": "panic: runtime error: invalid memory address or nil pointer dereference",
    "groovy": "java.lang.NullPointerException: Cannot get property 'legal' on null object",
    "groovy-lines": "groovy.json.JsonException: expecting '}' or ',' but got current char '\"' with",
    "guile": "In procedure car: Wrong type argument in position 1 (expecting pair): ()",
    "java": 'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "A$H.cards()"',
    "java-cause": 'Caused by: java.lang.NullPointerException: Cannot invoke "A$H.cards()" because',
    "java-lines": 'Exception in thread "main" T$MyOwn: line one',
    "nim": "Error: unhandled exception: index out of bounds, the container is empty [IndexDefect]",
    "node": "TypeError: Cannot read properties of undefined (reading 'length')",
    "node-cause": "Error: choosing",
    "node-file": "Error: ENOENT: no such file or directory, open 'nothere.txt'",
    "node-module": "Error: Cannot find module 'nothere'",
    "node-text": "no card",
    "perl": 'Can\'t call method "method" on an undefined value at a.pl line 1.',
    "perl-confess": "no card at b.pl line 1, <STDIN> line 1.",
    "perl-module": "Can't locate Nothere/Module.pm in @INC (you may need to install the Nothere::Module",
    "perl-stdin": "no card at c.pl line 1, <STDIN> line 1.",
    "prolog": "ERROR: /home/ada/x.swipl.pl:1: user:main atom_length/2: Arguments are not sufficiently",
    "python": "KeyError: 'best'",
    "python-group": "ValueError: two",
    "python-note": "KeyError: 'B4'",
    "python-pool": "KeyError: 'B4'",
    "python-syntax": "SyntaxError: invalid syntax",
    "ruby": "bot.rb:1:in `choose': undefined method `firts' for []:Array (NoMethodError)",
    "rust": "index out of bounds: the len is 0 but the index is 1",
    "rust-backtrace": "index out of bounds: the len is 0 but the index is 1",
    "rust-result": "Error: ParseIntError { kind: InvalidDigit }",
    "sh": "a.sh: line 2: nothere: unbound variable",
    "tcl": 'key "legal" not known in dictionary',
}
"""How the line begins, by the name of the file."""


def test_every_crash_has_its_line() -> None:
    assert {path.stem for path in CRASHES.iterdir()} == ERRORS.keys()


@pytest.mark.parametrize("name", ERRORS)
def test_the_error_stands_before_where_it_was(name: str) -> None:
    stderr = visible((CRASHES / f"{name}.txt").read_bytes(), 4096)
    assert last_error(stderr).startswith(ERRORS[name])
    assert last_error(f"hand R1 R2\nfirst R1\n{stderr}").startswith(ERRORS[name])


@pytest.mark.parametrize(
    ("stderr", "error"),
    [
        ("", ""),
        (" \n", ""),
        ("only one line", "only one line"),
        ("KeyError: 'B4', so the lowest card\nno weights: giving up", "no weights: giving up"),
        (r"\tat Bot.choose(Bot.java:5)", r"\tat Bot.choose(Bot.java:5)"),
    ],
)
def test_without_a_stack_the_last_line_counts(stderr: str, error: str) -> None:
    assert last_error(stderr) == error
