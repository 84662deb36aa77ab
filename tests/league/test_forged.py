"""`arena league verify` finds what was forged, also where all digests of the journal were made anew."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.commands.league import read, verify
from arena.league.days import read_secret, seed_of
from arena.league.journal import FILE
from tests.cli.calls import arena
from tests.league.leagues import NEW, Row, copied, done, of_type, rewritten

NOTHING = "0" * 64


def test_nothing_is_wrong_with_the_true_one(league: Path) -> None:
    assert done("verify", league, "--json").json["wrong"] == []  # type: ignore[index]


Change = Callable[[list[Row]], None]


def another_companion(rows: list[Row]) -> None:
    drawn = of_type(rows, "draw")[1]
    seated = {*drawn["companions"], *drawn["versions"]}
    anchors = [f"house/{name}@1" for name in ("careful", "counter", "dreamer", "greedy", "modest", "random")]
    drawn["companions"][0] = next(one for one in anchors if one not in seated)


def swapped_result(rows: list[Row]) -> None:
    gains = of_type(rows, "played")[0]["matches"][0][0][0][0]
    gains[0], gains[1] = gains[0] + 1, gains[1] - 1


def dropped(kind: str, at: int) -> Change:
    def drop(rows: list[Row]) -> None:
        rows.remove(of_type(rows, kind)[at])

    return drop


def put(kind: str, at: int, /, **fields: object) -> Change:
    def change(rows: list[Row]) -> None:
        of_type(rows, kind)[at] |= fields

    return change


def twice(kind: str, at: int) -> Change:
    def add(rows: list[Row]) -> None:
        rows.append(dict(of_type(rows, kind)[at]))

    return add


def added(row: Row) -> Change:
    return lambda rows: rows.append(row)


def moved(kind: str, at: int, by: int) -> Change:
    def move(rows: list[Row]) -> None:
        row = of_type(rows, kind)[at]
        place = rows.index(row)
        rows.remove(row)
        rows.insert(place + by, row)

    return move


FORGERIES: dict[str, Change] = {
    "another companion": another_companion,
    "another version asked": put("draw", 0, versions=["house/greedy@1"]),
    "another kind of question": put("draw", 0, why="placement"),
    "a draw of another day": put("draw", 0, day=7),
    "a draw in the past": put("draw", 2, at=7),
    "a draw left out": dropped("draw", 1),
    "a draw twice": twice("draw", 0),
    "a draw with another number": put("draw", 2, no=9),
    "a draw on another board": put("draw", 0, board="ole:5"),
    "a version that sits twice": put("draw", 0, companions=["house/greedy@1"] * 3),
    "too few companions": put("draw", 0, companions=["house/greedy@1"]),
    "companions that never came": put("draw", 0, companions=["house/nobody@1", "house/x@1", "house/y@1"]),
    "a result left out": dropped("played", 0),
    "a result twice": twice("played", 0),
    "a result of another draw": put("played", 0, no=99),
    "a result with other gains": swapped_result,
    "another log": put("played", 0, public=NOTHING),
    "another private part": put("played", 0, private=NOTHING),
    "results of fewer matches": lambda rows: of_type(rows, "played")[0]["matches"][0].pop(),
    "a forfeit that was none": lambda rows: of_type(rows, "played")[0]["matches"][0][0][1].append(
        {"seat": 0, "deal_no": 1, "kind": "exited", "answered": True}
    ),
    "a seed that was not committed": added({"type": "seed", "day": 7, "seed": NOTHING}),
    "another commitment": put("commitment", 0, sha256=NOTHING, day=1),
    "a commitment left out": dropped("commitment", 0),
    "a commitment after the draws": moved("commitment", 0, 40),
    "a commitment twice": twice("commitment", 0),
    "another seed": lambda rows: rows.append(
        {"type": "seed", "day": of_type(rows, "commitment")[0]["day"], "seed": NOTHING}
    ),
    "a version that was not checked": lambda rows: rows.remove(
        next(row for row in of_type(rows, "passed") if row["stage"] == "checked")
    ),
    "a version that was never received": lambda rows: rows.remove(
        next(row for row in of_type(rows, "received") if row["version"].startswith("red/"))
    ),
    "a version with another number": lambda rows: next(
        row for row in of_type(rows, "received") if row["version"].startswith("red/")
    ).update(version="red/mybot@2"),
    "another program": lambda rows: next(
        row for row in of_type(rows, "received") if row["version"].startswith("red/")
    ).update(digest=NOTHING),
    "a version current on no board": lambda rows: of_type(rows, "current")[-1].update(boards=[]),
    "a version current on a strange board": lambda rows: of_type(rows, "current")[-1].update(
        boards=["ole:5"]
    ),
    "a panel with a stranger": lambda rows: of_type(rows, "panel")[0]["members"].append("red/mybot@9"),
    "a zero outside of the panel": put("panel", 0, zero="red/mybot@1"),
    "an author who was not registered": dropped("author", 0),
    "a checkpoint that was not due": added({"type": "checkpoint", "board": "sticheln:4", "strengths": {}}),
    "an annulment of nothing": added({"type": "annulled", "no": 99, "reason": "x"}),
    "an annulment twice": twice("annulled", 0),
    "a pause of nobody": added({"type": "paused", "version": "red/mybot@7", "reason": "x"}),
    "a version after the end": lambda rows: rows.insert(
        rows.index(of_type(rows, "author")[-1]) + 1, {"type": "closed", "reason": "x", "at": 0}
    ),
    "an order of results that is another": moved("played", 0, 20),
    "a pruning of what was not drawn": added(
        {"type": "pruned", "first": 1, "last": 99, "private_only": False}
    ),
    "other deals": lambda rows: rows[0]["boards"][0].update(deals=2),
    "another margin of time": lambda rows: rows[0]["boards"][0]["limits"].update(decision_ms=1),
    "statements that may be wrong more often": lambda rows: rows[0].update(alpha=0.5),
    "other rules": lambda rows: rows[0]["boards"][0].update(faults=2),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_journal_is_found(league: Path, tmp_path: Path, forgery: str) -> None:
    copy = copied(league, tmp_path)
    rewritten(copy, FORGERIES[forgery])
    assert verify(copy).wrong


def test_the_log_of_a_draw_that_is_said_to_be_void_is_told(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)

    def avoid(rows: list[Row]) -> None:
        row = next(row for row in of_type(rows, "played") if row["no"] == 3)
        rows[rows.index(row)] = {"type": "void", "no": 3, "reason": "the machine"}

    rewritten(copy, avoid)
    assert any(
        "draw 3 counts for nobody, but its log still exists" in one.what for one in verify(copy).unchecked
    )


def test_a_seed_that_was_known_when_it_was_drawn_from(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)

    def reveal_first(rows: list[Row]) -> None:
        day = of_type(rows, "draw")[0]["day"]
        seed = {"type": "seed", "day": day, "seed": seed_of(read_secret(copy), day)}
        rows.insert(rows.index(of_type(rows, "draw")[0]), seed)

    rewritten(copy, reveal_first)
    assert "draw 1 was drawn from a seed that was already known" in verify(copy).wrong[0]


def first_log(league: Path, part: str = "logs") -> Path:
    return first_log_of(league, 1, part)


def first_log_of(league: Path, no: int, part: str = "logs") -> Path:
    return next((league / part).rglob(f"{no}.jsonl.gz"))


def other_deal(league: Path) -> None:
    path = first_log(league)
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    first = msgspec.json.decode(lines[0])
    path.write_bytes(
        gzip.compress(msgspec.json.encode(first | {"pod_key": "7"}) + b"\n" + b"".join(lines[1:]))
    )


def swapped_logs(league: Path) -> None:
    path = first_log(league)
    other = path.with_name("2.jsonl.gz")
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


def linked_log(league: Path) -> None:
    path = first_log(league)
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def other_program(league: Path) -> None:
    (path,) = (league / "versions" / read(league).versions["red/mybot@1"].digest).iterdir()
    path.write_text(path.read_text() + "\n# better\n")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "a log is gone": lambda league: first_log(league).unlink(),
    "a log is empty": lambda league: first_log(league).write_bytes(b""),
    "a log of another deal": other_deal,
    "two logs are swapped": swapped_logs,
    "a link instead of a log": linked_log,
    "a private part was changed": lambda league: first_log(league, "private").write_bytes(gzip.compress(b"")),
    "a program was changed": other_program,
    "no log at all": lambda league: shutil.rmtree(league / "logs"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_beside_the_journal_is_found(league: Path, tmp_path: Path, damage: str) -> None:
    copy = copied(league, tmp_path)
    DAMAGE[damage](copy)
    assert verify(copy).wrong


def test_a_copy_for_others_holds_nothing_private_and_can_be_verified(league: Path, tmp_path: Path) -> None:
    done("export", league, tmp_path / "public")
    assert {path.name for path in (tmp_path / "public").iterdir()} == {FILE, "logs"}
    assert done("verify", tmp_path / "public", "--json").json["wrong"] == []  # type: ignore[index]
    call = arena("league", "export", league, tmp_path / "public")
    assert (call.status, "it already exists" in call.err) == (2, True)


@pytest.mark.parametrize("words", [("export",), ("export", "--backup"), ("report", "--out")])
@pytest.mark.parametrize("place", [".", "copy", "logs/copy", "../copy/logs"])
def test_nothing_is_written_into_the_league_itself(
    league: Path, tmp_path: Path, words: tuple[str, ...], place: str
) -> None:
    copy = copied(league, tmp_path)
    before = sorted(copy.rglob("*"))
    call = arena("league", words[0], copy, *words[1:], copy / place)
    assert call.status == 2
    assert "it is inside the league" in call.err or "it already exists" in call.err
    assert sorted(copy.rglob("*")) == before


def test_nobody_else_can_open_the_league(league: Path) -> None:
    assert league.stat().st_mode & 0o777 == 0o700
    assert (league / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.thorough
def test_a_backup_goes_on(league: Path, tmp_path: Path) -> None:
    done("export", league, tmp_path / "backup", "--backup")
    done("run", tmp_path / "backup", "--draws", 1, "--jobs", 2)
    found = done("verify", tmp_path / "backup", "--json").json
    assert isinstance(found, dict)
    assert (found["draws"], found["wrong"]) == (5, [])


def test_what_was_pruned_is_told_from_what_is_missing(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    assert "private parts of the logs deleted" in done("prune", copy, "--to", 4, "--private").out
    assert not [*(copy / "private").rglob("*.gz")]
    assert done("verify", copy, "--json").json["draws"] == 4  # type: ignore[index]
    done("prune", copy, "--to", 2)
    done("prune", copy, "--to", 3, "--private")
    found = done("verify", copy, "--json").json
    assert isinstance(found, dict)
    assert found["wrong"] == []
    assert sum("its log was pruned" in line for line in found["unchecked"]) == 2
    done("prune", copy, "--to", 3, "--private")
    assert done("verify", copy, "--json").json["wrong"] == []  # type: ignore[index]
    first_log_of(copy, 3).unlink()
    assert "no entry says that it was pruned" in arena("league", "verify", copy).out
    assert arena("league", "prune", copy, "--to", 99).status == 2


def test_a_journal_without_a_panel_shows_nothing(tmp_path: Path) -> None:
    league = tmp_path / "league"
    done("new", league, *NEW)
    rewritten(league, lambda rows: rows.remove(of_type(rows, "panel")[0]))
    for words in (("standings",), ("report",), ("versions", "house"), ("run",)):
        call = arena("league", words[0], league, *words[1:])
        assert call.status == 2
        assert "has no entry that sets the panel of sticheln:4" in call.err
    assert "no entry sets the panel of sticheln:4" in arena("league", "verify", league).out
    rewritten(league, lambda rows: rows.append({"type": "restored", "version": "red/x@1", "reason": "x"}))
    call = arena("league", "standings", league)
    assert (call.status, "an entry that cannot follow those before it" in call.err) == (2, True)
