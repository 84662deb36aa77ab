"""The games as PettingZoo environments: one agent per seat, asked in turn (AEC). Knows no bots.

    action        an index into `actions`: the cards in deck order, then the game's words
    observation   `observation`: the seat's view as numbers (observation.py); `action_mask`: 1 for each legal
                  action, all 0 for a seat that is not asked
    reward        a seat's gain in a deal, at the end of the deal; else 0

Seats that choose in secret are asked one after the other; none sees another's choice before all have chosen.
"""

import secrets
import warnings
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.games import registry
from arena.games.agreed import SomeOptions, agreed
from arena.games.events import Event
from arena.games.game import Action, IllegalAction, State, Step, View
from arena.games.named import named, of_name
from arena.games.observation import NUMBER, Observation
from arena.system.errors import UserError
from protocol.cards import Seat
from protocol.streams import DealSource, Stream

SEED_BITS: Final = 128


class Environment(AECEnv):  # type: ignore[misc]
    """`deals` and `options` as in `arena match`. A copy, by `copy.deepcopy` or by `pickle` in another
    process, continues like the original. Raises ValueError for an unknown game, or if the game cannot be
    played so."""

    metadata: Final = {"name": "card_arena", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        game: str = "sticheln",
        seats: int = 4,
        deals: int | None = None,
        options: SomeOptions | None = None,
        render_mode: str | None = "ansi",
    ) -> None:
        super().__init__()
        try:
            self.game = registry.game(game)
        except UserError as error:
            raise ValueError(str(error)) from None
        self.deals, self.options = agreed(self.game, seats, deals, options)
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode={render_mode!r}: it must be 'ansi', or None for nothing")
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.actions = (*self.game.deck(seats), *self.game.words)
        self._number = {action: number for number, action in enumerate(self.actions)}
        self._observed = Observation(self.game, seats)
        self.layout = self._observed.layout
        limits = np.iinfo(NUMBER)
        self._action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(limits.min, limits.max, (self._observed.size,), NUMBER),
                    "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._label = ""
        """The stream that gives the keys of its matches; empty before the first."""
        self._begun = 0
        """The number of keys used."""
        self._state: State
        self._chosen: dict[Seat, Action] = {}
        self._unrendered: list[Event] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "game": named(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= {**state, "game": of_name(state["game"])}

    def action_space(self, agent: str) -> spaces.Discrete:
        """One number for each of `actions`; the same for all agents."""
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of what `observe` returns; the same for all agents."""
        return self._observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new match. A seed determines a sequence of matches and begins its first; a call without a
        seed begins the next match of the sequence. A match has no `options`: raises ValueError for those of
        the game, and warns about others."""
        if options and not options.keys().isdisjoint(self.game.options.__struct_fields__):
            raise ValueError(f"reset(options={options!r}): pass the game's options to Environment")
        if options:
            warnings.warn(f"reset(options={options!r}): a match has no options; ignored", stacklevel=2)
        if seed is not None or not self._label:
            sequence = secrets.randbits(SEED_BITS) if seed is None else seed
            self._label, self._begun = f"environment/{sequence}", 0
        # A key takes a block of the stream.
        source = DealSource(Stream(self._label, self._begun).key())
        self._begun += 1
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen, self._unrendered = {}, []
        self._follow(self.game.start(len(self.agents), self.options, self.deals, source))

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """For the selected agent: what it observes (None without `observe`), its reward since its last step,
        whether the match is over, False (nothing is truncated), and an empty dictionary."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return result

    def step(self, action: int | np.integer[Any] | None) -> None:
        """The selected agent chooses an action; None only when the match is over. Raises IllegalAction, and
        changes nothing, if the action is not legal."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seat(agent)
        # Checked, since a negative index would count from the end.
        if action is None or not self.action_space(agent).contains(action):
            last = len(self.actions) - 1
            raise IllegalAction(f"{agent} may not choose {action!r}: an action is a number from 0 to {last}")
        chosen = self.actions[action]
        if chosen not in self._state.legal(seat):
            raise IllegalAction(f"{agent} may not choose {chosen!r}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._chosen[seat] = chosen
        if self._chosen.keys() == self._state.pending.keys():
            actions, self._chosen, deal_no = self._chosen, {}, self._state.deal_no
            self._follow(self._state.apply(actions))
            if self._state.deal_no != deal_no or not self._state.pending:
                gains = self._state.tally().gains[deal_no - 1]
                self.rewards = dict(zip(self.agents, gains, strict=True))
                self._accumulate_rewards()
        else:
            self._select()

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        """The agent's `observation` and `action_mask`; see the top of this file."""
        seat = self._seat(agent)
        legal = self._state.legal(seat) if agent == self.agent_selection else ()
        mask = np.zeros(len(self.actions), np.int8)
        mask[[self._number[action] for action in legal]] = 1
        return {"observation": self._observed.of(self.view(agent)), "action_mask": mask}

    def view(self, agent: str) -> View:
        """The agent's view as the game's own struct; `observe` gives it as numbers."""
        return self._state.view(self._seat(agent))

    def render(self) -> str | None:
        """The events since the last call as lines, with hidden cards; None unless the mode is "ansi"."""
        if self.render_mode != "ansi":
            return None
        events, self._unrendered = self._unrendered, []
        return "\n".join(event.sentence("seat_{}".format) for event in events)

    def close(self) -> None:
        """There is nothing to close."""

    def _follow(self, step: Step) -> None:
        self._state, events = step
        self._unrendered += events
        if not self._state.pending:
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()

    def _select(self) -> None:
        """Select the first agent that has not chosen yet; the first of all when the match is over."""
        seats = (seat for seat in self._state.pending if seat not in self._chosen)
        self.agent_selection = self.possible_agents[next(seats, 0)]

    def _seat(self, agent: str) -> Seat:
        return self.possible_agents.index(agent)
