"""Plays legal[0] by asyncio: pipes as streams, tasks, subprocesses, sockets, executors, signals, timers."""

import asyncio
import json
import signal
import socket
import sys


async def engine(legal: list[str]) -> str:
    """One for each request."""
    child = await asyncio.create_subprocess_exec(
        "head", "-1", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate("\n".join(legal).encode())
    return out.decode().strip()


async def echoed(word: bytes) -> bytes:
    """By a server of its own, on the loopback."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, family=socket.AF_INET) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(word)
        answered = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return answered


async def tick() -> None:
    while True:
        await asyncio.sleep(0.005)


async def main() -> None:
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGALRM, woken.set)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    async with asyncio.timeout(5):
        await woken.wait()
    assert await echoed(b"a line\n") == b"a line\n"
    assert await asyncio.gather(*(asyncio.to_thread(pow, 2, n) for n in range(9))) == [2**n for n in range(9)]
    ticking = asyncio.create_task(tick())
    lines = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"type": "ready", "name": "tasks"}), flush=True)
        elif message["type"] == "request":
            action = await engine(message["legal"])
            print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
    ticking.cancel()


asyncio.run(main())
