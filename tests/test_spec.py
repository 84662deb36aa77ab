"""SPEC.md against the code it describes, and the bots that were written from it, as real processes."""

import inspect
import re
import select
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from trio.testing import MockClock

from arena import launch
from arena.conversation import Conversation
from arena.entrants import Manifest, find
from arena.games import GAMES
from arena.games.david_and_goliath import high_and_low, pile_points
from arena.games.events import Event
from arena.games.game import Game
from arena.games.ole import hand_points, rule
from arena.games.sticheln import taking
from arena.job import Entrant, Job
from arena.launch import Launch
from arena.matchlog import Faulted, parse
from arena.referee import play as referee_plays
from arena.sandbox import Sandbox
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
from tests import spec_dialogue, spec_transcripts
from tests.arena.fakes import READY, Answer, FakePipe, after
from tests.arena.programs import Program, at, entrant
from tests.spec_transcripts import Shown

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


def test_how_bots_are_started() -> None:
    started = section("### How a bot is started")
    assert first_cells(started) == [*launch.SUFFIXES, *fields(Manifest)]
    table = {row[0].strip("`"): row[1] for row in rows(started)}
    for suffix, command in launch.SUFFIXES.items():
        assert f"`{' '.join(command)}`" in table[suffix]
    for name in launch.bot_environment():
        assert f"`{name}`" in started


def test_the_example_of_a_manifest_is_a_bot(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    assert list(tomllib.loads(text)) == fields(Manifest), "every key, in the order of the table"
    manifest = msgspec.convert(tomllib.loads(text), Manifest)
    assert set(manifest.games or ()) < set(GAMES)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(text.replace("make deep", "true"))
    (folder / "deep").write_text("#!/bin/sh\n")
    (folder / "deep").chmod(0o755)
    (found,) = find([str(folder)], "sticheln", Sandbox()).entrants
    assert (found.name, found.launch.argv) == ("deep", ("./deep", "--depth", "3"))
    (left_out,) = find([str(folder)], "ole", Sandbox()).left_out
    assert "does not play ole" in left_out.reason


# ── faults ────────────────────────────────────────────────────────────────────────────────────────────────


def shown(cell: str) -> str:
    """What stands in a cell in code type, however many backticks that took."""
    found = re.fullmatch(r"(`+) ?(.*?) ?\1", cell)
    return found[2] if found else cell


def cases(heading: str) -> list[Any]:
    """The rows of a section as test cases, named by their first cell."""
    return [pytest.param(*map(shown, row), id=shown(row[0])) for row in rows(section(heading))]


def test_every_fault_is_documented() -> None:
    faults = section("## Faults")
    table = {row[0].strip("`"): row for row in rows(faults[: faults.index("\n###")])}
    assert list(table) == [kind.value for kind in FaultKind]
    assert {kind for kind in table if table[kind][3] == "yes"} == FORGIVABLE


def test_every_fault_that_there_is_has_an_example() -> None:
    seen = {row[1] for heading in LINES_AND_BEHAVIOUR for row in rows(section(heading))}
    assert {kind.value for kind in FaultKind} - seen == set()


LINES_AND_BEHAVIOUR: Final = ("### A line as a reply", "### A line as `ready`", "### Behaviour")


def says(*lines: str) -> FakePipe:
    """A bot that answers the referee's lines with these, as far as they go; then it is silent."""
    left = list(lines)

    def script(message: object) -> Answer:
        return after(0, left.pop(0).encode()) if left else []

    return FakePipe(script)


async def judged(pipe: FakePipe, requests: int) -> Ready | Reply | Fault:
    """What becomes of the answer to request number `requests`, the handshake being 0."""
    conversation = Conversation(pipe, Limits())
    hello = Hello(PROTOCOL, "sticheln", {}, 3, 0, 1, ("R0",), {"R": "red"}, Limits(), 7, "m")
    answer = (await conversation.greet(hello)).answer
    for _ in range(requests):
        answer = (await conversation.ask("play", ("G2", "B7"), [], {})).answer
    return answer


def up_to_request(number: int) -> list[str]:
    replies = [f'{{"type":"reply","id":{earlier},"action":"G2"}}\n' for earlier in range(1, number)]
    return [READY.decode(), *replies]


@pytest.fixture
def autojump_clock() -> MockClock:
    """Time passes only where somebody waits for it."""
    return MockClock(autojump_threshold=0)


@pytest.mark.parametrize(("line", "verdict", "detail"), cases("### A line as a reply"))
async def test_a_line_as_a_reply(line: str, verdict: str, detail: str, autojump_clock: MockClock) -> None:
    match await judged(says(*up_to_request(3), line + "\n"), requests=3):
        case Reply(action=action) if action in ("G2", "B7"):
            assert (verdict, detail) == ("accepted", "")
        case Reply(action=action):
            assert (verdict, detail) == ("illegal", f"{action!r} is not legal")
        case Fault(kind=FaultKind.TIMEOUT):
            assert (verdict, detail) == ("dropped", "")
        case Fault(kind=kind) as fault:
            assert (verdict, detail) == (kind, fault.detail)


@pytest.mark.parametrize(("line", "verdict", "detail"), cases("### A line as `ready`"))
async def test_a_line_as_ready(line: str, verdict: str, detail: str, autojump_clock: MockClock) -> None:
    match await judged(says(line + "\n"), requests=0):
        case Ready():
            assert (verdict, detail) == ("accepted", "")
        case Fault(kind=kind) as fault:
            assert (verdict, detail) == (kind, fault.detail)


SILENT: Final[Mapping[str, tuple[str, ...]]] = {
    "reads `hello` and says nothing": (),
    "reads the request and says nothing": tuple(up_to_request(3)),
    "writes its reply without a newline, and waits": (
        *up_to_request(3),
        '{"type":"reply","id":3,"action":"B7"}',
    ),
}
"""What a bot says before it says nothing more; played against a clock that need not be waited for."""

NOT_STARTED: Final[Mapping[str, tuple[str, str, str]]] = {
    "is a file whose first line is `#!/usr/bin/no-such-thing`": (
        "./bot",
        "#!/usr/bin/no-such-thing\n",
        "755",
    ),
    "is a file whose first line is `#!/usr/bin/env no-such-thing`": (
        "./bot",
        "#!/usr/bin/env no-such-thing\n",
        "755",
    ),
    "has the command `./no-such-file`": ("./no-such-file", "", "644"),
    "has the command `./notes.txt`, a file without an executable bit": ("./notes.txt", "notes", "644"),
}
"""The command, and the content and mode of the file `bot` or `notes.txt`."""

RUN: Final[Mapping[str, Sequence[Program]]] = {
    "ends before `ready`": [Program(before="sys.exit(0)")],
    "ends, with any exit status or by a signal": [
        Program(asked=at(3, "sys.exit(0)")),
        Program(asked=at(3, "sys.exit(1)")),
        Program(asked=at(3, "os.kill(os.getpid(), signal.SIGSEGV)")),
    ],
    "closes its standard output, or its standard input": [
        Program(asked=at(3, "os.close(1); time.sleep(60)")),
        Program(asked=at(3, "os.close(0); time.sleep(60)")),
    ],
    "writes half a reply and ends": [Program(asked=at(3, "os.write(1, answer[:20].encode()); os._exit(0)"))],
    "prints without end": [Program(asked=at(3, "while True: say('')"))],
    "is killed for writing more than 16 MiB to standard error": [
        Program(
            asked=at(3, "while True: os.write(2, bytes(1 << 20))"),
            before="signal.signal(signal.SIGXFSZ, signal.SIG_DFL)",
        )
    ],
    "takes more and more memory": [Program(asked=at(3, "hog = []\nwhile True: hog.append(b'x' * 2**23)"))],
}
"""Real processes, which do it by themselves."""


def test_every_behaviour_is_tried() -> None:
    assert {shown(row[0]) for row in rows(section("### Behaviour"))} == {*SILENT, *NOT_STARTED, *RUN}


def behaving(programs: Mapping[str, Any]) -> list[Any]:
    return [case for case in cases("### Behaviour") if case.values[0] in programs]


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(SILENT))
async def test_silence(behaviour: str, kind: str, detail: str, autojump_clock: MockClock) -> None:
    said = SILENT[behaviour]
    fault = await judged(says(*said), requests=3 if said else 0)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.detail) == (kind, detail)


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(NOT_STARTED))
async def test_what_cannot_be_started(behaviour: str, kind: str, detail: str, tmp_path: Path) -> None:
    program, content, mode = NOT_STARTED[behaviour]
    if content:
        path = tmp_path / program
        path.write_text(content)
        path.chmod(int(mode, 8))
    faults = await faults_of([Entrant("bot", Launch((program,), str(tmp_path)), "")] * 3, tmp_path)
    assert [(fault.kind, fault.detail, fault.id) for fault in faults] == [(kind, detail, 0)] * 3


@pytest.mark.parametrize(("behaviour", "kind", "detail"), behaving(RUN))
async def test_behaviour(behaviour: str, kind: str, detail: str, tmp_path: Path) -> None:
    programs = (list(RUN[behaviour]) * 3)[:3]
    seated = [entrant(tmp_path, f"bot-{seat}", program) for seat, program in enumerate(programs)]
    faults = await faults_of(seated, tmp_path)
    details = [re.sub(r"^\d+ MB in use", "600 MB in use", fault.detail) for fault in faults]
    assert [(fault.kind, said) for fault, said in zip(faults, details, strict=True)] == [(kind, detail)] * 3
    assert {fault.id for fault in faults} == {0 if "`ready`" in behaviour else 3}


async def faults_of(seated: Sequence[Entrant], folder: Path) -> list[Faulted]:
    """The faults of a match of one deal of Sticheln."""
    (folder / "stderr").mkdir()
    finished = await referee_plays(
        Job(
            match_id="m",
            game="sticheln",
            options={},
            deals=1,
            pod_key=streams.pod_key("7", 0, 0),
            seating_no=1,
            entrants=tuple(seated),
            limits=Limits(),
            stderr=str(folder / "stderr"),
        )
    )
    return [entry for entry in parse(finished.log.encode()) if isinstance(entry, Faulted)]


async def test_the_fault_in_the_log(tmp_path: Path) -> None:
    assert first_cells(section("### What the log says")) == ["type", *fields(Faulted)]
    (example,) = blocks("fault")
    told = msgspec.json.decode(example)
    careless = Program(asked="hand = m['view']['hnad']")
    fault, *_ = await faults_of([entrant(tmp_path, f"bot-{seat}", careless) for seat in range(3)], tmp_path)
    happened = msgspec.json.decode(msgspec.json.encode(fault))
    assert list(told) == list(happened)
    for name, text in told.items():
        if name == "us":
            assert isinstance(text, int)
        elif "…" in str(text):
            assert re.fullmatch(".*".join(map(re.escape, text.split("…"))), happened[name], re.DOTALL)
        else:
            assert text == happened[name], name


# ── games ─────────────────────────────────────────────────────────────────────────────────────────────────

HEADINGS: Final = {
    "sticheln": "### Sticheln",
    "sticheln-1993": "### Sticheln 1993",
    "david-and-goliath": "### David & Goliath",
    "ole": "### Olé!",
}
RULINGS: Final = {
    "sticheln": [f"S-{number}" for number in range(1, 12)],
    "sticheln-1993": [f"T-{number}" for number in range(1, 11)],
    "david-and-goliath": [f"D-{number}" for number in range(6)],
    "ole": ["O-1", "O-2a", "O-2b", *(f"O-{number}" for number in range(3, 18))],
}
COMMON: Final = ["deal_no", "deals", "seats", "seat", "leader", "hand", "points"]

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def test_every_game_has_its_section() -> None:
    assert list(HEADINGS) == list(GAMES)
    for game, heading in HEADINGS.items():
        assert f"`{game}`, by " in section(heading)
    games = section("## Games")
    assert first_cells(games[: games.index("An event is")]) == COMMON


def between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end)]


@every_game
def test_every_field_of_a_view_is_documented_in_order(game: Game) -> None:
    assert fields(game.views)[: len(COMMON)] == COMMON
    view = between(section(HEADINGS[game.id]), "**View**", "**Events**")
    assert first_cells(view) == fields(game.views)[len(COMMON) :]
    for nested in structs_in(game.views):
        for name in fields(nested):
            assert f"`{name}`" in view, f"{nested.__name__}.{name}"


def structs_in(view: Any) -> list[Any]:
    """The structs that stand in the fields of a view."""
    types = [field.type for field in msgspec.inspect.type_info(view).fields]
    items = [kind.item_type for kind in types if isinstance(kind, msgspec.inspect.VarTupleType)]
    return [item.cls for item in items if isinstance(item, msgspec.inspect.StructType)]


@every_game
def test_every_field_of_an_event_is_documented_in_order(game: Game) -> None:
    games = section("## Games")
    common = {row[0]: row[1] for row in rows(games[: games.index("\n###")]) if len(row) == 3}
    text = section(HEADINGS[game.id])
    own = {row[0]: row[1] for row in rows(text[text.index("**Events**") :])}
    for event in game.events.__args__:
        told = (common | own)[f"`{tag(event)}`"]
        places = [told.index(f"`{name}`") for name in fields(event)]
        assert places == sorted(places), event.__name__


@every_game
def test_every_decision_is_documented(game: Game) -> None:
    decisions = between(section(HEADINGS[game.id]), "**Decisions**", "**View**")
    assert [row[0].strip("`") for row in rows(decisions)] == list(game.decisions)


@every_game
def test_every_option_is_documented_with_its_default(game: Game) -> None:
    text = section(HEADINGS[game.id])
    for name, default in msgspec.to_builtins(game.options()).items():
        (row,) = [row for row in rows(text) if row[0] == f"`{name}`" and len(row) == 4]
        assert row[2] == str(default).lower()
        assert name in msgspec.json.decode(msgspec.json.encode(game.options()))
    if game.id == "sticheln-1993":
        for target in (0, 10_000):
            msgspec.convert({"target": target}, game.options)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"target": 10_001}, game.options)


@every_game
def test_every_ruling_is_told(game: Game) -> None:
    text = section(HEADINGS[game.id])
    assert re.findall(r"^\| ([A-Z]-\d+[ab]?) \|", text, re.MULTILINE) == RULINGS[game.id]
    cited = set(
        re.findall(rf"\b{RULINGS[game.id][0][0]}-\d+[ab]?", inspect.getsource(inspect.getmodule(type(game))))
    )
    assert cited <= set(RULINGS[game.id]), "a ruling that the rules cite is not in SPEC.md"


@every_game
def test_every_deck_is_told(game: Game) -> None:
    text = section(HEADINGS[game.id])
    for letter, name in game.suits(max(game.seats)).items():
        assert f"{letter} {name}" in text
    for seats in game.seats:
        deck, suits = game.deck(seats), game.suits(seats)
        row = next(row for row in rows(text) if row[0] == str(seats))
        ranges = {letter: [card for card in deck if card[0] == letter] for letter in suits}
        runs = {letter: f"{own[0][1:]} … {own[-1][1:]}" for letter, own in ranges.items()}
        if len(row) == 4:
            assert row[1:] == [" ".join(suits), runs["R"], str(len(deck))]
            assert set(runs.values()) == {runs["R"]}
        else:
            assert row[1:] == [runs["R"], runs["B"], str(len(deck)), str(len(deck) // seats)]
            assert runs == {"R": row[1], "Y": row[1], "B": row[2], "G": row[2]}


def examples(heading: str, head: str) -> list[list[str]]:
    """The rows below the line of column heads, in a table of worked examples."""
    text = section(heading)
    return rows(text[text.index(head) :].partition("\n\n")[0])


@pytest.mark.parametrize(("game", "led_zero_takes"), [("sticheln", False), ("sticheln-1993", True)])
def test_the_examples_of_tricks_are_right(game: str, led_zero_takes: bool) -> None:
    told = examples(HEADINGS[game], "| trick | taken by |")
    assert len(told) >= 4
    for trick, card, *_ in told:
        at = taking(trick.split(), led_zero_takes)
        assert card == ("nobody" if at is None else trick.split()[at])


def test_the_examples_of_high_and_low_cards_are_right() -> None:
    told = examples("### David & Goliath", "| trick | high card |")
    assert len(told) >= 4
    for trick, high, low, *_ in told:
        assert tuple(trick.split()[at] for at in high_and_low(trick.split())) == (high, low)
    won = "R4 R10 R11 Y8 G5 G9 B2 B3 B6 B10 B12 V10 V12"
    assert pile_points(won.split()) == 52
    assert all(card in section("### David & Goliath") for card in won.split())


def test_the_examples_of_rules_are_right() -> None:
    told = examples("### Olé!", "| table | card |")
    assert len(told) >= 4
    for table, cards, result in told:
        said = [int(number) for number in re.findall(r"rule (\d)", result)] or [0]
        for number, card in enumerate(re.findall(r"[RBGY]\d+", cards)):
            by = rule(card, table, "red")
            if "then" in cards:
                table, said = card, [3, 3, 3, 2]
                assert by == said[number]
            else:
                assert [by] == said
    assert hand_points(["R2", "B10"], chips=3) == 27


# ── transcripts ───────────────────────────────────────────────────────────────────────────────────────────

every_transcript = pytest.mark.parametrize(
    "told", blocks("transcript"), ids=[s.game for s in spec_transcripts.SHOWN]
)


def test_the_transcripts_are_what_the_code_makes() -> None:
    assert blocks("transcript") == spec_transcripts.blocks(), (
        "run tests/spec_transcripts.py, which writes them"
    )
    for told, match in zip(blocks("transcript"), spec_transcripts.SHOWN, strict=True):
        assert told in section(HEADINGS[match.game])


@every_transcript
def test_a_transcript_replays_from_its_text(told: str) -> None:
    """Read as SPEC.md explains it: the first line, then steps. Nothing of the script that made it is used."""
    first, *lines = told.splitlines()
    match = msgspec.json.decode(first, type=Shown)
    game = GAMES[match.game]
    assert len(match.options) == 0
    state, due = game.start(match.seats, game.options(), match.deals, streams.DealSource(match.key))
    key = streams.match_key(match.key, 1)
    substitutes = [streams.substitute_stream(key, seat) for seat in range(match.seats)]
    for line in lines:
        chosen, _, event = line.rpartition(" ") if line[0] != "{" else ("", "", line)
        if chosen:
            assert not due, "an event is missing"
            actions = {int(one.split(":")[0]): one.split(":")[1] for one in chosen.split()}
            for seat in state.pending:
                assert actions[seat] == substitutes[seat].choice(state.legal(seat))
            state, due = state.apply(actions)
        happened, *due = due
        assert msgspec.json.decode(event, type=game.events) == happened
    assert not due
    assert not state.pending


@every_game
def test_examples_of_events_and_views_come_from_the_deal_that_is_shown(game: Game) -> None:
    encode_again = msgspec.json.Encoder().encode
    whole = section("### Sticheln") + "".join(blocks("dialogue"))
    if game.id != "sticheln":
        (match,) = [match for match in spec_transcripts.SHOWN if match.game == game.id]
        states = [turn.after for turn in spec_transcripts.turns(match)]
        views = [encode_again(state.view(seat)).decode() for state in states for seat in range(match.seats)]
        whole = spec_transcripts.transcript(match) + "\n".join(views)
    text = section(HEADINGS[game.id])
    examples = "".join(re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
    assert len(examples) >= 2
    for line in examples:
        known: Any = game.events if "event" in msgspec.json.decode(line) else game.views
        assert encode_again(msgspec.json.decode(line, type=known)).decode() == line
        assert line in whole


def tag(struct: Any) -> str:
    return str(struct.__struct_config__.tag)


# ── the dialogue ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_dialogue_is_what_the_code_makes() -> None:
    assert blocks("dialogue") == spec_dialogue.blocks(), "run tests/spec_dialogue.py, which writes it anew"


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
    for line in blocks("json")[0].splitlines():
        assert encoder.encode(msgspec.json.decode(line, type=game.events)).decode() == line
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


def play(
    commands: Sequence[Sequence[str]], deals: int, seed: str, game: Game = GAMES["sticheln"]
) -> list[list[Ready | Reply]]:
    """A match to its end, by real processes. Returns what each seat said."""
    seats = len(commands)
    pod = streams.pod_key(seed, 0, 0)
    match = streams.match_key(pod, 1)
    with ExitStack() as stack:
        bots = [stack.enter_context(Seated(command)) for command in commands]
        for seat, bot in enumerate(bots):
            hello = Hello(
                PROTOCOL,
                game.id,
                msgspec.to_builtins(game.options()),
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


NEEDED: Final = {
    ".js": ("node", "-e", "0"),
    ".sh": ("sh", "-c", "command -v awk"),
    ".pl": ("perl", "-MJSON::PP", "-e", "0"),  # some systems have a perl without its core modules
}
"""Suffix to a command that succeeds where such a bot can run."""


@cache
def runs_here(suffix: str) -> bool:
    try:
        return (
            suffix == ".py"
            or subprocess.run(NEEDED[suffix], capture_output=True, check=False).returncode == 0
        )
    except FileNotFoundError:
        return False


def command(name: str) -> tuple[str, ...]:
    path = ROOT / "bots" / name
    if path.suffix == ".py":
        return (*PYTHON, str(path))
    if not runs_here(path.suffix):
        pytest.skip(f"{name} cannot run here: `{' '.join(NEEDED[path.suffix])}` fails")
    return (NEEDED[path.suffix][0], str(path))


BOTS: Final = ["careful.py", "counter.js", "dreamer.pl", "greedy.py", "modest.sh", "random.py"]


def test_no_bot_is_forgotten() -> None:
    assert sorted(path.name for path in (ROOT / "bots").iterdir() if path.name[0] not in "._") == BOTS


def test_bots_need_no_executable_bit_and_nothing_of_ours() -> None:
    for path in (ROOT / "bots" / name for name in BOTS):
        assert not path.stat().st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        assert not re.search(
            r"^\s*(from|import) (arena|protocol|tournaments|random)\b", path.read_text(), re.M
        )


PLACES: Final = [(game, seats) for game in GAMES.values() for seats in game.seats]
everywhere = pytest.mark.parametrize(("game", "seats"), PLACES, ids=[f"{g.id}-{n}" for g, n in PLACES])


@everywhere
def test_the_shortest_bot_finishes_every_game(game: Game, seats: int, tmp_path: Path) -> None:
    play([(*PYTHON, str(shortest(tmp_path)))] * seats, deals=1, seed="spec", game=game)


@every_game
def test_the_shell_bot_finishes_every_game(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "shell.sh"
    path.write_text(listing("sh", "case"), "utf-8")
    play([("sh", str(path))] * 3, deals=1, seed="spec", game=game)


@everywhere
def test_every_bot_plays_every_game(game: Game, seats: int) -> None:
    """All bots, a table at a time, the last one filled up from the front. Who lacks an interpreter is missed
    here and skipped, with the reason, below."""
    here = [name for name in BOTS if runs_here(Path(name).suffix)]
    for start in range(0, len(here), seats):
        table = [here[(start + seat) % len(here)] for seat in range(seats)]
        play([command(name) for name in table], deals=1, seed="spec", game=game)


@every_game
@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_is_played_the_same_way(name: str, game: Game) -> None:
    commands = [command(name)] * min(game.seats)
    assert play(commands, 1, "spec", game) == play(commands, 1, "spec", game)


@every_game
@pytest.mark.parametrize("awk", ["mawk", "gawk", "original-awk", "busybox"])
def test_the_shell_bot_of_ours_needs_no_particular_awk(awk: str, game: Game, tmp_path: Path) -> None:
    found = shutil.which(awk)
    if found is None:
        pytest.skip(f"{awk} is not here")
    (tmp_path / "awk").symlink_to(found)  # busybox looks at the name it is called by
    path = f"PATH={tmp_path}:/usr/bin:/bin"
    said = play([("env", path, "sh", str(ROOT / "bots" / "modest.sh"))] * 3, 1, "spec", game)
    assert said == play([command("modest.sh")] * 3, 1, "spec", game)


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
