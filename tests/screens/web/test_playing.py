"""A person's seat over HTTP, without a browser: who is let in, a whole match, and the ways to leave."""

from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.games import GAMES
from arena.log.entries import Acted, Faulted
from arena.log.retrace import read
from arena.screens.web.playing import ALONE_SECONDS
from tests.screens.web.served import WAIT, Served
from tests.support.playing import bots, nobody_left, verified

__all__ = ["bots"]


def play_to_the_end(served: Served, game: str) -> list[str]:
    """Answer whatever is asked with the first that is legal; all that was chosen."""
    chosen: list[str] = []
    shown = served.news()
    while shown["phase"] != "over":
        look_at_the_trick(shown, chosen)
        if shown["deal_over"]:
            assert served.send({"type": "next deal"}) == 204
        elif shown["request"] is not None:
            assert shown["drawn"]["hands"][shown["drawn"]["near"]]
            assert sum(hand is not None for hand in shown["drawn"]["hands"]) == 1
            chosen.append(next(iter(shown["legal"])))
            assert served.send(choose(shown)) == 204
            assert served.send(choose(shown)) == 409, "an answer is given once"
        shown = served.news(shown["version"])
    look_at_the_trick(shown, chosen)
    assert shown["placings"][0]["placing"] == 1
    assert shown["placings"][0]["points"].endswith((f" {GAMES[game].counts}", " point"))
    assert shown["result"].startswith("You ")
    sheet = shown["sheet"]
    assert sheet["totals"] == [sum(points) for points in zip(*sheet["deals"], strict=True)]
    assert sheet["names"][sheet["you"]] == "you"
    if game == "ole":
        left = [sum(int(card[1:]) for card in hand) for hand in sheet["left"]]
        counted = [cards + 5 * chips for cards, chips in zip(left, sheet["chips"], strict=True)]
        assert counted == sheet["deals"][-1]
    else:
        assert sheet["chips"] is None
    return chosen


def look_at_the_trick(shown: dict[str, Any], chosen: list[str]) -> None:
    """The one that was completed last is on the table of before, and our card in it has left our hand."""
    if taken := shown["taken"]:
        table = taken["drawn"]["table"]
        cards = table["tricks"][-1]["cards"]
        assert (table["trick"], len(cards)) == ([], table["seats"])
        assert chosen[-1] in cards
        assert chosen[-1] not in taken["drawn"]["hands"][taken["drawn"]["near"]]
        assert len(set(table["sizes"])) == 1
        assert len(taken["drawn"]["hands"][taken["drawn"]["near"]]) == table["sizes"][0]
        assert "trick" in taken["says"]


def choose(shown: dict[str, Any]) -> dict[str, Any]:
    return {"type": "choose", "request": shown["request"], "action": next(iter(shown["legal"]))}


def asked(served: Served) -> dict[str, Any]:
    shown = served.news()
    while shown["request"] is None:
        shown = served.news(shown["version"])
    return shown


@pytest.mark.parametrize(
    "game",
    ["ole", *(pytest.param(game, marks=pytest.mark.thorough) for game in GAMES if game != "ole")],
)
def test_a_whole_match(game: str, bots: list[str], tmp_path: Path) -> None:
    words = ("--game", game, "--deals", 2, "--seat", 2, "--seed", 7, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *words, folder=tmp_path) as served:
        assert served.ask("GET", f"{served.start}replay").status == 404, "the others' hands are secret"
        assert served.send({"type": "again"}) == 409
        chosen = play_to_the_end(served, game)
        assert served.send({"type": "finish"}) == 204
        status, printed = served.end()
    assert status == 0
    assert "you have left" not in printed
    log = verified(tmp_path)
    assert [entrant.name for entrant in log.opened.entrants] == ["ada", "bob", "person", "cy"]
    actions = [entry.action for entry in log.entries if isinstance(entry, Acted) and entry.seat == 2]
    assert actions == chosen
    assert not any(isinstance(entry, Faulted) for entry in log.entries)
    nobody_left(tmp_path)


def test_strangers_are_sent_away_and_leaving_forfeits(bots: list[str], tmp_path: Path) -> None:
    log = ("--deals", 1, "--seed", 7, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *log, folder=tmp_path) as served:
        start, own = served.start, f"http://{served.host}"

        # Without the secret there is nothing, whatever the address.
        for path in ("/", "/news/0", "/intent", f"/{'x' * (len(start) - 2)}/", start[:-1], start.upper()):
            assert served.ask("GET", path).status == 403
        assert served.ask("POST", "/intent", b'{"type": "hint"}').status == 403

        # With it, but from a site of another name, or of none.
        port = served.host.partition(":")[2]
        for host in (
            "arena.example",
            "127.0.0.1.example",
            "localhost.example",
            "x@localhost",
            "localhost:1:2",
        ):
            for at in (host, f"{host}:{port}"):
                assert served.ask("GET", start, headers={"Host": at}).status == 403, at
        for origin in ("http://arena.example", "null", "https://" + served.host, f"http://localhost:{port}"):
            assert served.ask("POST", f"{start}intent", b"{}", {"Origin": origin}).status == 403

        # By another name of this machine, and by a port that is forwarded to ours.
        for host in (f"localhost:{port}", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "localhost"):
            headers = {"Host": host, "Origin": f"http://{host}"}
            assert served.ask("GET", start, headers=headers).status == 200, host
            assert served.ask("POST", f"{start}intent", b"{}", headers).status == 400, "it is no intent"
            headers["Origin"] = "http://localhost:8001"
            assert served.ask("POST", f"{start}intent", b"{}", headers).status == 403, "another server here"

        # At home, but with nonsense.
        assert served.ask("GET", f"{start}elsewhere").status == 404
        assert served.ask("DELETE", f"{start}intent").status == 404
        assert served.ask("POST", f"{start}intent", b'{"type": "leave"}', {"Origin": own}).status == 400
        assert served.ask("POST", f"{start}intent", b"x" * 8_000).status == 413
        assert served.say(b"GET /" + b"x" * 20_000) == b"HTTP/1.1 431"

        for nonsense in (
            b"\0\r\n\r\n",
            b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
            b"HEAD / HTTP/1.0\r\n\r\n",
            b"",
        ):
            assert served.say(nonsense) in (b"", b"HTTP/1.1 400", b"HTTP/1.1 403")
        assert served.say(f"GET {start} HTTP/1.0\r\n\r\n".encode()) == b"HTTP/1.1 403", "from nowhere"

        page = served.ask("GET", start, headers={"Origin": own})
        assert page.status == 200
        assert b"connect-src &#39;self&#39;" in page.body
        assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert page.headers["Cache-Control"] == "no-store"

        shown = asked(served)
        assert served.send({**choose(shown), "request": shown["request"] + 1}) == 409
        assert served.send({**choose(shown), "action": "Z99"}) == 409
        assert asked(served) == shown, "nothing of this has done anything, and a reload shows the same"

        served.interrupt()
        status, printed = served.end()
    assert status == 130
    assert "you have left" in printed
    assert [entry.seat for entry in verified(tmp_path).entries if isinstance(entry, Faulted)] == [0]
    nobody_left(tmp_path)


@pytest.mark.thorough  # 2 s of processor.
def test_another_match_at_the_same_address(bots: list[str], tmp_path: Path) -> None:
    words = ("--game", "ole", "--deals", 1, "--seed", 7, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *words, folder=tmp_path) as served:
        play_to_the_end(served, "ole")
        replay = served.ask("GET", f"{served.start}replay")
        assert replay.status == 200
        assert b"Complete replay" in replay.body
        # Browsers open connections ahead, and ask on them later.
        ahead = HTTPConnection(served.host, timeout=WAIT)
        ahead.connect()
        shown = served.news()
        assert shown["phase"] == "over"
        waiting = HTTPConnection(served.host, timeout=WAIT)
        waiting.request("GET", f"{served.start}news/{shown['version']}")
        assert served.send({"type": "again"}) == 204
        assert msgspec.json.decode(waiting.getresponse().read())["phase"] == "over"
        waiting.close()
        ahead.request("GET", f"{served.start}news/0")
        assert msgspec.json.decode(ahead.getresponse().read())["phase"] != "over"
        ahead.close()
        assert served.ask("GET", f"{served.start}replay").status == 404
        play_to_the_end(served, "ole")
        # Who is content with the end leaves by Ctrl-C.
        served.interrupt()
        status, printed = served.end()
    assert status == 0
    assert printed.count("place ") == 2
    first, other = (read(tmp_path / name).opened for name in ("log.jsonl", "log-2.jsonl"))
    assert first.pod_key != other.pod_key
    assert msgspec.structs.replace(first, pod_key="", entrants=()) == msgspec.structs.replace(
        other, pod_key="", entrants=()
    )
    nobody_left(tmp_path)


@pytest.mark.thorough
def test_a_page_that_is_closed_after_the_match_ends_the_arena(bots: list[str], tmp_path: Path) -> None:
    words = ("--game", "ole", "--deals", 1, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *words, folder=tmp_path) as served:
        play_to_the_end(served, "ole")
        assert served.process.wait(3 * ALONE_SECONDS) == 0


def test_a_hint_is_among_the_news(bots: list[str], tmp_path: Path) -> None:
    with Served(*bots, "--log", tmp_path / "log.jsonl", "--own-time", "600s", folder=tmp_path) as served:
        shown = asked(served)
        assert 500 < shown["seconds_left"] <= 600
        assert served.send({"type": "hint"}) == 204
        while "would choose" not in shown["hint"]:
            shown = served.news(shown["version"])
        assert shown["hint"].startswith("ada would choose ")
        served.interrupt()
        served.end()
    nobody_left(tmp_path)
