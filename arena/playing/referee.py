"""Plays one match: asks the seats in the order of the rules, keeps secrets, applies the fault policy.

    a fault     the first one forfeits (with `faults` N: the N-th forgivable one); the process is killed and
                reaped before the next seat is asked; a substitute plays on, uniformly over the legal actions
    all forfeit the match ends immediately
    the end     every remaining bot is sent `end`; its process is shut down, or kept for a later match

Knows games only through their interface, and no tournaments. A fault of one seat changes no deals, nothing in
another seat's requests except what follows from play, and no other seat's randomness or time.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import trio

from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.games.events import Event
from arena.games.game import Action, State
from arena.log.entries import (
    BUG_LIMIT,
    Acted,
    Faulted,
    Greeted,
    LogWriter,
    MatchClosed,
    Measured,
    Overspent,
    happened,
    parse,
)
from arena.log.hello import hello
from arena.log.house_bugs import house_bugs
from arena.playing.conversation import HANDSHAKE, Exchange
from arena.playing.exit_cause import exit_cause, house_bug
from arena.playing.functions import FunctionBot, Functions
from arena.playing.job import Finished, Job, opening
from arena.playing.reused import BotPool, Role
from arena.playing.running_bot import RunningBot, Spawn, start
from arena.playing.spent import SpentMeter
from arena.process.botprocess import BotProcess, shut_down
from arena.process.spawn import spawn
from arena.process.watchdog import Watchdog
from arena.system.errors import MachineError
from arena.system.machine import MIB
from arena.system.text import caption, visible
from protocol.codec import raw
from protocol.faults import EVIDENCE_LIMIT, FORGIVABLE, SILENT, Fault, FaultKind
from protocol.messages import NAME_LIMIT, NOTE_LIMIT, End, Hello, Ready, Reply
from protocol.outcome import Forfeit, Outcome, totals, with_forfeits
from protocol.streams import DealSource, Stream, match_key, substitute_stream
from protocol.units import Us, seconds_to_us


class SeatedBot:
    """One seat: its bot while it runs, the events not sent to it yet, its faults."""

    def __init__(
        self, seat: int, entrant: Entrant, hello: Hello, substitute: Stream, role: Role | None
    ) -> None:
        """`role`: the role in which its process may be reused; None if it may not."""
        self.seat = seat
        self.entrant = entrant
        self.hello = hello
        self.prepared: RunningBot | FunctionBot | Fault | None = None
        """The result of starting it, until it is greeted."""
        self.running: RunningBot | FunctionBot | None = None
        self.unsent: list[msgspec.Raw] = []
        self.role = role
        self.faults = 0
        self.replies = 0
        self.forfeit: Forfeit | None = None
        self.substitute = substitute

    def kill(self) -> None:
        """End its process, if there is one."""
        running, self.running = self.running or self.prepared, None
        self.prepared = None
        if running is not None and not isinstance(running, Fault):
            running.process.kill()


class Referee:
    """The referee of one match. `play` may be called once."""

    def __init__(
        self,
        job: Job,
        spawn: Spawn = spawn,
        bot_pool: BotPool | None = None,
        on_line: Callable[[bytes], None] | None = None,
        functions: Functions | None = None,
        meter: SpentMeter | None = None,
    ) -> None:
        """`bot_pool`: provides and takes back the processes that the job keeps; without it all are started
        and ended. `on_line`: called with each line of the log as it is written. `functions`: of the calling
        program, for entrants that are functions. `meter`: measures what the match costs."""
        self._job = job
        self._spawn = spawn
        self._bot_pool = bot_pool
        self._functions = functions
        self._game = registry.required(job.settings.game, job.settings.game_package)
        self._options = msgspec.convert(job.settings.options, self._game.options)
        self._bots = list(self._seated())
        self._playing = list(self._bots)
        """The bots that have not forfeited."""
        self._log = LogWriter(on_line)
        self._failed = False
        """Whether one of the arena's own bots has failed."""
        self._begun = 0.0
        self._meter = meter or SpentMeter()
        self._watchdog = Watchdog(
            lambda: {
                bot.seat: bot.running.process
                for bot in self._bots
                if bot.running is not None and isinstance(bot.running.process, BotProcess)
            },
            job.settings.sandbox.memory_mb * MIB,
        )

    def _seated(self) -> Iterator[SeatedBot]:
        """The seats, each with its `hello`."""
        # Before any bot starts: a starting process empties the caches, and this takes 20 times as long.
        job = self._job
        key = match_key(job.pod_key, job.seating_no)
        options = msgspec.to_builtins(self._options)
        for seat, entrant in enumerate(job.entrants):
            greeting = hello(
                self._game,
                options,
                seats=len(job.entrants),
                seat=seat,
                deals=job.settings.deals,
                limits=job.limits_of(entrant),
                match_key=key,
                entrant=entrant.name,
            )
            role = Role(
                entrant, job.seating_no, job.limits_of(entrant), job.settings.ponder, job.settings.sandbox
            )
            kept = self._bot_pool is not None and job.keeps(entrant)
            yield SeatedBot(seat, entrant, greeting, substitute_stream(key, seat), role if kept else None)

    async def play(self) -> Finished:
        """Play the match from `hello` to `end`. Always ends all processes except those in the pool."""
        self._begun = trio.current_time()
        self._log.add(opening(self._job))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watchdog.watch)
            try:
                outcome, forfeits = await self._play()
            finally:
                nursery.cancel_scope.cancel()
                with contextlib.ExitStack() as ending:
                    for bot in self._bots:
                        ending.callback(bot.kill)
                        if isinstance(bot.running, RunningBot):  # Done before it is killed.
                            ending.callback(self._meter.is_over, bot.running.process)
        log = self._log.text()
        bugs = house_bugs(parse(log.encode())) if self._failed else ()
        return Finished(self._job.match_id, outcome, forfeits, log, bugs)

    async def _play(self) -> tuple[Outcome, tuple[Forfeit, ...]]:
        self._prepare()
        for bot in self._bots:
            await self._start(bot)
        step = self._game.start(
            len(self._bots), self._options, self._job.settings.deals, DealSource(self._job.pod_key)
        )
        self._publish(step.events)
        state = step.state
        while (pending := state.pending) and self._playing:
            actions = {}
            for seat, decision in pending.items():
                actions[seat] = await self._decide(state, seat, decision)
            step = state.apply(actions)
            self._publish(step.events)
            state = step.state
        outcome, forfeits = self._close(state)
        await self._send_end(outcome)
        return outcome, forfeits

    def _prepare(self) -> None:
        """Start the processes of the match, which then wait for `hello`. So their sandboxes are set up in
        parallel, and only the first entry into a control group costs the kernel some 8 ms: one right after
        another is almost free."""
        pool = self._bot_pool
        for bot in self._bots:
            if pool is None or bot.role is None or not pool.has(bot.role):
                bot.prepared = self._started(bot)

    async def _start(self, bot: SeatedBot) -> None:
        """Start a bot, or reuse its process, and perform the handshake. Programs begin one after the other,
        so that each has the core."""
        if bot.role is not None and await self._reused(bot, bot.role):
            return
        running = bot.prepared or self._started(bot)
        bot.prepared = None
        if isinstance(running, Fault):
            await self._fault(bot, 0, Exchange(HANDSHAKE, b"", running, Us(0)), running)
            return
        if isinstance(running, RunningBot):
            self._meter.waits(running.process)
        exchange = await self._greet(bot, running)
        if isinstance(running, RunningBot):
            self._meter.is_ready(running.process)
        if isinstance(exchange.answer, Fault):
            await self._fault(bot, 0, exchange, exchange.answer)

    def _started(self, bot: SeatedBot) -> RunningBot | FunctionBot | Fault:
        if bot.entrant.is_function:
            if self._functions is None:
                raise MachineError(
                    f"{bot.entrant.name} was a function of a program, and only that program can play it"
                )
            return self._functions.start(bot.entrant, ponder=self._job.settings.ponder)
        return start(
            bot.entrant.launch,
            self._job.limits_of(bot.entrant),
            self._job.settings.sandbox,
            stderr=self._stderr(bot),
            ponder=self._job.settings.ponder,
            spawn=self._spawn,
        )

    async def _reused(self, bot: SeatedBot, role: Role) -> bool:
        """Try to use a process from the pool; whether that worked. A failure is not a fault: the bot is
        started anew, now and for every later match."""
        pool = self._bot_pool
        if pool is None or (running := pool.take(role)) is None:
            return False
        self._meter.is_kept()
        exchange = await self._greet(bot, running)
        if isinstance(exchange.answer, Ready):
            return True
        pool.never_reuse(bot.entrant)
        bot.kill()
        return False

    async def _greet(self, bot: SeatedBot, running: RunningBot | FunctionBot) -> Exchange:
        bot.running = running
        running.process.stderr_kept = self._stderr(bot)
        running.conversation.lost_since = self._watchdog.lost_since
        self._watchdog.asked(bot.seat)
        exchange = await running.conversation.greet(bot.hello)
        match exchange.answer:
            case Ready(name=name, version=version, author=author, language=language):
                texts = (caption(text, NAME_LIMIT) for text in (name, version, author, language))
                self._log.add(Greeted(bot.seat, exchange.us, *texts))
        return exchange

    async def _decide(self, state: State, seat: int, decision: str) -> Action:
        """Get the action of a pending seat from its bot or its substitute."""
        bot = self._bots[seat]
        legal = state.legal(seat)
        if bot.running is not None:
            events, bot.unsent = bot.unsent, []
            self._watchdog.asked(seat)
            exchange = await bot.running.conversation.ask(decision, legal, events, state.view(seat))
            answer = exchange.answer
            if isinstance(answer, Reply):
                bot.replies += 1
                note = caption(answer.note, NOTE_LIMIT) if answer.note else ""
                bug = caption(answer.bug, BUG_LIMIT) if answer.bug and bot.entrant.ours else ""
                self._failed |= bug != ""
                self._log.add(Acted(seat, answer.action, exchange.request_id, exchange.us, note, bug))
                return answer.action
            if isinstance(answer, Fault):
                bot.replies += answer.kind is FaultKind.ILLEGAL
                await self._fault(bot, state.deal_no, exchange, answer)
        action = bot.substitute.choice(legal)
        self._log.add(Acted(seat, action))
        return action

    async def _fault(self, bot: SeatedBot, deal_no: int, exchange: Exchange, fault: Fault) -> None:
        """Log the fault and apply its consequence."""
        status = None
        measured = self._measured(exchange, fault)
        stderr = b""
        if bot.running is not None:
            process = bot.running.process
            if isinstance(process, BotProcess):
                fault, status = await exit_cause(fault, process, self._job.settings.sandbox.memory_mb)
            stderr = process.stderr_tail(EVIDENCE_LIMIT)
        bot.faults += 1
        forfeits = fault.kind not in FORGIVABLE or bot.faults >= self._job.settings.faults
        bug = house_bug(fault, status, stderr) if bot.entrant.ours else ""
        self._failed |= bug != ""
        self._log.add(
            Faulted(
                seat=bot.seat,
                deal_no=deal_no,
                id=exchange.request_id,
                kind=fault.kind,
                detail=caption(fault.detail),
                forfeits=forfeits,
                us=exchange.us,
                status=status,
                request=visible(exchange.request[:EVIDENCE_LIMIT], EVIDENCE_LIMIT),
                reply=visible(fault.evidence, EVIDENCE_LIMIT),
                stderr=visible(stderr, EVIDENCE_LIMIT),
                measured=measured if fault.kind in SILENT else None,
                bug=bug,
            )
        )
        if forfeits:
            bot.forfeit = Forfeit(bot.seat, deal_no, fault.kind, bot.replies > 0)
            self._playing.remove(bot)
            if isinstance(bot.running, RunningBot):
                self._meter.is_done(bot.running.process)
            bot.kill()

    def _measured(self, exchange: Exchange, fault: Fault) -> Measured | None:
        """What the machine gave the bot in the meantime; None unless it did not answer in time."""
        if fault.kind not in SILENT or fault.evidence:
            return None
        watched = self._watchdog.watched()
        return Measured(
            us=min(exchange.us, seconds_to_us(watched.seconds)),
            cpu_us=seconds_to_us(watched.cpu),
            queued_us=seconds_to_us(watched.queued),
            lag_us=min(exchange.us, seconds_to_us(watched.lag)),
            own_core=self._job.own_core,
        )

    def _publish(self, events: Sequence[Event]) -> None:
        """Queue each event for the seats that may know it, and log it; encode it once for all of them."""
        encoded = []
        for event in events:
            encoded.append(line := raw(event))
            audience = event.audience
            for bot in self._playing if audience is None else (self._bots[audience],):
                bot.unsent.append(line)
        self._log.add(happened(encoded))

    def _close(self, state: State) -> tuple[Outcome, tuple[Forfeit, ...]]:
        tally = state.tally()
        forfeits = tuple(bot.forfeit for bot in self._bots if bot.forfeit is not None)
        placings = with_forfeits(tally.placings, {forfeit.seat for forfeit in forfeits})
        outcome = Outcome(tally.points, tally.gains, placings)
        for seat, seconds in sorted(self._watchdog.excess().items()):
            self._log.add(Overspent(seat, seconds_to_us(seconds)))
        took = seconds_to_us(trio.current_time() - self._begun)
        self._log.add(MatchClosed(outcome.points, outcome.gains, placings, forfeits, took))
        return outcome, forfeits

    async def _send_end(self, outcome: Outcome) -> None:
        """Send `end` to every remaining bot, and keep its process or shut it down. Nothing that a bot does
        from here on is a fault."""
        points = totals(outcome.points, len(self._bots))
        for bot in self._bots:
            if isinstance(bot.running, RunningBot):
                self._meter.is_done(bot.running.process)
            if bot.running is not None:
                bot.running.conversation.end(End(bot.unsent, points, outcome.placings, "finished"))
        for bot in self._bots:
            running = bot.running
            if isinstance(running, FunctionBot):
                await running.process.acknowledged()
            if self._bot_pool and bot.role and isinstance(running, RunningBot) and not bot.faults:
                bot.running = None
                self._meter.is_kept()
                running.process.cut_stderr()
                await self._bot_pool.put(bot.role, running)
        processes = (bot.running.process for bot in self._bots if bot.running is not None)
        await shut_down([process for process in processes if isinstance(process, BotProcess)])

    def _stderr(self, bot: SeatedBot) -> Path | None:
        """The file for the end of the bot's standard error in this match; None to discard it."""
        job = self._job
        return Path(job.stderr, f"{job.match_id}-{bot.seat}.txt") if job.stderr else None


async def play_match(
    job: Job,
    bot_pool: BotPool | None = None,
    on_line: Callable[[bytes], None] | None = None,
    functions: Functions | None = None,
    meter: SpentMeter | None = None,
) -> Finished:
    """Play one match in this process, with the parameters of Referee."""
    referee = Referee(job, bot_pool=bot_pool, on_line=on_line, functions=functions, meter=meter)
    return await referee.play()
