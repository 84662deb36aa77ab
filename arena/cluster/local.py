"""`python -m arena.cluster.local MATCHES`: Dask's scheduler and workers on this machine, for `--dask local`.

Every user of the machine can reach their ports, and a client of the scheduler can run programs. So they
accept only clients with the certificate that is generated here, and serve no pages, which would need none.
The certificate and the scheduler's address are printed in one line on standard output. At the end of its
input everything ends, so that nothing is left if the parent is killed. It runs in its own session, so that no
Ctrl-C reaches it or the workers. Knows no matches.
"""

import logging
import sys
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from distributed import LocalCluster
from distributed.security import Security

WITHOUT_PAGES: Final = {f"DASK_DISTRIBUTED__{role}__HTTP__ROUTES": "[]" for role in ("SCHEDULER", "WORKER")}
"""Added to the environment of this process: even without a dashboard Dask would serve pages with its tasks
and the addresses of all workers."""


class SchedulerAddress(msgspec.Struct, frozen=True):
    """Where the scheduler listens, and a client's credentials: a self-signed certificate and its key, as
    PEM."""

    scheduler: str
    certificate: str
    key: str

    def security(self) -> Security:
        """Dask's settings for a client."""
        return Security(
            require_encryption=True,
            tls_ca_file=self.certificate,
            tls_client_cert=self.certificate,
            tls_client_key=self.key,
        )


def main(matches: int) -> None:
    """Run a scheduler and `matches` workers until standard input ends."""
    security = Security.temporary()
    # Dask's default folder below /tmp has locks that any local user can hold.
    with (
        TemporaryDirectory() as scratch,
        LocalCluster(
            n_workers=matches,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
            local_directory=scratch,
            silence_logs=logging.CRITICAL,
            security=security,
        ) as cluster,
    ):
        address = SchedulerAddress(
            cluster.scheduler_address, security.tls_client_cert, security.tls_client_key
        )
        print(msgspec.json.encode(address).decode(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
