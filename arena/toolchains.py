"""Where programs are that whoever runs the arena has installed for themselves: the real ones, since the shims
of version managers (rustup, pyenv, rbenv, asdf …) work only in the home that they stand in.

Asks the manager itself. Knows no bot.
"""

import functools
import os
import shutil
import subprocess
from typing import Final

ANSWER_SECONDS: Final = 10.0


@functools.cache
def installed(name: str) -> str | None:
    """The absolute path of what `name` means on our own PATH; None where it means nothing."""
    found = shutil.which(name)
    if found is None:
        return None
    manager = _manager(os.path.abspath(found))
    return _chosen_by(manager, name) if manager else os.path.abspath(found)


def _manager(path: str) -> str | None:
    """The version manager whose shim this is. Rustup's stand beside it; those of pyenv and its like in
    ROOT/shims, and ROOT is called after the manager."""
    folder, name = os.path.split(path)
    if os.path.basename(os.path.realpath(path)) == "rustup" != name:
        return os.path.realpath(path)
    root, shims = os.path.split(folder)
    if shims != "shims":
        return None
    return shutil.which(
        os.path.basename(root).removeprefix("."), path=f"{root}/bin:{os.environ.get('PATH', '')}"
    )


def _chosen_by(manager: str, name: str) -> str | None:
    # Elsewhere than in a bot's folder, whose files could have a say in the answer.
    try:
        done = subprocess.run(
            (manager, "which", name),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    path = done.stdout.strip()
    return path if done.returncode == 0 and os.path.isfile(path) else None
