"""All laws, and what breaks them in a game: as data, and as lines that terminals and pytest print."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from arena.laws import extras, house, learners, rules, secrets, words
from arena.laws.trial import Broken, Trial, Unplayable, Variant, raised

Law: TypeAlias = Callable[[Trial], Iterator[Broken]]
"""From a match to whatever breaks the law in it."""

LAWS: Final[tuple[Law, ...]] = (
    rules.a_match_can_be_played,
    rules.legal_actions_exist_exactly_for_pending_seats,
    rules.actions_are_cards_or_words_of_the_game,
    rules.legal_actions_can_be_applied,
    rules.other_actions_are_refused,
    rules.states_stay_as_they_are,
    rules.deals_are_scored_one_by_one,
    rules.an_outcome_exists_exactly_at_the_end,
    rules.placings_agree_with_gains,
    rules.no_lead_is_larger_than_the_game_says,
    rules.independent_deals_pass_on_points_only,
    rules.cards_come_from_the_source,
    rules.the_same_source_gives_the_same_bytes,
    rules.unknown_options_are_named,
    words.deck_and_suits_agree,
    words.views_begin_alike,
    words.texts_in_views_are_cards,
    words.texts_are_plain,
    words.texts_survive_the_trip_through_json,
    words.requests_fit_on_a_line,
    words.events_tell_a_sentence,
    learners.learners_can_tell_views_apart,
    secrets.cards_are_conserved,
    secrets.events_tell_only_what_views_show,
    secrets.no_view_depends_on_hidden_cards,
    secrets.no_event_depends_on_hidden_cards,
    secrets.no_choice_depends_on_hidden_cards,
    secrets.imagined_states_look_the_same,
    secrets.the_same_stream_imagines_the_same,
    secrets.imagined_states_are_a_sample,
    secrets.imagined_states_go_on_alike,
    secrets.imagined_states_play_on_to_the_end,
    extras.the_picture_can_be_drawn,
    extras.advice_uses_nothing_hidden,
    house.builtin_bots_can_play,
)
"""In the order in which an author should fix them."""

LABEL_WIDTH: Final = 12
"""Columns that the labels take."""


def name_of(law: Law) -> str:
    """`cards are conserved`, for example."""
    return law.__name__.replace("_", " ")


def promise_of(law: Law) -> str:
    """What the law demands of every game, in one sentence."""
    return " ".join((law.__doc__ or "").split())


class LawResult(msgspec.Struct, frozen=True):
    """The result of checking a law."""

    law: str
    promise: str
    """What the law demands, in one sentence."""
    broken: tuple[Broken, ...] = ()
    """The first thing that breaks it in each variant."""
    untried: str = ""
    """Why it could not be checked in some variant; "" if it could."""


def first_breach(law: Law, trial: Trial) -> Broken | None:
    """The first thing that breaks the law in this match; None if it is kept. Raises Unplayable if there is no
    match, unless the law demands just that there is one."""
    try:
        found = next(law(trial), None)
    except Unplayable as error:
        if law is not rules.a_match_can_be_played:
            raise
        found = error.broken
    # An author's code can raise anything, and may even want to end the program.
    except (Exception, SystemExit) as error:
        found = raised(error, trial.variant.game)
    return found and msgspec.structs.replace(found, variant=str(trial.variant))


def judge(
    law: Law,
    matches: Iterable[Sequence[Trial]],
    on_variant: Callable[[Variant], None] = lambda variant: None,
) -> LawResult:
    """Judge the law in the matches of every variant."""
    broken, untried = [], ""
    for of_variant in matches:
        on_variant(of_variant[0].variant)
        for trial in of_variant:
            try:
                found = first_breach(law, trial)
            except Unplayable:
                untried = f"a match of {trial.variant} cannot be played"
                continue
            if found is not None:
                broken.append(found)
                break
    return LawResult(name_of(law), promise_of(law), tuple(broken), untried)


def lines(judged: LawResult) -> Iterator[str]:
    """One line for a law that is kept; the promise, and what was found where, for one that is broken."""
    if not judged.broken:
        yield f"  untried {judged.law}: {judged.untried}" if judged.untried else f"  kept    {judged.law}"
        return
    first, *others = judged.broken
    yield f"  BROKEN  {judged.law}: {judged.promise}"
    parts: Sequence[tuple[str, Sequence[str]]] = (
        ("where", [", ".join(filter(None, (first.variant, first.where)))]),
        ("found", [first.found]),
        ("code", first.trace),
        ("fix", [first.mend]),
    )
    for label, texts in parts:
        for i, text in enumerate(texts):
            yield f"{'':4}{label if i == 0 else '':{LABEL_WIDTH - 4}}{text}"
    if others:
        yield f"    … also broken in {', '.join(broken.variant for broken in others)}"
