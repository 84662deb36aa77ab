"""HTTP for one person on this machine: serves a page and the requests of its script, and refuses all others.

It is bound to 127.0.0.1. Every address begins with a secret, which other users of this machine do not know. A
website whose name resolves to this machine, or whose script sends requests here, is refused by the Host or
Origin header that the browser adds: the Host must be a name that every browser takes for its own machine, at
any port, since a forwarded one has another number; and where there is an Origin, it must be that Host. Each
connection carries one request; h11 parses and writes it. Knows no game.
"""

import os
import re
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple

import h11
import trio

READ_SIZE: Final = 16 * 1024
BODY_LIMIT: Final = 4 * 1024
"""Bytes; an intent has a few dozen."""
PATIENCE_SECONDS: Final = 10
"""Time limit for a request to arrive, and again for its answer to be sent."""

OWN_NAMES: Final = (b"127.0.0.1", b"localhost", b"[::1]")
"""Names by which a browser means its own machine, without asking a name server."""

HEADERS: Final = (
    ("Connection", "close"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)
"""Headers of every answer: no one may cache, frame or embed it, or learn its address."""


class Address:
    """A port of this machine, and a secret. It stays open from one `serve` to the next: a browser that asks
    in between is answered by the next, also on a connection that it had opened ahead. Must be closed."""

    def __init__(self, port: int = 0) -> None:
        """`port`: 0 for a free one. Raises OSError if it is not available."""
        self._silent: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", port))
        self.host = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.start = f"/{secrets.token_urlsafe(16)}/"

    def __str__(self) -> str:
        return f"http://{self.host}{self.start}"

    def listener(self) -> trio.SocketListener:
        """A listener for one `serve`, which closes it."""
        return trio.SocketListener(trio.socket.from_stdlib_socket(self._listener.dup()))

    def keep(self, stream: trio.SocketStream) -> None:
        """Keep a connection on which nothing was said for the next `serve`, whoever closes `stream`."""
        self._silent.append(socket.socket(fileno=os.dup(stream.socket.fileno())))

    def kept(self) -> list[trio.SocketStream]:
        """The connections that were kept; whoever takes them closes them."""
        streams = [trio.SocketStream(trio.socket.from_stdlib_socket(one)) for one in self._silent]
        self._silent.clear()
        return streams

    def close(self) -> None:
        """Refuse all further requests."""
        self._listener.close()
        for connection in self._silent:
            connection.close()


class HttpRequest(NamedTuple):
    """A request that came with the secret. `path` is the part after the secret."""

    method: str
    path: str
    body: bytes


class HttpResponse(NamedTuple):
    """An answer of media type `kind`. The server ends after it if it is the `last`."""

    status: HTTPStatus
    body: bytes = b""
    kind: str = "text/plain"
    last: bool = False


_OWN_HOST: Final = re.compile(rb"(?:%s)(?::[0-9]{1,5})?" % b"|".join(map(re.escape, OWN_NAMES)))


class _Refused(Exception):
    def __init__(self, status: HTTPStatus) -> None:
        self.status = status


async def serve(answer: Callable[[HttpRequest], Awaitable[HttpResponse]], address: Address) -> None:
    """Serve at the address until the last answer has been sent."""
    accepting, silent = trio.CancelScope(), set[trio.CancelScope]()

    async def accept() -> None:
        with accepting:
            await trio.serve_listeners(visit, [address.listener()], handler_nursery=nursery)

    async def visit(stream: trio.SocketStream) -> None:
        with trio.move_on_after(PATIENCE_SECONDS) as silence:
            silent.add(silence)
            if accepting.cancel_called:
                silence.cancel()
            await trio.lowlevel.wait_readable(stream.socket)
        silent.discard(silence)
        if silence.cancelled_caught:
            if accepting.cancel_called:
                address.keep(stream)
            return
        connection = h11.Connection(h11.SERVER)
        try:
            given = await _answered(connection, stream, answer, address.start)
        except (trio.TooSlowError, trio.BrokenResourceError):
            return
        if given.last:
            # Requests that have arrived are still answered; later ones are left to the next `serve`.
            nursery.cancel_scope.deadline = trio.current_time() + PATIENCE_SECONDS
            for scope in (accepting, *silent):
                scope.cancel()
        with trio.move_on_after(PATIENCE_SECONDS):
            await _send(connection, stream, given)

    async def visit_again(stream: trio.SocketStream) -> None:
        async with stream:
            await visit(stream)

    async with trio.open_nursery() as nursery:
        for stream in address.kept():
            nursery.start_soon(visit_again, stream)
        nursery.start_soon(accept)


async def _answered(
    connection: h11.Connection,
    stream: trio.SocketStream,
    answer: Callable[[HttpRequest], Awaitable[HttpResponse]],
    start: str,
) -> HttpResponse:
    """The answer to the incoming request. Raises trio.TooSlowError or trio.BrokenResourceError if none
    comes."""
    try:
        with trio.fail_after(PATIENCE_SECONDS):
            request, body = await _received(connection, stream)
        return await answer(_checked(request, body, start))
    except _Refused as refused:
        return HttpResponse(refused.status)
    except h11.RemoteProtocolError as error:
        return HttpResponse(HTTPStatus(error.error_status_hint))


def _checked(request: h11.Request, body: bytes, start: str) -> HttpRequest:
    """Raises _Refused for a request without the secret, or with the Host or Origin of another site."""
    headers, target = dict(request.headers), request.target
    host = headers.get(b"host", b"").lower()
    own = b"http://" + host
    known = secrets.compare_digest(target[: len(start)], start.encode())
    if not known or not _OWN_HOST.fullmatch(host) or headers.get(b"origin", own) != own:
        raise _Refused(HTTPStatus.FORBIDDEN)
    return HttpRequest(request.method.decode(), target[len(start) :].decode("ascii", "replace"), body)


async def _received(connection: h11.Connection, stream: trio.SocketStream) -> tuple[h11.Request, bytes]:
    """A whole request and its body. Raises _Refused if the body is too large, h11.RemoteProtocolError if it
    is not HTTP, trio.BrokenResourceError if the connection ends before."""
    request, body = None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await stream.receive_some(READ_SIZE))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > BODY_LIMIT:
                raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif isinstance(event, h11.EndOfMessage) and request is not None:
            return request, body
        else:
            raise trio.BrokenResourceError


async def _send(connection: h11.Connection, stream: trio.SocketStream, answer: HttpResponse) -> None:
    """Send the answer, if the client is still connected."""
    headers = [
        *HEADERS,
        ("Content-Type", f"{answer.kind}; charset=utf-8"),
        ("Content-Length", str(len(answer.body))),
    ]
    response = h11.Response(status_code=answer.status, reason=answer.status.phrase, headers=headers)
    events = (response, h11.Data(data=answer.body), h11.EndOfMessage())
    data = b"".join(connection.send(event) or b"" for event in events)
    with suppress(trio.BrokenResourceError):
        await stream.send_all(data)
        await stream.send_eof()
