"""What the kernel holds for a bot beside what the watchdog counts: `python -m tests.bench.hoards [KIND...]`.

Each kind of hoards.c is taken in a sandbox by a few processes, as much as each can get up to a bound. Printed
are what the first of them got and the error at its end, what is counted as the bot's memory, and by how much
/proc/meminfo has changed. That is of the whole machine, which should be idle. The bounds that follow, for 64
processes of 256 descriptors each, are in docs/organiser.md.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import trio

from arena.process.botprocess import BotProcess
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn

SOURCE: Final = Path(__file__).with_name("hoards.c")
ALL: Final = 1_000_000
TAKEN: Final[Mapping[str, tuple[int, int]]] = {
    "huge-pages-in-pipes": (1, 160),
    "unix-sockets": (1, 100),
    "datagrams": (1, 100),
    "udp-sockets": (1, 100),
    "tcp-sockets": (1, 40),
    "shared-pages": (1, 10),
    "shared-zeros": (1, 10),
    "acls": (1, 2000),
    "files": (1, 50_000),
    "futex-slots": (2, 1),
    "zombies": (1, 200),
}
"""The processes and the most of each, where it is not OTHERS."""
OTHERS: Final = (8, ALL)
SHOWN: Final = ("MemFree", "Slab", "PageTables", "Shmem", "VmallocUsed")
REST_SECONDS: Final = 0.7
"""For the processes beside the first to have got theirs too."""


def main(*kinds: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        program = Path(folder, "hoards")
        subprocess.run(["cc", "-w", "-O1", "-o", program, SOURCE], check=True)
        known = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
        print(
            f"{'':20} {'processes':>9} {'first got':>24} {'counted MB':>10}",
            *(f"{name:>11}" for name in SHOWN),
        )
        for kind in kinds or known:
            trio.run(show, program, kind, *TAKEN.get(kind, OTHERS))


async def show(program: Path, kind: str, processes: int, most: int) -> None:
    words = (str(program), kind, str(processes), str(most))
    bot = spawn(Launch(words, str(program.parent)), None, Sandbox(Level.BWRAP))
    assert isinstance(bot, BotProcess)
    try:
        before = megabytes()
        bot.begin()
        got = (await bot.read(trio.current_time() + 60) or b"nothing").decode().strip()
        await trio.sleep(REST_SECONDS)
        after, counted = megabytes(), bot.look() >> 20
    finally:
        bot.kill()
    print(
        f"{kind:20} {processes:9} {got:>24} {counted:10}",
        *(f"{after[name] - before[name]:+11}" for name in SHOWN),
    )


def megabytes() -> Mapping[str, int]:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return {name: int(rest.split()[0]) >> 10 for name, _, rest in (line.partition(":") for line in lines)}


if __name__ == "__main__":
    main(*sys.argv[1:])
