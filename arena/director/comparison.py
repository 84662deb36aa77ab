"""Plays pods of the same entrants, each with its own deals, until a question about two of them is answered.

Knows jobs and results; tournaments/compare.py computes the answer. Results count in the order of the pods,
whatever order they arrive in.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from arena.director.steady import ProgramGuard
from arena.log.house_bugs import HouseBugRow, together
from arena.playing.job import Finished, Job, Report, Void, bug_rows
from arena.playing.pool import PlayAll, Pool
from arena.system.files import kept
from protocol.streams import pod_key, seating_labels
from tournaments.compare import ComparisonEstimate, Question, answer, differences
from tournaments.results import MatchResult, in_match_order
from tournaments.seatings import seatings

VOIDS_PER_MATCH = 2
"""After this many spoilt attempts at one match the comparison stops. If a bot of the arena's own failed in
the last one, only the match's pod is left out."""
SPOILT_PODS = 3
"""The comparison stops after leaving out this many pods."""
ROUND = 0
"""The round in the pod keys. No tournament has a round 0, so none with the same seed has these deals."""


class Comparison:
    """Compares the first two entrants of `job`. All matches have its settings, each pod its own deals."""

    def __init__(self, job: Job, seed: str, question: Question) -> None:
        self.job = job
        self.seed = seed
        self.question = question
        self._one, self._other = (entrant.name for entrant in job.entrants[:2])
        self._pod_no = 0
        self._jobs: dict[str, Job] = {}
        self._results: list[MatchResult] = []
        self._played: set[str] = set()
        self._spoilt: Counter[str] = Counter()
        self.left_out: list[int] = []
        self._bugs: list[HouseBugRow] = []
        self._forfeits: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._steady = ProgramGuard(job.settings.sandbox.level)
        self._steady.begin(job.entrants, "compare it again")

    async def settle(
        self,
        workers: int,
        on_answer: Callable[[ComparisonEstimate], None],
        play_all: PlayAll | None = None,
        cores: Sequence[int] = (),
    ) -> ComparisonEstimate:
        """Play pods until there is a verdict; call `on_answer` after each pod. Raises RuntimeError for an
        error of ours, and MachineError."""
        units: list[float] = []
        async with Pool(workers, cores) as pool:
            for pod_no in itertools.count(1):
                self._pod_no, self._jobs = pod_no, self._pod(pod_no)
                while due := self._due():
                    await (play_all or pool.play_all)(due, workers, self._done, self._is_left_out)
                if self._is_left_out():
                    self._results = [result for result in self._results if result.pod_no != pod_no]
                    continue
                results = self._results_of(pod_no)
                self._count_forfeits(results)
                units += differences(results, self._one, self._other)
                estimate = answer(units, self.question)
                on_answer(estimate)
                if estimate.verdict is not None:
                    break
        return estimate

    @property
    def forfeits(self) -> Mapping[str, Counter[str]]:
        """Forfeits by kind of fault, for each entrant that has forfeited in a complete pod."""
        return self._forfeits

    @property
    def bugs(self) -> tuple[HouseBugRow, ...]:
        """The failures of the arena's own bots."""
        return together(self._bugs)

    @property
    def matches(self) -> int:
        """The number of matches that count so far."""
        return len(self._results)

    def _due(self) -> list[Job]:
        if self._is_left_out():
            return []
        return [job for job in self._jobs.values() if job.match_id not in self._played]

    def _is_left_out(self) -> bool:
        return self._pod_no in self.left_out

    def _results_of(self, pod_no: int) -> list[MatchResult]:
        return [result for result in self._results if result.pod_no == pod_no]

    def _count_forfeits(self, results: Iterable[MatchResult]) -> None:
        for result in in_match_order(results):
            for forfeit in result.forfeits:
                self._forfeits[result.entrants[forfeit.seat]][forfeit.kind] += 1

    def _pod(self, pod_no: int) -> dict[str, Job]:
        """The matches of a pod by id: the same deals in all seatings of the square."""
        key = pod_key(self.seed, ROUND, pod_no)
        entrants = {entrant.name: entrant for entrant in self.job.entrants}
        square = seatings(tuple(entrants), seating_labels(key, len(entrants)))
        return {
            f"{pod_no}/{seating_no}": msgspec.structs.replace(
                self.job,
                match_id=f"{pod_no}/{seating_no}",
                pod_key=key,
                seating_no=seating_no,
                entrants=tuple(entrants[name] for name in names),
            )
            for seating_no, names in enumerate(square, 1)
        }

    def _done(self, report: Report) -> None:
        if isinstance(report, Void):
            self._spoilt[report.match_id] += 1
            if self._spoilt[report.match_id] == VOIDS_PER_MATCH:
                raise report.error
            return
        job = self._jobs[report.match_id]
        if report.bugs:
            self._failed(job, report)
            return
        self._steady.require(job.entrants, "compare it again")
        self._played.add(report.match_id)
        pod_no, _, seating_no = report.match_id.partition("/")
        self._results.append(
            MatchResult(
                round_no=1,
                pod_no=int(pod_no),
                seating_no=int(seating_no),
                entrants=tuple(entrant.name for entrant in job.entrants),
                gains=report.outcome.gains,
                placings=report.outcome.placings,
                forfeits=report.forfeits,
            )
        )

    def _failed(self, job: Job, finished: Finished) -> None:
        match_id = finished.match_id
        self._spoilt[match_id] += 1
        # Keep the first log, so that the bug can be investigated.
        log = "" if self._bugs else str(kept(finished.log, "match.jsonl"))
        self._bugs += bug_rows(job, finished, log)
        if self._spoilt[match_id] == VOIDS_PER_MATCH:
            self.left_out.append(self._pod_no)
            if len(self.left_out) == SPOILT_PODS:
                raise RuntimeError(f"{SPOILT_PODS} pods were spoilt; {self._bugs[0].sentence}")
