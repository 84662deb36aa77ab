"""The dialogue with one bot and its clock, without processes and without waiting."""

import pytest
import trio
from trio.testing import MockClock

from arena.playing.conversation import LONG_SECONDS, Conversation, Exchange
from protocol.faults import ENDED, Fault, FaultKind
from protocol.messages import Hello, Limits, Ready, Reply, Request
from tests.support.fakes import READY, Answer, FakePipe, after, reply

LIMITS = Limits(start_ms=5000, decision_ms=1000, bank_ms=3000)
HELLO = Hello(1, "sticheln", {}, 3, 0, 1, ("R0",), {"R": "red"}, LIMITS, 7, "m")


@pytest.fixture
def autojump_clock() -> MockClock:
    """Time passes only where somebody waits for it."""
    return MockClock(autojump_threshold=0)


def think(*seconds: float) -> FakePipe:
    """A bot that takes these times for its replies."""
    times = iter(seconds)

    def script(message: object) -> Answer:
        if isinstance(message, Hello):
            return after(0, READY)
        return after(next(times), reply(message)) if isinstance(message, Request) else []

    return FakePipe(script)


def say(*pieces: bytes, every: float = 0) -> FakePipe:
    """A bot that is well until its first request and then writes these pieces."""

    def script(message: object) -> Answer:
        if isinstance(message, Hello):
            return after(0, READY)
        return after(every, *pieces) if isinstance(message, Request) and message.id == 1 else []

    return FakePipe(script)


async def ask(conversation: Conversation) -> Exchange:
    return await conversation.ask("play", ("R1", "R2"), [], {})


async def greeted(pipe: FakePipe) -> Conversation:
    conversation = Conversation(pipe, LIMITS)
    assert (await conversation.greet(HELLO)).answer == Ready("fake")
    return conversation


def kind(exchange: Exchange) -> FaultKind | None:
    return exchange.answer.kind if isinstance(exchange.answer, Fault) else None


async def test_requests_are_counted_and_answers_timed(autojump_clock: MockClock) -> None:
    conversation = await greeted(think(0.25, 0.5))
    assert await ask(conversation) == Exchange(1, conversation_line(1, 4000), Reply(1, "R1"), 250_000)
    assert await ask(conversation) == Exchange(2, conversation_line(2, 4000), Reply(2, "R1"), 500_000)


def conversation_line(request_id: int, ms: int) -> bytes:
    return (
        b'{"type":"request","id":%d,"decision":"play","legal":["R1","R2"],"events":[],"view":{},"ms":%d}\n'
        % (request_id, ms)
    )


async def test_what_exceeds_the_limit_is_drawn_from_the_bank(autojump_clock: MockClock) -> None:
    pipe = think(1.5, 1.0, 3.0, 1.5)
    conversation = await greeted(pipe)
    for _ in range(4):
        assert kind(await ask(conversation)) is None
    assert [heard.ms for heard in pipe.heard if isinstance(heard, Request)] == [4000, 3500, 3500, 1500]


async def test_an_empty_bank_is_a_timeout(autojump_clock: MockClock) -> None:
    conversation = await greeted(think(3.9, 1.2))
    assert kind(await ask(conversation)) is None
    exchange = await ask(conversation)
    assert exchange.answer == Fault(
        FaultKind.TIMEOUT, "no reply within 1000 ms and what was left of a bank of 3000 ms"
    )
    assert exchange.us == 1_100_000


async def test_a_reply_at_the_very_end_counts(autojump_clock: MockClock) -> None:
    assert kind(await ask(await greeted(think(4.0)))) is None
    assert kind(await ask(await greeted(think(4.001)))) is FaultKind.TIMEOUT


async def test_a_late_reply_is_never_taken_for_the_next(autojump_clock: MockClock) -> None:
    conversation = await greeted(think(4.5, 1.0))
    assert kind(await ask(conversation)) is FaultKind.TIMEOUT
    assert (await ask(conversation)).answer == Reply(2, "R1")
    assert conversation.dropped == 1


async def test_dripping_bytes_do_not_stop_the_clock(autojump_clock: MockClock) -> None:
    exchange = await ask(await greeted(say(*[b" "] * 100, every=0.3)))
    assert kind(exchange) is FaultKind.TIMEOUT
    assert exchange.us == 4_000_000


async def test_a_bot_that_never_stops_writing_is_stopped(autojump_clock: MockClock) -> None:
    assert kind(await ask(await greeted(say(*[b"\n" * 1000] * 100)))) is FaultKind.FLOOD


async def test_silence_before_ready_is_a_fault_of_the_handshake(autojump_clock: MockClock) -> None:
    exchange = await Conversation(FakePipe(lambda message: []), LIMITS).greet(HELLO)
    assert kind(exchange) is FaultKind.HANDSHAKE
    assert exchange.us == 5_000_000


@pytest.mark.parametrize("pieces", [(b"",), (b'{"type":"reply","id":1,"act', b"")])
async def test_the_end_of_output_is_exited(pieces: tuple[bytes, ...], autojump_clock: MockClock) -> None:
    assert kind(await ask(await greeted(say(*pieces)))) is FaultKind.EXITED


async def test_a_last_reply_without_newline_counts(autojump_clock: MockClock) -> None:
    conversation = await greeted(say(b'{"type":"reply","id":1,"action":"R2"}', b"", b""))
    assert (await ask(conversation)).answer == Reply(1, "R2")
    assert kind(await ask(conversation)) is FaultKind.EXITED


async def test_between_its_turns_a_bot_is_frozen(autojump_clock: MockClock) -> None:
    pipe = think(0.1)
    conversation = await greeted(pipe)
    assert pipe.frozen
    await ask(conversation)
    assert pipe.frozen


async def test_unless_it_may_ponder(autojump_clock: MockClock) -> None:
    pipe = think(0.1)
    conversation = Conversation(pipe, LIMITS, ponder=True)
    await conversation.greet(HELLO)
    await ask(conversation)
    assert not pipe.frozen


class Bystander:
    """Somebody else in our thread, who counts its turns. On the real clock."""

    def __init__(self) -> None:
        self.turns = 0

    async def wait(self) -> None:
        while True:
            await trio.lowlevel.checkpoint()
            self.turns += 1


async def test_others_get_the_thread_even_beside_a_bot_that_says_a_byte_at_a_time() -> None:
    bystander = Bystander()

    class Dribbling(FakePipe):
        async def read(self, deadline: float) -> bytes | None:
            return b" " if bystander.turns < 2 else b""

    async with trio.open_nursery() as nursery:
        nursery.start_soon(bystander.wait)
        exchange = await Conversation(Dribbling(lambda _: []), LIMITS).greet(HELLO)
        nursery.cancel_scope.cancel()
    assert exchange.answer == ENDED, "not a flood"


async def test_others_get_the_thread_even_beside_a_bot_that_answers_at_once() -> None:
    bystander = Bystander()

    class Instant(FakePipe):
        async def read(self, deadline: float) -> bytes | None:
            return self._due.pop(0)[1] if self._due else None

    replies = [0.0] * 20_000
    conversation = Conversation(Instant(think(*replies).script), LIMITS)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bystander.wait)
        await conversation.greet(HELLO)
        asked = 0
        while bystander.turns < 3 and asked < len(replies):  # some tenths of a second of them
            await ask(conversation)
            asked += 1
        nursery.cancel_scope.cancel()
    assert bystander.turns >= 3


async def test_what_the_machine_lost_is_no_more_than_what_was_taken(autojump_clock: MockClock) -> None:
    """The loss is measured a moment later, and may have begun before the request."""
    conversation = await greeted(think(1.5))
    conversation.lost_since = lambda begun: 1.500021
    assert (await ask(conversation)).us == 0


@pytest.mark.parametrize(
    ("before", "computed", "us"),
    [(0.0005, 0.0, 250_000), (0.5, 0.0, 250_000), (0.5, 0.0001, 250_000), (0.5, 0.1, 350_000)],
    ids=[
        "after a short exchange",
        "after a long one",
        "that takes a moment",
        "that computes",
    ],
)
async def test_a_bot_is_woken_after_a_long_exchange_of_another(
    autojump_clock: MockClock, before: float, computed: float, us: int
) -> None:
    """It pays for what it computes then, and not for what others do meanwhile."""

    class Waking(FakePipe):
        woken = 0

        def wake(self) -> float:
            self.woken += 1
            self.thaw()
            autojump_clock.jump(1)  # Somebody else has the core.
            return computed

    pipe = Waking(think(0.25).script)
    bot, neighbour = await greeted(pipe), await greeted(think(before))
    pipe.woken = 0
    await ask(neighbour)
    assert (await ask(bot)).us == us
    assert pipe.woken == (before > LONG_SECONDS)
