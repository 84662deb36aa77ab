"""Bots checked by themselves, one or many: `arena check BOT...`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.checking.alone import Task
from arena.checking.findings import Checked, NotChecked
from arena.checking.several import check_all
from arena.checking.steps import check
from arena.commands.check_results import RESULTS, results_csv
from arena.commands.workers import playing
from arena.entrants.entrant import Entrant
from arena.entrants.find import NoEntrant
from arena.entrants.roster import Entry, Roster, find_entries
from arena.games import GAMES, registry
from arena.games.game import Game
from arena.playing.arguments import Argument
from arena.playing.spellings import PathText, TimeText, Words, words_of
from arena.playing.terms import Clocks, Jobs, Say
from arena.playing.times import milliseconds, read
from arena.process.interruptible import run_tasks
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError
from arena.system.outputs import make_folder, require_place, write_file
from arena.system.text import caption, in_utf8, shell_word
from arena.system.wording import flag

BUDGET_MS: Final = 30_000
"""The default for each of several bots; a good bot takes a few seconds."""

OnBegun: TypeAlias = Callable[[tuple[str, ...]], None]
"""Called once, with the names of the bots that will be checked."""
OnStep: TypeAlias = Callable[[int, str], None]
"""Called with the index of a bot among these names, and the step that begins."""
OnDone: TypeAlias = Callable[[int, Checked | NotChecked], None]
"""Called with the index of a bot, and its result."""


class UnknownBot(msgspec.Struct, frozen=True):
    """A word that should name a bot, and why it names none."""

    word: str
    why: str


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The bots that were checked: `words`, `games` and `results` have an element for each, in the same
    order."""

    words: tuple[str, ...]
    """The words that name the bots, with a `?` for each byte that is not UTF-8."""
    games: tuple[tuple[str, ...], ...]
    """The ids of the games in which each was checked."""
    results: tuple[Checked | NotChecked, ...]
    not_found: tuple[UnknownBot, ...]
    page: str = ""
    """The path of the index of the pages; "" for none."""

    @property
    def checked(self) -> tuple[Checked, ...]:
        """The results without those of failed checks."""
        return tuple(result for result in self.results if isinstance(result, Checked))

    @property
    def complete(self) -> bool:
        """Whether every bot was found and checked."""
        return not self.not_found and len(self.checked) == len(self.results)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong with the bots that were checked."""
        return all(result.passed for result in self.checked)


class CheckOptions(Clocks, frozen=True, kw_only=True):
    """The settings of a check besides its bots."""

    game: Annotated[
        str | None, Argument("Check only this game.", otherwise="every game the bot plays", kind="game")
    ] = None
    budget: Annotated[
        TimeText | None,
        Argument(
            "Time for each bot; after that, slow steps are left out.",
            otherwise="30s for each of several",
            kind="time",
            after="allow",
        ),
    ] = None
    jobs: Annotated[
        Jobs | None,
        Argument(
            "Check this many bots at a time. Each has its own core, as in a tournament.",
            otherwise="one per core",
        ),
    ] = None
    html: Annotated[
        PathText | None,
        Argument(
            "Write to DIR: a page for each bot, to send to its author, and index.html for you.",
            metavar="DIR",
            kind="folder",
        ),
    ] = None
    transcript: Annotated[
        PathText | None,
        Argument(
            "Write the dialogue of a match to this file: the first match that failed, or else the first "
            "match.",
            kind="file",
        ),
    ] = None


class CheckBots(CheckOptions, frozen=True):
    """Plays with each bot alone, in all games that it plays or in one."""

    bots: Annotated[
        Words, Argument("A bot, or a list of bots.", metavar="[BOT...]", positional=True, kind="bot")
    ]

    def carry_out(
        self,
        say: Say,
        on_step: OnStep = lambda number, step: None,
        on_done: OnDone = lambda number, result: None,
        on_begun: OnBegun = lambda names: None,
    ) -> CheckResult:
        """Checks them. If one of several cannot be found, the others are checked all the same. Raises
        UserError."""
        sandbox, sandbox_line = self.walled()
        roster = Roster()
        entries = [entry for word in words_of("bots", self.bots) for entry in roster.of(word)]
        several = len(entries) > 1
        transcript = self._transcript(several)
        found_by, not_found = self._tasks(entries, sandbox, say)
        if not found_by:
            raise _nothing(not_found, say)
        words, tasks, told = zip(*found_by, strict=True)
        html = None if self.html is None else Path(self.html)
        if html is not None:
            make_folder(flag.html, html, RESULTS)
        say(sandbox_line)
        for remark in roster.remarks:
            say(remark)
        for missing in not_found:
            say(f"arena: {missing.why}")
        on_begun(tuple(task.name for task in tasks))
        if several:
            results = _checked(tasks, self.jobs, say, on_step, on_done)
        else:
            results = _checked_alone(tasks[0], on_step, on_done)
        games = tuple(task.games for task in tasks)
        found = CheckResult(words=words, games=games, results=tuple(results), not_found=tuple(not_found))
        if transcript is not None:
            text = "".join(f"{line}\n" for line in found.checked[0].transcript)
            write_file(flag.transcript, transcript, text.encode())
        if html is not None:
            page = _write_pages(html, tasks, results, told)
            found = msgspec.structs.replace(found, page=page)
        return found

    def _transcript(self, several: bool) -> Path | None:
        """Where the dialogue goes. Raises UserError."""
        transcript = None if self.transcript is None else Path(self.transcript)
        require_place(flag.transcript, transcript)
        if transcript is not None and several:
            raise UserError(f"{flag.transcript} works only with one bot at a time")
        return transcript

    def _tasks(
        self, entries: Sequence[Entry], sandbox: Sandbox, say: Say
    ) -> tuple[list[tuple[str, Task, Entry]], list[UnknownBot]]:
        """Each word that names a bot, with its task and its entry, and the others with the reason. Raises
        UserError instead if there is only one word."""
        games = tuple(GAMES.values()) if self.game is None else (registry.game(self.game),)
        several = len(entries) > 1
        ms = BUDGET_MS if several else None
        if self.budget is not None:
            ms = read(flag.budget, self.budget, milliseconds)
        seconds = None if ms is None else ms / 1000
        tasks, not_found = [], []
        for entry in entries:
            word = entry.word
            try:
                bot, name, played = _find(entry, games, sandbox)
            except UserError as error:
                if not several:
                    raise
                not_found.append(UnknownBot(word, caption(str(error), 1000)))
                continue
            if bot is None:
                say(f"{shell_word(word)}: skipped, not a bot ({name})")
            else:
                ids = tuple(game.id for game in played)
                task = Task(bot, entry.name or name, ids, self.limits, sandbox, seconds)
                tasks.append((in_utf8(entry.place or word), task, entry))
        return tasks, not_found


def _write_pages(
    folder: Path, tasks: Sequence[Task], results: Sequence[Checked | NotChecked], told: Sequence[Entry]
) -> str:
    """Writes a page for each bot, and the table of all. The path of the first page."""
    # Imported here because the templates are slow to load.
    from arena.report.checks import write_checks

    page = write_checks(folder, tasks, results)
    write_file(flag.html, folder / RESULTS, results_csv(tasks, results, told).encode())
    return str(page)


def _nothing(not_found: Sequence[UnknownBot], say: Say) -> UserError:
    """The error where there is no bot: why the last of these was not found. Says it of the others."""
    for missing in not_found[:-1]:
        say(f"arena: {missing.why}")
    return UserError(not_found[-1].why if not_found else "none of these is a bot")


def _checked_alone(task: Task, on_step: OnStep, on_done: OnDone) -> list[Checked | NotChecked]:
    """The result of a single bot, which is checked by this process. Raises what goes wrong with the check."""
    games = [registry.game(game) for game in task.games]
    budget = float("inf") if task.budget is None else task.budget

    def on_own_step(step: str) -> None:
        on_step(0, step)

    found = run_tasks(check, task.bot, task.name, games, task.limits, task.sandbox, on_own_step, budget)
    on_done(0, found)
    return [found]


def _checked(
    tasks: Sequence[Task], jobs: int | None, say: Say, on_step: OnStep, on_done: OnDone
) -> list[Checked | NotChecked]:
    """The results in the order of the tasks."""
    results: dict[int, Checked | NotChecked] = {}

    def on_result(number: int, result: Checked | NotChecked) -> None:
        results[number] = result
        on_done(number, result)

    with playing(None, jobs, say) as how:
        run_tasks(check_all, tasks, how.workers, how.cores, on_step, on_result)
    return [results[number] for number in range(len(tasks))]


def _find(
    entry: Entry, games: tuple[Game, ...], sandbox: Sandbox
) -> tuple[Entrant | Obstacle | None, str, tuple[Game, ...]]:
    """The bot, or why it cannot be started; its name; the games of `games` that it plays or, if `games` are
    all of the arena's own, also those of packages that its bot.toml names. If the word is no bot: None, the
    reason, ()."""
    unplayable: NoEntrant | None = None
    bots: list[tuple[Entrant, Game]] = []
    queue = list(games)
    for game in queue:
        found = find_entries([entry], game.id, sandbox).found
        for _, reason in found.passed_over:
            return None, reason, ()
        bots += [(bot, game) for bot in found.entrants]
        unplayable = next(iter(found.left_out), unplayable)
        if unplayable is not None and not unplayable.plays:
            break
        if unplayable is not None and len(games) == len(GAMES):
            queued = {game.id for game in queue}
            queue += [
                registry.game(id) for id in unplayable.plays if id not in queued and registry.is_known(id)
            ]
    if bots:
        bot, _ = bots[0]
        return bot, bot.name, tuple(game for _, game in bots)
    assert unplayable is not None
    return Obstacle(unplayable.kind, unplayable.reason), unplayable.name, games
