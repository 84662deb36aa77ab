"""Functions as seats, in real matches beside real processes."""

from pathlib import Path
from typing import Any

import pytest

import arena
from arena.log.entries import Acted, parse
from arena.log.retrace import of_entries, verify

LOWEST = """\
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print('{"type":"ready","name":"lowest"}', flush=True)
    elif m["type"] == "request":
        action = min(m["legal"], key=lambda word: (len(word), word))
        print(json.dumps({"type": "reply", "id": m["id"], "action": action}), flush=True)
    else:
        break
"""
GAMES = ("sticheln", "sticheln-1993", "david-and-goliath", "ole")


def lowest(view: Any, legal: tuple[str, ...]) -> str:
    return min(legal, key=lambda word: (len(word), word))


def acted(log: str) -> list[tuple[int, str]]:
    return [(entry.seat, entry.action) for entry in parse(log.encode()) if isinstance(entry, Acted)]


@pytest.fixture
def process(tmp_path: Path) -> str:
    path = tmp_path / "lowest.py"
    path.write_text(LOWEST)
    return str(path)


# All games are asked by the same code, and differ in the type of a view.
@pytest.mark.parametrize(
    "game", ["ole", *(pytest.param(game, marks=pytest.mark.thorough) for game in GAMES if game != "ole")]
)
def test_a_function_plays_as_the_same_program_does(process: str, game: str) -> None:
    kept = {"game": game, "deals": 1, "seed": 7, "seats": 4, "on_progress": False}
    mixed = arena.match([lowest, process, lowest], **kept)
    alone = arena.match([process, process, process], **kept)
    assert acted(mixed.text) == acted(alone.text)
    assert mixed.outcome == alone.outcome
    verify(of_entries(parse(mixed.text.encode())))


def test_an_object_remembers_and_hears_all_that_a_bot_hears() -> None:
    class Listener:
        """Counts."""

        def __init__(self) -> None:
            self.heard: list[str] = []

        def begin(self, hello: Any) -> None:
            self.heard.append(f"hello {hello.seat} of {hello.seats}")

        def observe(self, event: Any) -> None:
            self.heard.append(type(event).__name__)

        def __call__(self, view: Any, legal: tuple[str, ...]) -> str:
            self.heard.append("decide")
            return legal[0]

        def end(self, end: Any) -> None:
            self.heard.append(f"end {end.termination}")

    listener = Listener()
    arena.match([listener, "heuristic"], deals=1, seed=7, on_progress=False)
    assert listener.heard[:2] == ["hello 0 of 3", "Dealt"]
    assert listener.heard[-1] == "end finished"
    assert listener.heard.count("decide") == 15  # The pain card, and fourteen tricks.


def test_a_class_is_an_object_for_each_match() -> None:
    made = []

    class Fresh:
        """Counts its matches."""

        def __init__(self) -> None:
            made.append(self)

        def __call__(self, view: Any, legal: tuple[str, ...]) -> str:
            return legal[0]

    arena.match([Fresh, Fresh, "heuristic"], deals=1, seed=7, on_progress=False)
    assert len(made) == 2


def test_an_error_of_a_function_is_the_callers_and_ends_the_match(tmp_path: Path) -> None:
    def broken(view: Any, legal: tuple[str, ...]) -> str:
        raise ZeroDivisionError("in the middle")

    with pytest.raises(ZeroDivisionError, match="in the middle"):
        arena.match([broken, "heuristic"], deals=1, log=tmp_path / "match.jsonl", on_progress=False)
    assert not [*tmp_path.iterdir()]


def test_an_illegal_action_is_an_error_and_no_forfeit() -> None:
    with pytest.raises(ValueError, match=r"seat 0: 'Z99' is not legal; the legal actions are "):
        arena.match([lambda view, legal: "Z99", "heuristic"], deals=1, on_progress=False)


@pytest.mark.parametrize("seat", [7, None, 1.5, ["bots/careful.py"]])
def test_what_can_take_no_seat_is_refused(seat: Any) -> None:
    with pytest.raises(arena.UserError, match="or a function that takes a view"):
        arena.match([seat, "heuristic"], on_progress=False)


@pytest.mark.thorough  # 2 s of processor.
def test_a_tournament_with_a_function_goes_to_its_end_and_is_verified(process: str, tmp_path: Path) -> None:
    asked = {"rounds": 2, "seats": 3, "deals": 1, "duplicates": False, "seed": 7, "on_progress": False}
    mixed = arena.tournament([("mine", lowest), process, "heuristic"], **asked, out=tmp_path / "mixed")
    assert mixed.over
    assert not mixed.verify().wrong
    assert {row.name for row in mixed.standings} >= {"mine", "lowest", "heuristic"}
    with pytest.raises(arena.UserError, match="mine"):
        mixed.resume()


def test_with_dask_functions_are_refused() -> None:
    with pytest.raises(arena.UserError, match="functions play in the calling process"):
        arena.tournament([lowest, "heuristic"], seats=3, dask="local", on_progress=False)


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("kind", [StopIteration, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_whatever_a_function_raises_comes_through(kind: type[BaseException]) -> None:
    def raises(view: Any, legal: tuple[str, ...]) -> str:
        raise kind("its own")

    with pytest.raises(kind, match="its own"):
        arena.match([raises, "heuristic"], deals=1, on_progress=False)


def test_what_equals_a_legal_action_is_one() -> None:
    class Text(str):
        """As numpy's strings are."""

    arena.match([lambda view, legal: Text(legal[0]), "heuristic"], deals=1, on_progress=False)


def test_a_name_of_the_house_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(arena.UserError, match="belong to house bots; give it a different name"):
        arena.tournament([("house-1", lowest), "heuristic"], seats=3, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_two_bots_of_one_name_are_told_apart() -> None:
    with pytest.raises(arena.UserError, match="two bots are called 'heuristic'; give the function another"):
        arena.tournament(["heuristic", ("heuristic", lowest)], seats=3, on_progress=False)


def test_nothing_is_asked_of_a_run_that_nobody_can_go_on_with(process: str, tmp_path: Path) -> None:
    asked = {"rounds": 1, "seats": 3, "deals": 1, "duplicates": False, "seed": 7, "on_progress": False}
    run = arena.tournament([("mine", lowest), process, "heuristic"], **asked, out=tmp_path / "run")
    with pytest.raises(arena.UserError, match="mine was a function of the program"):
        run.annul(run.matches[0].match, "to see")
    assert "mine" not in run.config
    assert arena.open(run.folder).over


@pytest.mark.parametrize("method", ["observe", "end"])
def test_what_is_raised_at_the_end_leaves_no_trace_either(method: str, tmp_path: Path) -> None:
    class Late:
        """Raises when it hears of the end."""

        def __call__(self, view: Any, legal: tuple[str, ...]) -> str:
            return legal[0]

    def raises(self: Late, heard: Any) -> None:
        if method == "end" or type(heard).__name__ == "Scored":
            raise ZeroDivisionError("at the end")

    setattr(Late, method, raises)
    with pytest.raises(ZeroDivisionError):
        arena.match([Late, "heuristic"], deals=1, log=tmp_path / "match.jsonl", on_progress=False)
    assert not [*tmp_path.iterdir()]
