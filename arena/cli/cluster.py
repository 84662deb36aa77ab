"""Who plays the matches: this machine, or with the option `--dask` a cluster. Knows no command."""

import contextlib
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import click

from arena.cli.output import say
from arena.process.cores import allowed, claimed
from arena.system.errors import UserError
from arena.workers.pool import PlayAll

MOST_MATCHES: Final = 1_000_000
"""At a time, on a cluster: as many as it can."""


jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Matches at a time.  [default: one a core]"
)
dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Have the workers of this Dask scheduler play (tcp://host:8786); `local` starts some here.",
)


class Players(NamedTuple):
    """How many matches at a time. Either others play them, or workers here, of which the first have `cores`
    that nobody else uses."""

    workers: int
    play_all: PlayAll | None = None
    cores: Sequence[int] = ()


@contextlib.contextmanager
def players(dask: str | None, jobs: int | None, *, quiet: bool = False) -> Iterator[Players]:
    """Those who play. Never more here than there are cores: they would only take time from each other. Raises
    UserError."""
    most = len(allowed())
    here = min(jobs or most, most)
    if dask is None:
        if jobs and jobs > most:
            say(f"--jobs {jobs}: {most} at a time, there are no more cores")
        with claimed(here) as cores:
            if len(cores) < here and not quiet:
                say(f"{here - len(cores)} of {here} workers share cores: none could be claimed for them")
            yield Players(here, cores=cores)
        return
    if importlib.util.find_spec("distributed") is None:
        raise UserError("--dask needs dask.distributed: pip install 'card-arena[dask]'")
    if dask == "local" and importlib.util.find_spec("cryptography") is None:
        raise UserError(
            "--dask local needs cryptography, for its certificates: pip install 'card-arena[dask]'"
        )
    from arena.cluster.dispatch import cluster

    with cluster(dask, jobs or most, say) as them:
        yield Players((jobs or most) if dask == "local" else jobs or MOST_MATCHES, them.play_all)
