"""The control socket, with clients that keep to its rules and clients that do not."""

import contextlib
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio

from arena.journal import server
from arena.journal.client import ask
from arena.journal.place import FOLDER, MESSAGE_LIMIT, SOCKET
from arena.journal.server import MOST_CONNECTIONS, taking_orders
from arena.system.errors import UserError


async def backwards(order: bytes) -> bytes:
    return order[::-1]


async def asked(folder: Path, order: bytes) -> bytes | None:
    return await trio.to_thread.run_sync(ask, folder, order)


def connected(folder: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(30)
        connection.connect(str(folder / FOLDER / SOCKET))
    except OSError:
        connection.close()
        raise
    return connection


@pytest.fixture
async def open_folder(tmp_path: Path) -> AsyncIterator[Path]:
    async with taking_orders(tmp_path, backwards):
        yield tmp_path


async def test_an_order_is_answered(open_folder: Path) -> None:
    assert await asked(open_folder, b"abc") == b"cba"
    assert await asked(open_folder, b"") == b""


async def test_only_its_owner_may_open_it(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(mode=0o777)
    (tmp_path / FOLDER).chmod(0o777)
    async with taking_orders(tmp_path, backwards):
        assert stat.S_IMODE((tmp_path / FOLDER).stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / FOLDER / SOCKET).stat().st_mode) == 0o600


async def test_nothing_is_left_behind_and_nobody_answers(tmp_path: Path) -> None:
    assert ask(tmp_path, b"abc") is None
    async with taking_orders(tmp_path, backwards):
        pass
    assert ask(tmp_path, b"abc") is None
    assert list(tmp_path.iterdir()) == []


def left_by_a_killed_process(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place))


def link_to_a_socket(place: Path) -> None:
    left_by_a_killed_process(place.with_name("other"))
    place.symlink_to("other")


def link_to_a_file(place: Path) -> None:
    place.with_name("other").write_text("not to be touched")
    place.symlink_to("other")


@pytest.mark.parametrize("left", [left_by_a_killed_process, link_to_a_socket, link_to_a_file, Path.touch])
async def test_what_stands_in_its_place_is_replaced(left, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / FOLDER).mkdir(mode=0o700)
    left(tmp_path / FOLDER / SOCKET)
    assert ask(tmp_path, b"abc") is None
    async with taking_orders(tmp_path, backwards):
        assert await asked(tmp_path, b"abc") == b"cba"
    if (other := tmp_path / FOLDER / "other").is_file():
        assert other.read_text() == "not to be touched"


async def test_a_link_to_another_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FOLDER).symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="Not a directory"):
        async with taking_orders(tmp_path / "run", backwards):
            pass
    async with taking_orders(tmp_path, backwards):
        (tmp_path / "run" / FOLDER).unlink()
        (tmp_path / "run" / FOLDER).symlink_to(tmp_path / FOLDER)
        assert await asked(tmp_path / "run", b"abc") is None


async def test_a_path_may_be_longer_than_the_address_of_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30) / ("longer" * 30)
    folder.mkdir(parents=True)
    async with taking_orders(folder, backwards):
        assert await asked(folder, b"abc") == b"cba"


async def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    async with taking_orders(tmp_path / "run", backwards):
        (tmp_path / "run").rename(tmp_path / "moved")
        assert await asked(tmp_path / "run", b"abc") is None
        assert await asked(tmp_path / "moved", b"abc") == b"cba"
    assert not (tmp_path / "moved" / FOLDER / SOCKET).exists()


@pytest.mark.parametrize("garbage", [b"\0" * 100_000, b"x" * (MESSAGE_LIMIT + 1), b"half a line"])
async def test_what_is_no_line_gets_no_answer(garbage: bytes, open_folder: Path) -> None:
    def send() -> bytes:
        with connected(open_folder) as connection, contextlib.suppress(ConnectionError):
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(1)
        return b""

    assert await trio.to_thread.run_sync(send) == b""
    assert await asked(open_folder, b"abc") == b"cba"


async def test_an_order_that_is_too_long_is_not_sent(open_folder: Path) -> None:
    with pytest.raises(UserError, match="an order of 1048576 bytes"):
        ask(open_folder, b"x" * MESSAGE_LIMIT)


async def test_silent_clients_hold_others_up_only_for_a_time(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as many as are served at a time: half of them say half a line, the others nothing."""
    monkeypatch.setattr(server, "LINE_SECONDS", 0.2)
    with contextlib.ExitStack() as opened:
        for number in range(MOST_CONNECTIONS):
            connection = opened.enter_context(connected(open_folder))
            if number % 2:
                connection.sendall(b"half")
        assert await asked(open_folder, b"abc") == b"cba"


async def test_a_client_that_never_reads_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LINE_SECONDS", 0.2)

    async def at_length(order: bytes) -> bytes:
        return order * 1_000_000 if order == b"deaf" else order

    async with taking_orders(tmp_path, at_length):
        with contextlib.ExitStack() as opened:
            for _ in range(MOST_CONNECTIONS):
                opened.enter_context(connected(tmp_path)).sendall(b"deaf\n")
            assert await asked(tmp_path, b"abc") == b"abc"


@pytest.mark.thorough
async def test_ten_thousand_connections_do_not_end_it(open_folder: Path) -> None:
    def flood() -> None:
        for number in range(10_000):
            with contextlib.suppress(OSError), connected(open_folder) as connection:
                connection.sendall(b"half" if number % 2 else b"\xff\n\n{")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.to_thread.run_sync, flood)
        for _ in range(50):
            await asked(open_folder, b"abc")  # It may be refused while the backlog is full.
    assert await asked(open_folder, b"abc") == b"cba"


async def test_an_order_that_is_carried_out_is_answered_although_the_server_ends(tmp_path: Path) -> None:
    begun = trio.Event()

    async def slowly(order: bytes) -> bytes:
        begun.set()
        with trio.CancelScope(shield=True):
            await trio.sleep(0.1)
        return order

    answers: list[bytes | None] = []

    async def client() -> None:
        answers.append(await asked(tmp_path, b"abc"))

    async with trio.open_nursery() as nursery, taking_orders(tmp_path, slowly):
        nursery.start_soon(client)
        await begun.wait()
    assert answers == [b"abc"]


@pytest.mark.needs("root")
async def test_another_user_is_not_heard(open_folder: Path) -> None:
    """Neither through the folder, nor where its mode was changed by mistake."""
    program = (
        "import os, socket, sys\n"
        "os.setgid(65534), os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX)\n"
        "try:\n"
        "    s.connect(sys.argv[1]); s.sendall(b'abc\\n'); print(s.recv(9))\n"
        "except OSError as error: print(type(error).__name__)\n"
    )
    place = open_folder / FOLDER / SOCKET
    for above in [open_folder, *open_folder.parents][:-2]:
        above.chmod(0o755)

    def as_nobody() -> str:
        words = (sys.executable, "-I", "-c", program, str(place))
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    assert await trio.to_thread.run_sync(as_nobody) == "PermissionError"
    place.chmod(0o777)
    place.parent.chmod(0o755)
    assert await trio.to_thread.run_sync(as_nobody) in ("b''", "ConnectionResetError", "BrokenPipeError")
