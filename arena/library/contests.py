"""The calls that pair, rank and compare bots, as functions. Their arguments are those of the command of the
same name, as declared in arena/commands.
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
    """Pair bots over several rounds, and rank them by their gain per deal. Everything is stored in the folder
    `out`, which `arena.open` opens again.

    `until` and `minutes`: play as many rounds as fit into this time, but at most `rounds`. If a bot is a
    function, matches are played one at a time, and the run can be read and verified, but not resumed or
    repeated. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    return ended_run(carried_out(call, TournamentResult))


@takes(PlanTournament)
def plan(call: PlanTournament) -> PlanResult:
    """Calculate, without playing, what a tournament needs to measure gains per deal to ± `margin`. `like`:
    the folder of a run from which to take the spread of gains; by default it is typical of the game."""
    return carried_out(call, PlanResult)


@takes(Compare)
def compare(call: Compare) -> CompareResult:
    """Find out whether `one` is better than `other`: play duplicate deals until a sequential test decides, or
    the `budget` of deals is spent. The `result` of the returned value explains it in sentences."""
    return carried_out(call, CompareResult)


tournament_async = asynchronous(tournament)
compare_async = asynchronous(compare)
