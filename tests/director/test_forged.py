"""Runs forged in part, by somebody who writes the chain and the logs' digests anew: `arena verify` finds
each, and names the first entry that cannot be true. What forges shares no code with what verifies.

The run has all that a journal can hold: an announced seed, a house bot, entrants who go, come and are
replaced, a match annulled after a round was drawn from it, and one that an error of ours spoilt.
"""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from click.testing import CliRunner, Result

import arena.playing.pool
from arena.cli.verify import command
from arena.director.director import Stopping, run
from arena.director.entries import (
    Admitted,
    JournalEntry,
    MatchAnnulled,
    MatchPlayed,
    Replaced,
    RoundPaired,
    SeedSources,
    Withdrawn,
)
from arena.director.journal import Journal
from arena.playing.job import Job, Report, Void
from tests.support.directors import created
from tests.support.programs import ECHO, Program, entrant
from tournaments.formats import PAIRING

SECRET, PUBLIC = "5a" * 32, "drand round 123: 4f2a"
COMMITMENT = hashlib.sha256(SECRET.encode()).hexdigest()
HIGHEST = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])")
SPOILT = "r04-p002-s01"

Row = dict[str, Any]
Forgery = Callable[[list[Row], Path], int]
"""Changes entries and logs; returns the number of the entry that has to be named."""


def played_until(folder: Path, last: Callable[[JournalEntry], bool]) -> None:
    """The tournament goes on up to such an entry."""

    async def play_all(
        jobs: Iterable[Job], workers: int, done: Callable[[Report], None], stopping: Callable[[], bool]
    ) -> None:
        sound = [job for job in jobs if job.match_id != SPOILT]
        if len(sound) < len(list(jobs)):
            done(Void(SPOILT, "an error of ours"))
        await arena.playing.pool.play_all(sound, workers, done, stopping)

    stopping = Stopping()
    with Journal(folder, write=True) as journal:

        def on_entry(entry: JournalEntry) -> None:
            if last(entry):
                stopping.ask()

        trio.run(run, journal, 1, on_entry, stopping, play_all)


def honest_run(folder: Path, ada: Program) -> Path:
    announced = SeedSources(SECRET, PUBLIC)
    five = (("ada", ada), ("bob", ECHO), ("cy", HIGHEST), ("dee", ECHO), ("eve", HIGHEST))
    settings = msgspec.structs.replace(
        created(folder, *five, rounds=4),
        seed=announced.seed,
        announced=announced,
        pairing=PAIRING,
        duplicates=False,
    )
    # The same entrant whatever it plays: a forger of the whole would say so.
    first, *others = settings.entrants
    settings = msgspec.structs.replace(
        settings, entrants=(msgspec.structs.replace(first, digest="a" * 64), *others)
    )
    (folder / "new").mkdir(exist_ok=True)
    late, new = entrant(folder / "new", "late", HIGHEST), entrant(folder / "new", "eve", ECHO)
    path = folder / "run"
    with Journal.create(path, settings):
        pass
    played_until(path, lambda entry: isinstance(entry, MatchPlayed))
    with Journal(path, write=True) as journal:
        journal.add(Withdrawn("bob", "his own wish"))
        journal.add(Admitted(late))
    played_until(path, lambda entry: isinstance(entry, RoundPaired) and entry.round_no == 3)
    with Journal(path, write=True) as journal:
        journal.add(MatchAnnulled("r01-p001-s01", "the machine slept"))
        journal.set_log_aside("r01-p001-s01")
        journal.add(Replaced(msgspec.structs.replace(new, digest="e" * 64), "mended"))
    played_until(path, lambda entry: False)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return honest_run(tmp_path_factory.mktemp("honest"), ECHO)


def verified(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(command, [str(folder), *words], standalone_mode=False)


# The forger


def entries_of(folder: Path) -> list[Row]:
    db = sqlite3.connect(folder / "tournament.db")
    rows = [json.loads(text) for (text,) in db.execute("SELECT entry FROM entries ORDER BY no")]
    db.close()
    return rows


def rewrite(folder: Path, entries: list[Row]) -> None:
    """All rows and the whole chain."""
    digest = hashlib.sha256(b"arena journal 1").hexdigest()
    db = sqlite3.connect(folder / "tournament.db")
    db.execute("DELETE FROM entries")
    for no, entry in enumerate(entries, 1):
        text = json.dumps(entry, separators=(",", ":"))
        digest = hashlib.sha256(f"{digest}\n{text}".encode()).hexdigest()
        db.execute("INSERT INTO entries VALUES (?, ?, ?)", (no, text, digest))
    db.commit()
    db.close()


def number(entries: list[Row], type: str, which: int = 0) -> int:
    """Of the entry of that type, the first being number 0."""
    return [no for no, entry in enumerate(entries, 1) if entry["type"] == type][which]


def relog(entry: Row, folder: Path, change: Callable[[list[Row]], object]) -> None:
    """Other lines in a match's log, and its digest in the row."""
    path = folder / "matches" / f"{entry['match_id']}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    path.write_bytes(data)
    entry["log"] = hashlib.sha256(data).hexdigest()


def in_entry(type: str, which: int, change: Callable[[Row], object]) -> Forgery:
    def forge(entries: list[Row], folder: Path) -> int:
        no = number(entries, type, which)
        change(entries[no - 1])
        return no

    return forge


def in_log(which: int, change: Callable[[list[Row]], object]) -> Forgery:
    def forge(entries: list[Row], folder: Path) -> int:
        no = number(entries, "match", which)
        relog(entries[no - 1], folder, change)
        return no

    return forge


def moved(type: str, which: int, to_type: str, to: int, named: tuple[str, int]) -> Forgery:
    """An entry is put in front of another. `named`: which entry then cannot be true."""

    def forge(entries: list[Row], folder: Path) -> int:
        entry = entries.pop(number(entries, type, which) - 1)
        entries.insert(number(entries, to_type, to) - 1, entry)
        return number(entries, *named)

    return forge


def left_out(type: str, which: int, named: tuple[str, int]) -> Forgery:
    def forge(entries: list[Row], folder: Path) -> int:
        del entries[number(entries, type, which) - 1]
        return number(entries, *named)

    return forge


def seats_changed(which: int) -> Forgery:
    """In the row and in the log: as if the winner had been another."""

    def forge(entries: list[Row], folder: Path) -> int:
        no = number(entries, "match", which)
        names = entries[no - 1]["entrants"]
        names[0], names[1] = names[1], names[0]

        def change(lines: list[Row]) -> None:
            seats = lines[0]["entrants"]
            seats[0], seats[1] = seats[1], seats[0]

        relog(entries[no - 1], folder, change)
        return no

    return forge


def result_changed(which: int) -> Forgery:
    """In the row and in the log."""

    def forge(entries: list[Row], folder: Path) -> int:
        no = number(entries, "match", which)
        outcome = entries[no - 1]["outcome"]
        outcome["placings"] = outcome["placings"][1:] + outcome["placings"][:1]

        def change(lines: list[Row]) -> None:
            lines[-1]["placings"] = outcome["placings"]

        relog(entries[no - 1], folder, change)
        return no

    return forge


def log_gone(which: int, what: str) -> Forgery:
    def forge(entries: list[Row], folder: Path) -> int:
        no = number(entries, "match", which)
        path = folder / "matches" / f"{entries[no - 1]['match_id']}.jsonl"
        if what == "deleted":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes().replace(b'"us":', b'"us":1', 1))
        return no

    return forge


def pods_changed(change: Callable[[list[list[str]]], object]) -> Callable[[Row], object]:
    return lambda entry: change(entry["pods"])


def exchange(pods: list[list[str]]) -> None:
    pods[0][0], pods[1][0] = pods[1][0], pods[0][0]


def turn(pods: list[list[str]]) -> None:
    pods[0].append(pods[0].pop(0))


def someone_for(name: str) -> Callable[[list[list[str]]], object]:
    def change(pods: list[list[str]]) -> None:
        pods[0][-1] = name

    return change


def twice(entries: list[Row], folder: Path) -> int:
    entries.append(dict(entries[number(entries, "match", 3) - 1]))
    return len(entries)


def logs_exchanged(entries: list[Row], folder: Path) -> int:
    """Each log is whole, true, and of the other match."""
    one, other = (entries[number(entries, "match", which) - 1] for which in (2, 3))
    paths = [folder / "matches" / f"{entry['match_id']}.jsonl" for entry in (one, other)]
    first, second = (path.read_bytes() for path in paths)
    paths[0].write_bytes(second)
    paths[1].write_bytes(first)
    one["log"], other["log"] = other["log"], one["log"]
    return number(entries, "match", 2)


def another_round(entries: list[Row], folder: Path) -> int:
    drawn = dict(entries[number(entries, "round", -1) - 1])
    entries.append(drawn | {"round_no": drawn["round_no"] + 1})
    return len(entries)


def mixed_anew(entries: list[Row], folder: Path) -> int:
    """Another public value, and the seed that follows from it: the rounds and the deals do not."""
    entries[0]["announced"]["public"] = "drand round 124"
    entries[0]["seed"] = SeedSources(SECRET, "drand round 124").seed
    return number(entries, "round", 0)


def annulled_result(entries: list[Row], folder: Path) -> int:
    """A result that steers a drawing and is annulled then."""
    no = number(entries, "match", 0)
    placings = entries[no - 1]["outcome"]["placings"]
    entries[no - 1]["outcome"]["placings"] = placings[::-1]
    return no


def spoilt_after_all(entries: list[Row], folder: Path) -> int:
    no = number(entries, "match", 4)
    match = entries[no - 1]
    skipped = {"type": "skipped", "reason": "an error", "round_no": match["round_no"]}
    entries.insert(no, skipped | {"match_id": match["match_id"]})
    return no + 1


def withdrawn_twice(entries: list[Row], folder: Path) -> int:
    no = number(entries, "withdrawn", 0)
    entries.insert(no, dict(entries[no - 1]))
    return no + 1


def fewer_rounds(entries: list[Row], folder: Path) -> int:
    """Behind the last round, an entry by which there were fewer of them."""
    entries.append({"type": "extended", "rounds": 3})
    return len(entries)


def played_though_skipped(entries: list[Row], folder: Path) -> int:
    skipped = entries[number(entries, "skipped", 0) - 1]
    match = next(
        entry for entry in entries if entry["type"] == "match" and entry["round_no"] == skipped["round_no"]
    )
    entries.append(match | {"match_id": skipped["match_id"]})
    return len(entries)


def last_action_repeated(lines: list[Row]) -> None:
    *_, before, last = (line for line in lines if line["type"] == "action")
    last["action"] = before["action"]


def top(key: str, value: object) -> Callable[[Row], object]:
    return lambda entry: entry.update({key: value})


def swap(row: list[Any]) -> None:
    row[0], row[1] = row[1], row[0]


FORGERIES: dict[str, Forgery] = {
    # Draws
    "pods of round 1 exchanged": in_entry("round", 0, pods_changed(exchange)),
    "pods of round 2 exchanged": in_entry("round", 1, pods_changed(exchange)),
    "pods of round 3 exchanged": in_entry("round", 2, pods_changed(exchange)),
    "pods of round 4 exchanged": in_entry("round", 3, pods_changed(exchange)),
    "order of pods, round 1": in_entry("round", 0, pods_changed(swap)),
    "order of pods, round 4": in_entry("round", 3, pods_changed(swap)),
    "order in a pod, round 1": in_entry("round", 0, pods_changed(turn)),
    "order in a pod, round 3": in_entry("round", 2, pods_changed(turn)),
    "one sits out": in_entry("round", 1, pods_changed(someone_for("house-2"))),
    "the withdrawn plays on": in_entry("round", 1, pods_changed(someone_for("bob"))),
    "a stranger sits down": in_entry("round", 2, pods_changed(someone_for("mallory"))),
    "one sits twice": in_entry("round", 3, pods_changed(lambda pods: someone_for(pods[1][0])(pods))),
    "a pod is missing": in_entry("round", 3, pods_changed(lambda pods: pods.pop())),
    "a round too many": another_round,
    "a round has another number": in_entry("round", 1, top("round_no", 3)),
    # Seats
    "seats in a row, match 3": in_entry("match", 2, lambda entry: swap(entry["entrants"])),
    "seats in a row, match 7": in_entry("match", 6, lambda entry: swap(entry["entrants"])),
    "seats in row and log, match 2": seats_changed(1),
    "seats in row and log, match 6": seats_changed(5),
    "another pod's match": in_entry("match", 3, top("pod_no", 1)),
    "a match that was never drawn": in_entry("match", 3, top("match_id", "r02-p007-s01")),
    # Seeds
    "the seed": in_entry("tournament", 0, top("seed", "7" * 64)),
    "a seed that was not announced": in_entry(
        "tournament", 0, lambda entry: entry.update(seed="7", announced=None)
    ),
    "the public value": in_entry("tournament", 0, lambda entry: entry["announced"].update(public="x")),
    "the public value and the seed": mixed_anew,
    "the key of a pod": in_log(2, lambda lines: lines[0].update(pod_key="0" * 64)),
    "the seating": in_log(5, lambda lines: lines[0].update(seating_no=2)),
    # Commitments
    "the secret": in_entry("tournament", 0, lambda entry: entry["announced"].update(secret="6b" * 32)),
    "no commitment": in_entry("tournament", 0, top("announced", None)),
    # Logs
    "a log deleted": log_gone(3, "deleted"),
    "a log changed": log_gone(4, "changed"),
    "the log of an annulled match": annulled_result,
    "two logs exchanged": logs_exchanged,
    "an action": in_log(1, last_action_repeated),
    "a line left out": in_log(2, lambda lines: lines.pop(9)),
    "a line twice": in_log(3, lambda lines: lines.insert(9, lines[9])),
    "a fault made up": in_log(
        4,
        lambda lines: lines[-1].update(
            forfeits=[{"seat": 0, "deal_no": 1, "kind": "timeout", "answered": True}]
        ),
    ),
    "the rules of the log": in_log(5, lambda lines: lines[0]["limits"].update(decision_ms=5)),
    "the outcome of the log": in_log(6, lambda lines: swap(lines[-1]["placings"])),
    # Results
    "placings, match 2": in_entry("match", 1, lambda entry: entry["outcome"]["placings"].reverse()),
    "placings in row and log, match 3": result_changed(2),
    "placings in row and log, match 6": result_changed(5),
    "gains": in_entry("match", 4, lambda entry: swap(entry["outcome"]["gains"][0])),
    "a forfeit": in_entry(
        "match",
        5,
        top("forfeits", [{"seat": 1, "deal_no": 1, "kind": "timeout", "answered": True}]),
    ),
    "a result played twice": twice,
    "a result skipped": spoilt_after_all,
    "a result of what was skipped": played_though_skipped,
    # Order, and what is missing
    "a result before its round": moved("match", 3, "round", 1, ("match", 2)),
    "two rounds change places": moved("round", 2, "round", 1, ("round", 1)),
    "round 2 before the end of round 1": moved("round", 1, "match", 1, ("round", 1)),
    "bob withdraws later": moved("withdrawn", 0, "round", 2, ("round", 1)),
    "late enters later": moved("admitted", 0, "round", 2, ("round", 1)),
    "bob never withdrew": left_out("withdrawn", 0, ("round", 1)),
    "late enters unseen": left_out("admitted", 0, ("round", 1)),
    "nothing was annulled": left_out("annulled", 0, ("match", 0)),
    "a result left out": left_out("match", 1, ("round", 1)),
    "a round left out": left_out("round", 2, ("match", 5)),
    "bob withdraws twice": withdrawn_twice,
    "fewer rounds behind the last one": fewer_rounds,
    # Settings
    "one more entrant": in_entry(
        "tournament", 0, lambda entry: entry["entrants"].append(entry["entrants"][0] | {"name": "zoe"})
    ),
    "fewer rounds": in_entry("tournament", 0, top("rounds", 3)),
    "another format": in_entry("tournament", 0, top("format", "knockout")),
}

NAMED_LATER: dict[str, tuple[str, int]] = {
    "a seed that was not announced": ("round", 0),
    "one more entrant": ("round", 0),
    "fewer rounds": ("round", 3),
    "another format": ("round", 0),
}
"""Settings can be anything: the first entry that contradicts them is named."""

SOME = [
    "order of pods, round 1",
    "seats in row and log, match 2",
    "the seed",
    "the public value and the seed",
    "no commitment",
    "an action",
    "the log of an annulled match",
    "placings in row and log, match 3",
    "a result left out",
    "fewer rounds behind the last one",
]


def test_the_run_holds_everything_and_is_true(whole: Path) -> None:
    entries = entries_of(whole)
    assert {entry["type"] for entry in entries} == {
        *("tournament", "round", "match", "skipped", "withdrawn", "admitted", "replaced", "annulled")
    }
    call = verified(whole, "--commitment", COMMITMENT)
    assert (call.stderr, call.return_value) == ("", 0)
    assert f"this is the run that was announced, if the public value was “{PUBLIC}”" in call.stdout


def found(whole: Path, folder: Path, name: str) -> None:
    forged = Path(shutil.copytree(whole, folder))
    entries = entries_of(forged)
    no = FORGERIES[name](entries, forged)
    if name in NAMED_LATER:
        no = number(entries, *NAMED_LATER[name])
    rewrite(forged, entries)
    call = verified(forged, "--commitment", COMMITMENT)
    assert call.return_value == 1, call.output
    first = call.stderr.splitlines()[0]
    assert first.startswith((f"entry {no}:", f"entry {no},")), (no, call.stderr)


@pytest.mark.parametrize("name", SOME)
def test_a_run_forged_in_part_is_found(name: str, whole: Path, tmp_path: Path) -> None:
    found(whole, tmp_path / "forged", name)


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORGERIES)
def test_every_run_forged_in_part_is_found(name: str, whole: Path, tmp_path: Path) -> None:
    found(whole, tmp_path / "forged", name)


def test_a_run_written_anew_as_a_whole_shows_against_the_published_digest_alone(
    whole: Path, tmp_path: Path
) -> None:
    """The forger plays everything again, with the announced seed, and another program for ada."""
    with Journal(whole) as journal:
        published = journal.digest
    anew = honest_run(tmp_path, HIGHEST)
    assert verified(anew, "--commitment", COMMITMENT).return_value == 0
    call = verified(anew, "--commitment", COMMITMENT, "--digest", published)
    assert (call.return_value, call.stderr) == (
        1,
        f"the digest is not {published}: it is a different journal\n",
    )


def test_a_journal_without_a_number_for_its_pairing_is_never_said_to_be_true_unseen(
    whole: Path, tmp_path: Path
) -> None:
    """As written by an arena before: what today's rules give is proved, and anything else is said to be
    unchecked. So nobody hides a forged round by taking the number out."""
    old = Path(shutil.copytree(whole, tmp_path / "old"))
    entries = entries_of(old)
    del entries[0]["pairing"], entries[0]["announced"]
    rewrite(old, entries)
    assert verified(old).return_value in (0, 3)  # scipy may have chosen otherwise.
    exchange(entries[number(entries, "round", 2) - 1]["pods"])
    rewrite(old, entries)
    call = verified(old)
    assert call.return_value in (1, 3)
    place = f"entry {number(entries, 'round', 2)}: round 3"
    assert f"{place} is not the one derived from the entries before it: pod 1 is " in call.stderr
    assert "not checked, since the journal does not say which version" in call.stderr


def test_a_broken_chain_is_named(whole: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(whole, tmp_path / "broken"))
    with sqlite3.connect(broken / "tournament.db") as db:
        db.execute("UPDATE entries SET entry = replace(entry, 'his own wish', 'my wish')")
    db.close()
    call = verified(broken)
    assert call.return_value == 1
    no = number(entries_of(broken), "withdrawn")
    assert call.stderr == f"{broken}/tournament.db: entry {no} is not what was written\n"
