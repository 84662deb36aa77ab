"""The calls that pair, rank and compare bots, as functions: each argument is an option of the command of that
name.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from arena.commands.compare import Compare, Compared
from arena.commands.plan import Planned
from arena.commands.tournament import PlanTournament, Ran, RunTournament
from arena.library.arguments import Path, mapping_of, maybe_path_of, paths_of, terms_of
from arena.library.awaiting import asynchronous
from arena.library.display import OnProgress, carried_out
from arena.library.functions import FunctionSeats, Seat
from arena.library.run import Run, ended_run
from arena.process.sandbox import DEFAULT_MEMORY_MB


def tournament(
    bots: Iterable[Seat],
    *,
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    format: str = "swiss",
    rounds: int | None = None,
    seats: int = 4,
    deals: int | None = None,
    seed: str | int | None = None,
    seed_file: Path | None = None,
    public: str | None = None,
    duplicates: bool = True,
    time: str = "1s+10s",
    startup: str = "10s",
    faults: int = 1,
    ponder: bool = False,
    keep_bots: bool = False,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    jobs: int | None = None,
    out: Path | None = None,
    report: bool = False,
    challengers: Iterable[str] = (),
    authors: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    dask: str | None = None,
    until: str | None = None,
    minutes: float | None = None,
    like: Path | None = None,
    on_progress: OnProgress = None,
) -> Run:
    """Pairs bots over several rounds, and ranks them by what they gain per deal. Everything is kept in the
    folder `out`, by default a new one below the working folder, which `arena.open` opens again.

    `seats` of a pod. Without `duplicates` a pod plays each deal once, and not in all seatings. `jobs`:
    matches at a time, by default one per core. `challengers` are the bots that a gauntlet tests. `dask`: the
    address of a scheduler, or "local". `until` a time such as "11:30", or for some `minutes`, as many rounds
    are played as fit, `rounds` at most; `like` is the folder of a run that tells how long matches take. The
    other arguments are those of `match`. With a function among the bots all matches are played one at a time,
    and the run can be looked at and verified, but not gone on with or repeated. Raises UserError,
    MachineError, ArenaBug, and what a function raises."""
    functions = FunctionSeats()
    terms = terms_of(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow)
    call = RunTournament(
        bots=functions.words(bots),
        format=format,
        rounds=rounds,
        seats=seats,
        terms=terms,
        seed_file=maybe_path_of(seed_file),
        public=public,
        duplicates=duplicates,
        keep_bots=keep_bots,
        jobs=jobs,
        out=maybe_path_of(out),
        report=report,
        challengers=paths_of("challengers", challengers),
        authors=mapping_of("authors", authors),
        groups=mapping_of("groups", groups),
        titles=mapping_of("titles", titles),
        dask=dask,
        until=until,
        minutes=minutes,
        like=maybe_path_of(like),
    )
    return ended_run(carried_out(call, Ran, functions, on_progress))


def plan(
    bots: Iterable[Seat],
    margin: float,
    *,
    like: Path | None = None,
    jobs: int | None = None,
    format: str = "swiss",
    rounds: int | None = None,
    seats: int = 4,
    duplicates: bool = True,
    challengers: Iterable[str] = (),
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    deals: int | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    on_progress: OnProgress = None,
) -> Planned:
    """Says what it takes to know gains per deal to ± `margin` in a tournament, and plays nothing. `like`: the
    folder of a run in which the spread of gains is measured; by default it is the typical one of the game.
    The other arguments are those of `tournament`."""
    functions = FunctionSeats()
    tournament = RunTournament(
        bots=functions.words(bots),
        format=format,
        rounds=rounds,
        seats=seats,
        duplicates=duplicates,
        challengers=paths_of("challengers", challengers),
        jobs=jobs,
        terms=terms_of(game, options, deals, None, time, startup, 1, False, sandbox, memory, allow),
    )
    call = PlanTournament(tournament=tournament, margin=margin, like=maybe_path_of(like))
    return carried_out(call, Planned, functions, on_progress)


def compare(
    one: Seat,
    other: Seat,
    *,
    against: Iterable[Seat] = (),
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    seats: int = 4,
    alpha: float = 0.05,
    margin: float = 0.0,
    budget: int = 1000,
    final: bool = False,
    bounded: bool = False,
    deals: int | None = None,
    seed: str | int | None = None,
    titles: Mapping[str, str] | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    faults: int = 1,
    ponder: bool = False,
    keep_bots: bool = False,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    jobs: int | None = None,
    dask: str | None = None,
    on_progress: OnProgress = None,
) -> Compared:
    """Finds out whether `one` is better than `other`: plays duplicate deals until a sequential test settles
    it, or the `budget` of deals is spent. `result` of what comes back says it in sentences.

    `against` are further bots at the table; the arena's heuristic takes the `seats` that stay empty. `alpha`
    is the highest probability of a wrong verdict, `margin` the least difference in gain per deal that
    matters. `final` promises to add no deals to the budget. `bounded` assumes only that differences stay
    within what the rules allow. The other arguments are those of `match` and `tournament`."""
    functions = FunctionSeats()
    call = Compare(
        one=functions.word(one),
        other=functions.word(other),
        against=functions.words(against),
        seats=seats,
        alpha=alpha,
        margin=margin,
        budget=budget,
        final=final,
        bounded=bounded,
        titles=mapping_of("titles", titles),
        keep_bots=keep_bots,
        jobs=jobs,
        terms=terms_of(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow),
        dask=dask,
    )
    return carried_out(call, Compared, functions, on_progress)


tournament_async = asynchronous(tournament)
compare_async = asynchronous(compare)
