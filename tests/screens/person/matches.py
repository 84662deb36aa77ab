"""A match as one seat sees it, without a process: what the referee sends to a PersonSession there."""

from arena.games import GAMES
from arena.games.game import State
from arena.log.hello import hello
from arena.screens.person.session import PersonSession
from protocol.codec import decode_from_referee, encode, raw
from protocol.messages import End, FromReferee, Limits, Request
from protocol.streams import DealSource, Stream
from tests.screens.show.logs import NAMES


class Match:
    """The referee's part: what a PersonSession at one seat is told, when all others play at random."""

    def __init__(self, game: str, seats: int, seat: int, deals: int) -> None:
        self.seat = seat
        self.session = PersonSession(NAMES[:seats])
        rules, self.chance = GAMES[game], Stream("others")
        options = rules.options()
        step = rules.start(seats, options, deals, DealSource("sitting"))
        self.state: State = step.state
        self.untold = [event for event in step.events if event.audience in (None, seat)]
        self.asked = 0
        words = {"seats": seats, "seat": seat, "deals": deals, "entrant": NAMES[seat]}
        self.tell(hello(rules, {}, limits=Limits(), match_key="key", **words))

    def tell(self, message: FromReferee) -> None:
        """By the wire: what comes out at its other end is what is heard."""
        self.session.receive(decode_from_referee(encode(message)))

    def go_on(self, own: str | None = None) -> None:
        """With the person's action, if it was asked for one, until the next request or the end."""
        while self.state.pending:
            if self.seat in self.state.pending and own is None:
                self.asked += 1
                kind, legal = self.state.pending[self.seat], self.state.legal(self.seat)
                events = [raw(event) for event in self.untold]
                self.untold = []
                self.tell(Request(self.asked, kind, legal, events, self.state.view(self.seat), 1000))
                return
            actions = {seat: self.chance.choice(self.state.legal(seat)) for seat in self.state.pending}
            if own is not None:
                actions[self.seat], own = own, None
            self.state, events_now = self.state.apply(actions)
            self.untold += [event for event in events_now if event.audience in (None, self.seat)]
        points = tuple(map(sum, zip(*self.state.tally().points, strict=True)))
        events = [raw(event) for event in self.untold]
        self.tell(End(events, points, self.state.tally().placings, "finished"))


def asked(game: str = "sticheln") -> PersonSession:
    """The session at the first request to seat 0."""
    match = Match(game, 3, 0, deals=1)
    match.go_on()
    return match.session
