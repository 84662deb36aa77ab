"""A tournament on many machines: Dask's workers play its matches, each by a child `arena.playing.worker`.

    dispatch.py   here: which worker plays which match, in place of arena.playing.pool's play_all
    remote.py     there: what runs inside a Dask worker
    bundle.py     a bot's files as bytes, to be sent from here to there
    local.py      `--dask local`: a scheduler and workers on this machine

Dask is loaded only where a cluster is asked for. It takes tasks to workers and knows which workers are there.
Which worker plays which match is decided here, since a worker may be refused, and a match must not wait for
one that has gone.
"""
