"""A tournament on many machines: Dask's workers play its matches, each through an `arena.workers.worker`.

    dispatch.py   here: which worker plays which match, as a replacement of arena.workers.pool's play_all
    station.py    there: what runs inside a Dask worker
    parcel.py     a bot on its way from here to there
    local.py      `--dask local`: a scheduler and workers on this machine

Dask is loaded only where a cluster is asked for. It brings tasks to workers and says who is there; who plays
what is decided here, since a worker may be refused, and a match must not wait for one that has gone.
"""
