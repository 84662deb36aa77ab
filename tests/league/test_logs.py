"""A log is parted into what everybody may see and what its author may, and both together are the log."""

from pathlib import Path

import msgspec
import pytest

from arena.journal.chained import DamageError
from arena.league import logs
from arena.log.entries import Acted, Faulted, Greeted, parse
from arena.log.retrace import of_entries, verify
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job
from arena.playing.referee import play_match
from arena.playing.reused import BotPool
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from protocol.units import Ms
from tests.support.programs import Program, entrant

NOTED = Program(
    before="sys.stderr.write('my secret\\n')",
    asked="answer = answer[:-1] + ', \"note\": \"my plan\"}'\nif m['id'] == 3: answer = 'my mistake'",
)


async def test_the_public_part_proves_the_match_and_tells_no_secret(tmp_path: Path) -> None:
    text = await played(tmp_path)
    parts = logs.parted([text, text])
    for word in (b"my secret", b"my plan", b"my mistake"):
        assert word in text.encode()
        assert word not in parts.public
        assert word in parts.private
    for public in logs.matches(parts.public):
        log = of_entries(parse(public))
        verify(log)
        assert all(entry.us == 0 for entry in log.entries if isinstance(entry, Acted | Faulted | Greeted))
    whole = [parse(match) for match in logs.matches(logs.joined(parts))]
    assert whole == [parse(text.encode())] * 2


def test_the_public_part_does_not_tell_what_an_action_left_out() -> None:
    """Or else a copy would be none as soon as one of its answers took no time that could be measured."""
    whole = '{"type":"action","seat":0,"action":"R2","id":8,"us":7,"note":"my plan"}'
    bare = '{"type":"action","seat":0,"action":"R2","id":8}'
    assert logs.parted([whole]).public == logs.parted([bare]).public == bare.encode() + b"\n"


async def played(folder: Path) -> str:
    """The log of a match in which a bot writes notes and errors, and makes a mistake."""
    limits = Limits(start_ms=Ms(60_000), decision_ms=Ms(60_000), bank_ms=Ms(0))
    job = Job(
        match_id="1-1-1",
        settings=MatchSettings(
            game="sticheln", options={}, deals=1, limits=limits, faults=1, sandbox=Sandbox(Level.NONE)
        ),
        pod_key="7",
        seating_no=1,
        entrants=tuple(entrant(folder, name, NOTED if name == "ada" else Program()) for name in NAMES),
    )
    report = await play_match(job, BotPool(), None)
    assert isinstance(report, Finished)
    return report.log


NAMES = ("ada", "bob", "cy")


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "private").mkdir()
    parts = logs.LogParts(b'{"type":"match"}\n{"type":"outcome"}\n', b'[1,{"us":3}]\n')
    logs.save(tmp_path, 7, 12, parts)
    assert logs.read(tmp_path, 7, 12) == parts.public
    assert logs.read(tmp_path, 7, 12, "private") == parts.private
    assert logs.read(tmp_path, 7, 13) is None
    assert msgspec.json.decode(next(logs.matches(parts.public)).splitlines()[0]) == {"type": "match"}


@pytest.mark.parametrize("data", [b"no gzip", b"", b"\x1f\x8b\x08\x00"])
def test_what_is_no_log_is_refused(tmp_path: Path, data: bytes) -> None:
    path = logs.log_path(tmp_path, 7, 1)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(DamageError, match=r"1\.jsonl\.gz"):
        logs.read(tmp_path, 7, 1)
