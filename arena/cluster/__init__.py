"""A tournament on many machines: Dask workers play its matches, each in a child `arena.playing.worker`.

    dispatch.py   on the director's machine: assigns matches to workers, in place of arena.playing.pool
    remote.py     the functions that run inside a Dask worker
    bundle.py     a bot's files as bytes, to be sent to a worker
    local.py      `--dask local`: a scheduler and workers on this machine

Dask is imported only if a cluster is requested. It transports tasks to workers and knows which workers exist.
We decide which worker plays which match, since a worker may be refused, and a match must not wait for one
that has left. Knows jobs; neither rules nor pairings.
"""
