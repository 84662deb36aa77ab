"""`arena review`: which decisions cost a bot most, in a log, over a run, and on a page."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena as library
from arena.cli.review import headline
from arena.commands.review import ReviewResult
from tests.cli.calls import ROOT, Call, arena

NAMES = ("careful", "greedy", "random")
BOTS = [ROOT / "bots" / f"{name}.py" for name in NAMES]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "match.jsonl"
    call = arena("match", *BOTS, "--deals", 1, "--seed", 3, "--sandbox", "none", "--log", path)
    assert call.status == 0, call.err
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    words = ("--seats", 3, "--rounds", 4, "--deals", 1, "--no-duplicates")
    words += ("--seed", 3, "--sandbox", "none", "--quiet")
    call = arena("tournament", "heuristic", *BOTS[1:], *words, "--out", folder)
    assert call.status == 0, call.err
    return folder


def data(call: Call) -> Any:
    assert call.status == 0, call.err
    return call.json


@pytest.fixture(scope="module")
def page(log: Path) -> Path:
    return log.with_name("review.html")


@pytest.fixture(scope="module")
def of_random(log: Path, page: Path) -> Any:
    """The seat of `random`, with its page."""
    return data(arena("review", log, "--seat", 2, "--html", page, "--json"))


@pytest.fixture(scope="module")
def of_greedy(log: Path) -> ReviewResult:
    return library.review(log, 1, deals=1, on_progress=False)


@pytest.fixture(scope="module")
def three(run: Path) -> dict[str, Any]:
    """Three deals of two bots each, by name."""
    return {
        name: data(arena("review", run, "--bot", name, "--deals", 3, "--json"))
        for name in ("heuristic", "random")
    }


@pytest.fixture(scope="module")
def sample(run: Path) -> Any:
    return data(arena("review", run, "--bot", "random", "--deals", 1, "--json"))


def test_a_log(log: Path, of_random: Any) -> None:
    found = of_random
    assert (found["bot"], found["seat"], found["deals"], found["deals_played"]) == ("random", 2, 1, 1)
    judged = found["judged"]
    decisions = [row for row in library.replay(log).decisions if row.seat == 2 and len(row.legal) > 1]
    assert [(row["deal"], row["request"], row["played"]) for row in judged] == [
        (row.deal, row.request, row.action) for row in decisions
    ]
    assert found["cost"] == pytest.approx(sum(row["cost"] for row in judged))
    assert found["low"] is None, "one match is one pod"
    assert sum(row["choices"] for row in found["kinds"]) == len(judged)

    text = arena("review", log, "--bot", "random")
    assert text.out.startswith("random, seat 2: Sticheln (NSV), 1 deal, ")
    assert f"its decisions cost {found['cost']:.2f} points a deal in all\n" in text.out
    dearest = max((row for row in judged if row["sure"]), key=lambda row: row["cost"])
    (first,) = re.findall(r"(?s)The most expensive decisions\n.*?─\n(.*?)\n", text.out)
    assert first.split()[:2] == [str(dearest["deal"]), str(dearest["trick"])]
    assert f" {dearest['played']} " in first
    assert f" {dearest['better']} " in first
    assert f" {dearest['cost']:.1f} " in first
    assert f"next: arena review {log} --seat 2 --html review.html shows them" in text.err


@pytest.mark.thorough  # 21 s of processor; tests/players/review proves the judge.
def test_who_plays_at_random_loses_more_than_who_thinks(run: Path, three: dict[str, Any]) -> None:
    assert three["random"]["cost"] > three["heuristic"]["cost"] + 2
    one = three["heuristic"]
    assert one["deals_played"] == one["matches_played"] == 4
    assert len({row["match"] for row in one["judged"]}) == 3, "deals of three pods"
    assert one["low"] < one["cost"] < one["high"]
    assert {row["match"] for row in one["judged"]} <= {row.match for row in library.open(run).matches}
    assert {row["bot"] for row in one["judged"]} == {"heuristic"}


@pytest.mark.thorough  # 7 s of processor.
def test_a_sample_is_drawn_by_lot_and_its_judgements_are_those_of_a_larger_one(
    run: Path, sample: Any, three: dict[str, Any]
) -> None:
    other = data(arena("review", run, "--bot", "random", "--deals", 1, "--seed", "x", "--json"))
    drawn, drawn_else = (
        {(row["match"], row["seat"], row["deal"]) for row in found["judged"]} for found in (sample, other)
    )
    assert (len(drawn), sample["deals"], sample["deals_played"]) == (1, 1, 4)
    assert drawn != drawn_else
    again = [row for row in three["random"]["judged"] if (row["match"], row["seat"], row["deal"]) in drawn]
    assert again == sample["judged"]
    assert "1 of 4 deals, chosen at random" in headline(msgspec.convert(sample, ReviewResult))[0]


def test_the_page_has_a_mark_at_each_dear_decision(of_random: Any, page: Path) -> None:
    (embedded,) = re.findall(r'(?s)id="data">(.*?)</script>', page.read_text())
    replay = json.loads(embedded)
    sure = [row for row in of_random["judged"] if row["sure"] and row["better"] != row["played"]]
    assert len(sure) > 3
    assert [(mark["played"], mark["better"], mark["cost"]) for mark in replay["marks"]] == [
        (row["played"], row["better"], row["cost"]) for row in sure
    ]
    assert replay["near"] == 2
    for mark, row in zip(replay["marks"], sure, strict=True):
        scene = replay["changes"][mark["scene"]]
        assert scene["deal"] == row["deal"]
        assert [one["action"] for one in scene["decided"] if one["seat"] == 2] == [row["played"]]


@pytest.mark.thorough  # 6 s of processor; of a log it is the next test.
def test_a_call_about_a_run_gives_the_same(run: Path, sample: Any) -> None:
    seen: list[library.Progress] = []
    of_run = library.review(run, bot="random", deals=1, on_progress=seen.append)
    assert msgspec.json.decode(msgspec.json.encode(of_run)) == sample
    assert seen[-1].done == seen[-1].total == 1


@pytest.mark.thorough  # 6 s of processor.
def test_a_call_gives_the_same(log: Path, of_greedy: ReviewResult) -> None:
    assert msgspec.json.decode(msgspec.json.encode(of_greedy)) == data(
        arena("review", log, "--seat", 1, "--deals", 1, "--json")
    )
    assert all(one.cost > 0 for one in of_greedy.dearest)
    assert len(of_greedy.dearest) <= 10
    page = library.replay(log).html(review=of_greedy)
    assert page.count('"better":') == sum(one.sure for one in of_greedy.judged)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["LOG"], "--seat N is missing; the seats in LOG are 0 careful, 1 greedy, 2 random"),
        (["LOG", "--seat", "3"], "--seat 3: LOG has seats 0 to 2"),
        (["LOG", "--bot", "gready"], "--bot gready: no bot in LOG has this name; did you mean 'greedy'?"),
        (
            ["LOG", "--seat", "0", "--bot", "greedy"],
            "give either --seat or --bot to say whose decisions to judge",
        ),
        (["LOG", "--seat", "0", "--html", "LOG"], "--html LOG: that is the log itself, which would be lost"),
        (
            ["LOG", "--seat", "0", "--html", "no/such/page.html"],
            "--html no/such/page.html: there is no folder",
        ),
        (["RUN"], "--bot NAME is missing; the bots in RUN are greedy, heuristic, random"),
        (["RUN", "--seat", "0"], "--seat: seats change from match to match in RUN; use --bot NAME"),
        (
            ["RUN", "--bot", "heurist"],
            "--bot heurist: no bot there has this name; did you mean 'heuristic'?",
        ),
        (["RUN", "--bot", "greedy", "--html", "page.html"], "--html works only with a log"),
        (["nothing.jsonl", "--seat", "0"], "nothing.jsonl: No such file or directory"),
    ],
)
def test_wrong_words_are_answered(words: list[str], said: str, log: Path, run: Path) -> None:
    real = {"LOG": str(log), "RUN": str(run)}
    call = arena("review", *(real.get(word, word) for word in words))
    assert call.status == 2
    for name, path in real.items():
        said = said.replace(name, path)
    assert said in call.err
    assert "Traceback" not in call.err


CRASHES = """\
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print('{"type":"ready","name":"crash"}', flush=True)
    elif m["type"] == "request":
        if m["id"] == 20:
            sys.exit(3)
        print(json.dumps({"type": "reply", "id": m["id"], "action": m["legal"][0]}), flush=True)
"""


@pytest.mark.thorough  # 4 s of processor.
def test_deals_that_a_substitute_has_ended_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASHES)
    log = tmp_path / "log.jsonl"
    words = ("--deals", 2, "--seed", 3, "--sandbox", "none", "--log", log)
    assert arena("match", tmp_path / "crash.py", *BOTS[:2], *words).status == 0
    (forfeit,) = library.replay(log).forfeits
    assert forfeit.deal_no == 2, "a seat decides fifteen times in a deal"
    found = data(arena("review", log, "--seat", 0, "--json"))
    assert (found["deals"], found["deals_played"]) == (1, 1)
    assert {row["deal"] for row in found["judged"]} == {1}
    (tmp_path / "crash.py").write_text(CRASHES.replace("== 20", "== 5"))
    assert arena("match", tmp_path / "crash.py", *BOTS[:2], *words).status == 0
    call = arena("review", log, "--seat", 0)
    assert (call.status, call.err) == (2, f"arena: {log}: this bot has not finished a deal\n")


def test_a_page_takes_no_review_of_another_match(log: Path, run: Path, of_greedy: ReviewResult) -> None:
    other = library.replay(next((run / "matches").iterdir()))
    with pytest.raises(library.UserError, match="not a review of match r0"):
        other.html(review=of_greedy)
    with pytest.raises(library.UserError, match="not a review of match match, or it is of a seat"):
        library.replay(log).html(0, review=of_greedy)
    same_id = library.match([str(bot) for bot in BOTS], deals=2, seed=4, sandbox="none", on_progress=False)
    with pytest.raises(library.UserError, match="not a review of match match"):
        same_id.html(review=of_greedy)


def test_a_log_that_is_not_true_is_refused(log: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.jsonl"
    lines = log.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"type":"action"' in line and at > 20)
    lines[at] = re.sub(r'"action":"\w+"', '"action":"R99"', lines[at])
    forged.write_text("\n".join(lines) + "\n")
    call = arena("review", forged, "--seat", 0)
    assert call.status == 2
    assert f"line {at + 1}" in call.err
