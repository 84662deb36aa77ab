"""Finds interpreters and compilers that the user of the arena has installed, and the paths of an installation
that must be visible for a program to run.

Shims of version managers (rustup, pyenv, rbenv, asdf …) work only in the home that contains them. So the
manager is asked which program a shim stands for. Knows no bot.
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
        *("sbcl", "scala", "sh", "swipl", "tclsh", "ts-node", "tsx"),
        *("c++", "cabal", "cargo", "cc", "clang", "clang++", "cmake", "crystal", "csc", "dart", "dmd"),
        *("dotnet", "fpc", "g++", "gcc", "ghc", "go", "javac", "kotlin", "kotlinc", "ldc2", "make", "nim"),
        *("ocaml", "ocamlfind", "ocamlopt", "opam", "rustc", "stack", "swift", "swiftc", "tsc", "zig"),
    )
)
"""Names, without version numbers, of interpreters and build tools. If a bot names one, what is installed here
under that name becomes visible to it. With other names it could ask for anything on our PATH."""

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
"""Prefixes into which version managers install, each for one version."""


@functools.cache
def installed(name: str) -> str | None:
    """The absolute path of the program `name` on our own PATH, with shims resolved; None if there is none."""
    found = shutil.which(name)
    if found is None:
        return None
    manager = _manager(os.path.abspath(found))
    return _chosen_by(manager, name) if manager else os.path.abspath(found)


def _manager(path: str) -> str | None:
    """The version manager of the shim `path`; None if it is no shim. Rustup's shims are links to it; pyenv
    and its like have theirs in ROOT/shims, where ROOT has the manager's name."""
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
    # Not run in a bot's folder, where files could change the answer.
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
    """Whether a name, with or without a version number, is in KNOWN: `python3.12` is."""
    return name in KNOWN or name.rstrip("0123456789.-") in KNOWN


def ours(program: str) -> str | None:
    """The path by which our own PATH finds this interpreter or compiler; None if it finds another program of
    that name, or none. So a bot can only name what this machine uses anyway."""
    real = os.path.realpath(program)
    for name in (os.path.basename(program), os.path.basename(real)):
        if is_known(name) and (found := installed(name)) and os.path.realpath(found) == real:
            return found
    return None


def installation(program: str) -> Iterator[str]:
    """The paths that must be visible for an interpreter to run, including every link that leads to it.

    That is its whole prefix if the prefix contains nothing else; in a home only prefixes of version managers
    qualify. Otherwise it is Python's libraries, or the program alone, which suffices for programs without
    libraries of their own."""
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
    """A path, each path that its links lead to, and the real path of the last."""
    for _ in range(40):  # As many links as Linux follows.
        yield path
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(path)), os.readlink(path)))
    yield os.path.realpath(path)


def in_real_folder(path: str) -> str:
    """The path with its folder resolved; the last part may still be a link."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _of_python(prefix: str) -> Iterator[str]:
    """The paths of Python's libraries below a prefix, which may be that of a virtual environment."""
    for pattern in ("lib*/python*", "lib*/pypy*", "lib*/libpython*", "lib*/libpypy*"):
        yield from sorted(glob.glob(os.path.join(glob.escape(prefix), pattern)))


def _holds_nothing_else(prefix: str) -> bool:
    """Whether a prefix contains an installation and no private files."""
    real = os.path.realpath(prefix)
    home = os.path.realpath(os.path.expanduser("~"))
    if home == real or home.startswith(os.path.join(real, "")):
        return False
    private = (home, "/home", "/root", "/Users")
    in_a_home = any(real.startswith(os.path.join(folder, "")) for folder in private)
    return not in_a_home or _VERSIONS.fullmatch(real) is not None
