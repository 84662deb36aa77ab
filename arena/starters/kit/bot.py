"""mybot: a bot for the card arena. It plays the lowest card that it may choose."""

from kit import Card, Request, play

# ---- your idea -------------------------------------------------------------------------------------


def choose(request: Request) -> Card | str:
    """A card or another action that is legal. What `request.view` holds stands in SPEC.md, game by game."""
    if request.cards:
        return min(request.cards, key=lambda card: card.value)
    return request.legal[0]


# ---- the wire: kit.py ------------------------------------------------------------------------------

if __name__ == "__main__":
    play(choose, name="mybot")
