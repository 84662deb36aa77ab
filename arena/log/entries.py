"""What happened in one match, as lines of JSON: the first says everything needed to repeat it, the last how
it ended. Events and entries become lines here and lines become entries again.

Requests are not logged, since they follow from the state. Knows neither processes nor how to verify a log.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final

import msgspec

from arena.games.game import Game
from arena.log.settings import MatchSettings
from arena.system.text import called, caption, title, visible
from protocol.faults import FaultKind
from protocol.messages import Limits
from protocol.outcome import Deals, Forfeit

FORMAT: Final = 1
LOG_LIMIT: Final = 256 * 1024 * 1024
LINE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of a log that is read, and of a line in it; logs come from strangers too."""

Microseconds = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class LoggedEntrant(msgspec.Struct, frozen=True, omit_defaults=True):
    """`limits`: a seat's own, where it does not have those of the match. `title`: what people read in the
    place of the name, if it has one."""

    name: str
    digest: str
    limits: Limits | None = None
    title: str = ""

    @property
    def called(self) -> str:
        """For people."""
        return called(self.name, self.title)


class Entry(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """One line. Fields called `us` are measured microseconds, and `measured` holds more of them; all others
    repeat exactly."""


class Opened(Entry, MatchSettings, frozen=True, tag="match"):
    """The first line. `rules` is the version of the game's rules; `entrants` stand by seat."""

    format: int
    arena: str
    protocol: int
    match_id: str
    rules: int
    pod_key: str
    seating_no: int
    entrants: tuple[LoggedEntrant, ...]


class Greeted(Entry, frozen=True, tag="ready"):
    """A bot's `ready`, cleaned."""

    seat: int
    us: Microseconds
    name: str
    version: str = ""
    author: str = ""
    language: str = ""


class Happened(Entry, frozen=True, tag="events"):
    """The events of one step, private ones included: an array of JSON. It is not taken apart before it is
    its turn, since a stranger's can hold a million of them."""

    events: msgspec.Raw


class Acted(Entry, frozen=True, tag="action"):
    """One decision. `id` and `us` are those of the request, which is counted within the match; without an id
    the substitute chose."""

    seat: int
    action: str
    id: int = 0
    us: Microseconds = 0
    note: str = ""

    @property
    def by_substitute(self) -> bool:
        return self.id == 0


class Measured(msgspec.Struct, frozen=True):
    """What a bot whose time ran out got of the machine in the last `us` microseconds of it: CPU time of all
    its processes, and the longest that one of their threads was queued for a core, both at least; how late
    the referee was woken, at most; and whether no other match of the arena was played on that core."""

    us: Microseconds
    cpu_us: Microseconds
    queued_us: Microseconds
    lag_us: Microseconds
    own_core: bool


class Faulted(Entry, frozen=True, tag="fault"):
    """One fault, with all that explains it. `id` 0 is the handshake, and `deal_no` 0 the time before the
    first deal. `status` is the exit status where the process ended by itself, negative for a signal.
    `request`, `reply` and `stderr` are cut and printable. `measured` is there where nothing came in time."""

    seat: int
    deal_no: int
    id: int
    kind: FaultKind
    detail: str
    forfeits: bool
    us: Microseconds = 0
    status: int | None = None
    request: str = ""
    reply: str = ""
    stderr: str = ""
    measured: Measured | None = None


class Overspent(Entry, frozen=True, tag="excess"):
    """CPU time that a bot's processes took while it was frozen."""

    seat: int
    us: Microseconds


class Closed(Entry, frozen=True, tag="outcome"):
    """The last line: the finished deals, and the placings with the forfeits in them."""

    points: Deals
    gains: Deals
    placings: tuple[int, ...]
    forfeits: tuple[Forfeit, ...] = ()


AnyEntry = Opened | Greeted | Happened | Acted | Faulted | Overspent | Closed

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)
_raws: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


ERROR_LIMIT: Final = 1000
"""Characters of what is said about a log, which quotes from it."""


class LogError(Exception):
    """A file that is no whole match log. The text, one harmless line, names the line and what is wrong with
    it."""

    def __init__(self, text: str) -> None:
        super().__init__(caption(text, ERROR_LIMIT))


class LogWriter:
    """Collects the lines of one match; they leave in one piece when it has ended. Somebody who looks on is
    `told` each as it is written."""

    def __init__(self, told: Callable[[bytes], None] | None = None) -> None:
        self._lines: list[bytes] = []
        self._told = told

    def add(self, entry: AnyEntry) -> None:
        line = _encoder.encode(entry)
        self._lines.append(line)
        if self._told is not None:
            self._told(line)

    def text(self) -> str:
        return b"\n".join([*self._lines, b""]).decode()


def happened(events: Iterable[msgspec.Raw]) -> Happened:
    """The line of these events."""
    return Happened(msgspec.Raw(b"[" + b",".join(events) + b"]"))


def taken_apart(entry: Happened) -> list[msgspec.Raw]:
    """The events of a line. Raises msgspec.ValidationError."""
    return _raws.decode(entry.events)


def events_of(game: Game, raws: Iterable[msgspec.Raw]) -> list[Any]:
    """The game's events, decoded. Raises msgspec.ValidationError."""
    decoder = msgspec.json.Decoder(game.events)
    return [decoder.decode(raw) for raw in raws]


def parse(data: bytes) -> Sequence[AnyEntry]:
    """All entries of a whole log, of which the first is Opened and the last Closed. Raises LogError."""
    if len(data) > LOG_LIMIT:
        raise LogError(f"longer than {LOG_LIMIT >> 20} MiB")
    if not data:
        raise LogError("the file is empty")
    entries: list[AnyEntry] = []
    for line_no, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        try:
            entries.append(parse_line(line))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise LogError(f"line {line_no}: not an entry of a match log ({error})") from None
    first = entries[0]
    if not isinstance(first, Opened):
        raise LogError("line 1: a match log begins with its `match` line")
    if first.format != FORMAT:
        raise LogError(f"line 1: format {first.format} is not known here, {FORMAT} is")
    if not (first.pod_key.isascii() and all(entrant.name.isascii() for entrant in first.entrants)):
        raise LogError("line 1: the pod key and the names, from which randomness is drawn, must be ASCII")
    if not isinstance(entries[-1], Closed):
        raise LogError(f"line {len(entries)}: the log is cut off, its `outcome` line is missing")
    return entries


def parse_line(line: bytes) -> AnyEntry:
    """One entry. Raises MsgspecError, ValueError, RecursionError."""
    if len(line) > LINE_LIMIT:
        raise ValueError(f"longer than {LINE_LIMIT >> 20} MiB")
    line.decode("utf-8")
    return _cleaned(_decoder.decode(line))


def _cleaned(entry: AnyEntry) -> AnyEntry:
    """A log may come from a stranger: its texts pass the sanitiser here, once for all who read it. Events
    and actions are not text for people before the rules have confirmed them."""
    match entry:
        case Opened(match_id=match_id, entrants=entrants):
            named = tuple(
                msgspec.structs.replace(one, name=caption(one.name), title=title(one.title))
                for one in entrants
            )
            return msgspec.structs.replace(entry, match_id=caption(match_id), entrants=named)
        case Greeted(name=name, version=version, author=author, language=language):
            captions = map(caption, (name, version, author, language))
            return Greeted(entry.seat, entry.us, *captions)
        case Acted(note=note) if note:
            return msgspec.structs.replace(entry, note=caption(note))
        case Faulted(detail=detail, request=request, reply=reply, stderr=stderr):
            request, reply, stderr = (visible(text.encode(), LOG_LIMIT) for text in (request, reply, stderr))
            return msgspec.structs.replace(
                entry, detail=caption(detail), request=request, reply=reply, stderr=stderr
            )
    return entry
