"""The calls that pair, rank and compare bots, as functions: each argument is one of the command of that name,
as arena/commands declares it.
"""

from arena.commands.compare import Compare, CompareResult
from arena.commands.plan import PlanResult
from arena.commands.tournament import PlanTournament, RunTournament, TournamentResult
from arena.library.awaiting import asynchronous
from arena.library.derived import takes
from arena.library.display import carried_out
from arena.library.run import Run, ended_run


@takes(RunTournament)
def tournament(call: RunTournament) -> Run:
    """Pairs bots over several rounds, and ranks them by what they gain per deal. Everything is kept in the
    folder `out`, which `arena.open` opens again.

    `until` a time, or for some `minutes`, as many rounds are played as fit, `rounds` at most. With a function
    among the bots all matches are played one at a time, and the run can be looked at and verified, but not
    gone on with or repeated. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    return ended_run(carried_out(call, TournamentResult))


@takes(PlanTournament)
def plan(call: PlanTournament) -> PlanResult:
    """Says what it takes to know gains per deal to ± `margin` in a tournament, and plays nothing. `like`: the
    folder of a run in which the spread of gains is measured; by default it is the typical one of the game."""
    return carried_out(call, PlanResult)


@takes(Compare)
def compare(call: Compare) -> CompareResult:
    """Finds out whether `one` is better than `other`: plays duplicate deals until a sequential test settles
    it, or the `budget` of deals is spent. `result` of what comes back says it in sentences."""
    return carried_out(call, CompareResult)


tournament_async = asynchronous(tournament)
compare_async = asynchronous(compare)
