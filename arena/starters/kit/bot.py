"""mybot: a bot for the card arena. It always plays its lowest legal card."""

from kit import Card, Request, play

# ---- your idea -------------------------------------------------------------------------------------


def choose(request: Request) -> Card | str:
    """A card or another action that is legal. SPEC.md describes `request.view`, game by game."""
    if request.cards:
        return min(request.cards, key=lambda card: card.value)
    return request.legal[0]


# ---- the wire: kit.py ------------------------------------------------------------------------------

if __name__ == "__main__":
    play(choose, name="mybot")
