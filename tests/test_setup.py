"""`.ci/setup` on a fresh Debian or Ubuntu, in roots made by debootstrap with namespaces of their own: from
nothing to the tournament of README.md and the script of action.yml. AppArmor itself is not tried.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.cli.calls import ROOT, blocks
from tests.support import clone

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.needs("root", "debootstrap"),
]
UBUNTU_KEYS: Final = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
PLACE: Final = "/home/player/card-arena"
ENTER: Final = """
root=$1; shift
mount --bind "$root" "$root"; cd "$root"
mount -t proc proc proc; mount --rbind /dev dev; mount -t tmpfs tmpfs tmp
pivot_root . mnt
exec chroot . /bin/sh -ec 'umount -l /mnt; exec "$@"' sh "$@"
"""
RESTRICTED: Final = """
mount -t tmpfs tmpfs /proc/sys/kernel
echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns
exec "$@"
"""
"""Ubuntu's setting, on a kernel without AppArmor."""


class Root:
    """A fresh system in a folder, with a user called `player` who may use sudo, and the files of this
    repository as his."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
        if certificates := os.environ.get("PIP_CERT"):
            shutil.copy(certificates, folder / "etc" / "pip.crt")
        self.run("useradd --create-home player")
        self.run("apt-get update -qq; apt-get install -y -qq --no-install-recommends sudo")
        (folder / "etc" / "sudoers.d" / "player").write_text("player ALL=(ALL) NOPASSWD:ALL\n")
        clone.copy(self.place)
        self.run(f"chown -R player: {PLACE}")

    @property
    def place(self) -> Path:
        return self.folder / PLACE[1:]

    def run(self, line: str, *before: str, status: int = 0) -> str:
        """What a command line says, in namespaces of its own; `before` are words that start it."""
        done = subprocess.run(
            (
                *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER, "sh"),
                *(self.folder, *before, "sh", "-ec", line),
            ),
            env={
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "LANG": "C.UTF-8",
                "DEBIAN_FRONTEND": "noninteractive",
                **({"PIP_CERT": "/etc/pip.crt"} if "PIP_CERT" in os.environ else {}),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def play(self, line: str, *before: str, status: int = 0) -> str:
        """The same as `player`, in the place."""
        entry = ("setpriv", "--reuid=player", "--regid=player", "--init-groups", "--inh-caps=-all")
        return self.run(f"export HOME=/home/player; cd {PLACE}; {line}", *before, *entry, status=status)


def mirror(suite: str) -> Sequence[str]:
    """The end of debootstrap's command line for a suite."""
    if suite == "noble":
        if not UBUNTU_KEYS.exists():
            pytest.skip(f"noble: no {UBUNTU_KEYS} here (package ubuntu-keyring)")
        # One script makes all suites of Ubuntu and knows their mirror; Debian's lacks the names of new ones.
        return ("", "/usr/share/debootstrap/scripts/gutsy")
    sites = subprocess.check_output(
        ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Label: Debian"), text=True
    )
    if not sites:
        pytest.skip(f"{suite}: apt knows no mirror of Debian here")
    return (sites.split()[0],)


@pytest.fixture(
    scope="module",
    params=[
        "trixie",
        pytest.param("bookworm", marks=pytest.mark.exhaustive),  # Two minutes of processor each.
        pytest.param("noble", marks=pytest.mark.exhaustive),
    ],
)
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Root:
    folder = tmp_path_factory.mktemp(request.param)
    folder.chmod(0o755)
    keys = (f"--keyring={UBUNTU_KEYS}", "--components=main,universe") if request.param == "noble" else ()
    subprocess.run(
        ("debootstrap", "--variant=minbase", *keys, request.param, folder, *mirror(request.param)),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return Root(folder)


def test_from_nothing_to_a_tournament_and_the_action(root: Root) -> None:
    """Each step begins where the one before has ended."""
    assert "bwrap" not in root.run("ls /usr/bin")
    said = root.play(".ci/setup lua perl")
    assert re.search(r"^installing python3 .*bubblewrap$", said, re.MULTILINE)
    assert re.search(r"^installing lua\S+ perl$", said, re.MULTILINE)
    assert said.endswith("the sandbox holds: bots see neither each other nor the network\n")

    # Once more there is nothing to do.
    assert root.play(".ci/setup lua perl") == said.splitlines(keepends=True)[-1]

    (tournament,) = (
        block for block in blocks("README.md", "sh") if block.endswith("arena tournament bots/*\n")
    )
    root.play("rm -r .venv")
    table = root.play(tournament.replace("\n", " --rounds 1 --deals 1\n"))
    assert "sandbox: bwrap" in table
    assert re.search(r"^ +\d +dreamer", table, re.MULTILINE)

    (step,) = (
        step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if "id" in step
    )
    variables = {
        "GITHUB_ACTION_PATH": PLACE,
        "GITHUB_WORKSPACE": PLACE,
        "GITHUB_STEP_SUMMARY": f"{PLACE}/summary",
        "GITHUB_OUTPUT": f"{PLACE}/output",
        "RUNNER_TEMP": "/home/player",
        "ARENA_BOTS": "mybot",
        "ARENA_GAME": "sticheln",
        "ARENA_TIME": "1s+10s",
        "ARENA_ROUNDS": "1",
    }
    words = shlex.join(f"{name}={value}" for name, value in variables.items())
    root.play(f".venv/bin/arena new lua mybot; env {words} bash -eo pipefail -c {shlex.quote(step['run'])}")
    assert "**<code>mybot</code>**" in (root.place / "summary").read_text()


def test_what_is_missing_is_named_with_the_way_out(root: Root) -> None:
    assert "no language is called 'cobol'; there are python, " in root.play(".ci/setup cobol", status=2)
    root.run("chmod 0 /usr/bin/sudo; mv /usr/bin/bwrap /usr/bin/bwrap.away")
    assert "setup: this needs root: call it as root, or install sudo" in root.play(".ci/setup", status=2)
    root.run(
        "printf '#!/bin/sh\\necho walls are down >&2; exit 1\\n' >/usr/bin/bwrap; chmod +x /usr/bin/bwrap"
    )
    said = root.play(".ci/setup", status=1)
    assert "setup: the sandbox does not hold: walls are down; see docs/organiser.md" in said
    assert root.play(".ci/setup --untried") == ""
    root.run("mv /usr/bin/bwrap.away /usr/bin/bwrap; chmod 4755 /usr/bin/sudo")


@pytest.mark.exhaustive  # A minute of processor.
def test_where_apparmor_refuses_namespaces_bubblewrap_gets_a_profile(root: Root) -> None:
    """A kernel without AppArmor loads none, so the profile is taken away again. That AppArmor's own parser
    understands it can be seen where that is new enough."""
    said = root.play(".ci/setup", "sh", "-ec", RESTRICTED, "sh", status=2)
    assert "writing /etc/apparmor.d/bwrap" in said
    assert "AppArmor did not load /etc/apparmor.d/bwrap" in said
    assert not (root.folder / "etc/apparmor.d/bwrap").exists()
    if (root.folder / "etc/apparmor.d/abi/4.0").exists():
        script = (ROOT / ".ci" / "setup").read_text()
        profile = script[script.index("abi <abi") : script.index("END\n", script.index("abi <abi"))]
        (root.folder / "etc/apparmor.d/bwrap").write_text(profile)
        assert "userns," in root.run("apparmor_parser -QK --debug /etc/apparmor.d/bwrap")
        # A profile that is there stays as it is. (bwrap itself needs the rest of /proc/sys/kernel.)
        assert root.play(".ci/setup --untried", "sh", "-ec", RESTRICTED, "sh") == ""
        (root.folder / "etc/apparmor.d/bwrap").unlink()


@pytest.mark.exhaustive  # A minute of processor.
def test_the_containerfile_makes_the_same_place(root: Root) -> None:
    """Its lines, carried out one by one, and its command with the rights that docs/organiser.md names."""
    if root.folder.name.rstrip("0") != "trixie":
        pytest.skip("it begins from trixie")
    folder = "/"
    for line in (ROOT / "Containerfile").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "WORKDIR":
            folder = rest
            root.run(f"mkdir -p {folder}")
        elif word == "COPY":
            *sources, place = rest.split()
            for source in sources:
                of = root.place / source
                to = root.folder / folder[1:] / place / (source if place == "./" else "")
                (shutil.copytree if of.is_dir() else shutil.copy)(of, to)
        elif word == "RUN":
            root.run(f"cd {folder}; {rest}".replace("useradd --create-home player", "true"))
    said = root.run(
        "cd; PATH=/srv/card-arena/.venv/bin:$PATH; arena bots --copy samples;"
        "arena match samples/counter.js samples/dreamer.pl --sandbox bwrap --deals 1",
        *("setpriv", "--reuid=player", "--regid=player", "--init-groups", "env", "HOME=/home/player"),
    )
    assert "counter" in said
