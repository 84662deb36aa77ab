"""Determines whether a path lies on a network file system.

Reads Linux's table of mounts; without one it knows nothing.
"""

import re
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")

KERNEL: Final = {"afs", "beegfs", "ceph", "cifs", "gfs2", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3"}
FUSE: Final = {"fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
NETWORK: Final = frozenset(KERNEL | FUSE)
"""Types as in that table. Several machines may write to such a file system and not see each other's locks."""


def network_type(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the network file system on which `path` lies or would lie; None if local or unknown."""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    folder, deepest, type_there = path.resolve(), -1, ""
    for line in table.splitlines():
        fields, _, source = line.partition(" - ")
        point = Path(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields.split()[4]))
        # If there are several mounts at one place, only the last is visible.
        if folder.is_relative_to(point) and len(point.parts) >= deepest:
            deepest, type_there = len(point.parts), source.split()[0]
    return type_there if type_there in NETWORK else None
