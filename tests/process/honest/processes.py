"""Plays legal[0] by Python's worker processes: pools of all three starting methods, queues, locks, shared
memory, a manager; and by subprocesses in sessions of their own."""

import fcntl
import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.managers import SyncManager
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.sharedctypes import Synchronized


def first(legal: Sequence[str]) -> str:
    return legal[0]


def add(total: "Synchronized[int]", pipe: Connection, name: str) -> None:
    memory = SharedMemory(name)
    assert memory.buf
    with total.get_lock():
        total.value += 1
        memory.buf[0] += 1
    memory.close()
    pipe.send(os.getpid())
    pipe.close()


def counted(count: int) -> tuple[int, int, int]:
    """`count` three times: by a shared number with its lock, in shared memory, by what came through pipes."""
    total, memory = multiprocessing.Value("i", 0), SharedMemory(create=True, size=64)
    assert memory.buf
    ends = [multiprocessing.Pipe(duplex=False) for _ in range(count)]
    workers = [multiprocessing.Process(target=add, args=(total, end, memory.name)) for _, end in ends]
    for worker in workers:
        worker.start()
    pids = {reading.recv() for reading, _ in ends}
    for worker in workers:
        worker.join()
    told = total.value, memory.buf[0], len(pids)
    memory.close()
    memory.unlink()
    return told


def main() -> None:
    assert counted(4) == (4, 4, 4)
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as workers:
            assert workers.map(abs, range(9)) == list(range(9))
    with SyncManager() as manager:
        shared = manager.dict(hands=7)
        assert shared["hands"] == 7
    with open("/tmp/lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        os.nice(1)
        done = subprocess.run(
            ["sort"], input="b\na\n", text=True, start_new_session=True, capture_output=True
        )
        assert done.stdout == "a\nb\n"
    engine = subprocess.Popen(
        ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
    )
    assert engine.stdin
    assert engine.stdout
    pool = ProcessPoolExecutor(2)
    wanted: multiprocessing.Queue[str] = multiprocessing.Queue()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"type": "ready", "name": "processes"}), flush=True)
        elif message["type"] == "request":
            wanted.put(pool.submit(first, message["legal"]).result())
            engine.stdin.write(f"{wanted.get()}\n")
            action = engine.stdout.readline().strip()
            print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
    pool.shutdown()


if __name__ == "__main__":
    main()
