"""What fails in a bot of the arena's own is told in the log; any other bot may say what it likes."""

from pathlib import Path

import msgspec

from arena.entrants.entrant import Entrant
from arena.log.entries import Acted, Faulted, parse, parse_line
from arena.log.settings import MatchSettings
from arena.playing.job import Job, spoilt_by_house
from arena.playing.referee import play_match
from arena.process.launch import Launch, base_interpreter
from arena.process.sandbox import Level, Sandbox
from protocol.streams import pod_key
from tests.support.programs import SHORT

CLAIMING = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print('{"type":"ready","name":"claiming"}', flush=True)
    elif asked["type"] == "request":
        if asked["id"] == LAST:
            sys.exit("it is my own fault")
        reply = {"type": "reply", "id": asked["id"], "action": asked["legal"][0], "bug": "a\\nbug"}
        print(json.dumps(reply), flush=True)
"""


def claiming(folder: Path, name: str, last: int = 0, *, ours: bool) -> Entrant:
    """A bot that says a bug with each reply, and exits at a request of this number."""
    path = folder / f"{name}.py"
    path.write_text(f"LAST = {last}\n{CLAIMING}")
    return Entrant(name, Launch((base_interpreter(), str(path)), str(folder)), "", ours=ours)


async def test_only_a_house_bot_is_believed(tmp_path: Path) -> None:
    stranger = claiming(tmp_path, "stranger", last=3, ours=False)
    house = claiming(tmp_path, "house", ours=True)
    exits = claiming(tmp_path, "exits", last=1, ours=True)
    job = Job(
        match_id="m",
        settings=MatchSettings(
            game="sticheln", options={}, deals=1, limits=SHORT, faults=1, sandbox=Sandbox(Level.NONE)
        ),
        pod_key=pod_key("7", 0, 0),
        seating_no=1,
        entrants=(stranger, house, exits),
        stderr=str(tmp_path),
    )
    finished = await play_match(job)
    entries = parse(finished.log.encode())
    told = {
        (type(entry), entry.seat) for entry in entries if isinstance(entry, Acted | Faulted) and entry.bug
    }
    assert told == {(Acted, 1), (Faulted, 2)}
    by_seat = {bug.seat: bug for bug in finished.bugs}
    assert by_seat.keys() == {1, 2}
    assert by_seat[1].what == "a bug"
    assert by_seat[1].times > 1
    assert "exited" in by_seat[2].what
    assert "it is my own fault" in by_seat[2].what
    void = spoilt_by_house(job, finished)
    assert void is not None
    assert void.bug
    alone = msgspec.structs.replace(finished, bugs=())
    assert spoilt_by_house(job, alone) is None


def test_a_reader_passes_over_fields_that_it_does_not_know() -> None:
    """So earlier versions read these logs, as this one reads those of later ones."""
    line = b'{"type":"action","seat":1,"action":"R1","id":1,"us":3,"bug":"a\\u001b[2Jbug","later":[1]}'
    assert parse_line(line) == Acted(1, "R1", 1, 3, bug="a[2Jbug")
