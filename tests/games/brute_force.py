"""The games a second time, told straight from their leaflets, so that the rules can be compared with them.

Imports nothing of ours. A match is a generator: it yields what the leaflet makes happen, and where somebody
has to choose, the choice is sent in.

    ("ask", seat, options)   options: a set of cards, or of words; send one of them
    ("tell", what, …)        something that everybody sees at the table

Cards are (colour, number). Piles are lists that change. Nothing is fast, nothing is checked.
"""

from itertools import count

# ---------------------------------------------------------------- what lies in the box


def sticheln_cards(players, colours):
    top = {3: 8, 4: 11, 5: 14, 6: 14}[players]
    return [(colour, number) for colour in colours for number in range(0, top + 1)]


def nsv_cards(players):
    return sticheln_cards(players, "RYGBPK" if players == 6 else "RYGBP")


def amigo_cards(players):
    return sticheln_cards(players, "ROYGBP" if players == 6 else "ROYGB")


def david_cards(players):
    return [(colour, n) for colour in "RYGBV" for n in range(1, 3 * players + 1)]


def ole_cards(players):
    rows = {
        3: "8 10 10 8",
        4: "8 10 10 8",
        5: "9 11 11 9",
        6: "11 13 13 11",
        7: "13 15 15 13",
        8: "13 15 15 13",
    }
    cards = []
    for colour, top in zip("RBGY", rows[players].split(), strict=True):
        for number in range(1, int(top) + 1):
            cards.append((colour, number))
    return cards


def share(pack, players):
    """Player 0 gets the first cards of the pack, player 1 the next, and so on, until none is left."""
    pack = list(pack)
    each = len(pack) // players
    hands = []
    for _ in range(players):
        hands.append(pack[:each])
        pack = pack[each:]
    return hands


# ---------------------------------------------------------------- Sticheln, both printings


def nsv_winner(table):
    """table: [(player, card), …] in the order laid."""
    start = table[0][1][0]
    alive = [(who, card) for who, card in table if card[1] != 0]
    if not alive:
        return None
    strangers = [(who, card) for who, card in alive if card[0] != start]
    field = strangers or alive
    winner = field[0]
    for entry in field[1:]:
        if entry[1][1] > winner[1][1]:
            winner = entry
    return winner[0]


def amigo_winner(table):
    start = table[0][1][0]
    king = None
    for who, (colour, number) in table:
        is_trump_card = colour != start and number > 0
        if is_trump_card and (king is None or number > king[1]):
            king = (who, number)
    if king is None:
        for who, (colour, number) in table:
            if colour == start and (king is None or number > king[1]):
                king = (who, number)
    return king[0]


def sticheln_match(players, packs, beginner, winner_of, target=0):
    """beginner: who leads the first deal. packs: the shuffled pack of every deal. target: 0 for none."""
    overall = [0] * players
    for deal in range(len(packs)):
        hands = share(packs[deal], players)
        misery = []
        for player in range(players):
            misery.append((yield ("ask", player, set(hands[player]))))
        for player in range(players):
            hands[player].remove(misery[player])
        piles = [[] for _ in range(players)]
        turn = (beginner + deal) % players
        while any(hands):
            table = []
            while len(table) < players:
                card = yield ("ask", turn, set(hands[turn]))
                hands[turn].remove(card)
                table.append((turn, card))
                turn = (turn + 1) % players
            # Once round the table: turn is back at the leader, who leads again unless somebody wins.
            winner = winner_of(table)
            yield ("tell", "trick", winner)
            if winner is not None:
                piles[winner].extend(card for _, card in table)
                turn = winner
        result = []
        for player in range(players):
            plus = minus = 0
            for colour, number in piles[player]:
                if colour == misery[player][0]:
                    minus += number
                else:
                    plus += 1
            result.append(plus - minus - misery[player][1])
            overall[player] += result[player]
        yield ("tell", "points", tuple(result))
        if target and any(sum_of_all >= target for sum_of_all in overall):
            break


def nsv_match(players, packs, lot):
    return sticheln_match(players, packs, lot, nsv_winner)


def amigo_match(players, packs, lot, target=0):
    """The lot names the dealer."""
    return sticheln_match(players, packs, lot + 1, amigo_winner, target)


# ---------------------------------------------------------------- David & Goliath


def david_split(table):
    """(who played the high card, who played the low card)"""
    high = table[0]
    for entry in table:
        if entry[1][1] >= high[1][1]:
            high = entry
    rest = [entry for entry in table if entry is not high]
    low = rest[0]
    for entry in rest:
        if entry[1][1] <= low[1][1]:
            low = entry
    return high[0], low[0]


def david_points(pile):
    by_colour = {}
    for colour, number in pile:
        by_colour.setdefault(colour, []).append(number)
    total = 0
    for numbers in by_colour.values():
        total += sum(numbers) if len(numbers) in (1, 2) else len(numbers)
    return total


def david_match(players, packs, lot):
    for deal, pack in enumerate(packs):
        hands = share(pack, players)
        piles = [[] for _ in range(players)]
        turn = (lot + deal) % players
        for _ in range(15):
            table = []
            for _ in range(players):
                may = set(hands[turn])
                if table:
                    same = {card for card in may if card[0] == table[0][1][0]}
                    if same:
                        may = same
                card = yield ("ask", turn, may)
                hands[turn].remove(card)
                table.append((turn, card))
                turn = (turn + 1) % players
            high, low = david_split(table)
            yield ("tell", "trick", low, high)
            for who, card in table:
                piles[low if who == high else high].append(card)
            turn = high
        yield ("tell", "points", tuple(david_points(pile) for pile in piles))


# ---------------------------------------------------------------- Olé!

RED_UP = ["Y", "G", "B", "R"]
YELLOW_UP = ["R", "B", "G", "Y"]


def ole_rule(ladder, table, card):
    """1, 2, 3 by the leaflet's three rules, None if the card does not rank higher."""
    above = ladder.index(card[0]) > ladder.index(table[0])
    if above and card[1] <= table[1]:
        return 1
    if not above and card[1] > table[1]:
        return 2
    if above and card[1] > table[1]:
        return 3
    return None


def ole_match(players, packs, lot, forced_play=False):
    """The lot names the dealer, who matters only when losers are tied to the end."""
    overall = [0] * players
    last = None
    for deal, pack in enumerate(packs):
        dealer = (lot + deal) % players
        hands = share(pack, players)
        ladder = RED_UP
        if last is not None:
            worst = [p for p in range(players) if last[p] == max(last)]
            worst = [p for p in worst if overall[p] == max(overall[q] for q in worst)]
            for step in count(1):
                chooser = (dealer + step) % players
                if chooser in worst:
                    break
            if (yield ("ask", chooser, {"red", "yellow"})) == "yellow":
                ladder = YELLOW_UP
        table = (ladder[0], 1)
        turn = next(p for p in range(players) if table in hands[p])
        hands[turn].remove(table)
        yield ("tell", "opened", turn, table)
        table = yield ("ask", turn, set(hands[turn]))
        hands[turn].remove(table)
        turn = (turn + 1) % players
        chips = [0] * players
        since_card = 0
        while True:
            may = {card for card in hands[turn] if ole_rule(ladder, table, card)}
            if not (forced_play and may):
                may.add("chip")
            choice = yield ("ask", turn, may)
            if choice == "chip":
                chips[turn] += 1
                since_card += 1
                if since_card == players:
                    break
                turn = (turn + 1) % players
                continue
            series = ole_rule(ladder, table, choice) == 3
            since_card = 0
            table = choice
            hands[turn].remove(choice)
            if not hands[turn]:
                break
            if not series:
                turn = (turn + 1) % players
        last = []
        for player in range(players):
            last.append(sum(number for _, number in hands[player]) + 5 * chips[player])
            overall[player] += last[player]
        yield ("tell", "points", tuple(last))


# ---------------------------------------------------------------- the four boxes on one shelf

CARDS = {
    "sticheln": nsv_cards,
    "sticheln-1993": amigo_cards,
    "david-and-goliath": david_cards,
    "ole": ole_cards,
}
MATCH = {
    "sticheln": nsv_match,
    "sticheln-1993": amigo_match,
    "david-and-goliath": david_match,
    "ole": ole_match,
}


def run(match, choose):
    """The match to its end; choose(player, options) picks. Returns all that was told."""
    told = []
    answer = None
    while True:
        try:
            said = match.send(answer)
        except StopIteration:
            return told
        answer = None
        if said[0] == "ask":
            answer = choose(said[1], said[2])
        else:
            told.append(said[1:])


def count_lines(start, depth, opening=()):
    """How many different lines of `depth` choices follow the choices of `opening`, and the sum of all points
    told in them, weighted by player so that a swap shows. start() makes the match afresh: every line is
    played from the beginning."""
    match = start()
    left = list(opening)
    worth = 0
    answer = None
    while True:
        try:
            said = match.send(answer)
        except StopIteration:
            return (1 if depth == 0 else 0), (worth if depth == 0 else 0)
        answer = None
        if said[0] == "tell":
            if said[1] == "points":
                worth += sum((player + 1) * points for player, points in enumerate(said[2]))
            continue
        if left:
            answer = left.pop(0)
            continue
        if depth == 0:
            return 1, worth
        lines = total = 0
        for option in said[2]:
            more, value = count_lines(start, depth - 1, (*opening, option))
            lines += more
            total += value
        return lines, total
