"""On which kind of file system a path lies, and whether that is a network's.

Asks Linux's table of mounts; where there is none nothing is known.
"""

import re
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")

KERNEL: Final = {"afs", "beegfs", "ceph", "cifs", "gfs2", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3"}
FUSE: Final = {"fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
NETWORK: Final = frozenset(KERNEL | FUSE)
"""Types as in that table. Several machines may write there, and the locks of one do not always reach the
others."""


def network_type(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the network file system that `path` lies on, or would; None if it is another one, or
    unknown."""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    folder, deepest, type_there = path.resolve(), -1, ""
    for line in table.splitlines():
        fields, _, source = line.partition(" - ")
        point = Path(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields.split()[4]))
        # Of several at one place the last is seen.
        if folder.is_relative_to(point) and len(point.parts) >= deepest:
            deepest, type_there = len(point.parts), source.split()[0]
    return type_there if type_there in NETWORK else None
