"""The option `--dask`: who plays the matches, this machine or a cluster. Knows no command."""

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import click

from arena.cli.options import cores
from arena.cli.output import say
from arena.errors import UserError
from arena.pool import PlayAll, play_all

F = TypeVar("F", bound=Callable[..., Any])

MOST_MATCHES: Final = 1_000_000
"""At a time, on a cluster: as many as it can."""


def dask_option(command: F) -> F:
    return click.option(
        "--dask",
        metavar="ADDRESS",
        help="Have the workers of this Dask scheduler play (tcp://host:8786); `local` starts some here.",
    )(command)


@contextlib.contextmanager
def players(dask: str | None, jobs: int | None) -> Iterator[tuple[PlayAll, int]]:
    """The way to have matches played, and how many at a time. Raises UserError."""
    if dask is None:
        yield play_all, jobs or cores()
        return
    if importlib.util.find_spec("distributed") is None:
        raise UserError("--dask needs dask.distributed: pip install 'card-arena[dask]'")
    from arena.cluster.dispatch import cluster

    here = jobs or cores()
    with cluster(dask, here, say) as them:
        yield them.play_all, here if dask == "local" else jobs or MOST_MATCHES
