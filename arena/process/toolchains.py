"""Where programs are that whoever runs the arena has installed for themselves: the real ones, since the shims
of version managers (rustup, pyenv, rbenv, asdf …) work only in the home that they stand in; and what of an
installation has to be seen so that it runs.

Asks the manager itself. Knows no bot.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Final

ANSWER_SECONDS: Final = 10.0

KNOWN: Final = frozenset(
    (
        *("awk", "bash", "bun", "deno", "elixir", "erl", "escript", "gawk", "guile", "java", "julia", "lua"),
        *("luajit", "mono", "node", "perl", "php", "pypy", "python", "R", "racket", "Rscript", "ruby"),
        *("sbcl", "scala", "sh", "tclsh", "ts-node", "tsx"),
        *("c++", "cabal", "cargo", "cc", "clang", "clang++", "cmake", "crystal", "csc", "dart", "dmd"),
        *("dotnet", "g++", "gcc", "ghc", "go", "javac", "kotlin", "kotlinc", "ldc2", "make", "nim", "ocaml"),
        *("ocamlopt", "opam", "rustc", "stack", "swift", "swiftc", "tsc", "zig"),
    )
)
"""What executes and builds programs, without the number of its version. A bot may say these by their name,
and sees what is installed under it here; by another name it could ask for whatever is on our PATH."""

_VERSIONS: Final = re.compile(
    ".*/(?:"
    + "|".join(
        (
            r"\.\w+env/versions/[^/]+",  # pyenv, rbenv, nodenv, goenv, jenv …
            r"\.nvm/versions/node/[^/]+",
            r"\.asdf/installs/[^/]+/[^/]+",
            r"\.local/share/mise/installs/[^/]+/[^/]+",
            r"\.local/share/uv/python/[^/]+",
            r"\.local/share/fnm/node-versions/[^/]+/installation",
            r"\.volta/tools/image/[^/]+/[^/]+",
            r"\.rustup/toolchains/[^/]+",
            r"\.sdkman/candidates/[^/]+/[^/]+",
            r"\.ghcup/ghc/[^/]+",
            r"\.rvm/rubies/[^/]+",
            r"\.opam/[^/]+",
            r"\.juliaup/julia-[^/]+",
            r"perl5/perlbrew/perls/[^/]+",
            r"sdk/go[0-9][^/]*",
            r"(?:(?:ana|mini)conda3|mini(?:forge|mamba)3|mambaforge)(?:/envs/[^/]+)?",
            r"\.conda/envs/[^/]+",
        )
    )
    + ")"
)
"""Where version managers put the versions that they install, each in a prefix of its own."""


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


def is_known(name: str) -> bool:
    """Whether a program of this name, `python3.12` say, executes or builds programs."""
    return name in KNOWN or name.rstrip("0123456789.-") in KNOWN


def ours(program: str) -> str | None:
    """The path by which our own PATH names this same interpreter or compiler; None where it names another or
    none. So it is this machine's choice, whoever says it."""
    real = os.path.realpath(program)
    for name in (os.path.basename(program), os.path.basename(real)):
        if is_known(name) and (found := installed(name)) and os.path.realpath(found) == real:
            return found
    return None


def installation(program: str) -> Iterator[str]:
    """What has to be seen so that an interpreter runs: all of its prefix where nothing else is in there, and
    in a home only a version manager's is known to be such. Else what is known of Python, or the program
    alone, which is enough for those that need no library of theirs. Every link on the way is among it."""
    real = os.path.realpath(program)
    for path in links(program):
        folder, name = os.path.split(path)
        prefix = os.path.dirname(folder)
        installed_there = os.path.basename(folder) == "bin" and os.path.isdir(os.path.join(prefix, "lib"))
        virtual = os.path.join(prefix, "pyvenv.cfg")
        if not installed_there:
            yield path
        elif os.path.isfile(virtual):
            yield from (path, virtual, *_of_python(prefix))
        elif real.startswith(os.path.join(os.path.realpath(prefix), "")) and _holds_nothing_else(prefix):
            yield prefix
        elif name.startswith(("python", "pypy")):
            yield from (path, *_of_python(prefix))
        else:
            yield path


def links(path: str) -> Iterator[str]:
    """A path, and where each link leads, until something that is none."""
    for _ in range(40):
        yield path
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(path)), os.readlink(path)))
    yield os.path.realpath(path)


def in_real_folder(path: str) -> str:
    """The same path where none of its folders is a link; itself may be one."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _of_python(prefix: str) -> Iterator[str]:
    """Its libraries below a prefix; a virtual environment's too."""
    for pattern in ("lib*/python*", "lib*/pypy*", "lib*/libpython*", "lib*/libpypy*"):
        yield from sorted(glob.glob(os.path.join(glob.escape(prefix), pattern)))


def _holds_nothing_else(prefix: str) -> bool:
    real = os.path.realpath(prefix)
    home = os.path.realpath(os.path.expanduser("~"))
    if home == real or home.startswith(os.path.join(real, "")):
        return False
    private = (home, "/home", "/root", "/Users")
    in_a_home = any(real.startswith(os.path.join(folder, "")) for folder in private)
    return not in_a_home or _VERSIONS.fullmatch(real) is not None
