"""The log of one match as lines of JSON: the first line says everything needed to repeat it, the last how it
ended. Encodes entries as lines, and decodes lines of any origin.

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
from protocol.units import Us

FORMAT: Final = 1
LOG_LIMIT: Final = 256 * 1024 * 1024
LINE_LIMIT: Final = 4 * 1024 * 1024
"""Limits in bytes of a log and of one line, since logs also come from strangers."""

BUG_LIMIT: Final = 500
"""Characters of the description of a bug in a house bot."""

LoggedUs = Annotated[Us, msgspec.Meta(ge=0, le=2**53)]


class LoggedEntrant(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entrant in the first line of a log."""

    name: str
    digest: str
    limits: Limits | None = None
    """The entrant's own; None for those of the match."""
    title: str = ""
    """What people read instead of the name; "" for the name itself."""

    @property
    def called(self) -> str:
        """The text shown to people: the title, or else the name."""
        return called(self.name, self.title)


SINGLE_MATCH: Final = "match"
"""The id of a match that belongs to no tournament."""


class LogEntry(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """One line. Fields named `us` are measured microseconds, and `measured` holds more measurements; all
    other fields are reproducible."""


class MatchOpened(LogEntry, MatchSettings, frozen=True, tag="match"):
    """The first line. `rules` is the version of the game's rules; `entrants` are by seat."""

    format: int
    arena: str
    protocol: int
    match_id: str
    rules: int
    pod_key: str
    seating_no: int
    entrants: tuple[LoggedEntrant, ...]


class Greeted(LogEntry, frozen=True, tag="ready"):
    """A bot's `ready`, with its texts sanitised."""

    seat: int
    us: LoggedUs
    """The microseconds from `hello` to `ready`."""
    name: str
    version: str = ""
    author: str = ""
    language: str = ""


class Happened(LogEntry, frozen=True, tag="events"):
    """The events of one step, private ones included, as a JSON array. It is decoded only on use, since a
    stranger's log can hold a million events."""

    events: msgspec.Raw


class Acted(LogEntry, frozen=True, tag="action"):
    """One decision."""

    seat: int
    action: str
    id: int = 0
    """The number of the request in the match, from 1; 0 if the substitute chose."""
    us: LoggedUs = Us(0)
    """The microseconds that the bot took; 0 for the substitute."""
    note: str = ""
    """The bot's comment."""
    bug: str = ""
    """What failed in a bot of the arena's own, which then chose by advice, or the first legal action."""

    @property
    def by_substitute(self) -> bool:
        """Whether the substitute chose, also in place of a forgiven fault."""
        return self.id == 0


class Measured(msgspec.Struct, frozen=True):
    """How much of the machine a bot got before its time ran out, in microseconds."""

    us: LoggedUs
    """How much of that time, up to its end, was measured; 0 if it was over before that."""
    cpu_us: LoggedUs
    """The CPU time of all its processes; a lower bound."""
    queued_us: LoggedUs
    """The longest time that one of their threads was queued for a core; a lower bound."""
    lag_us: LoggedUs
    """How late the referee was woken; an upper bound."""
    own_core: bool
    """Whether no other match of the arena used its core."""


class Faulted(LogEntry, frozen=True, tag="fault"):
    """One fault, with everything that explains it. Texts of the dialogue are shortened and printable."""

    seat: int
    deal_no: int
    """From 1; 0 before the first deal."""
    id: int
    """The number of the request in the match, from 1; 0 for the handshake."""
    kind: FaultKind
    detail: str
    forfeits: bool
    """Whether it forfeited the match."""
    us: LoggedUs = Us(0)
    """The microseconds that the bot took."""
    status: int | None = None
    """The exit status, negative for a signal; None if the process did not end by itself."""
    request: str = ""
    """What the referee sent."""
    reply: str = ""
    """What the bot wrote."""
    stderr: str = ""
    measured: Measured | None = None
    """None unless the bot sent nothing in time."""
    bug: str = ""
    """Why it is the arena's own fault, if the bot is one of its own."""


class Overspent(LogEntry, frozen=True, tag="excess"):
    """CPU time that a bot's processes used while it was frozen."""

    seat: int
    us: LoggedUs


class MatchClosed(LogEntry, frozen=True, tag="outcome"):
    """The last line: points and gains of the finished deals, and the placings, which take forfeits into
    account. `us` is the duration of the match from before its bots were started; 0 in logs of earlier
    versions."""

    points: Deals
    gains: Deals
    placings: tuple[int, ...]
    forfeits: tuple[Forfeit, ...] = ()
    us: LoggedUs = Us(0)


AnyEntry = MatchOpened | Greeted | Happened | Acted | Faulted | Overspent | MatchClosed
SeatEntry = Greeted | Acted | Faulted
"""What a seat did: it answered `hello` or a request, or failed to, or its substitute chose."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)
_raws: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


ERROR_LIMIT: Final = 1000
"""Characters of an error message about a log, which quotes from the log."""


class LogError(Exception):
    """A file is not a complete match log. The text is one sanitised line that names the line of the file and
    what is wrong."""

    def __init__(self, text: str) -> None:
        super().__init__(caption(text, ERROR_LIMIT))


class LogWriter:
    """Collects the lines of one match in memory. `on_line` is called with each new line."""

    def __init__(self, on_line: Callable[[bytes], None] | None = None) -> None:
        self._lines: list[bytes] = []
        self._on_line = on_line

    def add(self, entry: AnyEntry) -> None:
        """Append a line."""
        line = _encoder.encode(entry)
        self._lines.append(line)
        if self._on_line is not None:
            self._on_line(line)

    def text(self) -> str:
        """All lines so far, each with its newline."""
        return b"\n".join([*self._lines, b""]).decode()


def happened(events: Iterable[msgspec.Raw]) -> Happened:
    """The entry of one step's encoded events."""
    return Happened(msgspec.Raw(b"[" + b",".join(events) + b"]"))


def raw_events(entry: Happened) -> list[msgspec.Raw]:
    """The events of an entry, each still encoded. Raises msgspec.ValidationError."""
    return _raws.decode(entry.events)


def events_of(game: Game, raws: Iterable[msgspec.Raw]) -> list[Any]:
    """Decode events of this game. Raises msgspec.ValidationError."""
    decoder = msgspec.json.Decoder(game.events)
    return [decoder.decode(raw) for raw in raws]


def parse(data: bytes) -> Sequence[AnyEntry]:
    """Parse a complete log: its first entry is a MatchOpened, its last a MatchClosed. Raises LogError."""
    if len(data) > LOG_LIMIT:
        raise LogError(f"longer than {LOG_LIMIT >> 20} MiB")
    if not data:
        raise LogError("the file is empty")
    entries: list[AnyEntry] = []
    for line_no, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        try:
            entries.append(parse_line(line))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise LogError(f"line {line_no}: this is not an entry of a match log ({error})") from None
    first = entries[0]
    if not isinstance(first, MatchOpened):
        raise LogError("line 1: a match log begins with its `match` line")
    if first.format != FORMAT:
        raise LogError(f"line 1: this arena does not know format {first.format}, only {FORMAT}")
    if not (first.pod_key.isascii() and all(entrant.name.isascii() for entrant in first.entrants)):
        raise LogError("line 1: the pod key and the names, from which randomness is drawn, must be ASCII")
    if not isinstance(entries[-1], MatchClosed):
        raise LogError(f"line {len(entries)}: the log is cut off, its `outcome` line is missing")
    return entries


def parse_line(line: bytes) -> AnyEntry:
    """Decode and sanitise one entry. Raises MsgspecError, ValueError, RecursionError."""
    if len(line) > LINE_LIMIT:
        raise ValueError(f"longer than {LINE_LIMIT >> 20} MiB")
    line.decode("utf-8")
    return _cleaned(_decoder.decode(line))


def _cleaned(entry: AnyEntry) -> AnyEntry:
    """The entry with its texts sanitised here once, since a log may come from a stranger. Events and actions
    stay as they are, because people see them only after the rules have confirmed them."""
    match entry:
        case MatchOpened(match_id=match_id, entrants=entrants):
            named = tuple(
                msgspec.structs.replace(entrant, name=caption(entrant.name), title=title(entrant.title))
                for entrant in entrants
            )
            package = entry.game_package and entry.game_package.cleaned
            return msgspec.structs.replace(
                entry, match_id=caption(match_id), entrants=named, game_package=package
            )
        case Greeted(name=name, version=version, author=author, language=language):
            captions = map(caption, (name, version, author, language))
            return Greeted(entry.seat, entry.us, *captions)
        case Acted(note=note, bug=bug) if note or bug:
            return msgspec.structs.replace(entry, note=caption(note), bug=caption(bug, BUG_LIMIT))
        case Faulted(detail=detail, request=request, reply=reply, stderr=stderr, bug=bug):
            request, reply, stderr = (visible(text.encode(), LOG_LIMIT) for text in (request, reply, stderr))
            return msgspec.structs.replace(
                entry,
                detail=caption(detail),
                request=request,
                reply=reply,
                stderr=stderr,
                bug=caption(bug, BUG_LIMIT),
            )
    return entry
