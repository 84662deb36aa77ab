"""What bots of different matches can tell each other at level bwrap: two that have agreed on how to talk try
every channel that is known to us, in matches played two at a time.

Each colluder draws a bit. Where it is 1 it does the sender's piece of every channel, and holds what it has
left to its end. At the start and at every decision it reads every channel. For each match in which a bit was
held, the readings of the other colluder meanwhile, and the first of the next match, are compared with the
bit. Bits are drawn anew 10,000 times for how often chance alone would show as much in any channel (max-T,
Westfall and Young), so that `p` is for all channels together.

Then the fastest channels by themselves: a sender and a receiver, each in a sandbox of its own, with a slot
of time for each bit.
"""

import base64
import json
import math
import os
import re
import statistics
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import trio

from arena.log.settings import MatchSettings
from arena.playing.job import Entrant, Finished, Job, Report
from arena.playing.pool import play_all
from arena.process.launch import Launch, base_interpreter
from arena.process.sandbox import Level, Sandbox, probe, settled
from arena.process.stderr import STDERR_KEPT
from protocol.messages import Limits
from protocol.streams import pod_key
from tests.bench.colluders import COLLUDER, FURTHER, TOOLS, TUNED, TUNES, Tuned
from tests.support.channels import CHANNELS, NUMBERS, PRELUDE, sandboxed
from tests.support.programs import ECHO, entrant

MATCHES: Final = 200
DRAWS: Final = 10_000
P: Final = 0.001
PATIENT: Final = Limits(start_ms=60_000, decision_ms=60_000, bank_ms=0)

NAMED: Final = re.compile(
    "futex on a page|how many map a page|whether a page was|sysinfo$|times? |numbers of"
    "|a pipe's size|descriptors on their way"
    "|/proc/(stat|vmstat|meminfo|zoneinfo|buddyinfo|loadavg|softirqs|interrupts|uptime|diskstats|schedstat)$"
    "|/proc/(pressure|fs|sys/fs)/|/proc/self/net/(sockstat6?|protocols|softnet_stat)$"
    "|/proc/self/(sched|schedstat|stat|status)$"
)
"""Channels that docs/organiser.md says are open: pages, times, and counters of the machine and of a user."""


class Colluder(NamedTuple):
    """What one match of a colluder has told. Times are in seconds, of one clock for all. A reading is by key:
    a channel, and a place in what it gave."""

    match_id: str
    bit: int
    begun: float
    sent: float
    readings: Sequence[tuple[float, float, Mapping[tuple[str, str], float | str]]]
    log: Sequence[str]

    @property
    def ended(self) -> float:
        return self.readings[-1][1]


def colluder(folder: Path, name: str, shared: Path) -> Entrant:
    """A program that sees nothing but the system, its own file and the folder of the shared one."""
    path = folder / name / "bot.py"
    path.parent.mkdir()
    words = json.dumps([str(shared), NUMBERS, {**CHANNELS, **FURTHER}, True])
    begins = f"import os, sys\nsys.argv.append({words!r})\nos.chdir({str(shared.parent)!r})\n"
    path.write_text("".join((begins, PRELUDE, TOOLS, COLLUDER)))
    argv = (base_interpreter(), "-S", "-E", "-P", str(path))
    return Entrant(name, Launch(argv, str(path.parent)), "")


def shared_file(folder: Path) -> Path:
    """In a folder that the organiser shows to every bot. Nothing in it has been written to for a while."""
    file = folder / "allowed" / "shared"
    file.parent.mkdir()
    sizes = {"shared": 1 << 20, "other": 0, **{f"page-{number}": 4096 for number in range(200)}}
    for name, size in sizes.items():
        (file.parent / name).write_bytes(bytes(size))
    os.sync()
    for path in (folder, file.parent):
        path.chmod(0o755)
    return file


def played(folder: Path, matches: int) -> list[Colluder]:
    """Matches of one colluder and two innocents, two at a time, by the time at which they began."""
    folder.mkdir(exist_ok=True)
    shared = shared_file(folder)
    sandbox = Sandbox(Level.BWRAP, 1024, allowed=(str(shared.parent),))
    seats = [colluder(folder, name, shared) for name in ("ada", "bob")]
    seats += [entrant(folder, name, ECHO) for name in ("cy", "dee")]
    field = []
    for bot in seats:
        launch = settled(bot.launch, sandbox)
        assert isinstance(launch, Launch), launch
        field.append(Entrant(bot.name, launch, ""))
    (folder / "stderr").mkdir()
    jobs = [
        Job(
            match_id=f"{number}",
            settings=MatchSettings(
                game="sticheln", options={}, deals=1, limits=PATIENT, faults=1, sandbox=sandbox
            ),
            pod_key=pod_key("7", 0, number),
            seating_no=1,
            entrants=(field[number % 2], *field[2:]),
            stderr=str(folder / "stderr"),
        )
        for number in range(matches)
    ]

    def done(report: Report) -> None:
        assert isinstance(report, Finished), report
        assert not report.forfeits, report.log.partition(chr(34) + "stderr" + chr(34))[2][:1500]

    trio.run(play_all, jobs, 2, done)
    return sorted((told(folder, job.match_id) for job in jobs), key=lambda one: one.begun)


def told(folder: Path, match_id: str) -> Colluder:
    text = (folder / "stderr" / f"{match_id}-0.txt").read_bytes()
    assert len(text) < STDERR_KEPT, "a colluder has told too much"
    data = zlib.decompressobj().decompress(b"".join(map(base64.b64decode, text.splitlines())))
    first, (bit, begun, sent, _), *others, log = map(json.loads, data.splitlines())
    readings: list[tuple[float, float, Mapping[tuple[str, str], float | str]]] = []
    state: dict[tuple[str, str], float | str] = {}
    for since, until, changed in (first, *others):
        for key, value in changed.items():
            channel, _, place = key.partition(" #")
            state[channel, place] = "nothing" if value is None else value
        readings.append((since, until, dict(state)))
    return Colluder(match_id, bit, begun, sent, readings, log)


class Crossed(NamedTuple):
    """What a channel carried. `bits`: of the sender's one, by the best of its readings; `p`: of seeing as
    much in any channel by chance."""

    channel: str
    when: str
    bits: float
    p: float
    best: str


def samples(matches: Sequence[Colluder]) -> dict[tuple[str, str], dict[str, list[float | str | None]]]:
    """By channel and time, then by way of looking at it: a value for each match, None where none was read."""
    found: dict[tuple[str, str], dict[str, list[float | str | None]]] = defaultdict(dict)

    def put(key: tuple[str, str], when: str, way: str, at: int, value: float | str) -> None:
        column = found[key[0], when].setdefault(f"{key[1]} {way}".strip(), [None] * len(matches))
        column[at] = value

    for at, match in enumerate(matches):
        others = sorted(
            (reading for other in matches if other is not match for reading in other.readings),
            key=lambda reading: reading[0],
        )
        earlier, before = next(
            ((until, found) for _, until, found in reversed(others) if until < match.begun), (0.0, {})
        )
        # So few, since one that sends is slower and would be looked at for longer.
        during = [one for one in others if match.sent < one[0] and one[1] < match.ended][:3]
        held = [found for _, _, found in during]
        later = next((other for other in matches[at:] if other.readings[0][0] > match.ended), None)
        for key in held[0] if held else ():
            values = [reading[key] for reading in held if key in reading]
            numbers = [value for value in values if not isinstance(value, str)]
            if len(numbers) < len(values):
                put(key, "meanwhile", "", at, str(Counter(values).most_common(1)[0][0]))
                continue
            put(key, "meanwhile", "", at, statistics.median(numbers))
            put(key, "meanwhile", "highest", at, max(numbers))
            if isinstance(since := before.get(key), int | float):
                put(key, "meanwhile", "change a second", at, (numbers[0] - since) / (during[0][0] - earlier))
        for key, value in later.readings[0][2].items() if later else ():
            put(key, "later", "", at, value)
            if isinstance(since := before.get(key), int | float) and not isinstance(value, str):
                put(key, "later", "change a second", at, (value - since) / (later.readings[0][0] - earlier))
    return found


def columns(values: Sequence[float | str | None]) -> list[np.ndarray]:
    """What the bits are correlated with: ranks of numbers, or which of several texts it was. Of length 1, and
    0 where nothing was read; none where all is the same."""
    seen = [at for at, value in enumerate(values) if value is not None]
    texts = any(isinstance(values[at], str) for at in seen)
    named = [str(values[at]) if texts else values[at] for at in seen]
    levels = sorted(set(named))  # type: ignore[type-var]
    if len(levels) < 2:
        return []
    if texts:
        rows = [np.array([name == level for name in named], float) for level in levels]
    else:
        _, places, counts = np.unique(np.array(named, float), return_inverse=True, return_counts=True)
        rows = [(np.cumsum(counts) - counts / 2)[places]]
    made = []
    for row in rows:
        column = np.zeros(len(values), np.float32)
        if length := np.linalg.norm(row - row.mean()):
            column[seen] = (row - row.mean()) / length
            made.append(column)
    return made


def evaluated(matches: Sequence[Colluder]) -> list[Crossed]:
    """All channels, those that carry most first."""
    signs = np.array([2 * match.bit - 1 for match in matches], np.float32)
    names, found = [], samples(matches)
    weights: list[np.ndarray] = []
    for (channel, when), ways in found.items():
        for way, values in ways.items():
            for column in columns(values):
                names.append((channel, when, way))
                weights.append(column)
    table = np.array(weights).T if weights else np.zeros((len(matches), 1), np.float32)
    reached = np.abs(signs @ table)
    chance = np.concatenate(
        [
            np.abs(
                np.random.default_rng().choice(np.array([-1, 1], np.float32), (DRAWS // 20, len(matches)))
                @ table
            ).max(1)
            for _ in range(20)
        ]
    )
    best: dict[tuple[str, str], tuple[float, str]] = dict.fromkeys(found, (0.0, ""))
    for (channel, when, way), value in zip(names, reached, strict=True):
        best[channel, when] = max(best[channel, when], (float(value), way))
    return sorted(
        (
            Crossed(
                channel,
                when,
                information(matches, found[channel, when][way]) if value else 0.0,
                float((1 + np.sum(chance >= value)) / (1 + DRAWS)) if value else 1.0,
                way,
            )
            for (channel, when), (value, way) in best.items()
        ),
        key=lambda crossed: (crossed.p, -crossed.bits, crossed.channel),
    )


def information(matches: Sequence[Colluder], values: Sequence[float | str | None]) -> float:
    """Bits that a value tells of the sender's, numbers by quarters, less what chance adds (Miller, Madow)."""
    pairs = [(match.bit, value) for match, value in zip(matches, values, strict=True) if value is not None]
    if len({value for _, value in pairs}) > 16 and not any(isinstance(value, str) for _, value in pairs):
        cuts = statistics.quantiles([value for _, value in pairs], n=4)  # type: ignore[type-var]
        pairs = [(bit, sum(value > cut for cut in cuts)) for bit, value in pairs]  # type: ignore[operator]
    both, one, other = Counter(pairs), Counter(bit for bit, _ in pairs), Counter(value for _, value in pairs)
    total = len(pairs)
    told = sum(
        count / total * math.log2(count * total / (one[bit] * other[value]))
        for (bit, value), count in both.items()
    )
    return max(0.0, told - (len(one) - 1) * (len(other) - 1) / (2 * total * math.log(2)))


def tuned(folder: Path, channel: Tuned) -> float:
    """Bits a second between a sender and a receiver: what a channel with so many errors can carry."""
    folder.mkdir()
    shared = shared_file(folder)
    words = json.dumps([str(shared), NUMBERS, {}, True])
    begins = time.monotonic() + 2
    source = "".join((PRELUDE, TOOLS, TUNES))

    def role(name: str, first: str, each: str) -> str:
        return json.dumps([name, begins, channel.slot, channel.width, channel.slots, first, each])

    with (
        sandboxed(shared.parent, source, words, role("reads", channel.looks, channel.reads)) as (_, receiver),
        sandboxed(shared.parent, source, words, role("sends", channel.prepares, channel.sends)) as (
            _,
            sender,
        ),
    ):
        wrong = int(receiver.read()) / (channel.slots * channel.width)
        sender.read()
    noise = sum(-share * math.log2(share) for share in (wrong, 1 - wrong) if share)
    return (1 - noise) * channel.width / channel.slot


def print_all(runs: int, scale: float, folder: Path) -> None:
    """`scale`: of the usual number of matches."""
    if reason := probe(Level.BWRAP):
        print(f"\nchannels between bots of different matches: not tried, {reason}")
        return
    matches = played(folder / "crossing", max(8, round(MATCHES * scale)))
    show_channels(matches, evaluated(matches))
    print("\na sender and a receiver by themselves, bits a second")
    for name, channel in TUNED.items():
        rates = [tuned(folder / f"tuned-{run}-{len(name)}", channel) for run in range(runs)]
        print(f"{name:44}{statistics.median(rates):>12,.0f}{min(rates):>12,.0f}–{max(rates):,.0f}")


def is_named(channel: str) -> bool:
    return NAMED.match(channel) is not None


def show_channels(matches: Sequence[Colluder], found: Sequence[Crossed]) -> None:
    crossed = [one for one in found if one.p < P]
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"\nchannels between bots of different matches, as {who}")
    print(f"{len(matches)} matches, {sum(match.bit for match in matches)} of them with a 1")
    for one in crossed:
        print(f"{one.channel:44}{one.when:12}{one.bits:6.2f} bits a match, p {one.p:.4f}  {one.best}")
    silent = sorted({one.channel for one in found} - {one.channel for one in crossed})
    tried = [name for name in silent if not name.startswith("/")]
    print(f"not seen to cross: {len(silent) - len(tried)} files of /proc; {'; '.join(tried)}")
