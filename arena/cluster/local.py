"""`python -m arena.cluster.local MATCHES`: Dask's scheduler and workers on this machine, for `--dask local`.

Tells the scheduler's address on standard output. At the end of its input it ends all, so that nothing is left
if whoever started it is killed; being in a session of its own, no Ctrl-C reaches it or the workers.
"""

import logging
import sys

from distributed import LocalCluster


def main(matches: int) -> None:
    with LocalCluster(
        n_workers=matches,
        threads_per_worker=1,
        processes=True,
        memory_limit=0,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
