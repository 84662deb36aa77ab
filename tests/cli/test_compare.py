"""Two bots compared from the command line, and what is said of it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.commands.compare import Compare, CompareResult
from tests.cli.calls import ROOT, arena
from tests.cli.terminals import Terminal
from tests.support.needs import require
from tournaments.compare import ComparisonEstimate, Question, Verdict

GREEDY = ROOT / "bots" / "greedy.py"
BRIEF = ("--seats", 3, "--budget", 10, "--seed", 7, "--keep-bots")


def test_a_better_bot() -> None:
    bots = [ROOT / "bots" / name for name in ("careful.py", "random.py")]
    call = arena("compare", *bots, "--seats", 3, "--seed", 7, "--keep-bots")
    assert (call.status, call.out.splitlines()[0]) == (0, "careful is better than random"), call.err
    assert "next: keep a copy of" in call.err
    assert "A verdict is wrong with a probability of at most 5 %, however many deals are played, if diff" in (
        call.out
    )
    assert "(--bounded does not need" in call.out


@pytest.mark.thorough  # 3 s of processor.
def test_one_that_is_not_better_and_its_forfeits(tmp_path: Path) -> None:
    bots = [tmp_path / "dies.sh", GREEDY]
    bots[0].write_text("exit 3")
    words = (*BRIEF, "--budget", 40, "--against", bots[0], "--sandbox", "none")
    call = arena("compare", *bots, *words)
    assert (call.status, call.out.splitlines()[0]) == (1, "dies is not better than greedy"), call.err
    assert f"next: arena match {shlex.join(map(str, bots))} " in call.err
    assert re.search(r"^dies forfeited (\d+) of \1 matches: \1 × exited$", call.out, re.MULTILINE), call.out


@pytest.mark.thorough  # 5 s of processor.
@pytest.mark.parametrize("level", ["rlimits", "bwrap"])
def test_equal_bots_stay_undecided_beside_a_strong_one_of_the_house(level: str, tmp_path: Path) -> None:
    """Not the file of that name that lies there."""
    require(level)
    (tmp_path / "heuristic").write_text("not a bot")
    call = arena("compare", GREEDY, GREEDY, *BRIEF, "--json", "--sandbox", level, folder=tmp_path)
    assert call.status == 3
    assert call.json["verdict"] == "undecided"  # type: ignore[index]
    assert call.json["against"] == ["heuristic"], call.err  # type: ignore[index]
    assert call.json["forfeits"] == {}  # type: ignore[index]
    assert call.json["deals"] == 1  # type: ignore[index]
    assert "with them: heuristic\nmatches of 1 deal, " in call.err
    twice = shlex.join([str(GREEDY)] * 2)
    assert f"next: arena match {twice} heuristic --seats 3 " in call.err


@pytest.mark.thorough  # 7 s of processor.
def test_its_copies_are_numbered_and_who_is_named_sits_there_instead() -> None:
    random = ROOT / "bots" / "random.py"
    call = arena("compare", "heuristic", GREEDY, "--against", random, *BRIEF, "--seats", 4, "--json")
    assert call.json["one"] == "heuristic"  # type: ignore[index]
    assert call.json["against"] == ["random", "heuristic-2"]  # type: ignore[index]


@pytest.mark.thorough  # 9 s of processor.
def test_where_a_deal_depends_on_the_last_a_match_has_as_many_as_ever() -> None:
    """In a match of one deal nobody would choose the colour on top."""
    call = arena("compare", GREEDY, GREEDY, "--game", "ole", *BRIEF, "--budget", 30, "--json")
    assert (call.json["deals"], call.json["units"], call.json["budget"]) == (3, 10, 30)  # type: ignore[index]
    assert "matches of 3 deals, " in call.err


@pytest.mark.thorough  # 12 s of processor.
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--final",), "if no more than 10 deals are ever played, and if differences are not very skewed."),
        (("--bounded",), "under the rules, one seat can gain at most 72 a deal more than another"),
    ],
)
def test_what_is_promised_is_said(words: tuple[str, ...], told: str) -> None:
    random = ROOT / "bots" / "random.py"
    call = arena("compare", GREEDY, random, "--against", random, *BRIEF, *words)
    assert "A verdict is wrong with a probability of at most 5 %" in call.out
    assert told in call.out
    assert "surely" not in call.out


@pytest.mark.thorough  # 2 s of processor.
def test_nobody_gets_through_a_deal_and_it_ends_all_the_same(tmp_path: Path) -> None:
    dies = tmp_path / "dies.sh"
    dies.write_text("exit 3")
    call = arena("compare", dies, dies, "--against", dies, *BRIEF, "--sandbox", "none")
    assert call.status == 3
    assert "dies gains as much as dies-2; 10 deals" in call.out


@pytest.mark.parametrize(
    ("difference", "high", "verdict", "told"),
    [
        (
            -12.0,
            -9.0,
            "not better",
            "ada is weaker than b|ada gains 12.00 points a deal less than b, sure to ±3.00 ",
        ),
        (-2.0, 1.0, "not better", "ada is not better than b|ada gains 2.00 points a deal less than b, "),
        (2.0, 5.0, "better", "ada is better than b|ada gains 2.00 points a deal more than b, "),
        (
            0.0,
            3.0,
            "undecided",
            "undecided|ada gains as much as b, sure to ±3.00 (95 % interval -3.00 … +3.00); ",
        ),
    ],
)
def test_the_result_is_said_in_a_sentence(
    difference: float, high: float, verdict: Verdict, told: str
) -> None:
    found = ComparisonEstimate(40, difference, 2 * difference - high, high, verdict, None)
    lines = compared(found).result
    assert "|".join(lines[:2]).startswith(told)


def test_an_interval_that_lies_unevenly_has_no_single_plus_or_minus() -> None:
    found = ComparisonEstimate(40, 1.0, -1.0, 9.0, "undecided", None)
    assert compared(found).sentence == (
        "ada gains 1.00 points a deal more than b, 95 % interval -1.00 … +9.00; 40 pods of 4 deals"
    )


@pytest.mark.thorough  # 5 s of processor; test_ctrl_c interrupts one too.
def test_while_it_plays_it_says_how_long_and_at_ctrl_c_what_is_known(tmp_path: Path) -> None:
    words = ("compare", GREEDY, f"other={GREEDY}", "--seats", 3, "--budget", 5000, "--keep-bots")
    with Terminal(*words, folder=tmp_path, width=200) as terminal:
        terminal.wait_for(r"greedy gains .* other.*; \d+ deals?; .*at most 4\d\d\d \(\d+ min\)")
        terminal.press("\x03")
        assert terminal.end() == 130
        assert re.search(r"so far: greedy gains .* other.*; \d+ deals?\n+arena: interrupted", terminal.screen)


@pytest.mark.thorough
def test_without_a_terminal_a_line_says_now_and_then_how_long(tmp_path: Path) -> None:
    words = ("compare", GREEDY, f"other={GREEDY}", "--seats", 3, "--budget", 5000, "--keep-bots")
    command = [sys.executable, "-m", "arena", *map(str, words)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        told = (line for line in running.stderr if "at most" in line)
        assert re.search(r"^greedy gains .* other.*; \d+ deals?; .*at most \d+ \(.+\)$", next(told))
        running.terminate()


@pytest.mark.thorough  # 3 s of processor.
def test_the_next_line_can_be_copied_and_says_the_terms_again(tmp_path: Path) -> None:
    bots = [tmp_path / name for name in ("my bot.sh", "b;b.sh", "c.sh")]
    for bot in bots:
        bot.write_text("exit 3")
    one, other, third = (f"{name}={bot}" for name, bot in zip("abc", bots, strict=True))
    terms = ("--game", "ole", "--option", "forced_play=true", "--time", "90ms+1s", "--sandbox", "none")
    call = arena("compare", one, other, "--against", third, *terms, *BRIEF, "--deals", 1, folder=tmp_path)
    assert call.status == 3, call.err
    (line,) = (line for line in call.err.splitlines() if line.startswith("next: "))
    words = shlex.split(line.removeprefix("next: "))
    assert words == ["arena", "match", one, other, third, "--seats", "3", *terms, "--log", "match.jsonl"]
    assert arena(*words[1:], folder=tmp_path).status == 0


def compared(found: ComparisonEstimate, margin: float = 0.0) -> CompareResult:
    """After 40 pods of 4 deals."""
    return CompareResult(
        one="ada",
        other="b",
        against=(),
        titles={},
        answer=found,
        question=Question(margin=margin),
        deals=4,
        budget=4000,
        matches=160,
        forfeits={},
        seed="7",
    )


@pytest.mark.parametrize(
    ("verdict", "low", "high", "still"),
    [
        ("better", 0.1, 3.0, ""),
        ("better", -0.1, 3.0, "The interval still contains 0: it divides its 5 % between two sides, "),
        ("better", None, None, "The interval still contains 0: "),
        ("not better", -2.0, 0.4, ""),
        ("not better", -2.0, 0.6, "The interval still contains 0.5: "),
        ("undecided", -2.0, 2.0, ""),
    ],
)
def test_why_an_interval_holds_what_a_verdict_excludes(
    verdict: Verdict, low: float | None, high: float | None, still: str
) -> None:
    settled = compared(ComparisonEstimate(40, 1.0, low, high, verdict, None), margin=0.5)
    settled = msgspec.structs.replace(settled, titles={"b": "Bob"})
    lines = settled.result
    assert lines[0] == (verdict if verdict == "undecided" else f"ada is {verdict} than Bob")
    assert lines[1].endswith("; 40 pods of 4 deals")
    assert len(lines) == 3 + bool(still)
    assert lines[2].startswith(still)
    assert msgspec.json.decode(msgspec.json.encode(settled), type=CompareResult) == settled


@pytest.mark.thorough  # 8 s of processor; tests/library/test_same.py compares a value with the command.
def test_a_comparison_as_a_value() -> None:
    """It survives JSON, as does what is known after each pod; before the first that is nothing."""
    bots = {"one": str(GREEDY), "other": str(GREEDY)}
    call = msgspec.convert(
        {
            **{"type": "Compare", **bots, "seats": 3, "budget": 10, "keep_bots": True},
            "terms": {"seed": "7", "sandbox": "none"},
        },
        Compare,
    )
    assert msgspec.json.decode(msgspec.json.encode(call), type=Compare) == call
    said: list[str] = []
    known: list[CompareResult] = []
    compared = call.carry_out(said.append, known.append)
    assert [one.answer.units for one in known] == list(range(11))
    assert [one.matches for one in known] == list(range(0, 66, 6))
    assert known[-1] == compared
    assert msgspec.json.decode(msgspec.json.encode(known), type=list[CompareResult]) == known
    assert (compared.one, compared.other, compared.against) == ("greedy", "greedy-2", ("heuristic",))
    assert said[1:3] == ["with them: heuristic", "matches of 1 deal, every deal in all seatings"]


@pytest.mark.parametrize("margin", [float("inf"), float("nan"), -1.0])
def test_a_margin_is_a_number_that_json_knows(margin: float) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "Compare", "one": "a", "other": "b", "margin": margin}, Compare)
