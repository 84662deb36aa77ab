"""Selects what plays the matches: workers on this machine, a cluster, or this process itself."""

import contextlib
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

from arena.playing.arguments import Argument
from arena.playing.pool import PlayAll
from arena.playing.terms import RUNNING, Say
from arena.process.cores import claimed
from arena.system.errors import UserError
from arena.system.processors import allowed, at_a_time
from arena.system.wording import counted, flag

Address: TypeAlias = Annotated[
    str | None,
    Argument(
        "Play on the workers of this Dask scheduler (tcp://host:8786); `local` starts some here.",
        metavar="ADDRESS",
        section=RUNNING,
    ),
]
MOST_MATCHES: Final = 1_000_000
"""Matches at a time on a cluster without --jobs: no limit in practice."""


class WorkerPlan(NamedTuple):
    """How matches are played: `workers` at a time. `play_all` is that of a cluster or of this process; None
    means workers here, of which the first have one of `cores` each to themselves."""

    workers: int
    play_all: PlayAll | None = None
    cores: Sequence[int] = ()


@contextlib.contextmanager
def playing(
    dask: str | None, jobs: int | None, say: Say, *, quiet: bool = False, here_by: PlayAll | None = None
) -> Iterator[WorkerPlan]:
    """Claim cores here, or connect to the cluster `dask`. On this machine there are never more workers than
    cores, by number and by CPU quota, since they would take time from each other. `here_by` plays all matches
    in this process instead, one at a time. Raises UserError."""
    most = at_a_time()
    if here_by is not None:
        if dask is not None:
            raise UserError(f"{flag.dask}: functions play in the calling process, not on a cluster")
        with claimed(1):
            yield WorkerPlan(1, here_by)
        return
    here = min(jobs or most, most)
    if dask is None:
        if jobs and jobs > most:
            why = "there are no more cores" if most == len(allowed()) else "the CPU quota here allows no more"
            say(f"{flag.jobs} {jobs}: only {most} at a time, since {why}")
        with claimed(here) as cores:
            if len(cores) < here and not quiet:
                shared = here - len(cores)
                alone = "shares its core: none could be claimed for it"
                several = "share cores: none could be claimed for them"
                say(f"{shared} of {counted(here, 'worker')} {alone if shared == 1 else several}")
            yield WorkerPlan(here, cores=cores)
        return
    if importlib.util.find_spec("distributed") is None:
        raise UserError(f"{flag.dask} needs dask.distributed: pip install 'card-arena[dask]'")
    if dask == "local" and importlib.util.find_spec("cryptography") is None:
        raise UserError(
            f"{flag.dask} local needs cryptography, for its certificates: pip install 'card-arena[dask]'"
        )
    from arena.cluster.dispatch import cluster

    with cluster(dask, jobs or most, say) as dispatch:
        yield WorkerPlan((jobs or most) if dask == "local" else jobs or MOST_MATCHES, dispatch.play_all)
