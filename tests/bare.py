"""A bare machine: runs tests as an ordinary user, without a home, in a path with blanks and umlauts, where
the only programs are Python and those of the smallest Debian: no compiler, browser, bwrap, Node, Perl or git.

    python -m tests.bare [--root] [WORD...]     # words of pytest; without any, the part that the gate takes

Needs bubblewrap and dpkg, and may be called by root and by others.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.process.launch import base_interpreter
from tests import clone

USER: Final = 54322
FOLDERS: Final = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin", "/snap/bin")
PART: Final = ("tests/cli/test_compare.py",)


def small() -> set[str]:
    """The names of the programs that every Debian has, but for Perl, and of the interpreters of Python."""
    listed = subprocess.check_output(
        ("dpkg-query", "-W", "-f", "${Package} ${Essential} ${Priority}\\n"), text=True
    )
    packages = {line.split()[0] for line in listed.splitlines() if {"yes", "required"} & {*line.split()[1:]}}
    files = subprocess.check_output(("dpkg-query", "-L", *packages), text=True).splitlines()
    names = {Path(file).name for file in files if Path(file).parent.name in ("bin", "sbin")}
    return names - {"perl"}


def reduced(folder: Path, to: Path, names: set[str]) -> Path:
    """A copy of a folder of programs with those of the names, and of Python, only."""
    to.mkdir(parents=True)
    for path in folder.iterdir():
        if names & {path.name, path.resolve().name} or path.name.startswith("python3"):
            shutil.copy2(path, to / path.name, follow_symlinks=False)
    return to


def environment(place: Path, packages: Path) -> Path:
    """A virtual environment of the project at that place, with our packages; its Python."""
    version = f"python3.{sys.version_info.minor}"
    everybodys = Path("/usr/bin", version)
    python = everybodys if everybodys.exists() else Path(base_interpreter())
    own = place / ".venv" / "lib" / version / "site-packages"
    own.mkdir(parents=True)
    # The editable installation that is among them stays without effect: a .pth file is read in `own` only.
    (own / "project.pth").write_text(f"{place}\n{packages}\n", "utf-8")
    (place / ".venv" / "pyvenv.cfg").write_text(f"home = {python.parent}\n")
    (place / ".venv" / "bin").mkdir()
    (place / ".venv" / "bin" / "python").symlink_to(python)
    return place / ".venv" / "bin" / "python"


@contextmanager
def machine(root: bool) -> Iterator[tuple[Path, Sequence[str]]]:
    """The folder of the project there, and the command that runs another in it by its Python."""
    with tempfile.TemporaryDirectory(prefix="bare-", dir="/var/tmp") as base:
        os.chmod(base, 0o755)
        place, packages = Path(base, "eine Wörld", "card-arena"), Path(base, "packages")
        packages.mkdir()
        clone.copy(place)
        python = environment(place, packages)
        (Path(base) / "tmp").mkdir()
        hidden: list[str | Path] = []
        for number, folder in enumerate(map(Path, FOLDERS)):
            if folder.is_dir() and not folder.is_symlink():
                hidden += ("--ro-bind", reduced(folder, Path(base, "programs", str(number)), small()), folder)
        become: Sequence[str] = ()
        if os.geteuid() == 0 and not root:
            become = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all")
            for path in (place, Path(base, "tmp")):
                subprocess.run(("chown", "-R", f"{USER}:{USER}", path), check=True)
        yield (
            place,
            (
                *(
                    "bwrap",
                    "--dev-bind",
                    "/",
                    "/",
                    *map(str, hidden),
                    "--cap-add",
                    "ALL",
                    "--die-with-parent",
                ),
                *("--ro-bind", sysconfig.get_path("platlib"), str(packages)),
                *("--chdir", str(place), "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"),
                *("--setenv", "HOME", "/nonexistent", "--setenv", "TMPDIR", f"{base}/tmp", "--"),
                *(*become, str(python)),
            ),
        )


def run(words: Sequence[str], root: bool = False) -> int:
    """The exit status of pytest there."""
    with machine(root) as (_, command):
        return subprocess.run((*command, "-m", "pytest", *words), check=False).returncode


if __name__ == "__main__":
    words = sys.argv[1:]
    root = "--root" in words
    sys.exit(run([word for word in words if word != "--root"] or PART, root))
