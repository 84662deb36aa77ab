"""A bare machine: runs tests as an ordinary user, without a home, in a path with blanks and umlauts, where
the only programs are Python and those of the smallest Debian: no compiler, browser, bwrap, Node, Perl or git.

    python -m tests.support.bare [--root] [WORD...]     # words of pytest; without any, the gate's part

Needs bubblewrap and dpkg, and may be called by root and by others.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from arena.process.launch import base_interpreter
from tests.support import clone

USER: Final = 54322
FOLDERS: Final = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin", "/snap/bin")
PART: Final = (
    *("-q", "-n", "2", "tests/test_bare.py", "tests/test_starters.py", "tests/report/test_scripts.py"),
    *("tests/entrants/test_apart.py", "tests/entrants/test_lent.py", "tests/entrants/test_pinned.py"),
    *("tests/league/test_apart.py", "tests/process/test_seccomp.py", "tests/process/test_toolchains.py"),
    *("tests/cli/test_hostile_folders.py", "tests/cli/test_trust.py", "tests/machine"),
    "tests/cli/test_compare.py::test_equal_bots_stay_undecided_beside_a_strong_one_of_the_house",
    "tests/cli/test_every_game.py::test_a_match[ole-8]",
)
"""What asks for tools, or has bots that do: some 20 s of processor."""


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
    if (to / "mawk").exists():  # Every Debian has an awk; here it may be another one.
        (to / "awk").unlink(missing_ok=True)
        (to / "awk").symlink_to("mawk")
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
    # `python -m ruff` looks for it there.
    shutil.copy(Path(sysconfig.get_path("scripts"), "ruff"), place / ".venv" / "bin")
    return place / ".venv" / "bin" / "python"


def command(base: Path, root: bool) -> Sequence[str]:
    """What Python there is called by. All that is made for it is below a folder that everybody can enter."""
    place, packages, tmp = base / "eine Wörld" / "card-arena", base / "packages", base / "tmp"
    clone.copy(place)
    python = environment(place, packages)
    packages.mkdir()
    tmp.mkdir()
    words = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--bind", tmp, "/tmp"]
    names = small()
    for number, folder in enumerate(map(Path, FOLDERS)):
        if folder.is_dir() and not folder.is_symlink():
            words += ["--ro-bind", reduced(folder, base / "programs" / str(number), names), folder]
    words += ["--ro-bind", sysconfig.get_path("platlib"), packages, "--chdir", place, "--clearenv"]
    words += ["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/nonexistent"]
    words += ["--setenv", "LOGNAME", "anna.longname-smith"]  # Folders of tests have it in their names.
    if os.geteuid() == 0:
        words += ["--cap-add", "ALL"]
        if not root:
            subprocess.run(("chown", "-R", f"{USER}:{USER}", place, tmp), check=True)
            words += ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all"]
    return (*map(str, words), str(python))


def run(words: Sequence[str], root: bool = False, **options: Any) -> "subprocess.CompletedProcess[str]":
    """A run of pytest there."""
    with tempfile.TemporaryDirectory(prefix="bare-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        done = (*command(Path(folder), root), "-m", "pytest", *words)
        return subprocess.run(done, text=True, check=False, **options)


if __name__ == "__main__":
    words = sys.argv[1:]
    root = "--root" in words
    sys.exit(run([word for word in words if word != "--root"] or PART, root).returncode)
