"""What has to hold for a league whatever happened to it, found out from its files alone: no code is shared
with the league, neither that of its journal nor that of its state.

It remembers what it has seen: entries that were there stay there.
"""

import gzip
import hashlib
import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

Entry = dict[str, Any]
GENESIS = hashlib.sha256(b"arena league 1").hexdigest()
QUOTA = 50
"""Versions of an author on a day."""
DAY = 86_400
HOUSE = "house"


class Kill(NamedTuple):
    """A bot was killed: one of these versions, in one of these draws that had no result, which a forfeit of
    one match can come of."""

    versions: frozenset[str]
    draws: frozenset[int]


class Oracle:
    """What is known of a league. `fair` says whether a version never commits a fault of its own; `slow`
    whether it may exceed its time."""

    def __init__(self, league: Path, jobs: int, naughty: str, slow: str) -> None:
        """`naughty` and `slow` are patterns of versions."""
        self.league = league
        self.kills: list[Kill] = []
        self.entries: list[Entry] = []
        self.late: Counter[str] = Counter()
        """Times exceeded by versions that may."""
        self.starved: Counter[str] = Counter()
        """Times exceeded by versions that had no core."""
        self.explained = 0
        """Forfeits that a kill explains."""
        self._jobs = jobs
        self._naughty, self._slow = re.compile(naughty), re.compile(slow)
        self._digests: list[str] = []

    @classmethod
    def reading(cls, league: Path) -> "Oracle":
        """What stands in the journal now, unchecked."""
        found = cls(league, 1, "^", "^")
        found.entries = [entry for entry, _ in found._read()]
        return found

    def open_draws(self) -> dict[int, Entry]:
        """Those without a result, as the journal says now."""
        found: dict[int, Entry] = {}
        for entry, _ in self._read():
            if entry["type"] == "draw":
                found[entry["no"]] = entry
            elif entry["type"] in ("played", "void"):
                found.pop(entry["no"], None)
        return found

    def complaints(self) -> Iterator[str]:
        """Looks again; what is wrong."""
        now = list(self._read())
        digests = [digest for _, digest in now]
        if digests[: len(self._digests)] != self._digests:
            yield "entries that were in the journal are not there any more"
        self.entries, self._digests = [entry for entry, _ in now], digests
        yield from self._broken_chain(now)
        yield from self._draws()
        yield from self._seeds()
        yield from self._forfeits()
        yield from self._over_quota()

    def lacks(self, claim: Entry) -> bool:
        """Whether no entry has these fields, although a command said that it was written."""
        return not any(claim.items() <= entry.items() for entry in self.entries)

    def pods(self) -> Counter[tuple[str, str]]:
        """How many pods count for a version, by board and version."""
        draws = {entry["no"]: entry for entry in self._of("draw")}
        annulled = {entry["no"] for entry in self._of("annulled")}
        return Counter(
            (draws[no]["board"], version)
            for no in (entry["no"] for entry in self._of("played"))
            if no not in annulled
            for version in draws[no]["versions"]
        )

    def _status(self) -> dict[str, str]:
        """What became of each version that passed the intake."""
        status: dict[str, str] = {}
        current: dict[str, str] = {}
        for entry in self.entries:
            version = entry.get("version", "")
            bot = version.partition("@")[0]
            match entry["type"]:
                case "current":
                    before = current.get(bot)
                    if before is not None and status[before] == "current":
                        status[before] = "resting"
                    status[version], current[bot] = "current", version
                case "paused" | "retired" as kind:
                    status[version] = kind
                case "restored":
                    status[version] = "current" if current.get(bot) == version else "resting"
        return status

    def playing(self) -> set[str]:
        """The versions that are current: neither resting nor refused, paused or retired."""
        return {version for version, now in self._status().items() if now == "current"}

    def stopped(self) -> set[str]:
        """Those that were paused or retired."""
        return {version for version, now in self._status().items() if now in ("paused", "retired")}

    def played(self) -> list[int]:
        """The draws that have a result."""
        return [entry["no"] for entry in self._of("played")]

    def boards(self) -> list[str]:
        """In their order."""
        return [board["id"] for board in self.entries[0]["boards"]]

    def anchors(self) -> list[str]:
        """In their order."""
        return [entry["version"] for entry in self._of("received") if entry["version"].startswith("house/")]

    def strengths(self, board: str) -> list[str]:
        """The versions of the last checkpoint of a board."""
        found = [entry["strengths"] for entry in self._of("checkpoint") if entry["board"] == board]
        return list(found[-1]) if found else []

    def frozen(self) -> int | None:
        """The place in the journal of the freeze that holds; None where none does."""
        places = [no for no, entry in enumerate(self.entries) if entry["type"] in ("frozen", "unfrozen")]
        return places[-1] if places and self.entries[places[-1]]["type"] == "frozen" else None

    def versions_of(self, digest: str) -> set[str]:
        """The versions of this program."""
        return {entry["version"] for entry in self._of("received") if entry["digest"] == digest}

    def _of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry["type"] == kind]

    def _files(self) -> list[Path]:
        return sorted(self.league.glob("league-[0-9][0-9][0-9][0-9].db"))

    def _read(self) -> Iterator[tuple[Entry, str]]:
        """All entries with their digests, through all files."""
        for file in self._files():
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
                rows = db.execute("SELECT entry, digest FROM entries ORDER BY no").fetchall()
            for text, digest in rows:
                yield json.loads(text) | {"text": text}, digest

    def _broken_chain(self, now: list[tuple[Entry, str]]) -> Iterator[str]:
        before = GENESIS
        last = ""
        for no, (entry, digest) in enumerate(now, 1):
            if entry["type"] == "segment":
                if entry["before"] != last:
                    yield f"entry {no} does not go on with the file before"
                before = GENESIS
            before = hashlib.sha256(f"{before}\n{entry['text']}".encode()).hexdigest()
            if digest != before:
                yield f"entry {no} has another digest"
            last = digest

    def _draws(self) -> Iterator[str]:
        draws = self._of("draw")
        if [entry["no"] for entry in draws] != [*range(1, len(draws) + 1)]:
            yield "the draws are not numbered one after the other"
        ends = Counter(entry["no"] for entry in self.entries if entry["type"] in ("played", "void"))
        yield from (f"draw {no} ended {times} times" for no, times in ends.items() if times > 1)
        in_flight = [entry["no"] for entry in draws if not ends[entry["no"]]]
        if len(in_flight) > self._jobs:
            yield f"draws {in_flight} have no result, and {self._jobs} are played at a time"
        day_of = {entry["no"]: entry["day"] for entry in draws}
        pruned = [entry for entry in self.entries if entry["type"] == "pruned"]
        for played in self._of("played"):
            no = played["no"]
            for part, folder in (("public", "logs"), ("private", "private")):
                if any(
                    no <= one["last"] and (part == "private" or not one["private_only"]) for one in pruned
                ):
                    continue
                path = self.league / folder / str(day_of[no]) / f"{no}.jsonl.gz"
                try:
                    found = hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()
                except (OSError, EOFError) as error:
                    yield f"{path}: {error}"
                else:
                    if found != played[part]:
                        yield f"{path} is not the log that was written"

    def _seeds(self) -> Iterator[str]:
        committed: dict[int, str] = {}
        revealed: set[int] = set()
        for entry in self.entries:
            match entry["type"]:
                case "commitment":
                    committed[entry["day"]] = entry["sha256"]
                case "seed":
                    revealed.add(entry["day"])
                    if committed.get(entry["day"]) != hashlib.sha256(entry["seed"].encode()).hexdigest():
                        yield f"the seed of day {entry['day']} is not the one that was committed"
                case "draw":
                    if entry["day"] not in committed:
                        yield f"draw {entry['no']} was drawn before the seed of its day was committed"
                    if entry["day"] in revealed:
                        yield f"draw {entry['no']} was drawn after the seed of its day was revealed"

    def _forfeits(self) -> Iterator[str]:
        """Those that neither a kill explains nor the version itself."""
        left = list(self.kills)
        self.explained, self.late, self.starved = 0, Counter(), Counter()
        draws = {entry["no"]: entry for entry in self._of("draw")}
        for played in self._of("played"):
            draw = draws[played["no"]]
            for version, matches in zip(draw["versions"], played["matches"], strict=True):
                for match in matches:
                    for forfeit in match[1] if len(match) > 1 else ():
                        one = (version, *draw["companions"])[forfeit["seat"]]
                        by = next(
                            (kill for kill in left if one in kill.versions and draw["no"] in kill.draws), None
                        )
                        if self._naughty.search(one):
                            continue
                        if by is not None and forfeit["kind"] != "timeout":
                            left.remove(by)
                            self.explained += 1
                        elif forfeit["kind"] == "timeout" and self._slow.search(one):
                            self.late[one] += 1
                        elif forfeit["kind"] == "timeout" and self._had_no_core(draw):
                            self.starved[one] += 1
                        else:
                            yield f"{one} forfeited a match of draw {draw['no']} ({forfeit['kind']})"

    def _had_no_core(self, draw: Entry) -> bool:
        """Whether whoever exceeded its time in a draw had computed less than half of it: other programs of
        this machine had the core."""
        path = self.league / "private" / str(draw["day"]) / f"{draw['no']}.jsonl.gz"
        if not path.exists():
            return True  # It was pruned.
        lines = (json.loads(line)[1] for line in gzip.decompress(path.read_bytes()).splitlines())
        measured = [one["measured"] for one in lines if one.get("measured")]
        return bool(measured) and all(2 * one["cpu_us"] < one["us"] for one in measured)

    def _over_quota(self) -> Iterator[str]:
        sent: defaultdict[tuple[str, int], int] = defaultdict(int)
        for entry in self._of("received"):
            sent[entry["version"].partition("/")[0], entry["at"] // DAY] += 1
        for (author, day), times in sent.items():
            if times > QUOTA and author != HOUSE:
                yield f"{author} sent {times} versions on day {day}"
