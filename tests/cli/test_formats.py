"""Every format from the command line to its end, cut short and resumed; the pairings explained."""

import itertools
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games import EXTRAS, GAMES
from tests.cli.calls import BOTS, ROOT, Call, arena
from tests.support.programs import Program
from tests.support.standings import table
from tests.support.waiting import running
from tournaments.formats import FORMATS

HIGHEST = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])")


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("five")
    for name in ("ada", "bob", "cy", "dee", "eve"):
        (folder / f"{name}.py").write_text((HIGHEST if name == "ada" else Program()).source())
    return [str(path) for path in sorted(folder.iterdir())]


CHEAP = ("--keep-bots", "--sandbox", "none", "--jobs", 1)
"""What is looked at here follows from results, whatever processes they come from."""
DUPLICATED = ("--seats", 3, "--deals", 1, "--seed", 7, *CHEAP)


@pytest.fixture(scope="module")
def duplicated(five: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three rounds of three bots with duplicate deals."""
    run = tmp_path_factory.mktemp("duplicated") / "run"
    call = arena("tournament", *five[:3], *DUPLICATED, "--rounds", 3, "--out", run)
    assert call.status == 0, call.err
    return run


def named(format: str, challenger: str) -> list[str]:
    return ["--format", format, *(["--challenger", challenger] if format == "gauntlet" else [])]


IN_THE_GATE = ("swiss",)


@pytest.mark.parametrize(
    "format",
    [pytest.param(name, marks=() if name in IN_THE_GATE else pytest.mark.thorough) for name in FORMATS],
)
def test_a_format_to_its_end_and_resumed(format: str, five: list[str], tmp_path: Path) -> None:
    short = ["--seats", 3, "--deals", 1, "--seed", 7, "--no-duplicates", *CHEAP]
    short += ["--rounds", 2] if format == "swiss" else []
    words = ["tournament", *five, *named(format, "cy"), *short]
    whole = arena(*words, "--out", tmp_path / "whole")
    assert whole.status == 0, whole.err
    assert arena("verify", tmp_path / "whole").status == 0

    cut = cut_short(words, tmp_path / "cut")
    assert cut.status == 0, cut.err
    assert table(tmp_path / "cut") == table(tmp_path / "whole")

    knockout = arena("standings", tmp_path / "whole", "--json").json["knockout"]  # type: ignore[index]
    assert bool(knockout) == ("knockout" in format)
    if knockout:
        assert re.search(rf" {knockout['winner']} +winner ", whole.out)
        assert knockout["came_to"][knockout["winner"]] == knockout["final"]


def cut_short(words: list[object], folder: Path) -> Call:
    """Killed after its first match, and resumed."""
    director = subprocess.Popen(
        [sys.executable, "-m", "arena", *map(str, words), "--out", str(folder)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    running(folder)
    director.send_signal(signal.SIGKILL)
    director.wait()
    return arena("resume", folder)


@pytest.mark.parametrize(
    ("format", "game"),
    [
        # A format knows no game: each of both once is `thorough`, and every pair is played before a release.
        pytest.param(
            *pair,
            marks=pytest.mark.thorough if "swiss" in pair or "sticheln" in pair else pytest.mark.exhaustive,
        )
        for pair in itertools.product(FORMATS, GAMES)
    ],
)
def test_every_format_with_every_game(format: str, game: str, tmp_path: Path) -> None:
    words = ["tournament", *BOTS, *named(format, "careful"), "--game", game, "--deals", 1, "--seed", 7]
    cut = cut_short(words, tmp_path / "run")
    assert cut.status == 0, cut.err
    assert "forfeits" not in cut.err
    assert arena("verify", tmp_path / "run").status == 0


def test_pairings_are_explained(five: list[str], tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["--seats", 3, "--deals", 1, "--rounds", 2, "--seed", 7, "--no-duplicates", *CHEAP]
    words += ["--author", "ada=A", "--author", "bob=A"]
    assert arena("tournament", *five, *words, "--out", run).status == 0
    plain = arena("pairings", run)
    assert len(re.findall(r"^ Round|^Round", plain.out, re.MULTILINE)) == 2
    explained = arena("pairings", run, "--round", 2, "--explain")
    assert "cheapest exchange" in explained.out
    assert re.search(r"for \S+ of pod \d: (as good|[+-]\d+ )", explained.out)
    (second,) = arena("pairings", run, "--round", 2, "--json").json  # type: ignore[misc]
    assert {name for pod in second["pods"] for name in pod["scores"]} >= {"ada", "bob", "cy", "dee", "eve"}
    assert arena("pairings", run, "--round", 9).status == 2


@pytest.mark.thorough  # 3 s of processor.
def test_the_figures_behind_the_standings(duplicated: Path) -> None:
    call = arena("standings", duplicated, "--margin", "0.5")
    assert call.status == 0, call.err
    for text in ("Who gains more than whom", "Gain by seat", "duplicate deals divided", "for ±0.5: "):
        assert text in call.out
    data = arena("standings", duplicated, "--full", "--json").json
    assert len(data["seats"]) == 3  # type: ignore[index]
    assert data["spent_ms"].keys() == {"thinking", "starting", "sandboxes", "ending", "referee"}  # type: ignore[index]
    assert f"starting {data['spent_ms']['starting'] / 1000:.1f} s" in call.out  # type: ignore[index]


def test_a_plan_plays_nothing(five: list[str], tmp_path: Path) -> None:
    def planned(*words: object) -> Call:
        call = arena("tournament", *five, "--plan", 0.5, *words, "--json", folder=tmp_path)
        assert list(tmp_path.iterdir()) == []
        return call

    as_it_is, by_rounds, *_ = planned("--jobs", 1, "--rounds", 3).json["sizes"]  # type: ignore[index]
    assert (as_it_is["rounds"], as_it_is["deals"], as_it_is["matches"]) == (3, 4, 24)
    # 24 × (4 × 20 s + 4 deals × 60 cards × 1 s)
    assert as_it_is["worst_seconds"] == 24 * (4 * 20 + 4 * 60)
    assert by_rounds["margin"] <= 0.5 < as_it_is["margin"]
    assert by_rounds["matches"] == 8 * by_rounds["rounds"]
    assert planned("--like", tmp_path / "nowhere").status == 2
    assert arena("tournament", *five, "--like", tmp_path, folder=tmp_path).status == 2


def test_a_plan_after_an_earlier_run(five: list[str], duplicated: Path) -> None:
    call = arena("tournament", *five, *DUPLICATED, "--plan", 2, "--like", duplicated)
    assert call.status == 0, call.err
    assert f"as in {duplicated}" in call.out
    call = arena("tournament", *five, "--plan", 2, "--like", duplicated)
    assert (call.status, "seats there: 3, here: 4" in call.err) == (2, True)


def test_every_game_has_a_typical_spread() -> None:
    assert all(extras.luck for extras in EXTRAS.values())


@pytest.mark.thorough  # 4 s of processor.
def test_copies_of_one_bot_end_exactly_equal(five: list[str], tmp_path: Path) -> None:
    """Deterministic ones, in all seatings of the same deals."""
    run = tmp_path / "run"
    words = ("--seats", 3, "--deals", 1, "--rounds", 2, *CHEAP)
    assert arena("tournament", *five[1:4], *words, "--out", run).status == 0
    rows = arena("standings", run, "--json").json["entrants"]  # type: ignore[index]
    assert {(row["rank"], row["gain"], row["score"]) for row in rows} == {(1, 0.0, rows[0]["score"])}
