"""SPEC.md against the code it describes, and the bots that were written from it, as real processes."""

import importlib.util
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.games import GAMES
from arena.games.events import Event
from protocol import streams
from protocol.codec import decode_from_bot, decode_from_referee, encode, raw
from protocol.dialogue import Phase
from protocol.faults import FORGIVABLE, Fault, FaultKind
from protocol.inbox import FLOOD_LIMIT, Inbox
from protocol.messages import (
    NAME_LIMIT,
    NOTE_LIMIT,
    PROTOCOL,
    End,
    FromReferee,
    Hello,
    Limits,
    Ready,
    Reply,
    Request,
)
from protocol.outcome import totals

ROOT: Final = Path(__file__).parents[1]
TEXT: Final = (ROOT / "SPEC.md").read_text("utf-8")
PYTHON: Final = (getattr(sys, "_base_executable", sys.executable), "-P")
PATIENCE_SECONDS: Final = 20.0


# ── the text ──────────────────────────────────────────────────────────────────────────────────────────────


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def listing(language: str, holding: str) -> str:
    (found,) = (block for block in blocks(language) if holding in block)
    return found


def section(heading: str) -> str:
    """What stands under a heading, up to the next one that is not below it."""
    level = heading.split()[0]
    start = TEXT.index(f"\n{heading}\n")
    end = re.compile(rf"^#{{1,{len(level)}}} ", re.MULTILINE).search(TEXT, start + len(heading) + 2)
    return TEXT[start : end.start() if end else None]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in `text`, heads and rules left out."""
    lines = text.splitlines()
    ruled = [at for at, line in enumerate(lines) if re.fullmatch(r"\|(-+\|)+", line.replace(" ", ""))]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for at, line in enumerate(lines)
        if line.startswith("|") and at not in ruled and at + 1 not in ruled
    ]


def first_cells(text: str) -> list[str]:
    """All names in code type that stand in the first column."""
    return [name for row in rows(text) for name in re.findall(r"`([^`]+)`", row[0])]


def fields(struct: Any) -> list[str]:
    return [field.name for field in msgspec.structs.fields(struct)]


@pytest.mark.parametrize("message", [Hello, Request, End, Ready, Reply])
def test_every_field_of_a_message_is_documented_in_order(message: Any) -> None:
    tag = message.__struct_config__.tag
    assert first_cells(section(f"### `{tag}`")) == ["type", *fields(message)]


def test_limits_are_those_of_the_code() -> None:
    limits = section("## Limits and defaults")
    for name in fields(Limits):
        assert f"`{name}` {getattr(Limits(), name)}" in limits
    assert f"{FLOOD_LIMIT // 1024} KiB" in limits
    assert f"| {NAME_LIMIT} characters" in limits
    assert f"| {NOTE_LIMIT} characters" in limits
    assert f"Protocol {PROTOCOL}." in TEXT


def test_every_fault_is_documented() -> None:
    table = {row[0].strip("`"): row for row in rows(section("## Faults")) if len(row) == 4}
    assert list(table) == [kind.value for kind in FaultKind]
    assert {kind for kind in table if table[kind][3] == "yes"} == FORGIVABLE


@pytest.mark.parametrize(
    "row", [row for row in rows(section("## Faults")) if len(row) == 2], ids=lambda row: row[0]
)
def test_what_becomes_of_a_line(row: Sequence[str]) -> None:
    line, verdict = row[0].strip("`"), row[1]
    inbox = Inbox()
    inbox.open(Phase.ASKED, 3)
    inbox.feed(line.encode() + b"\n")
    match inbox.take():
        case Reply(action=action):
            assert verdict == ("accepted" if action in ("G2", "B7") else "illegal")
        case Fault(kind=kind):
            assert verdict == kind
        case None:
            assert verdict == "dropped"


def test_how_bots_are_started() -> None:
    launch = pytest.importorskip("arena.launch", reason="nothing starts bots here yet")
    table = {row[0].strip("`"): row[1] for row in rows(section("### How a bot is started"))}
    assert list(table) == list(launch.SUFFIXES)
    for suffix, command in launch.SUFFIXES.items():
        assert f"`{' '.join(command)}`" in table[suffix]
    environment = section("### How a bot is started")
    for name in launch.bot_environment():
        assert f"`{name}`" in environment


def test_every_view_event_and_decision_of_sticheln_is_documented() -> None:
    game = GAMES["sticheln"]
    common = fields(game.views)[:7]
    games, sticheln = section("## Games"), section("### Sticheln")
    assert first_cells(games[: games.index("An event is")]) == common
    view = sticheln[sticheln.index("**View**") : sticheln.index("**Events**")]
    assert [name for name in first_cells(view) if name in fields(game.views)] == fields(game.views)[7:]
    for event in tags(game.events):
        assert any(row[0] == f"`{event}`" for row in rows(games)), event
    decisions = sticheln[sticheln.index("**Decisions**") : sticheln.index("**View**")]
    assert [row[0].strip("`") for row in rows(decisions)] == list(game.decisions)
    for number in range(1, 12):
        assert f"| S-{number} |" in sticheln
    for seats in game.seats:
        letters, count = " ".join(game.suits(seats)), len(game.deck(seats))
        assert re.search(rf"\| {seats} \| {letters} \| 0 … \d+ \| {count} \|", sticheln)


def tags(union: Any) -> list[str]:
    return [struct.__struct_config__.tag for struct in union.__args__]


# ── the dialogue ──────────────────────────────────────────────────────────────────────────────────────────


def spec_dialogue() -> Any:
    """tests/spec_dialogue.py, which is also a script. Loaded by its path: tests/ is no package."""
    place = importlib.util.spec_from_file_location("spec_dialogue", ROOT / "tests" / "spec_dialogue.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_the_dialogue_is_what_the_code_makes() -> None:
    assert blocks("dialogue") == spec_dialogue().blocks(), "run tests/spec_dialogue.py, which writes it anew"


def test_every_line_of_json_is_what_the_code_would_write() -> None:
    game = GAMES["sticheln"]
    encoder = msgspec.json.Encoder()
    lines = "".join(blocks("dialogue")).splitlines()
    for line in lines:
        side, text = line[:3], line[3:].encode()
        if side == "-> ":
            assert decode_from_bot(text)
            continue
        message = decode_from_referee(text)
        assert encode(message) == text + b"\n"
        if isinstance(message, Request):
            assert encoder.encode(msgspec.convert(message.view, game.views)) == encoder.encode(message.view)
    for line in "".join(blocks("json")).splitlines():
        known: Any = game.events if "event" in msgspec.json.decode(line) else game.views
        assert encoder.encode(msgspec.json.decode(line, type=known)).decode() == line
        assert any(line in whole for whole in lines), "examples are taken from the dialogue"


def test_the_shortest_bot_answers_the_dialogue_word_for_word(tmp_path: Path) -> None:
    lines = "".join(blocks("dialogue")).splitlines()
    read = "".join(line[3:] + "\n" for line in lines if line.startswith("<- "))
    run = subprocess.run(
        [*PYTHON, str(shortest(tmp_path))],
        input=read,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.stdout.splitlines() == [line[3:] for line in lines if line.startswith("-> ")]
    assert (run.returncode, run.stderr) == (0, "")


# ── randomness ────────────────────────────────────────────────────────────────────────────────────────────


def by_the_code() -> dict[str, Any]:
    """The names of SPEC.md's listing, bound to protocol.streams."""

    def draws(label: str, n: int, count: int) -> list[int]:
        stream = streams.Stream(label)
        return [stream.below(n) for _ in range(count)]

    return {
        "derive": streams.derive,
        "words": streams.Stream,
        "below": lambda stream, n: stream.below(n),
        "shuffled": lambda stream, items: list(stream.shuffled(items)),
        "draws": draws,
        "POD": streams.pod_key("7", 0, 0),
        "MATCH": streams.match_key(streams.pod_key("7", 0, 0), 1),
    }


def by_the_listing() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(listing("python", "def words"), names)
    names["POD"] = names["derive"]("7", "0/0")
    names["MATCH"] = names["derive"](names["POD"], "1")
    return names


@pytest.mark.parametrize("names", [by_the_code, by_the_listing])
def test_the_vectors_hold(names: Any) -> None:
    vectors = [row for row in rows(section("## Randomness")) if "`arena1/<" not in row[0] and len(row) == 2]
    assert len(vectors) == 13
    for expression, value in vectors:
        assert str(eval(expression.strip("`"), names())) == value.strip("`"), expression


def test_the_labels_are_those_of_the_code() -> None:
    pod, match = by_the_code()["POD"], by_the_code()["MATCH"]
    vectors = {row[0].strip("`"): row[1].strip("`") for row in rows(section("## Randomness"))}
    source = streams.DealSource(pod)
    assert vectors['below(words("arena1/" + POD + "/leader"), 3)'] == str(source.lot(3))
    assert vectors['shuffled(words("arena1/" + POD + "/deal/1"), range(45))'] == str(
        list(source.deck(1, range(45)))
    )
    assert vectors['shuffled(words("arena1/" + POD + "/labels"), range(4))'] == str(
        list(streams.seating_labels(pod, 4))
    )
    substitute = streams.substitute_stream(match, 0)
    assert vectors['draws("arena1/" + MATCH + "/substitute/0", 15, 5)'] == str(
        [substitute.below(15) for _ in range(5)]
    )
    assert vectors['below(words("arena1/" + MATCH + "/bot/seat-0"), 2**31)'] == str(
        streams.bot_seed(match, "seat-0")
    )


# ── real processes ────────────────────────────────────────────────────────────────────────────────────────


class Seated:
    """One bot process, asked one line at a time. Whatever it does wrong fails the test."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._inbox = Inbox()
        self.unread: list[Event] = []
        self.last_id = 0
        self.said: list[Ready | Reply] = []

    def __enter__(self) -> "Seated":
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()
        self._child.stdin.close()
        self._child.stdout.close()

    def tell(self, message: FromReferee) -> None:
        self._child.stdin.write(encode(message))

    def ask(self, message: Hello | Request, phase: Phase) -> Ready | Reply:
        self._inbox.open(phase, self.last_id)
        self.tell(message)
        while (verdict := self._inbox.take()) is None:
            readable, _, _ = select.select([self._child.stdout], [], [], PATIENCE_SECONDS)
            assert readable, f"no answer to {message}"
            data = self._child.stdout.read(65536)
            assert data, "the bot has gone"
            self._inbox.feed(data)
        assert not isinstance(verdict, Fault), verdict
        self.said.append(verdict)
        return verdict

    def goodbye(self) -> int:
        """The exit status after the end of input."""
        self._child.stdin.close()
        status = self._child.wait(PATIENCE_SECONDS)
        assert self._child.stdout.read() == b"", "it said something behind its last reply"
        return status


def play(commands: Sequence[Sequence[str]], deals: int, seed: str) -> list[list[Ready | Reply]]:
    """A match of Sticheln to its end, by real processes. Returns what each seat said."""
    game, seats = GAMES["sticheln"], len(commands)
    pod = streams.pod_key(seed, 0, 0)
    match = streams.match_key(pod, 1)
    with ExitStack() as stack:
        bots = [stack.enter_context(Seated(command)) for command in commands]
        for seat, bot in enumerate(bots):
            hello = Hello(
                PROTOCOL,
                game.id,
                {},
                seats,
                seat,
                deals,
                game.deck(seats),
                dict(game.suits(seats)),
                Limits(),
                streams.bot_seed(match, f"seat-{seat}"),
                streams.derive(match, "match")[:16],
            )
            assert isinstance(bot.ask(hello, Phase.STARTING), Ready)
        state, happened = game.start(seats, game.options(), deals, streams.DealSource(pod))
        publish(bots, happened)
        while state.pending:
            actions = {}
            for seat, decision in state.pending.items():
                bot = bots[seat]
                bot.last_id += 1
                events, bot.unread = [raw(event) for event in bot.unread], []
                request = Request(bot.last_id, decision, state.legal(seat), events, state.view(seat), 11_000)
                reply = bot.ask(request, Phase.ASKED)
                assert isinstance(reply, Reply)
                assert reply.action in request.legal
                assert len(reply.note) <= NOTE_LIMIT
                actions[seat] = reply.action
            state, happened = state.apply(actions)
            publish(bots, happened)
        outcome = state.tally()
        for bot in bots:
            events = [raw(event) for event in bot.unread]
            bot.tell(End(events, totals(outcome.points, seats), outcome.placings, "finished"))
        assert [bot.goodbye() for bot in bots] == [0] * seats
        return [bot.said for bot in bots]


def publish(bots: Sequence[Seated], events: Sequence[Event]) -> None:
    for seat, bot in enumerate(bots):
        bot.unread += [event for event in events if event.audience in (None, seat)]


def shortest(folder: Path) -> Path:
    code = listing("python", '"first"')
    assert len(code.splitlines()) <= 12
    path = folder / "first.py"
    path.write_text(code, "utf-8")
    return path


def command(name: str) -> tuple[str, ...]:
    path = ROOT / "bots" / name
    if path.suffix == ".py":
        return (*PYTHON, str(path))
    if shutil.which("node") is None:
        pytest.skip("node is not here, which runs the JavaScript bot")
    return ("node", str(path))


BOTS: Final = ["careful.py", "counter.js", "greedy.py", "random.py"]


def test_no_bot_is_forgotten() -> None:
    assert sorted(path.name for path in (ROOT / "bots").iterdir() if path.name[0] not in "._") == BOTS


def test_bots_need_no_executable_bit_and_nothing_of_ours() -> None:
    for path in (ROOT / "bots" / name for name in BOTS):
        assert not path.stat().st_mode & 0o111
        assert not re.search(
            r"^\s*(from|import) (arena|protocol|tournaments|random)\b", path.read_text(), re.M
        )


@pytest.mark.parametrize("seats", GAMES["sticheln"].seats)
def test_the_shortest_bot_finishes_at_every_seat_count(seats: int, tmp_path: Path) -> None:
    said = play([(*PYTHON, str(shortest(tmp_path)))] * seats, deals=seats, seed="spec")
    assert all(len(lines) == 1 + 15 * seats for lines in said)


def test_the_shell_bot_finishes(tmp_path: Path) -> None:
    path = tmp_path / "shell.sh"
    path.write_text(listing("sh", "case"), "utf-8")
    play([("sh", str(path))] * 3, deals=1, seed="spec")


@pytest.mark.parametrize("seats", GAMES["sticheln"].seats)
@pytest.mark.parametrize("name", BOTS)
def test_bots_play_whole_matches_and_the_same_seed_the_same_way(name: str, seats: int) -> None:
    commands = [command(name)] * seats
    assert play(commands, deals=2, seed="spec") == play(commands, deals=2, seed="spec")


def test_random_plays_differently_with_another_seed() -> None:
    """The same requests, another seed in `hello`."""
    lines = [line[3:] for line in "".join(blocks("dialogue")).splitlines() if line.startswith("<- ")]
    outputs = [
        run_lines([re.sub(r'"seed":\d+', f'"seed":{seed}', line) for line in lines]) for seed in (0, 1, 1)
    ]
    assert outputs[0] != outputs[1]
    assert outputs[1] == outputs[2]


def run_lines(lines: Sequence[str], name: str = "random.py") -> list[Reply | Ready]:
    text = "".join(line + "\n" for line in lines).encode()
    run = subprocess.run(command(name), input=text, capture_output=True, timeout=PATIENCE_SECONDS, check=True)
    return [decode_from_bot(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("name", BOTS)
def test_bots_play_a_game_they_have_never_heard_of(name: str) -> None:
    hello: Mapping[str, Any] = {"type": "hello", "game": "whist", "deck": ["R1"], "seed": 5, "news": [1]}
    request = {
        "type": "request",
        "id": 1,
        "decision": "bid",
        "legal": ["pass"],
        "view": {"seat": 0},
        "new": {},
    }
    ready, reply = run_lines([msgspec.json.encode(line).decode() for line in (hello, request)], name)
    assert isinstance(ready, Ready)
    assert isinstance(reply, Reply)
    assert (reply.id, reply.action) == (1, "pass")


def test_random_started_without_isolation_does_not_import_itself() -> None:
    """By hand it is `python bots/random.py`, with its own folder first on the path."""
    path = ROOT / "bots" / "random.py"
    run = subprocess.run([PYTHON[0], str(path)], input=b"", capture_output=True, timeout=PATIENCE_SECONDS)
    assert (run.returncode, run.stderr) == (0, b"")
