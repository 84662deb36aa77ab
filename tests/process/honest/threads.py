"""Plays legal[0] by Python's threads: bare ones with every kind of lock, a pool, a timer, and SQLite."""

import itertools
import json
import queue
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor


def locked(count: int) -> int:
    """`count`, each added by a thread of its own behind a condition and a barrier."""
    total, done = 0, queue.Queue[int]()
    condition, barrier, places = threading.Condition(), threading.Barrier(count), threading.Semaphore(2)

    def add() -> None:
        nonlocal total
        barrier.wait()
        with places, condition:
            total += 1
            condition.notify_all()
        done.put(1)

    threads = [threading.Thread(target=add) for _ in range(count)]
    for thread in threads:
        thread.start()
    with condition:
        condition.wait_for(lambda: total == count)
    for thread in threads:
        thread.join()
    return sum(done.get() for _ in threads)


def stored(rows: int) -> int:
    """`rows`, each written by a connection of its own to one file, which SQLite locks."""
    path = "/tmp/opening-book.db"
    with sqlite3.connect(path) as book:
        book.execute("PRAGMA journal_mode = WAL")
        book.execute("CREATE TABLE IF NOT EXISTS book (hand INTEGER)")

    def write(number: int) -> None:
        with sqlite3.connect(path, timeout=5) as own:
            own.execute("INSERT INTO book VALUES (?)", (number,))

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(rows)))
    return int(book.execute("SELECT count(*) FROM book").fetchone()[0])


assert locked(8) == 8
assert stored(8) == 8
rung = threading.Event()
threading.Timer(0.01, rung.set).start()
assert rung.wait(5)

# As for pondering: it stays, waits for work, and looks at its clock now and then.
wanted = queue.Queue[list[str]]()
chosen = queue.Queue[str]()


def ponder() -> None:
    for waits in itertools.count():
        try:
            chosen.put(wanted.get(timeout=0.01 * (waits % 3))[0])
        except queue.Empty:
            continue


threading.Thread(target=ponder, daemon=True).start()
pool = ThreadPoolExecutor()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "threads"}), flush=True)
    elif message["type"] == "request":
        assert sum(pool.map(len, [[1] * number for number in range(9)])) == 36
        wanted.put(message["legal"])
        print(json.dumps({"type": "reply", "id": message["id"], "action": chosen.get()}), flush=True)
